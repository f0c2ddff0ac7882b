#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isochor/grid/lattice.h"
#include "isochor/solve/newton.h"

namespace isochor::lattice {

/// Nodes that follow a prescribed motion.
struct HoldSpec {
  std::string name;
  std::vector<std::int32_t> nodes;  ///< numbers within the body's lattice
  std::string place;                ///< names the hold in errors
};

/// What a body is made of, before it becomes part of a model.
struct BodySpec {
  std::string name;
  grid::Lattice lattice;
  int law = 0;                     ///< index in materials::Laws
  std::vector<double> mu, lambda;  ///< per cell in Lattice::for_each_cell order, Pa
  double density = 1000;           ///< kg/m^3
  std::vector<HoldSpec> holds;
};

struct Params {
  bool stabilise = true;         ///< off shows the hourglass modes of bare one-point quadrature
  bool always_definite = false;  ///< never use the exact tangent: the published method
  solve::NewtonParams newton;
};

/// A block of eight cells as the kernels read it. Lanes without a cell have mu = lambda = 0.
struct Block {
  std::array<std::int32_t, 27> nodes;  ///< in the model; kNoNode where unused
  std::uint8_t active = 0;
  std::int32_t law = 0;
  double h = 0;
  std::array<double, 8> mu{}, lambda{};
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
};

/// All that a simulation of lattice bodies needs and never changes.
struct Model {
  Params params;
  std::vector<BodyRange> bodies;
  std::vector<Block> blocks;               ///< by colour; blocks of one colour share no node
  std::vector<std::int32_t> color_starts;  ///< colour c: blocks [color_starts[c], [c + 1])
  /// Per cell, in the order of bodies and of Lattice::for_each_cell: block * 8 + lane.
  std::vector<std::int32_t> cells;
  std::vector<Vec3d> rest_positions;  ///< per node, m
  std::vector<double> mass;           ///< per node, kg
  std::vector<std::uint8_t> held;     ///< per node: its motion is prescribed
  std::vector<Hold> holds;
  double rounding_force = 0;  ///< what rounding leaves on a node at rest, N

  std::size_t node_count() const { return rest_positions.size(); }
};

/// Puts bodies together. A node in two holds is an input error that names both.
Model build_model(const std::vector<BodySpec>& bodies, const Params& params);

}  // namespace isochor::lattice
