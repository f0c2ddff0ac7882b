#include "isochor/lattice/fields.h"

#include <algorithm>

#include "isochor/lattice/elasticity.h"
#include "isochor/materials/stress_measures.h"

namespace isochor::lattice {

CellFields cell_fields(const Model& model, const Configuration& at, ThreadArena& arena) {
  std::vector<CellStress> stresses(8 * model.blocks.size());
  cell_stresses(model, at, stresses, arena);
  return fields_from_stresses(model, stresses, arena);
}

CellFields fields_from_stresses(const Model& model, std::span<const CellStress> stresses,
                                ThreadArena& arena) {
  const std::size_t count = model.cells.size();
  CellFields out{std::vector<double>(count), std::vector<double>(count),
                 std::vector<double>(count)};
  parallel_for(arena, count, 256, [&](std::size_t cell) {
    const auto& [F, P] = stresses[model.cells[cell]];
    // Cauchy stress: J sigma = P F^T.
    const double J = determinant(F);
    const Mat3d sigma = times_transpose(P, F) * (1 / J);
    const auto [pressure, von_mises] = materials::measures_of(sigma);
    out.J[cell] = J;
    out.pressure[cell] = pressure;
    out.von_mises[cell] = von_mises;
  });
  return out;
}

std::vector<double> to_nodes(const Model& model, std::span<const double> per_cell) {
  std::vector<double> sum(model.node_count(), 0), weight(model.node_count(), 0);
  for (std::size_t cell = 0; cell < model.cells.size(); ++cell) {
    for (int c = 0; c < 8; ++c) {
      const std::int32_t n = model.corner(model.cells[cell], c);
      sum[n] += per_cell[cell];
      weight[n] += 1;
    }
  }
  for (std::size_t n = 0; n < sum.size(); ++n) sum[n] /= weight[n];
  return sum;
}

Momenta momenta(const Model& model, const State& state, ThreadArena& arena) {
  return solve::momenta(model.mass, state.positions, state.velocities, arena);
}

namespace {

/// The point of a spring that rides on the body of its first node.
Vec3d first_point(const Model& model, std::int32_t spring, std::span<const Vec3d> positions) {
  const auto terms = std::span(model.springs.terms)
                         .subspan(model.springs.first[spring],
                                  model.springs.first[spring + 1] - model.springs.first[spring]);
  const auto body = std::ranges::find_if(model.bodies, [&](const BodyRange& range) {
    return terms[0].index < range.first_node + range.node_count;
  });
  Vec3d point{0, 0, 0};
  for (const solve::SpringTerm& term : terms) {
    const std::int32_t n = term.index - body->first_node;
    if (n >= 0 && n < body->node_count) point += term.weight * positions[term.index];
  }
  return point;
}

}  // namespace

std::vector<Reaction> reactions(const Model& model, const Configuration& at, const StepInput& input,
                                ThreadArena& arena, std::span<const Vec3d> state_pushes) {
  std::vector<Vec3d> force(model.node_count());
  std::vector<double> block_energy(model.blocks.size());
  integrated_force(model, at, force, block_energy, arena);
  return reactions(model, at.positions, std::move(force), input, arena, state_pushes);
}

std::vector<Reaction> reactions(const Model& model, std::span<const Vec3d> positions,
                                std::vector<Vec3d> elastic_force, const StepInput& input,
                                ThreadArena& arena, std::span<const Vec3d> state_pushes) {
  std::vector<Vec3d> force = std::move(elastic_force), pull(model.springs.count());
  spring_pulls(model.springs, positions, input.spring_targets, pull, arena);
  add_pulls(model.springs, pull, 1, force, arena);
  std::vector<Reaction> result;
  std::vector<solve::Push> pushes;
  std::size_t held = 0;
  for (std::size_t h = 0; h < model.holds.size(); ++h) {
    const Hold& hold = model.holds[h];
    pushes.clear();
    for (const std::int32_t n : hold.nodes) {
      const Vec3d load = input.loads.empty() ? Vec3d{0, 0, 0} : input.loads[n];
      Vec3d push = state_pushes.empty() ? -(force[n] + model.mass[n] * input.gravity + load)
                                        : state_pushes[held++];
      // Other holds may push at a node that slides, each in its own directions.
      if (hold.slide != Slide::None) {
        const Vec3d along = dot(input.slide_directions[h], push) * input.slide_directions[h];
        push = hold.slide == Slide::InPlane ? along : push - along;
      }
      pushes.push_back({positions[n], push});
    }
    result.push_back(solve::resultant(pushes));
  }
  for (const SpringGroup& group : model.spring_groups) {
    pushes.clear();
    for (std::int32_t s = group.first; s < group.first + group.count; ++s) {
      pushes.push_back({first_point(model, s, positions), pull[s]});
    }
    result.push_back(solve::resultant(pushes));
  }
  return result;
}

}  // namespace isochor::lattice
