/// [Sheen21 fig 10] and [Sheen21 fig 11], sections 8.5 and 8.6: a soft ball hits the ground.
///
/// Its size and speed are not stated. Here it has a radius of 1 m and arrives at 10 m/s, about one
/// and a half times the speed of its shear waves: what half of the volume is lost to at Poisson's
/// ratio 0.45. Quick runs take longer steps and fewer tets.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/file.h"
#include "isochor/run/plot.h"
#include "reproduce/experiment.h"
#include "reproduce/tet_motion.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

constexpr double kRadius = 1, kSpeed = 10, kDuration = 0.25;
constexpr Vec3d kGravity{0, -9.81, 0};

struct Impact {
  std::size_t tets = 0;
  int steps = 0;
  bool arrived = false;
  double least = 1, most = 1;  ///< volume over that at rest
  double worst = 0;            ///< of a zone, relative
  int inverted = 0;
  double iterations = 0, seconds = 0;               ///< per step
  std::vector<double> time, volume, height, width;  ///< s, %, m
  std::vector<double> centre;                       ///< m, height of that of mass
};

struct Ball {
  double spacing, dt;
  bool turned = false;  ///< at rest, about its middle
};

/// The largest differences of two motions, % of the diameter.
struct Difference {
  double shape = 0;   ///< of height and width
  double centre = 0;  ///< of the centre of mass
};
Difference compare(const Impact& a, const Impact& b) {
  Difference out;
  for (std::size_t k = 0; k < std::min(a.time.size(), b.time.size()); ++k) {
    const auto differ = [k](const std::vector<double>& x, const std::vector<double>& y) {
      return 100 * std::abs(x[k] - y[k]) / (2 * kRadius);
    };
    out.shape = std::max({out.shape, differ(a.height, b.height), differ(a.width, b.width)});
    out.centre = std::max(out.centre, differ(a.centre, b.centre));
  }
  return out;
}

/// Pictures show it where it is pressed to three fifths of its diameter.
Impact drop(const ZonalVariant& v, const Ball& ball, Context& context, PressureFigure* figure,
            const Vec3d& offset) {
  tets::BodySpec body{.name = "ball"};
  constexpr Vec3d kMiddle{0, kRadius, 0};
  body.mesh = stuffed_ball(kMiddle, kRadius, ball.spacing, context.arena);
  if (ball.turned) {
    const Mat3d turn = rotation_from_vector({0.34, 0.42, 0.45});
    for (Vec3d& x : body.mesh.positions) x = kMiddle + turn * (x - kMiddle);
  }
  body.materials = {v.material};
  if (v.zone) body.zones = {tets::whole_zone(body.mesh)};
  const bool best = v.kind == "best";
  ZonalBody motion(
      body, params_of(v.kind, best ? solve::Integrator::Bdf2 : solve::Integrator::BackwardEuler),
      context);
  for (auto* velocities : {&motion.state().velocities, &motion.state().last_velocities}) {
    for (Vec3d& x : *velocities) x = {0, -kSpeed, 0};
  }
  Impact out{.tets = body.mesh.tets.size(), .steps = int(std::lround(kDuration / ball.dt))};
  const auto ground = [](const Vec3d& x) { return Touch{x[1], {0, 1, 0}}; };
  const contact::Colliders floor({{.name = "ground", .shape = contact::HalfSpace{}}},
                                 context.arena);
  const auto stay = [](std::size_t, const Vec3d& x) { return x; };
  bool pressed = false;
  tets::State then = motion.state();
  int done = 0;
  for (; done < out.steps && !context.cancelled; ++done) {
    const tets::StepReport report =
        best ? motion.touch(floor.at(0, context.arena), stay, kGravity, ball.dt)
             : motion.press(ground, stay, kGravity, ball.dt);
    if (!report.converged() || report.fallbacks > 0) break;
    double low = 1e9, high = -1e9, left = 1e9, right = -1e9, mass = 0, moment = 0;
    for (std::size_t n = 0; n < motion.model().node_count(); ++n) {
      const Vec3d& x = motion.state().positions[n];
      mass += motion.model().mass[n];
      moment += motion.model().mass[n] * x[1];
      low = std::min(low, x[1]);
      high = std::max(high, x[1]);
      left = std::min(left, x[0]);
      right = std::max(right, x[0]);
    }
    const double volume = motion.volume();
    out.time.push_back((done + 1) * ball.dt);
    out.volume.push_back(100 * volume);
    out.height.push_back(high - low);
    out.width.push_back(right - left);
    out.centre.push_back(moment / mass);
    out.least = std::min(out.least, volume);
    out.most = std::max(out.most, volume);
    out.inverted = std::max(out.inverted, motion.inverted());
    if (v.zone) {
      out.worst = std::max(out.worst,
                           tets::zone_report(motion.model(), motion.state(), context.arena).worst);
    }
    pressed = pressed || high - low < 1.2 * kRadius;
    if (!pressed) then = motion.state();
  }
  out.arrived = done == out.steps;
  out.iterations = double(motion.iterations) / std::max(1, done);
  out.seconds = motion.seconds / std::max(1, done);
  motion.state() = then;
  if (figure) figure->add(v.name, motion, offset);
  return out;
}

