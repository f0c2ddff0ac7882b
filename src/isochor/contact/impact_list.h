#pragma once

#include <vector>

#include "isochor/contact/impacts.h"

namespace isochor::contact {

/// Pairs that may meet on the way from where points are to anywhere near where they go, as PairList
/// has those that are near: rounds that change a few ways ask the same pairs again. It finds what
/// the trees would, and a few pairs more that lose most of their gap and do not meet.
class ImpactList {
 public:
  /// `slack`, m: how far ends may be from these.
  void make(SurfaceBvh& bvh, std::span<const Vec3d> start, std::span<const Vec3d> end, double slack,
            const ImpactOptions& options, const PairFilter& filter, ThreadArena& arena);
  /// How far the farthest end is from where it was, m.
  double moved(std::span<const Vec3d> end, ThreadArena& arena) const;
  double slack() const { return slack_; }

  /// As find_impacts does, or more, with the options of `make`, where no end has moved by more than
  /// the slack.
  void find(std::span<const Vec3d> start, std::span<const Vec3d> end, ThreadArena& arena,
            std::vector<Impact>& impacts) const;

 private:
  std::vector<Vec3d> made_for_;
  double slack_ = 0;
  ImpactOptions options_;
  std::vector<Pair> pairs_;  ///< sorted; of weights and distances nothing is known
};

}  // namespace isochor::contact
