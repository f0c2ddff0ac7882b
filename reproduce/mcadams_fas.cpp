/// [McAdams11 sec 8], last part: an arm is curled in a single frame, by nonlinear cycles (full
/// approximation scheme) and by Newton's method. Bones are held, or pulled by soft points; the
/// forearm turns about the elbow.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <optional>

#include "isochor/base/file.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/grid/embedding.h"
#include "isochor/run/plot.h"
#include "isochor/run/render.h"
#include "reproduce/experiment.h"
#include "reproduce/weighed_body.h"

namespace isochor::reproduce {
namespace {

struct Curl {
  lattice::Model model;
  std::vector<Vec3d> held, targets;
};

/// Bones end a little before the elbow, as real ones do.
Curl make_curl(const lattice::BodySpec& plain, const geometry::ArmShape& arm, bool soft,
               double turn, lattice::Solver solver) {
  const auto between = [](const Vec3d& a, const Vec3d& b, double t) { return a + t * (b - a); };
  lattice::BodySpec body = plain;
  lattice::HoldSpec upper =
      hold_along(body, std::array{Bone{arm.shoulder, between(arm.shoulder, arm.elbow, 0.85)}});
  lattice::HoldSpec fore =
      hold_along(body, std::array{Bone{between(arm.elbow, arm.wrist, 0.15), arm.wrist}});
  upper.name = "upper";
  fore.name = "fore";
  std::erase_if(fore.nodes, [&](std::int32_t n) {
    return std::ranges::find(upper.nodes, n) != upper.nodes.end();
  });
  const Mat3d Q = rotation_from_vector({0, 0, turn});
  std::vector<Vec3d> goals;
  for (const lattice::HoldSpec* hold : {&upper, &fore}) {
    for (const std::int32_t n : hold->nodes) {
      const Vec3d& p = body.lattice.rest_positions[n];
      goals.push_back(hold == &fore ? arm.elbow + Q * (p - arm.elbow) : p);
    }
  }
  const lattice::Params params{.preconditioner = lattice::Preconditioner::Multigrid,
                               .solver = solver};
  if (soft) {
    return {
        lattice::build_model({body}, params, {soften(body, upper), soften(body, fore)}), {}, goals};
  }
  body.holds = {upper, fore};
  return {lattice::build_model({body}, params), goals, {}};
}

struct Outcome {
  lattice::StepReport report;
  std::vector<double> residuals;
  std::vector<Vec3d> positions;
  double energy = 0;          ///< J
  std::optional<int> cycles;  ///< before Newton's method took over

  int iterations_to(double residual) const {
    const auto at = std::ranges::find_if(residuals, [&](double r) { return r <= residual; });
    return static_cast<int>(at - residuals.begin());
  }
};

Outcome run_curl(const Curl& curl, Context& context) {
  Outcome outcome;
  lattice::State state{curl.model.rest_positions};
  lattice::Scratch scratch(curl.model);
  const auto listener = context.on_progress;
  context.on_progress = [&](const Progress& p) {
    // Newton's method begins where cycles ended.
    if (p.newton_iterations == 0 && !outcome.residuals.empty()) {
      outcome.cycles = static_cast<int>(outcome.residuals.size()) - 1;
    } else {
      outcome.residuals.push_back(p.residual);
    }
  };
  outcome.report = lattice::advance(curl.model, state,
                                    {.held_positions = curl.held, .spring_targets = curl.targets},
                                    scratch, context);
  context.on_progress = listener;
  std::vector<double> blocks(curl.model.blocks.size());
  std::vector<Vec3d> pull(curl.model.springs.count());
  outcome.energy =
      lattice::elastic_energy(curl.model, state.positions, blocks, context.arena) +
      solve::spring_pulls(curl.model.springs, state.positions, curl.targets, pull, context.arena);
  outcome.positions = state.positions;
  return outcome;
}

void draw(const geometry::ArmShape& arm, const lattice::BodySpec& body, const Outcome& outcome,
          const std::filesystem::path& file, Context& context) {
  const grid::Embedding skin = grid::embed(
      body.lattice, arm.skin.positions, body.lattice.vertex_cells, grid::Interpolation::Tricubic);
  files::BodyTopology topology{
      .name = "arm", .rest_nodes = body.lattice.rest_positions, .cells = body.lattice.cell_nodes()};
  topology.surface = arm.skin;
  files::BodyFrame frame;
  frame.nodes = outcome.positions;
  frame.vertices.resize(arm.skin.positions.size());
  skin.interpolate(outcome.positions, frame.vertices);
  const run::RenderOptions options{
      .width = 1000,
      .height = 700,
      .camera_direction = Vec3d{0.3, 0.35, 1},
      .ground = false,
      .caption = fmt::format("curled in one frame, {} iterations", outcome.report.iterations)};
  write_file_atomic(file, encode_png(run::render({{topology}}, {.bodies = {frame}}, options,
                                                 std::nullopt, context.arena)));
}

class Curling {
 public:
  Curling(const ExperimentOptions& options, Context& context)
      : arm(geometry::make_arm(0.01)), options_(options), context_(context) {}

