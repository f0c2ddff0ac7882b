/// [Patterson12 sec 4]: Newton's method for forces of four points per cell, g2, with the matrix of
/// one point per cell, K1. The paper: less than 50 % more iterations than with K2, its own matrix.
///
/// A ball and a ring at Poisson's ratio 0.5 are held at both ends, which one step moves apart by a
/// tenth of the length. An arm at 0.498 is what the paper's own bodies are like: flesh around bones
/// that bend it by five degrees per frame, each frame from the end of the one before, to residuals
/// as loose as those of a few iterations per frame. K1 counts cells at the surface whole, as
/// voxels, or by what is in them; "blend" is K2 at the surface and K1 inside; "ours" is the energy
/// that has four points at the surface only, with its own matrix. Linear systems are solved to
/// 1e-3.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <functional>
#include <map>
#include <numbers>
#include <optional>
#include <span>
#include <string_view>

#include "isochor/base/file.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/geometry/shapes.h"
#include "isochor/lattice/mixed_solver.h"
#include "isochor/run/plot.h"
#include "reproduce/embedded_body.h"
#include "reproduce/experiment.h"
#include "reproduce/weighed_body.h"

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
  bool whole;              ///< cells at the surface, in K1
  bool published = false;  ///< the solver and the matrix, without jumps, for `kQmr` iterations
};
/// Of QMR per linear system: the paper's for its finer body.
constexpr int kQmr = 100;
constexpr Method kMethods[] = {
    {"K2", "paper", Quadrature::FourPoints, FourPointTangent::Exact, false},
    {"K1, voxels", "paper", Quadrature::FourPoints, FourPointTangent::None, true},
    {"K1, weighted", "paper", Quadrature::FourPoints, FourPointTangent::None, false},
    {"blend", "best", Quadrature::FourPoints, FourPointTangent::AtSurface, false},
    {"ours", "best", Quadrature::OnePoint, FourPointTangent::Exact, false}};
/// What the paper does: symmetric QMR, stopped early.
constexpr Method kPublished[] = {
    {"K2, QMR", "paper", Quadrature::FourPoints, FourPointTangent::Exact, false, true},
    {"K1, voxels, QMR", "paper", Quadrature::FourPoints, FourPointTangent::None, true, true},
    {"K1, weighted, QMR", "paper", Quadrature::FourPoints, FourPointTangent::None, false, true}};

/// A body and how it is moved.
struct Body {
  const char* name;
  geometry::SurfaceMesh surface;
  double h, poisson;
  int frames;
  std::array<double, 2> tolerances;  ///< residuals to be counted to; the last is where frames end
  std::function<std::vector<lattice::HoldSpec>(const lattice::BodySpec&)> holds;
  /// Where what was at a point is at a time from 0 to 1, by the number of its hold.
  std::function<Vec3d(std::size_t hold, const Vec3d&, double t)> at;
};

/// Pulled along x by both ends, in one frame.
Body make_pulled(const char* name, geometry::SurfaceMesh surface, double h) {
  const auto ends = [](const lattice::BodySpec& spec) {
    lattice::HoldSpec both{.name = "ends"};
    for (std::size_t i = 0; i < spec.lattice.rest_positions.size(); ++i) {
      if (std::abs(spec.lattice.rest_positions[i][0]) > 0.4) {
        both.nodes.push_back(static_cast<std::int32_t>(i));
      }
    }
    return std::vector{both};
  };
  return {.name = name,
          .surface = std::move(surface),
          .h = h,
          .poisson = 0.5,
          .frames = 1,
          .tolerances = {1e-3, 1e-6},
          .holds = ends,
          .at = [](std::size_t, const Vec3d& p, double t) {
            return p + Vec3d{std::copysign(0.05 * t, p[0]), 0, 0};
          }};
}

/// Bent at the elbow, by its bones.
Body make_bent_arm(int cells) {
  constexpr int kFrames = 4;
  constexpr double kPerFrame = 5 * std::numbers::pi / 180;
  const geometry::ArmShape arm = geometry::make_arm(0.01);
  const auto along = [](const Vec3d& a, const Vec3d& b, double t) { return a + t * (b - a); };
  const Bone upper{arm.shoulder, along(arm.shoulder, arm.elbow, 0.85)},
      fore{along(arm.elbow, arm.wrist, 0.15), arm.wrist};
  return {.name = "arm",
          .surface = arm.skin,
          .h = bounds_of_faces(arm.skin).size()[0] / cells,
          .poisson = 0.498,
          .frames = kFrames,
          .tolerances = {1e-2, 1e-3},
          .holds =
              [=](const lattice::BodySpec& spec) {
                lattice::HoldSpec first = hold_along(spec, std::array{upper}),
                                  second = hold_along(spec, std::array{fore});
                first.name = "upper";
                second.name = "fore";
                std::erase_if(second.nodes, [&](std::int32_t n) {
                  return std::ranges::find(first.nodes, n) != first.nodes.end();
                });
                return std::vector{first, second};
              },
          .at =
              [elbow = arm.elbow](std::size_t hold, const Vec3d& p, double t) {
                const Mat3d turn = rotation_from_vector({0, 0, kFrames * kPerFrame * t});
                return hold == 0 ? p : elbow + turn * (p - elbow);
              }};
}

