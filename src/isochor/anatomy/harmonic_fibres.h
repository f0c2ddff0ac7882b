#pragma once

#include <span>
#include <string>
#include <vector>

#include "isochor/anatomy/fibre_field.h"
#include "isochor/geometry/grid_moments.h"
#include "isochor/solve/conjugate_gradient.h"

/// Fibres between the two ends of a muscle, along the gradient of a potential that is 0 on the one
/// and 1 on the other: Laplace's equation in the muscle, with no flux through the rest of its
/// surface.
namespace isochor::anatomy {

/// A closed surface, its triangles facing outward.
struct Solid {
  std::span<const Vec3d> positions;  ///< m
  std::span<const geometry::Triangle> triangles;
};

/// The triangles at the two ends of a muscle.
struct MuscleEnds {
  std::vector<std::int32_t> origin, insertion;
};

/// Where along the longest principal axis of a solid the middle of each triangle is, 0 to 1 from
/// one end to the other. The axis is turned to have its largest component positive.
std::vector<double> ways_along_axis(const Solid& muscle);

/// Those whose middle is in the first and in the last `part` of that way.
MuscleEnds ends_along_axis(const Solid& muscle, double part = 0.1);

/// Cells across a muscle as thick as its volume and surface say, m: what resolves its potential.
double default_spacing(const Solid& muscle);

/// The potential of a muscle, on a grid of cubes of its own. Trilinear elements, integrated over
/// the part of each cell that is muscle: a linear potential is found exactly whatever the surface
/// cuts. The ends are held by a penalty, as if the potential were given a small part of a cell
/// outside of them. Directions are interpolated from gradients averaged at nodes.
class HarmonicFibres {
 public:
  /// `place` names the muscle in errors: an end that is not found inside the muscle, ends that
  /// nothing connects. `spacing` in m.
  HarmonicFibres(const Solid& muscle, const MuscleEnds& ends, double spacing,
                 const std::string& place, ThreadArena& arena);

  /// Beyond the muscle the direction is that of the nearest cells.
  Vec3d direction(const Vec3d& point) const;
  /// 0 to 1; only inside the muscle.
  double potential(const Vec3d& point) const;

  const solve::KrylovReport& report() const { return report_; }
  std::size_t unknowns() const { return unknowns_; }

 private:
  template <class T>
  T interpolate(const std::vector<T>& nodal, const Vec3d& point) const;

  geometry::RegularGrid grid_;  ///< whose cells have nodes at their corners
  std::vector<double> potential_;
  std::vector<Vec3d> gradient_;  ///< per node
  Vec3d main_direction_;         ///< from the origin to the insertion
  solve::KrylovReport report_;
  std::size_t unknowns_ = 0;
};

/// The same as a field.
FibreField harmonic_fibres(const Solid& muscle, const MuscleEnds& ends, double spacing,
                           const std::string& place, ThreadArena& arena);

}  // namespace isochor::anatomy
