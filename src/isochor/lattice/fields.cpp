#include "isochor/lattice/fields.h"

#include <algorithm>
#include <cmath>

#include "isochor/lattice/elasticity.h"

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
    const double mean = trace(sigma) / 3;
    const Mat3d deviator = sigma - Mat3d::diagonal({mean, mean, mean});
    out.J[cell] = J;
    out.pressure[cell] = -mean;
    out.von_mises[cell] = std::sqrt(1.5 * contract(deviator, deviator));
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

namespace {

/// The sum over all nodes of a vector each has.
template <class F>
Vec3d sum_vectors(const Model& model, ThreadArena& arena, F&& f) {
  Vec3d result{0, 0, 0};
  for (int a = 0; a < 3; ++a) {
    result[a] =
        deterministic_sum(arena, model.node_count(), [&](std::size_t begin, std::size_t end) {
          double sum = 0;
          for (std::size_t n = begin; n < end; ++n) sum += f(n)[a];
          return sum;
        });
  }
  return result;
}

}  // namespace

Momenta momenta(const Model& model, const State& state, ThreadArena& arena) {
  const std::vector<double>& m = model.mass;
  Momenta result;
  const Vec3d sums = sum_vectors(model, arena, [&](std::size_t n) {
    return Vec3d{m[n], 0.5 * m[n] * dot(state.velocities[n], state.velocities[n]), 0};
  });
  result.mass = sums[0];
  result.kinetic_energy = sums[1];
  result.center =
      sum_vectors(model, arena, [&](std::size_t n) { return m[n] * state.positions[n]; }) *
      (1 / result.mass);
  result.linear =
      sum_vectors(model, arena, [&](std::size_t n) { return m[n] * state.velocities[n]; });
  result.angular = sum_vectors(model, arena, [&](std::size_t n) {
    return m[n] * cross(state.positions[n] - result.center, state.velocities[n]);
  });
  return result;
}

namespace {

/// A place and what is pushed there.
struct Push {
  Vec3d at, force;
};

Reaction resultant(std::span<const Push> pushes) {
  Reaction reaction;
  Vec3d center{0, 0, 0};
  for (const Push& push : pushes) center += push.at;
  center *= 1.0 / static_cast<double>(pushes.size());
  for (const Push& push : pushes) {
    reaction.force += push.force;
    reaction.moment += cross(push.at - center, push.force);
  }
  return reaction;
}

/// The point of a spring that rides on the body of its first node.
Vec3d first_point(const Model& model, std::int32_t spring, std::span<const Vec3d> positions) {
  const auto terms = std::span(model.springs.terms)
                         .subspan(model.springs.first[spring],
                                  model.springs.first[spring + 1] - model.springs.first[spring]);
  const auto body = std::ranges::find_if(model.bodies, [&](const BodyRange& range) {
    return terms[0].index < range.first_node + range.node_count;
  });
  Vec3d point{0, 0, 0};
  for (const SpringTerm& term : terms) {
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
  std::vector<Push> pushes;
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
    result.push_back(resultant(pushes));
  }
  for (const SpringGroup& group : model.spring_groups) {
    pushes.clear();
    for (std::int32_t s = group.first; s < group.first + group.count; ++s) {
      pushes.push_back({first_point(model, s, positions), pull[s]});
    }
    result.push_back(resultant(pushes));
  }
  return result;
}

}  // namespace isochor::lattice