/// Residuals by linear systems, of the frames one after another.
struct History {
  struct Frame {
    std::vector<double> systems, residuals;
  };
  std::vector<Frame> frames;
  int krylov = 0, fallbacks = 0;
  bool arrived = true;

  /// Systems per frame until a residual; none where that was not reached.
  std::optional<double> until(double residual) const {
    double sum = 0;
    for (const Frame& frame : frames) {
      const auto low =
          std::ranges::find_if(frame.residuals, [&](double r) { return r <= residual; });
      if (low == frame.residuals.end()) return {};
      sum += frame.systems[std::size_t(low - frame.residuals.begin())];
    }
    return sum / double(frames.size());
  }
};

/// QMR that is stopped early goes no further than the first.
std::span<const double> tolerances_of(const Body& body, const Method& method) {
  return std::span(body.tolerances).first(method.published ? 1 : 2);
}

History follow(const Body& body, const Method& method, Context& context) {
  lattice::BodySpec spec =
      make_embedded(body.surface, body.h, Boundary::Cut, "neo_hookean", 1, body.poisson, context);
  spec.holds = body.holds(spec);
  // Of one frame all is drawn.
  const double tolerance = body.frames == 1 ? 1e-8 : tolerances_of(body, method).back();
  mixed::Params params{
      .whole_in_matrix = method.whole, .tolerance = tolerance, .max_iterations = kMost};
  if (std::string_view(method.variant) == "paper") {
    params.hourglass = mixed::Hourglass::Spread;  // the published K1
  }
  if (method.published) {
    params.variant = mixed::Variant::Published;
    params.jumps = 0;
    params.max_qmr = kQmr;
  }
  const mixed::Model model = mixed::build_model(
      {spec}, {.quadrature = method.quadrature, .four_point_tangent = method.tangent}, params);
  mixed::State state = mixed::make_state(model);
  mixed::Scratch scratch(model);
  History history;
  const auto before = context.on_progress;
  for (int f = 1; f <= body.frames && history.arrived; ++f) {
    std::vector<Vec3d> held;
    for (std::size_t hold = 0; hold < model.base.holds.size(); ++hold) {
      for (const std::int32_t n : model.base.holds[hold].nodes) {
        held.push_back(body.at(hold, model.base.rest_positions[n], double(f) / body.frames));
      }
    }
    History::Frame& frame = history.frames.emplace_back();
    context.on_progress = [&](const Progress& progress) {
      frame.systems.push_back(progress.newton_iterations);
      frame.residuals.push_back(progress.residual);
      before(progress);
    };
    const mixed::StepReport report =
        advance(model, state, {.held_positions = held}, scratch, context);
    history.krylov += report.krylov_iterations;
    history.fallbacks += report.fallbacks;
    history.arrived = report.converged();
  }
  context.on_progress = before;
  return history;
}

/// Linear systems until a tolerance, and how many times as many as with K2, which comes first.
void add_rows(const Body& body, const Method& method, const History& history, double tolerance,
              std::map<double, double>& exact, std::vector<Row>& rows) {
  const std::optional<double> systems = history.until(tolerance);
  double all = 0;
  for (const History::Frame& frame : history.frames) all += frame.systems.back();
  Row row{.id = "patterson/defect-correction",
          .quantity = fmt::format("{}, {}: systems {}to {:.0e}", body.name, method.name,
                                  body.frames > 1 ? "per frame " : "", tolerance),
          .variant = method.variant,
          .source = "ours",
          .ours = systems,
          .note = fmt::format("{} iterations of {} in {:.0f} systems of {} frames, {} "
                              "fallbacks; residual {:.1e}",
                              history.krylov, method.published ? "QMR" : "GMRES", all,
                              history.frames.size(), history.fallbacks,
                              history.frames.back().residuals.back())};
  if (method.tangent == FourPointTangent::None) {
    row.note += method.published ? "; left after 100 iterations of QMR"
                                 : "; where slivers alone hold a node, K1 knows little of K2";
  }
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
  const double h = options.full ? 1.0 / 32 : 1.0 / 16;
  const Body bodies[] = {
      make_pulled("ball", geometry::make_sphere({0, 0, 0}, 0.5, 0.03), h),
      make_pulled("ring", geometry::make_torus({0, 0, 0}, {1, 3, 2}, 0.36, 0.12, 0.02), h),
      make_bent_arm(options.full ? 64 : 40)};
  for (const Body& body : bodies) {
    std::vector<run::Series> plot;
    const auto compare = [&](std::span<const Method> methods) {
      std::map<double, double> exact;  // systems with K2, by tolerance
      for (const Method& method : methods) {
        if (context.cancelled) return;
        const History history = follow(body, method, context);
        for (const double tolerance : tolerances_of(body, method)) {
          add_rows(body, method, history, tolerance, exact, rows);
        }
        const History::Frame& last = history.frames.back();
        plot.push_back({.name = method.name, .x = last.systems, .y = last.residuals});
      }
    };
    compare(kMethods);
    if (body.frames > 1) compare(kPublished);
    if (context.cancelled) return rows;
    if (options.pictures.empty()) continue;
    make_directory(options.pictures);
    write_file_atomic(
        options.pictures / fmt::format("patterson_defect_{}.svg", body.name),
        run::plot_svg(plot, {.title = fmt::format("Matrices for the same forces: {}", body.name),
                             .x_label = "linear systems",
                             .y_label = "residual",
                             .log_y = true}));
  }
  return rows;
}

}  // namespace isochor::reproduce
