/// A ball whose surface is held all over, under a force per volume f: of a linear material it moves
/// by u = (R^2 - r^2) f / (8 mu + 2 lambda). No wall of the lattice follows the surface. Beside
/// surfaces that are held, springs at the surface, and holds of all nodes of the cells that it
/// passes through.
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/grid/surface_patches.h"
#include "isochor/lattice/solver.h"
#include "isochor/lattice/surface_operator.h"
#include "isochor/run/plot.h"
#include "reproduce/embedded_body.h"
#include "reproduce/experiment.h"
#include "reproduce/flight.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kId = "verify/held";
constexpr double kMu = 1;
const Vec3d kCenter{0.137, 0.291, 0.053};
const Vec3d kForce{0.3, -0.5, 0.8};

enum class Kind { Surface, Springs, Nodes };
struct Way {
  std::string_view name;
  Kind kind;
  double factor;  ///< of the usual penalty on gaps, or of springs in units of mu / h
};
constexpr Way kWays[] = {{"surface", Kind::Surface, 1},
                         {"surface, beta = mu/h", Kind::Surface, 0.1},
                         {"surface, beta = 100 mu/h", Kind::Surface, 10},
                         {"springs of 10 mu/h", Kind::Springs, 10},
                         {"springs of 100 mu/h", Kind::Springs, 100},
                         {"nodes of cut cells", Kind::Nodes, 0}};

struct Result {
  double error = 0;  ///< of displacements, root mean square, relative
  int iterations = 0;
};

Result measure(const Way& way, int per_radius, double poisson, Boundary boundary,
               Context& context) {
  const double h = 1.0 / per_radius, lambda = 2 * kMu * poisson / (1 - 2 * poisson);
  const geometry::SurfaceMesh mesh = geometry::make_sphere(kCenter, 1, 0.5 * h);
  lattice::BodySpec body = make_embedded(mesh, h, boundary, "linear", kMu, poisson, context);
  body.density = 1;
  const std::size_t cells = body.lattice.cell_count();
  const auto facets =
      grid::surface_facets(body.lattice, mesh.positions, triangulate(mesh), context.arena);
  std::vector<lattice::SpringGroupSpec> springs;
  std::vector<Vec3d> held, targets;
  const auto nodes = body.lattice.cell_nodes();
  if (way.kind == Kind::Surface) {
    body.held_surfaces.push_back({.name = "all", .facets = facets});
  } else if (way.kind == Kind::Springs) {
    springs.push_back({.name = "all", .springs = {}});
    for (const auto& patch :
         grid::surface_patches(body.lattice, mesh.positions, triangulate(mesh), context.arena)) {
      solve::Spring& spring = springs[0].springs.emplace_back(solve::Spring{
          .terms = {}, .stiffness = Mat3d::identity() * (way.factor * kMu / h * norm(patch.area))});
      Vec3d at{0, 0, 0};
      for (int c = 0; c < 8; ++c) {
        double w = 1;
        for (int a = 0; a < 3; ++a) w *= c >> a & 1 ? patch.local[a] : 1 - patch.local[a];
        spring.terms.push_back({nodes[patch.cell][c], w});
        at += w * body.lattice.rest_positions[nodes[patch.cell][c]];
      }
      targets.push_back(at);
    }
  } else {
    lattice::HoldSpec hold{.name = "all"};
    std::vector<char> chosen(body.lattice.rest_positions.size(), 0);
    for (const grid::SurfaceFacet& facet : facets) {
      for (const std::int32_t n : nodes[facet.cell]) chosen[n] = 1;
    }
    for (std::size_t n = 0; n < chosen.size(); ++n) {
      if (!chosen[n]) continue;
      hold.nodes.push_back(static_cast<std::int32_t>(n));
      held.push_back(body.lattice.rest_positions[n]);
    }
    body.holds.push_back(std::move(hold));
  }
  lattice::Model model = lattice::build_model(
      {body}, {.preconditioner = lattice::Preconditioner::Multigrid, .newton = {.tolerance = 1e-8}},
      springs);
  for (lattice::SurfaceCell& cell : model.surfaces.cells) cell.penalty *= way.factor;
  lattice::State state = lattice::make_state(model);
  lattice::Scratch scratch(model);
  const lattice::StepInput input{
      .gravity = kForce, .held_positions = held, .spring_targets = targets};
  const lattice::StepReport report = advance(model, state, input, scratch, context);
  Result result{.iterations = report.krylov_iterations};
  if (!report.converged()) {
    result.error = std::nan("");
    return result;
  }
  // At middles of cells, by how much of them is filled.
  double error = 0, all = 0;
  for (std::size_t c = 0; c < cells; ++c) {
    Vec3d at{0, 0, 0}, u{0, 0, 0};
    for (const std::int32_t n : nodes[c]) {
      at += 0.125 * model.rest_positions[n];
      u += 0.125 * (state.positions[n] - model.rest_positions[n]);
    }
    const double inside = 1 - dot(at - kCenter, at - kCenter);
    if (inside < 0) continue;
    const Vec3d exact = (inside / (8 * kMu + 2 * lambda)) * kForce;
    error += body.fill[c] * dot(u - exact, u - exact);
    all += body.fill[c] * dot(exact, exact);
  }
  result.error = std::sqrt(error / all);
  return result;
}

}  // namespace

std::vector<Row> verify_held(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  std::vector<run::Series> lines;
  struct Case {
    double poisson;
    Boundary boundary;
  };
  for (const auto& [poisson, boundary] :
       {Case{0.3, Boundary::Cut}, Case{0.3, Boundary::Weighted}, Case{0.49, Boundary::Cut}}) {
    for (const Way& way : kWays) {
      run::Series line{.name = std::string(way.name)};
      double last = 0;
      for (const int per_radius : {4, 8, 16}) {
        if (per_radius == 16 && !options.full) continue;
        const Result r = measure(way, per_radius, poisson, boundary, context);
        Row row = verification_row(
            kId,
            fmt::format("{}: error of displacements, {} cells per radius, Poisson's ratio {}",
                        way.name, per_radius, poisson),
            kBoundaryNames[int(boundary)], "closed form");
        row.ours = 100 * r.error;
        row.unit = "%";
        row.note = fmt::format("{} iterations", r.iterations);
        if (last != 0) {
          row.note += fmt::format("; order {:.2f}", std::log2(last / r.error));
        }
        if (way.kind == Kind::Surface && way.factor == 1 && per_radius == 8 &&
            boundary == Boundary::Cut) {
          row = claim(row, 100 * r.error, "%", Relation::AtMost, 2);
          // lambda carries nine tenths of the force: displacements are small beside f / mu.
          if (poisson > 0.4) row.note += "; of displacements of f / 106 mu: not locked, see docs";
        }
        rows.push_back(row);
        line.x.push_back(per_radius);
        line.y.push_back(100 * r.error);
        last = r.error;
      }
      if (poisson < 0.4 && boundary == Boundary::Cut) lines.push_back(std::move(line));
    }
  }
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    write_file_atomic(options.pictures / "verify_held.svg",
                      run::plot_svg(lines, {.title = "A ball that is held all over",
                                            .x_label = "cells per radius",
                                            .y_label = "error of displacements [%]",
                                            .log_y = true,
                                            .width = 720,
                                            .height = 360}));
  }
  return rows;
}

}  // namespace isochor::reproduce
