/// [Sheen21 fig 1], section 8.7: a tight garment on a soft body, and how much its fit depends on
/// what keeps the body's volume.
///
/// The body and the garment of the paper are not public. Here it is a trunk from the hips to the
/// ribs, 40 cm high, with a spine that is held, and a waistband of rubber that would fit a thinner
/// waist.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <iterator>

#include "isochor/geometry/stuffing.h"
#include "reproduce/experiment.h"
#include "reproduce/field_figure.h"
#include "reproduce/worn.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

constexpr double kTrunkHeight = 0.4;
constexpr double kBandMiddle = 0.2;
constexpr double kBandHeight = 0.05;

/// Half axes of the section at a height, and how far it reaches: wide hips, waist, ribs.
struct Section {
  double side, depth;
};
Section section_at(double y) {
  const double waist = std::exp(-std::pow((y - 0.22) / 0.1, 2));
  return {0.175 - 0.035 * waist, 0.125 - 0.02 * waist};
}

geometry::TetMesh make_trunk(double spacing, ThreadArena& arena) {
  const auto distance = [](const Vec3d& x) {
    const auto [a, b] = section_at(x[1]);
    // Near the surface about the distance.
    const double part = std::hypot(x[0] / a, x[2] / b);
    const double slope = std::hypot(x[0] / (a * a), x[2] / (b * b)) / std::max(part, 1e-9);
    const double side = part > 1e-6 ? (part - 1) / slope : -b;
    // Rims are rounded.
    constexpr double kRound = 0.03;
    const double a1 = side + kRound;
    const double a2 = std::abs(x[1] - 0.5 * kTrunkHeight) - 0.5 * kTrunkHeight + kRound;
    return std::min(std::max(a1, a2), 0.0) + std::hypot(std::max(a1, 0.0), std::max(a2, 0.0)) -
           kRound;
  };
  const double margin = 2 * spacing;
  return geometry::stuff(distance,
                         {.low = {-0.2 - margin, -margin, -0.15 - margin},
                          .high = {0.2 + margin, kTrunkHeight + margin, 0.15 + margin}},
                         {.spacing = spacing, .grading = 1}, arena);
}

/// Around the trunk, `gap` off it.
shells::BandMesh make_waistband(int around, double gap) {
  const double edge = 2 * M_PI * 0.125 / around;
  const int rows = 2 * std::max(1, int(std::lround(0.5 * kBandHeight / edge)));
  return shells::make_band(around, rows, {0, 1, 0}, [&](double turn, double part) {
    const double angle = 2 * M_PI * turn;
    const double y = kBandMiddle + (part - 0.5) * kBandHeight;
    const auto [a, b] = section_at(y);
    return Vec3d{(a + gap) * std::cos(angle), y, -(b + gap) * std::sin(angle)};
  });
}

struct Trunk {
  std::string name, kind;
  materials::Material material;
  bool zone;
  bool skin;
  std::optional<double> paper_loss;               ///< %
  std::optional<double> iterations{}, seconds{};  ///< of the paper's table 1, per frame
};

std::vector<Trunk> trunks() {
  const double mu = kFleshShear / 4;
  return {{"nu = 0.4545", "comparator", unconstrained(mu, 0.4545), false, false, 19},
          {"nu = 0.499", "comparator", unconstrained(mu, 0.499), false, false, 0.5},
          {"zone", "paper", with_penalty(mu, 120e3 / 4, 6), true, false, 0, 17.98, 12.82},
          {"zone and skin", "paper", with_penalty(mu, 120e3 / 4, 6), true, true, 0, 19.18, 14.63}};
}

/// Other rows of table 1. All moduli are a quarter of the paper's.
std::vector<Trunk> more_trunks() {
  const double mu = kFleshShear / 4;
  return {{"stable neo-Hookean, lambda = 100 kPa",
           "comparator",
           unconstrained(mu, 400.0 / (2 * (400 + 16))),
           false,
           false,
           {},
           21.32,
           12.10},
          {"stable neo-Hookean, lambda = 10 kPa",
           "comparator",
           unconstrained(mu, 40.0 / (2 * (40 + 16))),
           false,
           false,
           {},
           23.09,
           12.93}};
}

}  // namespace

