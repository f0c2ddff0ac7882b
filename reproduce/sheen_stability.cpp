/// [Sheen21 fig 8], section 8.3: a soft cube settles under gravity in long steps.
///
/// Its side is not stated; here it is 1 m, its floor held, mu = 100 kPa. One-rings are corrected
/// once a step, as published, on top of backward Euler without a volume of its own.
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

constexpr double kSide = 1, kShear = 100e3;
constexpr Vec3d kGravity{0, 0, -9.81};

enum class Keeping { Zone, Rescaled, OneRings };

struct Case {
  std::string name, kind;
  Keeping keeping;
  materials::Material material;
  double dt;  ///< s
  solve::Integrator integrator = solve::Integrator::BackwardEuler;
};

struct Settling {
  bool stable = true;
  double worst = 0;                    ///< volume, relative
  std::vector<double> time, energy;    ///< s, J
  double iterations = 0, seconds = 0;  ///< per step
};

/// Scales a body about its centre of mass, as [Sheen21 sec 8.3] describes what one might try; held
/// nodes stay.
void rescale(ZonalBody& cube) {
  const tets::Model& model = cube.model();
  const double factor = std::cbrt(1 / cube.volume());
  Vec3d centre{0, 0, 0};
  double mass = 0;
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    centre += model.mass[i] * cube.state().positions[i];
    mass += model.mass[i];
  }
  centre *= 1 / mass;
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    Vec3d& x = cube.state().positions[i];
    if (!model.held[i]) x = centre + factor * (x - centre);
  }
}

tets::BodySpec make_cube(const Case& c, int cells) {
  tets::BodySpec body{.name = "cube", .mesh = box_of_tets({cells, cells, cells}, kSide / cells)};
  body.materials = {c.material};
  body.holds = {hold_where(body.mesh, "floor", [](const Vec3d& x) { return x[2] == 0; })};
  if (c.keeping == Keeping::Zone) body.zones = {tets::whole_zone(body.mesh)};
  return body;
}

/// Steps of a body whose one-rings are corrected after each, in a body of its own.
struct Rings {
  Rings(const tets::BodySpec& body, Context& context)
      : model(tets::build_model({body}, {.integrator = solve::Integrator::BackwardEuler},
                                context.arena)),
        stepper(model, {.recovery_steps = 1, .recovery_time = 0}, {}, context) {
    for (const std::int32_t n : model.holds[0].nodes) held.push_back(model.rest_positions[n]);
  }
  tets::Model model;
  tets::Conserving stepper;
  std::vector<Vec3d> held;
};

Settling settle(const Case& c, int cells, double duration, Context& context, PressureFigure& figure,
                const Vec3d& offset) {
  const tets::BodySpec body = make_cube(c, cells);
  ZonalBody cube(body, params_of(c.kind, c.integrator), context);
  std::optional<Rings> rings;
  if (c.keeping == Keeping::OneRings) rings.emplace(body, context);
  Settling out;
  const int steps = int(std::lround(duration / c.dt));
  const double scale = cube.model().rest_positions.size() ? kSide : 1;
  for (int k = 0; k < steps && out.stable && !context.cancelled; ++k) {
    if (rings) {
      const tets::ConservingReport report =
          rings->stepper.advance(cube.state(), kGravity, k * c.dt, c.dt, rings->held);
      out.stable = report.converged;
      cube.iterations += report.newton_iterations;
    } else {
      const tets::StepReport report =
          cube.step([](std::size_t, const Vec3d& x) { return x; }, kGravity, c.dt);
      out.stable = report.converged() && report.fallbacks == 0;
      if (c.keeping == Keeping::Rescaled) {
        const std::vector<Vec3d> before = cube.state().positions;
        rescale(cube);
        for (std::size_t i = 0; i < before.size(); ++i) {
          cube.state().velocities[i] += (cube.state().positions[i] - before[i]) * (1 / c.dt);
        }
      }
    }
    for (const Vec3d& x : cube.state().positions) out.stable = out.stable && norm(x) < 10 * scale;
    if (!out.stable) break;
    out.time.push_back((k + 1) * c.dt);
    out.energy.push_back(cube.potential_energy(kGravity));
    out.worst = std::max(out.worst, std::abs(cube.volume() - 1));
  }
  const double done = std::max<double>(1, double(out.time.size()));
  out.iterations = cube.iterations / done;
  out.seconds = cube.seconds / done;
  if (c.kind != "paper") figure.add(c.name, cube, offset);  // to look at it is ours
  return out;
}

