/// [Patterson12 sec 4]: Newton's method for forces of four points per cell, g2, with the matrix of
/// one point per cell, K1. The paper: less than 50 % more iterations than with K2, its own matrix.
///
/// A ball and a ring at Poisson's ratio 0.5 are held at both ends, which one step moves apart by a
/// tenth of the length. K1 counts cells at the surface whole, as voxels, or by what is in them;
/// "blend" is K2 at the surface and K1 inside; "ours" is the energy that has four points at the
/// surface only, with its own matrix. Linear systems are solved to 1e-3.
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <optional>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/run/plot.h"
#include "reproduce/embedded_body.h"
#include "reproduce/experiment.h"
#include "reproduce/mixed_block.h"

namespace isochor::reproduce {
namespace {

namespace mixed = lattice::mixed;
using lattice::FourPointTangent;
using lattice::Quadrature;

constexpr int kMost = 60;  // linear systems

struct Method {
  const char *name, *variant;
  Quadrature quadrature;
  FourPointTangent tangent;
  bool whole;  ///< cells at the surface, in K1
};
constexpr Method kMethods[] = {
    {"K2", "paper", Quadrature::FourPoints, FourPointTangent::Exact, false},
    {"K1, voxels", "paper", Quadrature::FourPoints, FourPointTangent::None, true},
    {"K1, weighted", "paper", Quadrature::FourPoints, FourPointTangent::None, false},
    {"blend", "best", Quadrature::FourPoints, FourPointTangent::AtSurface, false},
    {"ours", "best", Quadrature::OnePoint, FourPointTangent::Exact, false}};

struct Body {
  const char* name;
  geometry::SurfaceMesh surface;
  double length;  ///< along x, m
};

/// Residuals by linear systems.
struct History {
  std::vector<double> systems, residuals;
  int krylov = 0, fallbacks = 0;
  /// Systems until a residual; none where that was not reached.
  std::optional<double> until(double residual) const {
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      if (residuals[i] <= residual) return systems[i];
    }
    return {};
  }
};

lattice::HoldSpec ends_of(const lattice::BodySpec& spec, const Body& body) {
  lattice::HoldSpec ends{.name = "ends"};
  for (std::size_t i = 0; i < spec.lattice.rest_positions.size(); ++i) {
    if (std::abs(spec.lattice.rest_positions[i][0]) > 0.4 * body.length) {
      ends.nodes.push_back(static_cast<std::int32_t>(i));
    }
  }
  return ends;
}

History pull(const Body& body, const Method& method, double h, Context& context) {
  lattice::BodySpec spec =
      make_embedded(body.surface, h, Boundary::Cut, "neo_hookean", 1, 0.5, context);
  spec.holds.push_back(ends_of(spec, body));
  const mixed::Model model = mixed::build_model(
      {spec}, {.quadrature = method.quadrature, .four_point_tangent = method.tangent},
      {.whole_in_matrix = method.whole, .tolerance = 1e-8, .max_iterations = kMost});
  std::vector<Vec3d> held;
  for (const std::int32_t n : model.base.holds[0].nodes) {
    const Vec3d& p = model.base.rest_positions[n];
    held.push_back(p + Vec3d{std::copysign(0.05 * body.length, p[0]), 0, 0});
  }
  mixed::State state = mixed::make_state(model);
  mixed::Scratch scratch(model);
  History history;
  const auto before = context.on_progress;
  context.on_progress = [&](const Progress& progress) {
    history.systems.push_back(progress.newton_iterations);
    history.residuals.push_back(progress.residual);
    before(progress);
  };
  const mixed::StepReport report =
      advance(model, state, {.held_positions = held}, scratch, context);
  context.on_progress = before;
  history.krylov = report.krylov_iterations;
  history.fallbacks = report.fallbacks;
  return history;
}

/// Linear systems until a tolerance, and how many times as many as with K2, which comes first.
void add_rows(const Body& body, const Method& method, const History& history, double tolerance,
              std::map<double, double>& exact, std::vector<Row>& rows) {
  const std::optional<double> systems = history.until(tolerance);
  Row row{.id = "patterson/defect-correction",
          .quantity = fmt::format("{}, {}: systems to {:.0e}", body.name, method.name, tolerance),
          .variant = method.variant,
          .source = "ours",
          .ours = systems,
          .note = fmt::format(
              "{} iterations of GMRES in {:.0f} systems, {} fallbacks; residual {:.1e}",
              history.krylov, history.systems.back(), history.fallbacks, history.residuals.back())};
  rows.push_back(row);
  if (!exact.contains(tolerance)) {
    exact[tolerance] = systems.value_or(kMost);
    return;
  }
  row.quantity += ", by those of K2";
  row.source = "Patterson 2012, sec. 4";
  row.ours = std::nullopt;
  if (systems) row.ours = *systems / exact[tolerance];
  if (method.tangent != FourPointTangent::AtSurface) {
    row.relation = Relation::AtMost;
    row.bound = 1.5;
  }
  if (method.tangent == FourPointTangent::None) row.paper = 1.5;
  rows.push_back(row);
}

}  // namespace

std::vector<Row> patterson_defect(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  const int n = options.full ? 32 : 16;
  const Body bodies[] = {{"ball", geometry::make_sphere({0, 0, 0}, 0.5, 0.03), 1},
                         {"ring", geometry::make_torus({0, 0, 0}, {1, 3, 2}, 0.36, 0.12, 0.02), 1}};
  for (const Body& body : bodies) {
    std::vector<run::Series> plot;
    std::map<double, double> exact;  // systems with K2, by tolerance
    for (const Method& method : kMethods) {
      if (context.cancelled) return rows;
      const History history = pull(body, method, 1.0 / n, context);
      for (const double tolerance : {1e-3, 1e-6})
        add_rows(body, method, history, tolerance, exact, rows);
      plot.push_back({.name = method.name, .x = history.systems, .y = history.residuals});
    }
    if (options.pictures.empty()) continue;
    make_directory(options.pictures);
    write_file_atomic(
        options.pictures / fmt::format("patterson_defect_{}.svg", body.name),
        run::plot_svg(plot,
                      {.title = fmt::format("A {} pulled: matrices for the same forces", body.name),
                       .x_label = "linear systems",
                       .y_label = "residual",
                       .log_y = true}));
  }
  return rows;
}

}  // namespace isochor::reproduce
