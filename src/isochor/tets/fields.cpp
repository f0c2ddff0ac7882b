#include "isochor/tets/fields.h"

#include <algorithm>

#include "isochor/materials/stress_measures.h"

namespace isochor::tets {

TetFields tet_fields(const Model& model, const Configuration& at, ThreadArena& arena) {
  const std::size_t count = model.tets.size();
  std::vector<TetStress> all(count);
  stresses(model, at, all, arena);
  TetFields out{std::vector<double>(count), std::vector<double>(count), std::vector<double>(count)};
  parallel_for(arena, count, 256, [&](std::size_t t) {
    const auto [pressure, von_mises] = materials::measures_of(all[t].cauchy);
    out.J[t] = determinant(all[t].F);
    out.pressure[t] = pressure;
    out.von_mises[t] = von_mises;
  });
  return out;
}

std::vector<double> to_nodes(const Model& model, std::span<const double> per_tet) {
  std::vector<double> sum(model.node_count(), 0), weight(model.node_count(), 0);
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    for (const std::int32_t n : model.tets[t]) {
      sum[n] += model.volume[t] * per_tet[t];
      weight[n] += model.volume[t];
    }
  }
  for (std::size_t n = 0; n < sum.size(); ++n) {
    if (weight[n] > 0) sum[n] /= weight[n];
  }
  return sum;
}

Vec3d first_point(const Model& model, std::int32_t spring, std::span<const Vec3d> positions) {
  const std::span<const solve::SpringTerm> terms(
      model.springs.terms.data() + model.springs.first[spring],
      model.springs.terms.data() + model.springs.first[spring + 1]);
  const auto body = std::ranges::find_if(model.bodies, [&](const BodyRange& range) {
    return terms[0].index < range.first_node + range.node_count;
  });
  Vec3d point{0, 0, 0};
  for (const auto& [node, weight] : terms) {
    const std::int32_t number = node - body->first_node;
    if (number >= 0 && number < body->node_count) point += weight * positions[node];
  }
  return point;
}

std::vector<solve::Resultant> reactions(const Model& model, const State& state,
                                        std::span<const Vec3d> elastic_force,
                                        const StepInput& input, ThreadArena& arena) {
  std::vector<solve::Resultant> result;
  std::vector<solve::Push> pushes;
  std::size_t next = 0;
  for (const Hold& hold : model.holds) {
    pushes.clear();
    for (const std::int32_t n : hold.nodes) {
      Vec3d push = -(elastic_force[n] + model.mass[n] * input.gravity);
      if (!input.loads.empty()) push -= input.loads[n];
      if (state.last_dt > 0) push = state.pushes[next];
      pushes.push_back({state.positions[n], push});
      ++next;
    }
    result.push_back(solve::resultant(pushes));
  }
  std::vector<Vec3d> sliding(next + model.sliding_count(), Vec3d{0, 0, 0});
  for (const Slide& slide : input.slides) {
    const std::int32_t n = slide.node;
    if (slide.held < 0) continue;
    Vec3d push = -(elastic_force[n] + model.mass[n] * input.gravity);
    if (!input.loads.empty()) push -= input.loads[n];
    sliding[slide.held] += dot(slide.normal, push) * slide.normal;
  }
  for (const SlidingHold& hold : model.sliding) {
    pushes.clear();
    for (const std::int32_t n : hold.nodes) {
      pushes.push_back(
          {state.positions[n], state.last_dt > 0 ? state.pushes[next] : sliding[next]});
      ++next;
    }
    result.push_back(solve::resultant(pushes));
  }
  const solve::Springs& springs = model.springs;
  std::vector<Vec3d> pulls(springs.count());
  if (!pulls.empty()) {
    solve::spring_pulls(springs, state.positions, input.spring_targets, pulls, arena);
  }
  for (const SpringGroup& group : model.spring_groups) {
    pushes.clear();
    for (std::int32_t s = group.first; s < group.first + group.count; ++s) {
      pushes.push_back({first_point(model, s, state.positions), pulls[s]});
    }
    result.push_back(solve::resultant(pushes));
  }
  return result;
}

ZoneReport zone_report(const Model& model, const State& state, ThreadArena& arena) {
  ZoneReport report;
  report.volume.resize(model.zones.count());
  ZoneSlopes slopes(model);
  if (model.zones.count() > 0) {
    measure_zones(model, state.positions, slopes, report.volume, arena);
  }
  for (std::size_t z = 0; z < report.volume.size(); ++z) {
    report.volume[z] /= model.zones.volume[z];
    if (std::abs(report.volume[z] - 1) <= report.worst) continue;
    report.worst = std::abs(report.volume[z] - 1);
    report.worst_zone = z;
  }
  return report;
}

void add_zone_force(const Model& model, const State& state, std::span<Vec3d> force,
                    ThreadArena& arena) {
  if (model.zones.count() == 0) return;
  ZoneSlopes slopes(model);
  std::vector<double> volumes(model.zones.count());
  measure_zones(model, state.positions, slopes, volumes, arena);
  add_zone_force(model, slopes, state.pressures, force, arena);
}

std::vector<double> pressures_of_tets(const Model& model, const State& state,
                                      std::span<const double> activations, ThreadArena& arena) {
  std::vector<double> out(model.tets.size(), 0);
  if (model.zones.count() > 0) tet_pressures(model, state.pressures, out, arena);
  std::vector<TetStress> stress(model.tets.size());
  stresses(model, {state.positions, activations}, stress, arena);
  for (std::size_t t = 0; t < out.size(); ++t) out[t] -= trace(stress[t].cauchy) / 3;
  return out;
}

}  // namespace isochor::tets
