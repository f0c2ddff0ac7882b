#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/lattice/mixed_solver.h"
#include "reproduce/embedded_body.h"

/// Bodies of verification problems: the unit cube through a map, each of its six sides a surface
/// that may be held or loaded, lying in the lattice as it is or turned.
namespace isochor::reproduce {

/// Side 2 a is where coordinate a is 0, side 2 a + 1 where it is 1.
struct MappedBox {
  geometry::SurfaceMesh mesh;
  std::array<std::vector<geometry::Triangle>, 6> sides;  ///< turned outward
};
/// `divisions` squares along each coordinate. What the map makes one point is one vertex.
MappedBox make_mapped_box(const std::array<int, 3>& divisions,
                          const std::function<Vec3d(const Vec3d&)>& map);

/// How a body lies in its lattice. A shift by part of a cell comes with any turn: lattices begin
/// where their body does.
struct Placement {
  std::string_view name;
  Mat3d rotation;
};
/// As it is, and turned by 0.7 rad about (1, 2, 3).
std::array<Placement, 2> placements();

/// What a mapped box becomes on the way to a model.
struct PlacedBody {
  lattice::BodySpec spec;
  std::array<std::vector<grid::SurfaceFacet>, 6> sides;
  Mat3d rotation;
  std::vector<lattice::SurfaceMotion> motions;  ///< at rest, per held surface

  /// Holds a side, altogether or only along a direction of the body.
  void hold(int side);
  void hold(int side, const Vec3d& direction);
};

PlacedBody place(const MappedBox& box, const Placement& placement, double cell_size,
                 std::string_view law, double mu, double poisson, Boundary boundary,
                 Context& context);

/// Loads come up from nothing in steps of 1/first, which are halved where they fail.
struct Raised {
  bool arrived = false;
  int steps = 0, cuts = 0, systems = 0, iterations = 0;
};
/// advance(part of the load) makes one step.
Raised raise_loads(int first, const std::function<solve::NewtonReport(double)>& advance,
                   const Context& context);

}  // namespace isochor::reproduce
