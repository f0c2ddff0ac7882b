#pragma once

#include <vector>

#include "isochor/contact/impacts.h"

namespace isochor::contact {

/// Pairs that may matter for as long as points stay near where they were when it was made (Verlet
/// 1967): iterations of a solver move less and less, and ask the same few pairs again. What it
/// answers is what the trees would, bit for bit.
class PairList {
 public:
  /// All pairs that are not further apart than `reach`, m.
  void make(SurfaceBvh& bvh, std::span<const Vec3d> positions, double reach,
            const PairFilter& filter, ThreadArena& arena);
  void clear() { made_at_.clear(); }

  /// How far all points may go from positions, m, so that the list still has all pairs that come
  /// within `reach` of each other, or meet on a way asked for with `options`; negative: they are
  /// too far from where it was made.
  double range(std::span<const Vec3d> positions, double reach, const ImpactOptions& options,
               ThreadArena& arena) const;

  /// As find_close_pairs does, where `range` is not negative.
  void find_close(std::span<const Vec3d> positions, double reach, ThreadArena& arena,
                  std::vector<Pair>& pairs) const;
  /// As largest_step does, where no point goes further than the range at `start` without a reach.
  double largest_step(std::span<const Vec3d> start, std::span<const Vec3d> end,
                      const ImpactOptions& options, ThreadArena& arena) const;

 private:
  std::vector<Vec3d> made_at_;  ///< empty: there is none
  double reach_ = 0;
  std::vector<Pair> pairs_;  ///< sorted
};

}  // namespace isochor::contact
