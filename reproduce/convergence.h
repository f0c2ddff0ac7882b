#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reproduce/embedded_body.h"
#include "reproduce/mixed_block.h"
#include "reproduce/mixed_volumes.h"
#include "reproduce/row.h"

/// How positions in a body that does not follow its lattice converge when cells are halved.
namespace isochor::reproduce {

/// One way to integrate such a body.
struct Scheme {
  const char *name, *variant;
  Boundary boundary = Boundary::Cut;
  lattice::Quadrature quadrature = lattice::Quadrature::OnePoint;
};
inline constexpr Scheme kSecondOrder{"second order", "paper", Boundary::Cut,
                                     lattice::Quadrature::FourPoints};
inline constexpr Scheme kFirstOrder{"first order, voxels", "paper", Boundary::Whole};
inline constexpr Scheme kWeighted{"first order, weighted", "best", Boundary::Weighted};
inline constexpr Scheme kCut{"cut cells", "best", Boundary::Cut};

/// A body, how it is held and moved, and where it is looked at.
struct ConvergenceCase {
  geometry::SurfaceMesh surface;
  double poisson = 0.5;
  double jumps = lattice::mixed::Params{}.jumps;
  std::function<std::vector<lattice::HoldSpec>(const grid::Lattice&)> holds;
  /// Positions and directions of holds for t from 0 to 1, in the order of a model.
  std::function<Holding(const lattice::Model&, double t)> holding;
  std::vector<Vec3d> points;  ///< in the body
  /// Where points belong, if that is known.
  std::function<Vec3d(const Vec3d&)> exact;
  /// What points are compared with otherwise; none: what the scheme's own results tend to.
  std::vector<Vec3d> limit;
};

/// A lattice's result.
struct Level {
  int cells_per_metre = 0;
  std::size_t cells = 0, cut = 0;
  FollowedMotion way;
  std::vector<Vec3d> at_points;
  std::vector<Vec3d> trilinear, tricubic;  ///< vertices of the surface
  double energy = 0;                       ///< the saddle function, J
  Volumes volumes;                         ///< by points of cells at least a tenth full
};
Level solve_level(const ConvergenceCase& body, const Scheme& scheme, int cells_per_metre,
                  Context& context);

/// Results on lattices that are halved from one to the next, and rows about them: errors at points
/// against the exact solution and against Richardson's extrapolation, orders of both.
std::vector<Level> measure_convergence(const std::string& id, const ConvergenceCase& body,
                                       const Scheme& scheme, std::span<const int> sizes,
                                       std::optional<double> least_order, Context& context,
                                       std::vector<Row>& rows);

}  // namespace isochor::reproduce
