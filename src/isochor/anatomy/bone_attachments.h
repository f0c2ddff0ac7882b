#pragma once

#include <span>

#include "isochor/anatomy/harmonic_fibres.h"
#include "isochor/geometry/triangle_bvh.h"
#include "isochor/geometry/winding_number.h"

/// Where muscles are attached: at the bones that their ends touch.
namespace isochor::anatomy {

/// A bone as muscles see it.
class BoneSurface {
 public:
  BoneSurface(const Solid& bone, ThreadArena& arena);

  /// 0 inside of the bone, infinite farther than `reach` from it, m.
  double distance(const Vec3d& point, double reach) const;

 private:
  std::shared_ptr<const geometry::TriangleBvh> tree_;
  geometry::WindingNumber winding_;
};

/// The ends of a muscle, and the bones that they are on: numbers, or -1 where no bone decided.
struct AttachedEnds {
  MuscleEnds ends;
  int origin_bone = -1, insertion_bone = -1;
};

/// A muscle goes from one bone to another. A triangle touches the bone nearest to its middle, if
/// that is within `touch`, in m, or inside of it. Along the longest axis of the muscle, from 0 to
/// 1, the origin's bone is the one with the largest touching area in the first quarter, the
/// insertion's that in the last one; the two must differ, and if one bone has the most in both, it
/// gets the end with the larger area. The end is all that touches its bone in its half of the
/// muscle. An end that no bone decides is the last `part` of the length, as ends_along_axis says.
AttachedEnds ends_at_bones(const Solid& muscle, std::span<const BoneSurface> bones, double touch,
                           double part = 0.1);

}  // namespace isochor::anatomy