  void compare(const lattice::BodySpec& body, int cells, double turn, bool soft) {
    const std::string how =
        fmt::format("{} rad, {} bones, {} cells", turn, soft ? "soft" : "held", cells);
    const bool drawn = cells == 48 && turn == 2.0;
    Outcome outcomes[2];
    for (const bool fas : {false, true}) {
      const Curl curl =
          make_curl(body, arm, soft, turn, fas ? lattice::Solver::Fas : lattice::Solver::Newton);
      outcomes[fas] = run_curl(curl, context_);
      add_counts(how, outcomes[fas], fas);
      if (drawn) add_series(outcomes[fas], fas, soft);
    }
    // Where the skin of the crook meets itself there are several equilibria, and nothing says
    // which one a method ends in.
    const double difference = outcomes[1].energy / outcomes[0].energy - 1;
    const bool one = turn < 2;
    add(fmt::format("{}energy / that of Newton's method - 1{}, {}", one ? "|" : "", one ? "|" : "",
                    how),
        true, one ? std::abs(difference) : difference, one ? Relation::AtMost : Relation::Shown,
        one ? std::optional(1e-6) : std::nullopt,
        fmt::format("{:.9g} J{}", outcomes[1].energy,
                    std::abs(difference) > 1e-6 ? ": another equilibrium" : ""));
    if (!options_.pictures.empty() && drawn && soft) {
      make_directory(options_.pictures);
      draw(arm, body, outcomes[1], options_.pictures / "mcadams_fas_arm.png", context_);
    }
  }

  void draw_residuals() const {
    if (options_.pictures.empty()) return;
    write_file_atomic(options_.pictures / "mcadams_fas_residual.svg",
                      run::plot_svg(series_, {.title = "An arm curled in one frame",
                                              .x_label = "cycle or Newton iteration",
                                              .y_label = "residual",
                                              .log_y = true,
                                              .width = 720,
                                              .height = 420}));
  }

  const geometry::ArmShape arm;
  std::vector<Row> rows;

 private:
  void add(std::string quantity, bool fas, double ours, Relation relation,
           std::optional<double> bound, std::string note) {
    rows.push_back({.id = "mcadams/fas",
                    .quantity = std::move(quantity),
                    .variant = fas ? "fas" : "newton",
                    .source = "McAdams 2011, section 8",
                    .ours = ours,
                    .relation = relation,
                    .bound = bound,
                    .note = std::move(note)});
  }

  void add_counts(const std::string& how, const Outcome& outcome, bool fas) {
    std::string note(text(outcome.report.end));
    if (outcome.cycles) {
      note += fmt::format("; {} cycles, which became slow, then Newton's method", *outcome.cycles);
    }
    add("iterations to 1e-6, " + how, fas, outcome.report.iterations,
        fas ? Relation::AtMost : Relation::Shown, fas ? std::optional(40.0) : std::nullopt, note);
    add("iterations to 1e-2, " + how, fas, outcome.iterations_to(1e-2), Relation::Shown, {}, "");
    add("finest operator applied, " + how, fas, outcome.report.operator_applications,
        Relation::Shown, {}, "without forces and linearisations");
  }

  void add_series(const Outcome& outcome, bool fas, bool soft) {
    run::Series& line = series_.emplace_back(run::Series{
        .name = fmt::format("{}, {} bones", fas ? "cycles" : "Newton", soft ? "soft" : "held"),
        .dashed = !soft,
        .colour = fas});
    for (std::size_t k = 0; k < outcome.residuals.size(); ++k) {
      line.x.push_back(double(k));
      line.y.push_back(outcome.residuals[k]);
    }
  }

  const ExperimentOptions& options_;
  Context& context_;
  std::vector<run::Series> series_;
};

}  // namespace

std::vector<Row> mcadams_fas(const ExperimentOptions& options, Context& context) {
  Curling curling(options, context);
  for (const int cells : options.full ? std::vector{48, 64} : std::vector{48}) {
    const lattice::BodySpec body = make_body(curling.arm.skin, cells, 0.3, context);
    for (const double turn : {1.5, 2.0}) {
      for (const bool soft : {true, false}) curling.compare(body, cells, turn, soft);
    }
  }
  curling.draw_residuals();
  return std::move(curling.rows);
}

}  // namespace isochor::reproduce
