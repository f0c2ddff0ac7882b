#pragma once

#include <functional>
#include <optional>

#include "isochor/grid/embedding.h"
#include "isochor/math/mat3.h"
#include "isochor/staggered/dynamics.h"
#include "isochor/staggered/nodes.h"

/// Bodies of flesh on a staggered grid for the animations of Zhu 2010: a surface in a cage of
/// cells, of which some are moved along rigidly.
namespace isochor::reproduce {

/// x goes to `to` + rotation (x - from).
struct RigidMotion {
  Mat3d rotation = Mat3d::identity();
  Vec3d from{0, 0, 0}, to{0, 0, 0};
  Vec3d operator()(const Vec3d& x) const { return to + rotation * (x - from); }
};

struct FleshSpec {
  const geometry::SurfaceMesh* surface = nullptr;
  double spacing = 0;  ///< m
  double young = 1e4;  ///< Pa
  double poisson = 0.475;
  double density = 1000;  ///< kg/m^3
  double dt = 0;          ///< s; 0: static
  int padding = 1;        ///< layers of cells around the surface [Zhu10 fig 17]
  staggered::Law law = staggered::Law::Linear;
  bool published = false;
  /// Which piece moves a place at rest along, or -1.
  std::function<int(const Vec3d&)> piece;
};

/// How a frame was solved. `factor` is the geometric mean by which a cycle reduced the residual:
/// cycles alone as published, else with GMRES or what corotated elasticity has of it.
struct FleshFrame {
  int cycles = 0;
  double factor = 0, residual = 0, seconds = 0;
  bool converged = false;
};

/// What an obstacle does. `deepest` is how far a vertex is off where it should be: inside, or
/// pushed while outside.
struct Pressed {
  Vec3d force{0, 0, 0};  ///< N
  double deepest = 0;    ///< m
  double area = 0;       ///< of contact, m^2
  int solves = 0, cycles = 0;
};

class Flesh {
 public:
  Flesh(const FleshSpec& spec, Context& context);

  /// Moves pieces, and all else to rest or by a step in time.
  FleshFrame move(std::span<const RigidMotion> pieces, double tolerance, int most);
  /// Presses a smooth obstacle into a body at rest, of linear elasticity: `depth(x, push)` says how
  /// deep a place lies in it, m, negative outside, and which way it pushes, a unit vector.
  /// Tractions on the embedded surface [Zhu10 sec 9.2] are found so that no vertex stays inside.
  Pressed press(const std::function<double(const Vec3d& x, Vec3d& push)>& depth, double tolerance,
                int most);
  /// Faces of cells that `catches` says for their middle as it is now move along by `translation`
  /// from here on, without turning, until released [Zhu10 fig 25]. Nothing caught: all are free.
  void capture(const std::function<bool(const Vec3d&)>& catches);
  void carry(const Vec3d& translation) { carried_ = translation; }

  /// Vertices of the surface, m.
  std::vector<Vec3d> surface() const;
  std::size_t cells() const { return cells_.size(); }
  std::size_t captured() const { return caught_.size(); }

 private:
  void build();
  staggered::Index<3> cell_at(const Vec3d& x) const;
  std::vector<Vec3d> nodes() const;
  FleshFrame cycle(std::span<const double> b, std::span<double> u, double tolerance, int most);

  FleshSpec spec_;
  Context& context_;
  grid::Lattice lattice_;
  grid::Embedding embedding_;
  staggered::Domain<3> domain_;
  std::vector<staggered::Index<3>> cells_, corners_;
  std::vector<int> piece_of_;  ///< per cell of the domain
  std::optional<staggered::Model<3>> model_;
  std::optional<staggered::NodeMap> map_;
  std::optional<staggered::Motion<3>> motion_;
  std::optional<staggered::CorotatedMemory<3>> corotated_;
  std::optional<staggered::SolverMemory<3>> linear_;
  std::vector<std::size_t> caught_;  ///< cells of the domain
  std::vector<double> anchor_;       ///< displacement when caught, per cell of the domain and axis
  Vec3d carried_{0, 0, 0};
};

/// Every triangle as four, `times` over; corners of quads are joined first.
geometry::SurfaceMesh subdivided(const geometry::SurfaceMesh& surface, int times);

}  // namespace isochor::reproduce
