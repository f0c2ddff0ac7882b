#pragma once

#include "isochor/solve/momenta.h"
#include "isochor/tets/solver.h"

namespace isochor::tets {

/// What can be read off a state, per tet in the order of Model::tets. Stress is Cauchy.
struct TetFields {
  std::vector<double> J;          ///< volume ratio
  std::vector<double> pressure;   ///< positive in compression, Pa
  std::vector<double> von_mises;  ///< Pa
};
TetFields tet_fields(const Model& model, const Configuration& at, ThreadArena& arena);

/// The mean of the tets around each node, by their volumes at rest; 0 where there are none.
std::vector<double> to_nodes(const Model& model, std::span<const double> per_tet);

/// What each of Model::holds pushes with to keep its nodes where they are: from what elasticity
/// (springs too), gravity and loads leave on them, or, after a step in time, from State::pushes.
/// Then the same of Model::sliding, and what each of Model::spring_groups pulls with, of ties on
/// the first of their bodies.
std::vector<solve::Resultant> reactions(const Model& model, const State& state,
                                        std::span<const Vec3d> elastic_force,
                                        const StepInput& input, ThreadArena& arena);

/// The point of a spring that rides on the body of its first node.
Vec3d first_point(const Model& model, std::int32_t spring, std::span<const Vec3d> positions);

/// What became of the zones.
struct ZoneReport {
  std::vector<double> volume;  ///< over that at rest
  double worst = 0;            ///< largest |volume / rest - 1|
  std::size_t worst_zone = 0;
};
ZoneReport zone_report(const Model& model, const State& state, ThreadArena& arena);

/// force += what zones push nodes with, N.
void add_zone_force(const Model& model, const State& state, std::span<Vec3d> force,
                    ThreadArena& arena);

/// The pressure in every tet, Pa: that of its zones, and minus a third of the trace of the Cauchy
/// stress of its law [Sheen21 sec 8.2].
std::vector<double> pressures_of_tets(const Model& model, const State& state,
                                      std::span<const double> activations, ThreadArena& arena);

}  // namespace isochor::tets
