#pragma once

#include <span>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/lattice/operator.h"
#include "isochor/lattice/solver.h"
#include "isochor/solve/momenta.h"

namespace isochor::lattice {

/// What can be read off a state, per cell in the order of Model::cells. Stress is Cauchy at the
/// centroid, without the stabilisation.
struct CellFields {
  std::vector<double> J;          ///< volume ratio
  std::vector<double> pressure;   ///< -tr(sigma) / 3, positive in compression, Pa
  std::vector<double> von_mises;  ///< Pa
};
CellFields cell_fields(const Model& model, const Configuration& at, ThreadArena& arena);
/// The same from F and P at block * 8 + lane.
CellFields fields_from_stresses(const Model& model, std::span<const CellStress> stresses,
                                ThreadArena& arena);

/// The mean of the cells around each node.
std::vector<double> to_nodes(const Model& model, std::span<const double> per_cell);

/// How a state moves as a whole.
using solve::Momenta;
Momenta momenta(const Model& model, const State& state, ThreadArena& arena);

/// What a hold or a group of springs pushes with to keep its nodes or points where they are.
using Reaction = solve::Resultant;
/// One per Model::holds, from the forces that elasticity, gravity, loads and springs leave on held
/// nodes, or, after a step in time, from State::pushes; then one per Model::spring_groups; of
/// springs between bodies what they push the first body with.
std::vector<Reaction> reactions(const Model& model, const Configuration& at, const StepInput& input,
                                ThreadArena& arena, std::span<const Vec3d> state_pushes = {});
/// The same, elasticity being what gives `elastic_force`, N, to the nodes.
std::vector<Reaction> reactions(const Model& model, std::span<const Vec3d> positions,
                                std::vector<Vec3d> elastic_force, const StepInput& input,
                                ThreadArena& arena, std::span<const Vec3d> state_pushes = {});

}  // namespace isochor::lattice
