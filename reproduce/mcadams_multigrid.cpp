/// [McAdams11 fig 7] and section 9: how fast cycles of multigrid converge.
///
/// The published cycle is repeated as it is; its factor is the geometric mean by which cycles 6 to
/// 15 reduce the residual. Ours preconditions conjugate gradients, and is counted in iterations to
/// a residual of 1e-6, recomputed in double. Bodies carry their weight; E = 1e5 Pa, Poisson's ratio
/// 0.3 but where said. Where nothing else is said, 5 % of a body at one end of its longest axis are
/// held.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <functional>

#include "isochor/base/file.h"
#include "isochor/run/plot.h"
#include "reproduce/experiment.h"
#include "reproduce/weighed_body.h"

namespace isochor::reproduce {
namespace {

constexpr double kTolerance = 1e-6;
constexpr double kJump = 1000;

using Softened = std::vector<lattice::SpringGroupSpec>;

lattice::Model make_model(const lattice::BodySpec& body, const Softened& springs = {},
                          int published_sweeps = 0) {
  lattice::Params params{.preconditioner = lattice::Preconditioner::Multigrid};
  if (published_sweeps > 0) {
    params.cycle = lattice::Cycle::Published;
    params.sweeps = published_sweeps;
  }
  return lattice::build_model({body}, params, springs);
}

class Report {
 public:
  Report(const ExperimentOptions& options, Context& context)
      : options_(options), context_(context) {}

  /// Calls f(surface), or adds a row that says that there is none.
  template <class F>
  void with(std::string_view name, F&& f) {
    if (context_.cancelled) return;
    if (const auto surface = named_surface(name, options_.data)) {
      f(*surface);
      return;
    }
    rows.push_back({.id = "mcadams/multigrid",
                    .quantity = std::string(name),
                    .variant = "best",
                    .source = "ours",
                    .note = fmt::format("no such mesh in {}; see --data", options_.data.string())});
  }

  void add(std::string quantity, std::string variant, double ours, Relation relation,
           std::optional<double> bound, std::string note, std::optional<double> paper = {}) {
    rows.push_back({.id = "mcadams/multigrid",
                    .quantity = std::move(quantity),
                    .variant = std::move(variant),
                    .source = paper ? "McAdams 2011, section 9" : "ours",
                    .paper = paper,
                    .ours = ours,
                    .relation = relation,
                    .bound = bound,
                    .note = std::move(note)});
  }

  /// Iterations with our cycle.
  int count(const std::string& what, const lattice::Model& model, std::span<const Vec3d> positions,
            materials::Definiteness fix, double bound) {
    WeighedBody body(model, positions, fix, context_);
    const WeighedBody::Solve solve = body.conjugate_gradients(kTolerance, 200, true);
    add("iterations, " + what, "best", solve.iterations(), Relation::AtMost, bound,
        fmt::format("{} cells, {} levels; true residual {:.1e}{}", model.cells.size(),
                    model.hierarchy->levels.size() + 1, solve.true_residual,
                    solve.indefinite ? "; met negative curvature" : ""));
    applications = std::max(applications, body.applications());
    return solve.iterations();
  }
  int count_at_rest(const std::string& what, const lattice::Model& model, double bound) {
    return count(what, model, model.rest_positions, materials::Definiteness::Clamp, bound);
  }

  std::vector<Row> rows;
  int applications = 0;