std::string cost(const Impact& i, const Ball& ball) {
  return fmt::format("{} tets, {} steps of {:g} ms, {} tets inverted at most{}", i.tets, i.steps,
                     1e3 * ball.dt, i.inverted,
                     i.arrived ? "" : fmt::format("; step {} did not converge", i.time.size() + 1));
}

void add_rows(const char* id, const char* source, const ZonalVariant& v, const Impact& i,
              const Ball& ball, std::optional<double> paper_loss, std::vector<Row>& rows) {
  const VariantRows out{rows, id, source, v.name, v.kind, v.zone ? i.arrived : !i.time.empty()};
  const double loss = v.zone ? 100 * i.worst : 100 * (1 - i.least);
  out.add("largest loss of volume", loss, "%", paper_loss,
          v.zone ? Relation::AtMost : Relation::Shown, v.zone ? std::optional(1e-7) : std::nullopt,
          cost(i, ball));
  out.show(
      "Newton iterations per step", i.iterations, "", v.iterations,
      v.kind == "best"
          ? "contact is a part of the energy"
          : "the paper's are iterations of Ipopt; steps that find new contacts are done again");
  out.show("seconds per step", i.seconds, "s", v.seconds);
}

std::vector<ZonalVariant> fine_variants() {
  const double mu = kFleshShear, penalty = 2 * mu * 0.45 / (1 - 0.9);
  return {{"nu = 0.45", "comparator", unconstrained(mu, 0.45), false, 14.64, 17.27},
          {"nu = 0.495", "comparator", unconstrained(mu, 0.495), false, 15.90, 19.00},
          {"zone, penalty of nu = 0.45, backward Euler", "paper", with_penalty(mu, penalty, 1),
           true, 12.29, 17.91},
          {"zone, penalty of nu = 0.45, BDF2, barriers", "best", with_penalty(mu, penalty, 1), true,
           std::nullopt, std::nullopt}};
}

std::vector<ZonalVariant> coarse_variants() {
  std::vector<ZonalVariant> variants = fine_variants();
  const std::pair<double, double> table[] = {{15.08, 1.81}, {21.84, 2.50}, {22.10, 2.71}};
  for (int k = 0; k < 3; ++k) {
    variants[k].iterations = table[k].first;
    variants[k].seconds = table[k].second;
  }
  return variants;
}

constexpr const char* kCaption =
    "pressed to 0.6 of its diameter: Poisson's ratio 0.45, 0.495; a zone as published; ours";

