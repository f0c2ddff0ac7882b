/// How fast the lattice's operators are, beside the machine and an assembled sparse matrix: on
/// cubes and on an arm, whose boundary leaves blocks half empty; deformed, every cell as stiff as
/// chance has it.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numeric>
#include <random>
#include <vector>

#include "bench/assembled.h"
#include "bench/benchmark.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/geometry/shapes.h"
#include "isochor/lattice/operator.h"
#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"

namespace isochor::bench {
namespace {

using materials::Definiteness;
using reproduce::Relation;

/// Arithmetic of lattice::apply_stiffness per cell, counted from its kernels on a block: edges and
/// their sums 6 x 57; per cell two rotations from quaternions 2 x 27, the stress differential
/// 4 x 45 + 15 + 24 and 20 for the rest; the way back to the nodes 6 x 155 + 81.
constexpr double kFlopsPerCell = (6 * 57 + 8 * (54 + 239) + 6 * 155 + 81) / 8.0;

struct Body {
  std::string name;
  lattice::Model model;
  std::vector<Vec3d> positions;
};

/// Twisted, bent and stretched, so that no cell is at rest.
std::vector<Vec3d> deformed(const lattice::Model& model) {
  Vec3d low = model.rest_positions[0], high = low;
  for (const Vec3d& p : model.rest_positions) {
    low = min(low, p);
    high = max(high, p);
  }
  const double length = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  std::vector<Vec3d> x = model.rest_positions;
  for (Vec3d& p : x) {
    const Vec3d s = (p - low) * (1 / length);
    const Mat3d twist = rotation_from_vector({0.8 * s[0], 0.3 * s[1], 0});
    p = length * (twist * Vec3d{1.3 * s[0], 0.9 * s[1], 1.1 * s[2] + 0.1 * s[0] * s[0]});
  }
  return x;
}

Body make_body(std::string name, const geometry::SurfaceMesh& surface, double spacing,
               std::string_view law, Context& context) {
  lattice::BodySpec spec{.name = name,
                         .lattice = grid::build_lattice(surface, spacing, name, context.arena),
                         .law = materials::law_index(law)};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> stiffness(1e4, 1e5);
  for (std::size_t c = 0; c < spec.lattice.cell_count(); ++c) {
    spec.mu.push_back(stiffness(random));
    spec.lambda.push_back(2 * stiffness(random));
  }
  Body body{std::move(name), lattice::build_model({std::move(spec)}, {}), {}};
  body.positions = deformed(body.model);
  return body;
}

Body make_cube(int n, std::string_view law, std::string name, Context& context) {
  const auto surface = geometry::make_box({0.5, 0.5, 0.5}, {1, 1, 1}, 0.25);
  return make_body(std::move(name), surface, 1.0 / n, law, context);
}

lattice::Tangents linearised(const Body& body, Context& context) {
  lattice::Tangents tangents(body.model);
  lattice::linearise(body.model, body.positions, Definiteness::Clamp, tangents, context.arena);
  return tangents;
}

template <class S>
std::vector<Vec3<S>> displacements(std::size_t nodes) {
  std::vector<Vec3<S>> d(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    for (int a = 0; a < 3; ++a) d[i][a] = S(std::sin(double(3 * i + a)));
  }
  return d;
}

template <class S, class Tangents>
double apply_seconds(const Body& body, const Tangents& tangents, ThreadArena& arena) {
  const auto d = displacements<S>(body.model.node_count());
  std::vector<Vec3<S>> out(d.size());
  const std::span<const Vec3<S>> in(d);
  const auto apply = [&] {
    lattice::apply_stiffness(body.model, tangents, in, std::span(out), arena);
  };
  apply();
  return fastest(30, arena, apply);
}

/// Seconds of one application: in single precision as preconditioners do it, with tangents in half
/// of that.
template <class S>
double seconds_of(const Body& body, const lattice::Tangents& tangents, ThreadArena& arena) {
  if constexpr (sizeof(S) == sizeof(double)) {
    return apply_seconds<S>(body, tangents, arena);
  } else {
    lattice::HalfTangents halves(body.model);
    lattice::halve(tangents, halves, arena);
    return apply_seconds<S>(body, halves, arena);
  }
}

/// What a machine needs at least, and what it is short of.
struct Limit {
  double seconds = 0;
  std::string kind;
};

/// What one application moves at least: tangents and node numbers of every cell once; every node
/// read and written.
template <class S>
double traffic_of(const Body& body) {
  const auto cells = double(body.model.cells.size());
  constexpr double kTangent = (sizeof(S) == sizeof(double) ? sizeof(float) : sizeof(Half)) *
                              (lattice::kPrincipalNumbers + 1);
  return cells * (kTangent + 27 * sizeof(std::int32_t) / 8.0) +
         double(body.model.node_count()) * 2 * sizeof(Vec3<S>);
}

template <class S>
Limit differential_limit(const Body& body, ThreadArena& arena) {
  const auto cells = double(body.model.cells.size());
  const double bytes = traffic_of<S>(body);
  const double rate = bandwidth(std::size_t(bytes), arena);
  const double peak = sizeof(S) == 4 ? peak_flops_single(arena) : peak_flops(arena);
  const double by_memory = bytes / rate, by_flops = cells * kFlopsPerCell / peak;
  if (by_memory > by_flops) {
    return {by_memory, fmt::format("{:.0f} bytes per cell at {:.0f} GB/s, a triad of this size",
                                   bytes / cells, 1e-9 * rate)};
  }
  return {by_flops,
          fmt::format("{:.0f} flops per cell at {:.0f} Gflop/s", kFlopsPerCell, 1e-9 * peak)};
}

BenchRow rate_row(std::string name, double cells, double seconds, const Limit& limit) {
  return {.name = std::move(name),
          .value = 1e-6 * cells / seconds,
          .unit = "Mcells/s",
          .limit = 1e-6 * cells / limit.seconds,
          .limit_kind = limit.kind,
          .note = fmt::format("{:.0f} cells, one core, {:.2f} of the limit", cells,
                              limit.seconds / seconds)};
}

/// Single precision must reach 30 Mcells/s and, as double must, a quarter of the limit.
void claim(BenchRow& row, double least) {
  row.relation = Relation::AtLeast;
  row.bound = std::max(least, 0.25 * *row.limit);
}

void add_rates(const Body& body, Context& context, std::vector<BenchRow>& rows) {
  ThreadArena one(1);
  const lattice::Tangents tangents = linearised(body, context);
  const auto cells = double(body.model.cells.size());
  rows.push_back(rate_row("lattice-differential/" + body.name, cells,
                          seconds_of<float>(body, tangents, one),
                          differential_limit<float>(body, one)));
  claim(rows.back(), 30);
  rows.push_back(rate_row("lattice-differential/" + body.name + "/double", cells,
                          seconds_of<double>(body, tangents, one),
                          differential_limit<double>(body, one)));
  claim(rows.back(), 0);
}

/// Forces and linearising: what the law and the decompositions in it cost by themselves, measured
/// on arrays that stay in the cache, is the limit.
void add_law_rates(const Body& body, std::string_view law, std::vector<BenchRow>& rows) {
  ThreadArena one(1);
  constexpr std::size_t kCount = 512;
  const lattice::Model& model = body.model;
  std::vector<double> F(9 * kCount), mu(kCount, 1e4), lambda(kCount, 2e4), out(40 * kCount);
  std::vector<lattice::CellStress> stresses(8 * model.blocks.size());
  lattice::cell_stresses(model, body.positions, stresses, one);
  for (std::size_t k = 0; k < kCount; ++k) {
    for (int e = 0; e < 9; ++e) F[e * kCount + k] = stresses[model.cells[37 * k]].F(e % 3, e / 3);
  }
  materials::LawBatch<double> batch{
      .count = kCount, .F = F.data(), .mu = mu.data(), .lambda = lambda.data()};
  const auto law_seconds = [&] {
    return fastest(50, one, [&] { materials::evaluate(materials::law_index(law), batch); }) /
           kCount;
  };
  const auto cells = double(model.cells.size());
  const auto add = [&](const char* what, double seconds, double limit) {
    rows.push_back(rate_row(fmt::format("lattice-{}/{}", what, body.name), cells, seconds,
                            {limit * cells, "the law by itself, from the first cache"}));
  };
  batch.energy = out.data();
  batch.stress = out.data() + kCount;
  const double respond = law_seconds();
  batch.energy = batch.stress = nullptr;
  batch.tangent = out.data();
  batch.fix = Definiteness::None;
  const double exact = law_seconds();
  batch.fix = Definiteness::Clamp;
  const double definite = law_seconds();

  std::vector<Vec3d> force(model.node_count());
  std::vector<double> energy(model.blocks.size());
  add("force",
      fastest(3, one, [&] { lattice::elastic_force(model, body.positions, force, energy, one); }),
      respond);
  lattice::Tangents tangents(model);
  const auto linearise_seconds = [&](Definiteness fix) {
    return fastest(3, one, [&] { lattice::linearise(model, body.positions, fix, tangents, one); });
  };
  add("linearise/exact", linearise_seconds(Definiteness::None), exact);
  add("linearise/definite", linearise_seconds(Definiteness::Clamp), definite);
  const auto numbers =
      double(sizeof(lattice::PrincipalGroupTangent)) * double(tangents.principal.size());
  const double diagonal =
      fastest(5, one, [&] { lattice::stiffness_diagonal(model, tangents, force, one); });
  rows.push_back(
      {.name = "lattice-diagonal/" + body.name,
       .value = 1e-6 * cells / diagonal,
       .unit = "Mcells/s",
       .note = fmt::format("one core, {:.0f} bytes of tangents per cell", numbers / cells)});
}

/// The same cost per cell for any size.
void add_sizes(Context& context, std::vector<BenchRow>& rows) {
  ThreadArena one(1);
  double least = 1e9, most = 0, slowest = 1e30, quickest = 0;
  std::vector<Body> bodies;
  std::vector<lattice::HalfTangents> tangents;
  for (const int n : {32, 64, 96, 128, 160}) {
    bodies.push_back(make_cube(n, "corotated", fmt::format("N={}", n), context));
    tangents.emplace_back(bodies.back().model);
    lattice::halve(linearised(bodies.back(), context), tangents.back(), one);
  }
  const std::vector<double> seconds = fastest_in_turn(bodies.size(), [&](std::size_t i) {
    return apply_seconds<float>(bodies[i], tangents[i], one);
  });
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = bodies[i];
    const double cells = double(body.model.cells.size());
    const double ns = 1e9 / cells * seconds[i];
    const double bytes = traffic_of<float>(body);
    const double rate = bandwidth(std::size_t(bytes), one);
    least = std::min(least, ns);
    most = std::max(most, ns);
    slowest = std::min(slowest, rate);
    quickest = std::max(quickest, rate);
    rows.push_back({.name = "lattice-differential/cost/" + body.name,
                    .value = ns,
                    .unit = "ns per cell",
                    .limit = 1e9 / cells * bytes / rate,
                    .limit_kind = fmt::format("{:.0f} bytes per cell at {:.0f} GB/s, a triad of "
                                              "this size",
                                              bytes / cells, 1e-9 * rate),
                    .note = fmt::format("{:.0f} cells, one core", cells)});
  }
  rows.push_back({.name = "lattice-differential/cost/most over least",
                  .value = most / least,
                  .unit = "",
                  .limit = quickest / slowest,
                  .limit_kind = "the same ratio of a triad's rates at these sizes",
                  .relation = Relation::AtMost,
                  .bound = 1.2});
}

/// What two threads gain, as part of what they gain on the resource that limits.
void add_threads(const Body& body, Context& context, std::vector<BenchRow>& rows) {
  ThreadArena one(1), two(2);
  const lattice::Tangents tangents = linearised(body, context);
  const std::vector<double> seconds = fastest_in_turn(
      2, [&](std::size_t i) { return seconds_of<float>(body, tangents, i == 0 ? one : two); });
  const double gain = seconds[0] / seconds[1];
  const Limit alone = differential_limit<float>(body, one);
  const double possible = alone.seconds / differential_limit<float>(body, two).seconds;
  rows.push_back(
      {.name = "lattice-differential/two threads/" + body.name,
       .value = gain / possible,
       .unit = "of what they gain on the limit",
       .limit = 1,
       .limit_kind = alone.kind,
       .relation = Relation::AtLeast,
       .bound = 0.85,
       .note = fmt::format("{:.2f} times as fast; the limit {:.2f} times", gain, possible)});
}

BenchRow memory_row(const Body& body) {
  const lattice::State state{body.positions};
  const lattice::Scratch scratch(body.model);
  const auto cells = double(body.model.cells.size());
  const lattice::Model nothing;
  const double without = double(lattice::bytes_allocated(nothing, state, scratch));
  const double all = double(lattice::bytes_allocated(body.model, state, scratch));
  return {.name = "lattice-differential/allocated bytes per cell/" + body.name,
          .value = all / cells,
          .unit = "bytes",
          .relation = Relation::AtMost,
          .bound = 400,
          .note = fmt::format("model, state, tangents and scratch of the solver; {:.0f} without "
                              "the model",
                              without / cells)};
}

/// Beside an assembled matrix, which must be the same operator, or nothing would be compared.
BenchRow peer_row(Context& context) {
  ThreadArena one(1);
  const Body body = make_cube(24, "corotated", "N=24", context);
  const lattice::Tangents tangents = linearised(body, context);
  std::vector<std::int32_t> all(body.model.node_count());
  std::iota(all.begin(), all.end(), 0);
  const BlockRows matrix = assemble(body.model, tangents, all, context.arena);
  const auto d = displacements<double>(body.model.node_count());
  std::vector<Vec3d> out(d.size());
  lattice::apply_stiffness(body.model, tangents, d, out, one);
  std::vector<double> y(3 * d.size());
  const double peer = fastest(10, one, [&] { multiply(matrix, {&d[0][0], y.size()}, y); });
  double error = 0, size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double ours = out[i / 3][int(i % 3)];
    error += (ours - y[i]) * (ours - y[i]);
    size += y[i] * y[i];
  }
  const double difference = std::sqrt(error / size);
  const auto cells = double(body.model.cells.size());
  const double seconds = seconds_of<double>(body, tangents, one);
  BenchRow row{.name = "lattice-differential/assembled/N=24/double",
               .unit = "Mcells/s",
               .peer = 1e-6 * cells / peer,
               .peer_name = "assembled matrix of 3x3 blocks, one core",
               .note = fmt::format("relative difference of the two {:.1e}", difference)};
  if (difference < 1e-12) {
    row.value = 1e-6 * cells / seconds;
    row.relation = Relation::AtLeast;
    row.bound = row.peer;
  }
  return row;
}

}  // namespace

std::vector<BenchRow> lattice_differential(Context& context) {
  std::vector<BenchRow> rows;
  {
    const Body cube = make_cube(64, "corotated", "corotated/N=64", context);
    add_rates(cube, context, rows);
    add_threads(cube, context, rows);
    add_law_rates(cube, "corotated", rows);
    rows.push_back(memory_row(cube));
  }
  {
    const Body cube = make_cube(64, "neo_hookean", "neo-hookean/N=64", context);
    add_rates(cube, context, rows);
    add_law_rates(cube, "neo_hookean", rows);
  }
  {
    const Body arm = make_body("arm", geometry::make_arm(0.004).skin, 0.0024, "corotated", context);
    add_rates(arm, context, rows);
  }
  add_sizes(context, rows);
  rows.push_back(peer_row(context));
  return rows;
}

}  // namespace isochor::bench