 private:
  const ExperimentOptions& options_;
  Context& context_;
};

/// Factor of cycles 6 to 15, or of those there are.
double factor_of(const solve::StationaryReport& cycles) {
  const int last = std::min(cycles.cycles, 15), first = std::min(5, last - 1);
  return std::pow(cycles.residuals[last] / cycles.residuals[first], 1.0 / (last - first));
}

/// What the paper measured: a cube held at two opposite faces, and bodies on soft constraints.
void add_published(const ExperimentOptions& options, Report& report, Context& context) {
  struct Case {
    const char *name, *how;
    int cells;
    std::function<lattice::Model(const geometry::SurfaceMesh&, int cells, int sweeps)> model;
    std::vector<int> sweeps;
    bool claimed;
  };
  const auto softly = [&](auto&& hold_of) {
    return [&context, hold_of](const geometry::SurfaceMesh& surface, int cells, int sweeps) {
      const lattice::BodySpec body = make_body(surface, cells, 0.3, context);
      return make_model(body, {soften(body, hold_of(body, surface))}, sweeps);
    };
  };
  const auto at_end = softly([](const lattice::BodySpec& body, const auto& surface) {
    return hold_end(body, longest_axis(surface), false);
  });
  const auto on_arm = softly(
      [](const lattice::BodySpec& body, const auto&) { return hold_along(body, arm_bones()); });
  const auto on_figure = softly(
      [](const lattice::BodySpec& body, const auto&) { return hold_along(body, figure_bones()); });
  const auto between_faces = [&](const geometry::SurfaceMesh& surface, int cells, int sweeps) {
    lattice::BodySpec body = make_body(surface, cells, 0.3, context);
    body.holds = {hold_end(body, 0, false, 0), hold_end(body, 0, true, 0)};
    return make_model(body, {}, sweeps);
  };
  const auto on_soles = [&](const geometry::SurfaceMesh& surface, int cells, int sweeps) {
    lattice::BodySpec body = make_body(surface, cells, 0.3, context);
    body.holds = {hold_end(body, longest_axis(surface), false)};
    return make_model(body, {}, sweeps);
  };
  const int n = options.full ? 64 : 32;
  const std::vector<Case> cases{
      {"cube", "held at two faces", n, between_faces, {2, 5, 10}, true},
      {"sphere", "on soft points", 32, at_end, {10}, true},
      {"torus", "on soft points", 32, at_end, {10}, true},
      {"arm", "on soft bones", options.full ? 96 : 48, on_arm, {5, 10}, true},
      {"hand", "on soft points at the wrist", 48, at_end, {10}, true},
      {"figure", "on soft bones", 48, on_figure, {5, 10}, false},
      {"figure", "held at its soles", 48, on_soles, {5, 10}, false}};
  for (const Case& c : cases) {
    for (const int sweeps : c.sweeps) {
      report.with(c.name, [&](const geometry::SurfaceMesh& surface) {
        const lattice::Model model = c.model(surface, c.cells, sweeps);
        WeighedBody body(model, model.rest_positions, materials::Definiteness::Clamp, context);
        const solve::StationaryReport cycles = body.cycles(1e-12, 15);
        const WeighedBody::Solve krylov = body.conjugate_gradients(kTolerance, 200, true);
        const bool claimed = c.claimed && sweeps >= 5;
        report.add(
            fmt::format("factor per V({0},{0}), {1} {2}", sweeps, c.name, c.how), "paper",
            factor_of(cycles), claimed || sweeps == 2 ? Relation::AtMost : Relation::Shown,
            claimed       ? std::optional(0.75)
            : sweeps == 2 ? std::optional(0.999)
                          : std::nullopt,
            fmt::format("{} cells across; {}; {} iterations as a preconditioner{}", c.cells,
                        cycles.end == solve::StationaryEnd::TooManyCycles ? "as it should"
                                                                          : text(cycles.end),
                        krylov.iterations(), krylov.indefinite ? ", which is not definite" : ""),
            claimed ? std::optional(0.75) : std::nullopt);
      });
    }
  }
}

/// The cube at every resolution, then all other bodies.
void add_resolutions(const ExperimentOptions& options, Report& report, Context& context) {
  const auto sweep = [&](std::string_view name, std::span<const int> sizes, double bound,
                         double depth) {
    int first = 0, most = 0, last = 0;
    report.with(name, [&](const geometry::SurfaceMesh& surface) {
      for (const int cells : sizes) {
        lattice::BodySpec body = make_body(surface, cells, 0.3, context);
        body.holds = {hold_end(body, longest_axis(surface), false, depth)};
        last = report.count_at_rest(fmt::format("{}, {} cells across", name, cells),
                                    make_model(body), bound);
        first = first == 0 ? last : first;
        most = std::max(most, last);
      }
      const bool cube = name == "cube";
      report.add(fmt::format("growth of iterations, {}, {} to {} cells", name, sizes.front(),
                             sizes.back()),
                 "best", cube ? last - first : double(most) / first, Relation::AtMost,
                 cube ? 2 : 1.5, cube ? "difference" : "most / those of the coarsest");
    });
  };
  const std::vector<int> cubes =
      options.full ? std::vector<int>{16, 32, 64, 128} : std::vector<int>{16, 32, 64};
  const std::vector<int> others =
      options.full ? std::vector<int>{32, 48, 64, 96, 128} : std::vector<int>{32, 64};
  sweep("cube", cubes, 12, 0);
  for (const char* name :
       {"sphere", "torus", "arm", "hand", "figure", "armadillo", "dragon", "man"}) {
    sweep(name, others, 25, 0.05);
  }
}

void add_deformed(const ExperimentOptions& options, Report& report, Context& context) {
  const std::vector<int> sizes = options.full ? std::vector<int>{32, 64} : std::vector<int>{32};
  for (const char* name :
       {"cube", "sphere", "torus", "arm", "hand", "figure", "armadillo", "dragon", "man"}) {
    for (const int cells : sizes) {
      report.with(name, [&](const geometry::SurfaceMesh& surface) {
        const int axis = longest_axis(surface);
        lattice::BodySpec body = make_body(surface, cells, 0.3, context);
        body.holds = {hold_end(body, axis, false), hold_end(body, axis, true)};
        const lattice::Model model = make_model(body);
        const std::string what = fmt::format("{} pulled and turned, {} cells across", name, cells);
        const auto positions = pulled(model, axis, context);
        if (!positions) {
          report.add("iterations, " + what, "best", INFINITY, Relation::AtMost, 25,
                     "no equilibrium");
          return;
        }
        report.count(what, model, *positions, materials::Definiteness::Clamp,
                     name == std::string_view("cube") ? 12 : 25);
        // Close to buckling the exact tangent is softer than what coarse levels have.
        report.count(what + ", exact tangent", model, *positions, materials::Definiteness::None,
                     25);
      });
    }
  }
}

/// Nodes of the second that are not in the first.
lattice::HoldSpec without(lattice::HoldSpec hold, const lattice::HoldSpec& other) {
  std::erase_if(hold.nodes, [&](std::int32_t n) {
    return std::ranges::find(other.nodes, n) != other.nodes.end();
  });
  return hold;
}

template <class F>
void scale_stiffness(lattice::BodySpec& body, F&& factor) {
  const auto nodes = body.lattice.cell_nodes();
  for (std::size_t c = 0; c < nodes.size(); ++c) {
    Vec3d middle{0, 0, 0};
    for (const std::int32_t n : nodes[c]) middle += 0.125 * body.lattice.rest_positions[n];
    const double f = factor(middle);
    body.mu[c] *= f;
    body.lambda[c] *= f;
  }
}

void add_hard_cases(const ExperimentOptions& options, Report& report, Context& context) {
  for (const char* name : {"figure", "armadillo"}) {
    report.with(name, [&](const geometry::SurfaceMesh& surface) {
      lattice::BodySpec body = make_body(surface, 64, 0.3, context);
      const auto feet = hold_end(body, 1, false, 0.04);
      auto left = without(hold_end(body, 0, true, 0.04), feet),
           right = without(hold_end(body, 0, false, 0.04), feet);
      left.name = "left";
      right.name = "right";
      body.holds = {feet, left, right};
      report.count_at_rest(fmt::format("{} held by hands and feet, 64 cells across", name),
                           make_model(body), 25);
    });
  }
  const int cells = options.full ? 64 : 48;
  for (const char* name : {"cube", "arm", "figure"}) {
    report.with(name, [&](const geometry::SurfaceMesh& surface) {
      const lattice::BodySpec body = make_body(surface, cells, 0.3, context);
      const auto end = hold_end(body, longest_axis(surface), false);
      report.count_at_rest(fmt::format("{} on soft points alone, {} cells across", name, cells),
                           make_model(body, {soften(body, end)}), 25);
    });
  }
  report.with("cube", [&](const geometry::SurfaceMesh& surface) {
    const auto jumping = [&](const std::string& what, double bound, auto&& factor) {
      lattice::BodySpec body = make_body(surface, 32, 0.3, context);
      body.holds = {hold_end(body, 0, false)};
      scale_stiffness(body, factor);
      report.count_at_rest(what, make_model(body), bound);
    };
    std::uint32_t bits = 7;
    const auto random = [&] {
      bits = bits * 1664525u + 1013904223u;
      return double(bits >> 8) / (1 << 24);
    };
    jumping("cube, stiffness 1 to 1000 at random per cell", 25,
            [&](const Vec3d&) { return std::pow(kJump, random()); });
    // Single stiff cells on edges of the cube hang by soft ones and turn like hinges: ten nodes
    // that no coarse level sees, and that a diagonal cannot turn.
    jumping("cube, stiffness 1 or 1000 at random per cell", 40,
            [&](const Vec3d&) { return random() < 0.5 ? 1 : kJump; });
    const auto inside = [](const Vec3d& p) {
      return std::max({std::abs(p[0] - 0.5), std::abs(p[1] - 0.5), std::abs(p[2] - 0.5)}) < 0.27;
    };
    jumping("cube with an inclusion 1000 times as stiff", 25,
            [&](const Vec3d& p) { return inside(p) ? kJump : 1; });
    jumping("cube with an inclusion 1000 times softer", 25,
            [&](const Vec3d& p) { return inside(p) ? 1 / kJump : 1; });
  });
  for (const auto& [name, across] :
       {std::pair{"sheet", 50}, {"sheet", 100}, {"bow_tie", 48}, {"bow_tie", 96}}) {
    report.with(name, [&, what = name, n = across](const geometry::SurfaceMesh& surface) {
      lattice::BodySpec body = make_body(surface, n, 0.3, context);
      body.holds = {hold_end(body, longest_axis(surface), false)};
      report.count_at_rest(fmt::format("{}, {} cells across", what, n), make_model(body), 25);
    });
  }
  for (const char* name : {"cube", "hand"}) {
    report.with(name, [&](const geometry::SurfaceMesh& surface) {
      lattice::BodySpec body = make_body(surface, 48, 0.45, context);
      body.holds = {hold_end(body, longest_axis(surface), false)};
      report.count_at_rest(fmt::format("{}, Poisson's ratio 0.45, 48 cells across", name),
                           make_model(body), 30);
    });
  }
}

run::Series series_of(std::string name, std::span<const double> residuals, bool dashed,
                      int colour) {
  run::Series series{.name = std::move(name), .dashed = dashed, .colour = colour};
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    series.x.push_back(double(k));
    series.y.push_back(residuals[k]);
  }
  return series;
}

/// Residuals per cycle and per iteration of conjugate gradients.
void draw_residuals(const ExperimentOptions& options, Context& context) {
  constexpr int kShown = 60;
  std::vector<run::Series> series;
  struct Case {
    const char* name;
    int cells;
  };
  int colour = 0;
  for (const Case& c : {Case{"cube", 32}, Case{"arm", 48}, Case{"figure", 48}}) {
    const auto surface = named_surface(c.name, {});
    const bool cube = c.name == std::string_view("cube");
    lattice::BodySpec body = make_body(*surface, c.cells, 0.3, context);
    Softened springs;
    if (cube) {
      body.holds = {hold_end(body, 0, false, 0), hold_end(body, 0, true, 0)};
    } else {
      const auto bones = c.name == std::string_view("arm") ? arm_bones() : figure_bones();
      springs = {soften(body, hold_along(body, bones))};
    }
    for (const bool published : {true, false}) {
      const lattice::Model model = make_model(body, springs, published ? 5 : 0);
      WeighedBody weighed(model, model.rest_positions, materials::Definiteness::Clamp, context);
      if (published) {
        series.push_back(series_of(fmt::format("{}: published cycles", c.name),
                                   weighed.cycles(1e-8, kShown).history(), true, colour));
        continue;
      }
      series.push_back(series_of(fmt::format("{}: CG with our cycle", c.name),
                                 weighed.conjugate_gradients(1e-8, kShown, true).residuals, false,
                                 colour));
      run::Series plain =
          series_of(fmt::format("{}: CG with the diagonal", c.name),
                    weighed.conjugate_gradients(1e-8, kShown, false).residuals, false, colour);
      plain.points = true;
      series.push_back(plain);
    }
    ++colour;
  }
  make_directory(options.pictures);
  write_file_atomic(options.pictures / "mcadams_multigrid_residual.svg",
                    run::plot_svg(series, {.title = "Residual per V(5,5) cycle or CG iteration",
                                           .x_label = "cycle or iteration",
                                           .y_label = "residual / first residual",
                                           .log_y = true,
                                           .width = 760,
                                           .height = 460}));
}

}  // namespace

std::vector<Row> mcadams_multigrid(const ExperimentOptions& options, Context& context) {
  Report report(options, context);
  add_published(options, report, context);
  add_resolutions(options, report, context);
  add_deformed(options, report, context);
  add_hard_cases(options, report, context);
  report.add("applications of the finest operator per iteration", "best", report.applications,
             Relation::AtMost, 8, "six of the cycle, its residual among them, and that of CG");
  if (!options.pictures.empty() && !context.cancelled) draw_residuals(options, context);
  return std::move(report.rows);
}

}  // namespace isochor::reproduce
