/// One linear solve on tets, preconditioned by a lattice around them.
#include <algorithm>
#include <fmt/core.h>
#include <random>
#include <span>

#include "bench/benchmark.h"
#include "isochor/geometry/stuffing.h"
#include "isochor/geometry/tet_quality.h"
#include "isochor/tets/solver.h"
#include "reproduce/tet_motion.h"
#include "reproduce/weighed_body.h"

namespace isochor::bench {
namespace {

using reproduce::Relation;

geometry::TetMesh ball(double spacing, ThreadArena& arena) {
  return reproduce::stuffed_ball({0, 0, 0}, 1, spacing, arena);
}

/// As high as the ball, upright along z: arms and legs of few tets across.
geometry::TetMesh figure(double spacing, ThreadArena& arena) {
  geometry::SurfaceMesh surface = *reproduce::named_surface("figure", {});
  const geometry::Bounds box = geometry::bounds_of(surface.positions);
  const Vec3d middle = 0.5 * (box.low + box.high);
  for (Vec3d& x : surface.positions) {
    x = (2 / box.size()[1]) * (x - middle);
    x = {x[0], -x[2], x[1]};
  }
  const std::vector<geometry::Triangle> triangles = geometry::triangulate(surface);
  return geometry::stuff(geometry::SignedDistance(surface.positions, triangles, arena),
                         {.spacing = spacing}, arena);
}

/// The figure with its nodes shaken as far as leaves every tet a hundredth of its volume: slivers.
geometry::TetMesh shaken_figure(double spacing, ThreadArena& arena) {
  constexpr double kShake = 0.3, kLeast = 0.01;
  geometry::TetMesh mesh = figure(spacing, arena);
  const std::vector<Vec3d> rest = mesh.positions;
  std::vector<double> least;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    least.push_back(kLeast * geometry::signed_volume(mesh, t));
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<double> shake(-kShake * spacing, kShake * spacing);
  for (Vec3d& x : mesh.positions) x += Vec3d{shake(random), shake(random), shake(random)};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
      if (geometry::signed_volume(mesh, t) >= least[t]) continue;
      // Half of the way back, again and again.
      for (const std::int32_t n : mesh.tets[t]) {
        mesh.positions[n] = 0.5 * (mesh.positions[n] + rest[n]);
      }
      changed = true;
    }
  }
  return mesh;
}

struct Body {
  std::string_view name;
  geometry::TetMesh (*make)(double spacing, ThreadArena& arena);
  /// The coarsest mesh of which iterations are claimed, others are only shown: limbs of a cell or
  /// two are less than lattices see, and slivers are not seen by any.
  double claimed_from;
};
constexpr Body kBall{"ball", ball, 1}, kFigure{"figure", figure, 0.03},
    kShaken{"shaken figure", shaken_figure, 0};

/// Held below, and not the same everywhere.
tets::BodySpec held_body(const Body& of, double spacing, double poisson, ThreadArena& arena) {
  tets::BodySpec body{.name = std::string(of.name)};
  body.mesh = of.make(spacing, arena);
  body.materials = {reproduce::elastic_flesh(1e5, poisson)};
  body.stiffness.reserve(body.mesh.tets.size());
  // Twice as stiff here as there.
  for (std::size_t t = 0; t < body.mesh.tets.size(); ++t) {
    body.stiffness.push_back(t % 3 == 0 ? 2 : 1);
  }
  body.holds = {{.name = "cap", .nodes = {}}};
  for (std::size_t i = 0; i < body.mesh.positions.size(); ++i) {
    if (body.mesh.positions[i][2] < -0.7) body.holds[0].nodes.push_back(std::int32_t(i));
  }
  return body;
}

/// Iterations of a solve for a body that is bent already.
double add_row(const Body& of, double spacing, double poisson, Context& context,
               std::vector<BenchRow>& rows) {
  ThreadArena& many = context.arena;
  const tets::BodySpec body = held_body(of, spacing, poisson, many);
  const geometry::TetReport quality = geometry::inspect_tets(body.mesh, many);
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
  const std::string name = fmt::format("tet-solve/{}/nu={}/tets={}k", of.name, poisson,
                                       (model.tets.size() + 500) / 1000);
  rows.push_back(
      {.name = name,
       .value = 1e6 * seconds / unknowns,
       .unit = "us/DoF",
       .note = fmt::format("linearising, assembling and set-up included, one core; "
                           "residual {:.1e}, {} nodes, {} cells of the lattice; dihedral "
                           "angles from {:.1f} to {:.1f} degrees, {} slivers",
                           report.relative_residual, model.node_count(),
                           model.auxiliary->lattice.cells.size(), quality.smallest_angle,
                           quality.largest_angle, quality[geometry::TetDefect::Sliver].count)});
  rows.push_back({.name = name + "/iterations", .value = double(report.iterations), .unit = ""});
  if (spacing <= of.claimed_from) {
    rows.back().relation = Relation::AtMost;
    rows.back().bound = 25;
  }
  if (!report.converged) rows.back().value.reset();
  return report.iterations;
}

/// Meshes from coarse to fine, and by how much iterations grow.
void add_series(const Body& body, double poisson, std::span<const double> spacings,
                Context& context, std::vector<BenchRow>& rows) {
  double coarsest = 0, most = 0;
  for (const double spacing : spacings) {
    if (context.cancelled) return;
    const double iterations = add_row(body, spacing, poisson, context, rows);
    if (spacing == spacings.front()) {
      coarsest = iterations;
    } else {
      most = std::max(most, iterations);
    }
  }
  rows.push_back({.name = fmt::format("tet-solve/{}/nu={}/most iterations over those of the "
                                      "coarsest mesh",
                                      body.name, poisson),
                  .value = most / coarsest,
                  .unit = ""});
  if (body.claimed_from > 0) {
    rows.back().relation = Relation::AtMost;
    rows.back().bound = 1.25;
  }
}

/// The finest meshes, of a million tets, are for `largest` alone but for one of them.
std::vector<BenchRow> all_series(bool largest, Context& context) {
  constexpr double kBalls[] = {0.22, 0.1, 0.05, 0.0373}, kFigures[] = {0.06, 0.03, 0.015, 0.0105};
  const auto sizes = [&](const auto& spacings) {
    return std::span(spacings).first(largest ? 4 : 3);
  };
  std::vector<BenchRow> rows;
  add_series(kBall, 0.3, kBalls, context, rows);
  add_series(kBall, 0.45, sizes(kBalls), context, rows);
  for (const double poisson : {0.3, 0.45}) {
    add_series(kFigure, poisson, sizes(kFigures), context, rows);
  }
  add_series(kShaken, 0.3, sizes(kFigures), context, rows);
  return rows;
}

}  // namespace

std::vector<BenchRow> tet_solve(Context& context) { return all_series(false, context); }
std::vector<BenchRow> tet_solve_full(Context& context) { return all_series(true, context); }

}  // namespace isochor::bench