std::vector<Row> sheen_garment(const ExperimentOptions& options, Context& context) {
  const double spacing = options.full ? 0.015 : 0.03;
  const int around = options.full ? 144 : 72;
  const double reach = 0.002;
  const geometry::TetMesh mesh = make_trunk(spacing, context.arena);
  std::vector<Row> rows;
  FieldFigure map("contact_pressure", "mmHg");
  std::optional<double> first_girth;
  double offset = 0;
  std::vector<Trunk> variants = with_ours(trunks());
  if (!options.full) std::ranges::copy(more_trunks(), std::back_inserter(variants));
  for (const Trunk& v : variants) {
    if (context.cancelled) return rows;
    tets::BodySpec trunk{.name = "trunk", .mesh = mesh};
    trunk.materials = {v.material};
    const double close = 0.01 * spacing;
    trunk.holds = {hold_where(mesh, "ends and spine", [&](const Vec3d& x) {
      return x[1] < close || x[1] > kTrunkHeight - close || std::hypot(x[0], x[2] + 0.05) < 0.025;
    })};
    if (v.zone) trunk.zones = {tets::whole_zone(mesh)};
    if (v.skin) {
      trunk.sheets = {{.name = "skin",
                       .triangles = geometry::boundary_triangles(mesh.tets),
                       .law = shells::AreaLaw{100e3, 1},
                       .thickness = 2e-3}};
    }
    Worn worn({trunk, band_body(make_waistband(around, 0.8 * reach), shells::RubberLaw{.mu = 3e5},
                                1e-3, 0.6)},
              {.newton = {.tolerance = kWornTolerance}, .published = v.kind == "paper"},
              {.reach = reach, .friction = 0.3}, context);
    const bool done = worn.tighten(3);
    const VariantRows out{rows, "sheen/garment", "Sheen 2021, fig. 1", v.name, v.kind, done};
    const std::vector<geometry::Triangle> band = worn.triangles_of(1);
    const double girth =
        100 * shells::section_length(band, worn.positions(), {0, kBandMiddle, 0}, {0, 1, 0});
    const double rest = 100 * shells::section_length(band, worn.model().rest_positions,
                                                     {0, kBandMiddle, 0}, {0, 1, 0});
    if (!first_girth) first_girth = girth;
    const double loss = 100 * (1 - worn.volume(0));
    out.add(
        "volume lost", v.zone ? std::abs(loss) : loss, "%", v.paper_loss,
        v.zone ? Relation::AtMost : Relation::Shown, v.zone ? std::optional(1e-6) : std::nullopt,
        fmt::format(
            "{} tets, {} triangles of the band, {} steps with {} Newton and {} Krylov "
            "iterations, {:.0f} s{}",
            mesh.tets.size(), band.size(), worn.steps, worn.iterations, worn.krylov, worn.seconds,
            worn.held_back > 0 ? fmt::format("; {} steps are held back", worn.held_back) : ""));
    const bool locked = v.name == "nu = 0.499";
    out.show("girth of the waistband more than with nu = 0.4545", girth - *first_girth, "cm",
             locked              ? std::optional(7.0)
             : v.zone && !v.skin ? std::optional(4.5)
                                 : std::nullopt,
             fmt::format("{:.1f} cm; {:.1f} cm before", girth, rest));
    const auto tape = [&](std::span<const Vec3d> x) {
      return 100 * shells::girth_within(band, worn.triangles_of(0), x, shells::middle_of(band, x));
    };
    out.show("girth of the body beneath it", tape(worn.positions()), "cm", {},
             fmt::format("{:.1f} cm at rest; a tape, across hollows",
                         tape(worn.model().rest_positions)));
    const shells::PressureMeasure p = worn.pressure_on(1);
    out.show("pressure beneath the band", p.mean / shells::kMillimetreOfMercury, "mmHg", {},
             fmt::format("{:.2f} kPa; up to {:.1f} mmHg; tension {:.0f} N/m", p.mean / 1000,
                         p.most / shells::kMillimetreOfMercury, worn.mean_tension(1)));
    out.show("Newton iterations per step", double(worn.iterations) / worn.steps, "", v.iterations,
             "the paper's are iterations of Ipopt");
    out.show("seconds per step", worn.seconds / worn.steps, "s", v.seconds);
    // What is published looks as ours does.
    if (v.kind == "paper" || (v.iterations && !v.zone)) continue;
    if (done) {
      const std::vector<geometry::Triangle> outside = worn.triangles_of(0);
      std::vector<double> mercury = shells::spread_out(outside, worn.positions(), worn.pressures());
      for (double& value : mercury) value /= shells::kMillimetreOfMercury;
      map.add(v.name, outside, worn.positions(), mercury, {offset, 0, 0});
    }
    offset += 0.42;
  }
  if (!options.pictures.empty()) {
    map.draw(options.pictures / "sheen_garment.png",
             {.width = 1240,
              .height = 420,
              .samples = 32,
              .camera_direction = Vec3d{0, 0.15, 1},
              .camera_distance_factor = 0.8,
              .ground = false,
              .caption = "Poisson's ratio 0.4545, 0.499; a zone; a zone and skin"},
             context);
  }
  return rows;
}

}  // namespace isochor::reproduce
