#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isochor/grid/lattice.h"
#include "isochor/lattice/springs.h"
#include "isochor/materials/parameters.h"
#include "isochor/materials/tangent.h"
#include "isochor/math/mat3.h"
#include "isochor/solve/newton.h"

namespace isochor::lattice {

/// Which motions a hold leaves to its nodes, along or across a direction that comes with each step.
/// A node may be in several holds that slide: it then has what all of them leave. What a hold does
/// not leave goes before what another one does.
enum class Slide {
  None,
  InPlane,    ///< any that keep the distance along the direction
  AlongLine,  ///< along the direction only
};

/// Nodes that follow a prescribed motion.
struct HoldSpec {
  std::string name;
  std::vector<std::int32_t> nodes;  ///< numbers within the body's lattice
  std::string place;                ///< names the hold in errors
  Slide slide = Slide::None;
};

/// Springs that belong together: a soft hold, or what ties one body to another.
struct SpringGroupSpec {
  std::string name;
  std::vector<Spring> springs;  ///< nodes numbered through all bodies, one after another
};

/// What a body is made of, before it becomes part of a model.
struct BodySpec {
  std::string name;
  grid::Lattice lattice;
  int law = 0;                                       ///< index in materials::Laws
  std::array<double, materials::kMaxShape> shape{};  ///< the law's further numbers
  std::vector<double> mu, lambda;  ///< per cell in Lattice::for_each_cell order, Pa
  std::vector<Mat3d> axes;         ///< per cell, of laws with directions: fibre, sheet, normal
  std::vector<double> activation;  ///< per cell, a factor of the body's; none: 1
  double density = 1000;           ///< kg/m^3
  std::vector<HoldSpec> holds;
};

/// Where a cell's energy is evaluated: at its centre, stabilised, or at eight Gauss points.
enum class Quadrature { OnePoint, Gauss };

struct Params {
  Quadrature quadrature = Quadrature::OnePoint;
  bool stabilise = true;         ///< off shows the hourglass modes of bare one-point quadrature
  bool always_definite = false;  ///< never use the exact tangent: the published method
  /// What is done about negative curvature. None: a search ends where it is met.
  materials::Definiteness definiteness = materials::Definiteness::Clamp;
  solve::NewtonParams newton;
};

/// A block of eight cells as the kernels read it. Lanes without a cell have mu = lambda = 0.
struct Block {
  std::array<std::int32_t, 27> nodes;  ///< in the model; kNoNode where unused
  std::uint8_t active = 0;
  bool has_axes = false;
  std::int32_t material = 0;  ///< in Model::materials; the number of its body
  std::int32_t tangent = 0;   ///< in Tangents::principal, or in Tangents::dense and Model::axes
  double h = 0;
  std::array<double, 8> mu{}, lambda{};
};

/// What the cells of a body have in common.
struct Material {
  int law = 0;
  std::array<double, materials::kMaxShape> shape{};
};

/// The law's own axes in eight cells, by columns, and how much of the body's activation they get.
struct BlockAxes {
  double Q[9][8];
  double activation[8];
};

/// A body's place among the arrays of a model.
struct BodyRange {
  std::string name;
  std::int32_t first_node = 0, node_count = 0;
  std::int32_t first_cell = 0, cell_count = 0;
};

struct Hold {
  std::string name;                 ///< "body.hold"
  std::vector<std::int32_t> nodes;  ///< in the model
  Slide slide = Slide::None;
};

struct SpringGroup {
  std::string name;
  std::int32_t first = 0, count = 0;  ///< in Model::springs
};

/// What a node may do of its own.
enum class Freedom : std::uint8_t { Free, Held, Sliding };

/// All that a simulation of lattice bodies needs and never changes.
struct Model {
  Params params;
  std::vector<BodyRange> bodies;
  std::vector<Material> materials;         ///< one per body
  std::vector<BlockAxes> axes;             ///< of blocks whose law has directions
  std::vector<Block> blocks;               ///< by colour; blocks of one colour share no node
  std::vector<std::int32_t> color_starts;  ///< colour c: blocks [color_starts[c], [c + 1])
  /// Per cell, in the order of bodies and of Lattice::for_each_cell: block * 8 + lane.
  std::vector<std::int32_t> cells;
  std::vector<Vec3d> rest_positions;  ///< per node, m
  std::vector<double> mass;           ///< per node, kg
  std::vector<Freedom> freedom;       ///< per node
  std::vector<std::int32_t> sliding;  ///< nodes that slide, ascending
  std::vector<Hold> holds;
  Springs springs;
  std::vector<SpringGroup> spring_groups;
  double rounding_force = 0;  ///< what rounding leaves on a node at rest, N

  std::size_t node_count() const { return rest_positions.size(); }
};

/// Puts bodies together. A node in two holds that do not slide is an input error that
/// names both.
Model build_model(const std::vector<BodySpec>& bodies, const Params& params,
                  const std::vector<SpringGroupSpec>& springs = {});

}  // namespace isochor::lattice