/// What is left of the swinging in the last quarter: largest less least potential energy, over what
/// the body lost of it on the way to rest.
double restlessness(const std::vector<double>& energy) {
  const std::size_t from = 3 * energy.size() / 4;
  const auto [least, most] =
      std::minmax_element(energy.begin() + std::ptrdiff_t(from), energy.end());
  double mean = 0;
  for (std::size_t k = from; k < energy.size(); ++k)
    mean += energy[k] / double(energy.size() - from);
  return (*most - *least) / std::abs(mean);
}

}  // namespace

std::vector<Row> sheen_stability(const ExperimentOptions& options, Context& context) {
  const int cells = options.full ? 16 : 5;
  const double duration = options.full ? 8 : 2.4;
  const char* source = "Sheen 2021, fig. 8, section 8.3";
  const materials::Material zone = with_penalty(kShear, kShear, 1);
  const std::vector<Case> cases{
      {"one-rings, 8 ms", "comparator", Keeping::OneRings, unconstrained(kShear, 0), 8e-3},
      {"rescaled, nu = 0.3, 8 ms", "comparator", Keeping::Rescaled, unconstrained(kShear, 0.3),
       8e-3},
      {"rescaled, nu = 0.48, 8 ms", "comparator", Keeping::Rescaled, unconstrained(kShear, 0.48),
       8e-3},
      {"zone, 8 ms", "paper", Keeping::Zone, zone, 8e-3},
      {"zone, 33 ms", "paper", Keeping::Zone, zone, 33e-3},
      {"zone, BDF2, 8 ms", "best", Keeping::Zone, zone, 8e-3, solve::Integrator::Bdf2}};
  std::vector<Row> rows;
  std::vector<run::Series> lines;
  PressureFigure figure;
  double offset = 0;
  for (const Case& c : with_ours(cases)) {
    if (context.cancelled) return rows;
    const Settling s = settle(c, cells, duration, context, figure, {offset, 0, 0});
    if (c.kind != "paper") offset += 1.5 * kSide;
    const VariantRows out{rows, "sheen/stability", source, c.name, c.kind, s.stable};
    const bool ours = c.keeping == Keeping::Zone;
    const std::string note = fmt::format(
        "{} cells, {} steps, {:.1f} Newton iterations each{}", cells * cells * cells, s.time.size(),
        s.iterations, s.stable ? "" : "; it blew up, or a step did not converge");
    out.add("largest error of the volume", 100 * s.worst, "%",
            c.keeping == Keeping::OneRings ? std::optional(2.4) : std::nullopt,
            ours ? Relation::AtMost : Relation::Shown, ours ? std::optional(1e-7) : std::nullopt,
            note);
    out.show("swing of the potential energy in the last quarter", 100 * restlessness(s.energy), "%",
             std::nullopt,
             c.integrator == solve::Integrator::Bdf2
                 ? "largest less least, over the mean; it takes no energy from slow vibrations"
                 : "largest less least, over the mean");
    if (c.kind != "paper") lines.push_back({.name = c.name, .x = s.time, .y = s.energy});
  }
  if (!options.pictures.empty()) {
    figure.draw(options.pictures / "sheen_stability.png",
                {.width = 1500,
                 .height = 360,
                 .up = {0, 0, 1},
                 .camera_direction = Vec3d{0, -1, 0.15},
                 .camera_distance_factor = 0.82,
                 .ground = false,
                 .caption = "one-rings; rescaled with Poisson's ratio 0.3 and 0.48; a zone with "
                            "8 ms, 33 ms, and BDF2"},
                context);
    write_file_atomic(options.pictures / "sheen_stability.svg",
                      run::plot_svg(lines, {.title = "A cube settles under gravity",
                                            .x_label = "time, s",
                                            .y_label = "potential energy, J"}));
  }
  return rows;
}

}  // namespace isochor::reproduce
