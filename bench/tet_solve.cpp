/// One linear solve on tets, preconditioned by a lattice around them.
#include <fmt/core.h>

#include "bench/benchmark.h"
#include "isochor/tets/solver.h"
#include "reproduce/tet_motion.h"

namespace isochor::bench {
namespace {

using reproduce::Relation;

/// A stuffed ball held at a cap, bent by its weight.
tets::BodySpec held_ball(double spacing, double poisson, ThreadArena& arena) {
  tets::BodySpec body{.name = "ball"};
  body.mesh = reproduce::stuffed_ball({0, 0, 0}, 1, spacing, arena);
  body.materials = {reproduce::elastic_flesh(1e5, poisson)};
  body.stiffness.reserve(body.mesh.tets.size());
  // Inhomogeneous: twice as stiff here as there.
  for (std::size_t t = 0; t < body.mesh.tets.size(); ++t) {
    body.stiffness.push_back(t % 3 == 0 ? 2 : 1);
  }
  body.holds = {{.name = "cap", .nodes = {}}};
  for (std::size_t i = 0; i < body.mesh.positions.size(); ++i) {
    if (body.mesh.positions[i][2] < -0.7) body.holds[0].nodes.push_back(std::int32_t(i));
  }
  return body;
}

double add_row(double spacing, double poisson, Context& context, std::vector<BenchRow>& rows) {
  ThreadArena& many = context.arena;
  const tets::BodySpec body = held_ball(spacing, poisson, many);
  const tets::Model model = tets::build_model({body}, {}, many);
  tets::Scratch scratch(model);
  Context one(1);
  std::vector<Vec3d> bent = model.rest_positions, b(model.node_count()), u(model.node_count());
  for (std::size_t i = 0; i < bent.size(); ++i) {
    const double z = bent[i][2] + 1;
    bent[i] += Vec3d{0.1 * z * z, 0.05 * z * bent[i][0], -0.05 * z};
    b[i] = model.mass[i] * Vec3d{1, 0, -9.8};
  }
  solve::KrylovReport report;
  const int repeats = model.tets.size() < 200'000 ? 3 : 1;
  const double seconds = fastest(repeats, one.arena, [&] {
    report = tets::solve_linear(model, {bent}, b, u, 1e-6, scratch.linear, one);
  });
  const double unknowns = 3 * double(model.node_count());
  const std::string name =
      fmt::format("tet-solve/nu={}/tets={}k", poisson, (model.tets.size() + 500) / 1000);
  rows.push_back({.name = name,
                  .value = 1e6 * seconds / unknowns,
                  .unit = "us/DoF",
                  .note = fmt::format("linearising, assembling and set-up included, one core; "
                                      "residual {:.1e}, {} nodes, {} cells of the lattice",
                                      report.relative_residual, model.node_count(),
                                      model.auxiliary->lattice.cells.size())});
  rows.push_back({.name = name + "/iterations",
                  .value = double(report.iterations),
                  .unit = "",
                  .relation = Relation::AtMost,
                  .bound = 25});
  if (!report.converged) rows.back().value.reset();
  return report.iterations;
}

}  // namespace

std::vector<BenchRow> tet_solve(Context& context) {
  std::vector<BenchRow> rows;
  double fewest = 1e9, most = 0;
  for (const double spacing : {0.22, 0.1, 0.05, 0.0373}) {
    if (context.cancelled) return rows;
    const double iterations = add_row(spacing, 0.3, context, rows);
    fewest = std::min(fewest, iterations);
    most = std::max(most, iterations);
  }
  rows.push_back({.name = "tet-solve/nu=0.3/most over fewest iterations",
                  .value = most / fewest,
                  .unit = "",
                  .relation = Relation::AtMost,
                  .bound = 1.25});
  add_row(0.1, 0.45, context, rows);
  return rows;
}

}  // namespace isochor::bench