run::RenderOptions view() {
  return {.width = 1200,
          .height = 380,
          .field_min = -50e3,
          .field_max = 150e3,
          .camera_direction = Vec3d{0, 0.25, 1},
          .camera_distance_factor = 0.8,
          .caption = kCaption};
}

}  // namespace

std::vector<Row> sheen_ball(const ExperimentOptions& options, Context& context) {
  const Ball ball = options.full ? Ball{0.0935, 1e-3} : Ball{0.3, 5e-3};
  const std::optional<double> paper[] = {51, 12.7, 0, std::nullopt};
  std::vector<Row> rows;
  std::vector<run::Series> lines;
  PressureFigure figure;
  int place = 0;
  for (const ZonalVariant& v : fine_variants()) {
    if (context.cancelled) return rows;
    const Impact i = drop(v, ball, context, &figure, {4.2 * place, 0, 0});
    add_rows("sheen/ball", "Sheen 2021, fig. 10, section 8.5", v, i, ball, paper[place], rows);
    lines.push_back({.name = v.name, .x = i.time, .y = i.volume});
    ++place;
  }
  if (!options.pictures.empty()) {
    figure.draw(options.pictures / "sheen_ball.png", view(), context);
    write_file_atomic(options.pictures / "sheen_ball.svg",
                      run::plot_svg(lines, {.title = "A ball hits the ground",
                                            .x_label = "time, s",
                                            .y_label = "volume, % of that at rest"}));
  }
  return rows;
}

std::vector<Row> sheen_coarse_ball(const ExperimentOptions& options, Context& context) {
  const Ball coarse = options.full ? Ball{0.224, 1e-3} : Ball{0.45, 5e-3};
  const Ball fine = options.full ? Ball{0.0935, 1e-3} : Ball{0.3, 5e-3};
  const char* source = "Sheen 2021, fig. 11, section 8.6";
  const std::optional<double> paper[] = {52.8, std::nullopt, 0, std::nullopt};
  std::vector<Row> rows;
  std::vector<run::Series> lines;
  PressureFigure figure;
  int place = 0;
  for (const ZonalVariant& v : coarse_variants()) {
    if (context.cancelled) return rows;
    const Impact i = drop(v, coarse, context, &figure, {4.2 * place, 0, 0});
    add_rows("sheen/coarse-ball", source, v, i, coarse, paper[place], rows);
    const Impact reference = drop(v, fine, context, nullptr, {});
    const Impact turned = drop(v, {coarse.spacing, coarse.dt, true}, context, nullptr, {});
    const VariantRows out{rows,   "sheen/coarse-ball",
                          source, v.name,
                          v.kind, !i.time.empty() && !reference.time.empty()};
    const Difference fewer = compare(i, reference);
    const char* unit = "% of the diameter";
    out.show("centre of mass against the fine ball, largest difference", fewer.centre, unit,
             std::nullopt,
             fmt::format("{} and {} tets{}", i.tets, reference.tets,
                         place == 1 ? "; the paper's coarse one fails at 0.275 s" : ""));
    out.show("height and width against the fine ball, largest difference", fewer.shape, unit,
             std::nullopt, "of the rim that shoots out: see the next row");
    out.show("height and width against the same tets turned, largest difference",
             compare(i, turned).shape, unit, std::nullopt,
             "how far such few tets tell these at all");
    lines.push_back({.name = v.name, .x = i.time, .y = i.height, .colour = place});
    lines.push_back({.name = v.name + ", fine",
                     .x = reference.time,
                     .y = reference.height,
                     .dashed = true,
                     .colour = place});
    ++place;
  }
  if (!options.pictures.empty()) {
    figure.draw(options.pictures / "sheen_coarse_ball.png", view(), context);
    write_file_atomic(options.pictures / "sheen_coarse_ball.svg",
                      run::plot_svg(lines, {.title = "Height of a coarse and a fine ball",
                                            .x_label = "time, s",
                                            .y_label = "height, m"}));
  }
  return rows;
}

}  // namespace isochor::reproduce
