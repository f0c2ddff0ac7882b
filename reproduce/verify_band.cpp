/// A tight band around a cylinder, and a belt over one. A membrane with the tension T around a
/// cylinder of the radius r presses it with p = T / r (Laplace, Young); an elastic tube around a
/// rigid core gives way by Lamé's solution in plane strain. A belt that slides over half a turn
/// with the friction mu pulls e^(pi mu) times as hard at one end as at the other (Euler,
/// Eytelwein).
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "reproduce/experiment.h"
#include "reproduce/field_figure.h"
#include "reproduce/flight.h"
#include "reproduce/tet_motion.h"
#include "reproduce/worn.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

constexpr double kRadius = 0.05;
constexpr double kReach = 1e-4;

/// A band of natural rubber that would fit a thinner cylinder.
constexpr double kShear = 3e5;
constexpr double kThickness = 5e-4;
constexpr double kScale = 0.8;

/// The tension of a strip that is stretched `stretch` times, its width free, N/m of its width then.
double strip_tension(double stretch) {
  return kShear * kThickness * (stretch * stretch - 1 / stretch) / std::sqrt(stretch);
}

/// Cloth that does not narrow, so that it covers what it did when it was loose.
const shells::ClothLaw kCloth = shells::ClothLaw::isotropic(3 * kShear, 0);
double cloth_tension(double stretch) {
  return kCloth.young_along * kThickness * 0.5 * stretch * (stretch * stretch - 1);
}

/// Around a cylinder along y, as high as `height`.
shells::BandMesh band_around(double radius, double height, int around) {
  const int rows = 2 * std::max(1, int(std::lround(0.5 * height * around / (2 * M_PI * radius))));
  return shells::make_band(around, rows, {0, 1, 0}, [&](double turn, double part) {
    const double angle = 2 * M_PI * turn;
    return Vec3d{radius * std::cos(angle), height * part, -radius * std::sin(angle)};
  });
}

/// The mean distance of a body's nodes from the axis.
double mean_radius(const Worn& worn, std::size_t body) {
  const tets::BodyRange& range = worn.model().bodies[body];
  double sum = 0;
  for (std::int32_t n = range.first_node; n < range.first_node + range.node_count; ++n) {
    sum += std::hypot(worn.positions()[n][0], worn.positions()[n][2]) / range.node_count;
  }
  return sum;
}

Row band_row(std::string quantity, std::string note) {
  Row row = verification_row("verify/band", std::move(quantity), "best", "closed form");
  row.note = std::move(note);
  return row;
}

std::string cost_of(const Worn& worn) {
  return fmt::format("{} triangles, {} tets, {} steps with {} Newton iterations, {:.1f} s",
                     worn.model().sheets.triangles.size(), worn.model().tets.size(), worn.steps,
                     worn.iterations, worn.seconds);
}

/// Puts a body into the picture, coloured by the pressure that the band makes.
void show(Worn& worn, std::size_t body, const std::string& name, double aside, FieldFigure& map) {
  std::vector<double> pressures = worn.pressures();
  for (double& p : pressures) p *= 1e-3;
  map.add(name, worn.triangles_of(body), worn.positions(), pressures, {aside, 0, 0});
}

void rigid_cylinder(int around, double friction, Context& context, std::vector<Row>& rows,
                    FieldFigure* map = nullptr) {
  const double height = 0.03, first = kRadius + 0.9 * kReach;
  contact::Collider cylinder{.name = "cylinder", .shape = contact::Cylinder{0.1, kRadius}};
  cylinder.friction = friction;
  Worn worn({band_body(band_around(first, height, around), shells::RubberLaw{.mu = kShear},
                       kThickness, kScale)},
            {}, {.reach = kReach, .friction = friction, .colliders = {cylinder}}, context);
  const bool done = worn.tighten(4);
  if (map) show(worn, 0, "band of the cylinder", -0.13, *map);
  const shells::PressureMeasure p = worn.pressure_on(0);
  const double radius = mean_radius(worn, 0), tension = strip_tension(radius / (kScale * first));
  const std::string name = fmt::format("rigid cylinder, {} points around{}", around,
                                       friction > 0 ? fmt::format(", friction {}", friction) : "");
  const auto add = [&](std::string quantity, double expected, double ours, std::string unit,
                       std::string note) {
    Row row = band_row(quantity + ": " + name, std::move(note));
    row.paper = expected;
    row.unit = unit;
    if (done) row.ours = ours;
    rows.push_back(row);
    if (!done) return;
    Row error = band_row("error of that", "");
    rows.push_back(claim(error, 100 * std::abs(ours / expected - 1), "%", Relation::AtMost, 2));
  };
  // With friction the band cannot narrow: its tension is more than that of a strip.
  const double measured = worn.mean_tension(0);
  if (friction == 0) {
    add("tension", tension, measured, "N/m", "a strip with free rims; " + cost_of(worn));
  }
  add("pressure", (friction == 0 ? tension : measured) / kRadius, p.mean, "Pa",
      fmt::format(
          "{:.1f} mmHg; deviation over the band {:.2f} %; gap {:.1f} % of the radius{}",
          p.mean / shells::kMillimetreOfMercury, 100 * p.spread / p.mean,
          100 * (radius / kRadius - 1),
          friction > 0 ? fmt::format("; beside the tension found, {:.1f} N/m", measured) : ""));
}

/// Between a rigid core and the outside, cut along the coordinates of a cylinder along y.
geometry::TetMesh tube_of_tets(const std::array<int, 3>& cells, double inner, double outer,
                               double height) {
  const geometry::TetMesh box = box_of_tets(cells, 1);
  geometry::TetMesh tube;
  std::vector<std::int32_t> place;
  for (const Vec3d& x : box.positions) {
    const int ring = cells[0] + 1;
    if (x[1] == cells[1]) {
      place.push_back(place[place.size() - std::size_t(ring) * cells[1]]);
      continue;
    }
    const double r = inner + (outer - inner) * x[0] / cells[0];
    const double angle = 2 * M_PI * x[1] / cells[1];
    place.push_back(std::int32_t(tube.positions.size()));
    tube.positions.push_back({r * std::cos(angle), height * x[2] / cells[2], -r * std::sin(angle)});
  }
  for (geometry::Tet tet : box.tets) {
    for (std::int32_t& n : tet) n = place[n];
    tube.tets.push_back(tet);
  }
  geometry::fix_winding(tube);
  return tube;
}

/// u = A (r - a^2 / r) under the pressure p outside, -u at the outside over p.
double lame_compliance(double young, double poisson, double inner, double outer) {
  const double mu = 0.5 * young / (1 + poisson);
  const double lambda = 2 * mu * poisson / (1 - 2 * poisson);
  const double square = inner * inner / (outer * outer);
  return outer * (1 - square) / (2 * lambda + 2 * mu * (1 + square));
}

void elastic_tube(double poisson, int around, double aside, Context& context,
                  std::vector<Row>& rows, FieldFigure& map) {
  const double inner = 0.02, height = 0.01, young = 4e5;
  tets::BodySpec tube{.name = "tube"};
  tube.mesh = tube_of_tets({around / 6, around, 2}, inner, kRadius, height);
  tube.materials = {elastic_flesh(young, poisson)};
  tube.holds = {hold_where(tube.mesh, "core", [&](const Vec3d& x) {
    return std::hypot(x[0], x[2]) < inner * (1 + 1e-6);
  })};
  std::vector<tets::Slide> slides;
  for (std::size_t n = 0; n < tube.mesh.positions.size(); ++n) {
    const Vec3d& x = tube.mesh.positions[n];
    const double r = std::hypot(x[0], x[2]);
    if (r < inner * (1 + 1e-6)) continue;
    if (x[1] == 0) slides.push_back({std::int32_t(n), {0, 1, 0}, 0});
    if (x[1] == height) slides.push_back({std::int32_t(n), {0, -1, 0}, -height});
  }
  // Chords of the band must clear the corners of the tube; without friction it would slide off
  // these, this way or that.
  const int fine = 2 * around;
  const double first = kRadius / std::cos(M_PI / fine) + 0.9 * kReach;
  Worn worn({tube, band_body(band_around(first, height, fine), kCloth, kThickness, kScale)},
            {.newton = {.tolerance = kWornTolerance}}, {.reach = kReach, .friction = 0.3}, context);
  const bool done = worn.tighten(3, slides);
  show(worn, 0, fmt::format("tube, {}", poisson), aside, map);
  // A mean by area: what the same force spread evenly would give, however it is handed over.
  double moved = 0, area = 0;
  for (const geometry::Triangle& t : geometry::boundary_triangles(tube.mesh.tets)) {
    double distance = 0;
    int outside = 0;
    for (const std::int32_t n : t) {
      const Vec3d &x = worn.positions()[n], &rest = tube.mesh.positions[n];
      outside += std::hypot(rest[0], rest[2]) > kRadius * (1 - 1e-6);
      distance += (std::hypot(rest[0], rest[2]) - std::hypot(x[0], x[2])) / 3;
    }
    if (outside < 3) continue;
    const std::span<const Vec3d> rest = tube.mesh.positions;
    const double weight = norm(cross(rest[t[1]] - rest[t[0]], rest[t[2]] - rest[t[0]]));
    moved += weight * distance;
    area += weight;
  }
  moved /= area;
  // The band and the tube agree on the pressure; the band rides on the tube's outside.
  const double compliance = lame_compliance(young, poisson, inner, kRadius);
  const double gap = mean_radius(worn, 1) - (kRadius - moved);
  double expected = 0;
  for (int round = 0; round < 50; ++round) {
    const double radius = kRadius - expected;
    expected = compliance * cloth_tension((radius + gap) / (kScale * first)) / radius;
  }
  const double pressure = expected / compliance;
  const std::string name = fmt::format("tube with Poisson's ratio {}", poisson);
  const auto add = [&](std::string quantity, double wanted, double ours, std::string unit,
                       std::string note) {
    Row row = band_row(quantity + ": " + name, std::move(note));
    row.paper = wanted;
    row.unit = unit;
    if (done) row.ours = ours;
    rows.push_back(row);
    if (!done) return;
    rows.push_back(claim(band_row("error of that", ""), 100 * std::abs(ours / wanted - 1), "%",
                         Relation::AtMost, 2));
  };
  add("outside moves inward", 1e6 * expected, 1e6 * moved, "um",
      "Lamé in plane strain, core held; " + cost_of(worn));
  const shells::PressureMeasure p = worn.pressure_on(1);
  add("pressure", pressure, p.mean, "Pa",
      fmt::format("{:.1f} mmHg; deviation over the band {:.1f} %",
                  p.mean / shells::kMillimetreOfMercury, 100 * p.spread / p.mean));
}

/// A belt over half a turn of a cylinder along z, from a weight at x > 0 to a hand at x < 0.
tets::BodySpec belt_body(double radius, double width, double tail, int columns, int rows) {
  tets::BodySpec body{.name = "belt"};
  const double arc = M_PI * radius, length = arc + 2 * tail;
  for (int i = 0; i <= columns; ++i) {
    const double s = length * i / columns - tail;
    const double angle = std::clamp(s / radius, 0.0, M_PI);
    const double down = s < 0 ? s : std::min(0.0, arc - s);
    for (int j = 0; j <= rows; ++j) {
      body.mesh.positions.push_back({radius * std::cos(angle), radius * std::sin(angle) + down,
                                     width * (double(j) / rows - 0.5)});
    }
  }
  shells::SheetSpec sheet{
      .name = "sheet", .triangles = {}, .law = shells::ClothLaw::isotropic(2e7, 0)};
  sheet.thickness = kThickness;
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < rows; ++j) {
      const std::int32_t a = i * (rows + 1) + j, b = a + 1, c = a + rows + 1, d = c + 1;
      // Alternately, so that no direction is preferred.
      const bool odd = (i + j) % 2 != 0;
      sheet.triangles.push_back(odd ? geometry::Triangle{a, c, b} : geometry::Triangle{a, c, d});
      sheet.triangles.push_back(odd ? geometry::Triangle{b, c, d} : geometry::Triangle{a, d, b});
    }
  }
  body.sheets = {std::move(sheet)};
  body.holds = {{.name = "hand", .nodes = {}}};
  for (int j = 0; j <= rows; ++j) body.holds[0].nodes.push_back(columns * (rows + 1) + j);
  return body;
}

void belt(double friction, Context& context, std::vector<Row>& rows) {
  constexpr double kWeight = 2;
  constexpr int kSteps = 8, kRows = 4, kColumns = 72;
  contact::Collider cylinder{.name = "cylinder", .shape = contact::Cylinder{0.1, kRadius}};
  cylinder.turned = {0.5 * M_PI, 0, 0};
  cylinder.friction = friction;
  const tets::Model model =
      tets::build_model({belt_body(kRadius + 0.9 * kReach, 0.02, 0.03, kColumns, kRows)},
                        {.newton = {.tolerance = kWornTolerance}}, context.arena);
  contact::ContactEnergy contact = tets::make_contact(model, {.reach = kReach}, 0);
  const contact::Colliders colliders({cylinder}, context.arena);
  contact.place(colliders.at(0, context.arena), 0);
  tets::State state = tets::make_state(model);
  tets::Scratch scratch(model);
  std::vector<Vec3d> loads(model.node_count(), Vec3d{0, 0, 0}), held;
  for (int j = 0; j <= kRows; ++j) {
    loads[j] = {0, -kWeight / kRows * (j == 0 || j == kRows ? 0.5 : 1), 0};
  }
  bool done = true;
  for (int step = 1; step <= kSteps && done; ++step) {
    held.clear();
    for (const std::int32_t n : model.holds[0].nodes) {
      held.push_back(model.rest_positions[n] - Vec3d{0, 0.003 * step, 0});
    }
    done =
        tets::advance(model, state, {.held_positions = held, .loads = loads, .contact = &contact},
                      scratch, context)
            .converged();
  }
  std::vector<Vec3d> force(model.node_count());
  tets::elastic_force(model, {state.positions}, force, scratch.elastic, context.arena);
  double pull = 0;
  for (const std::int32_t n : model.holds[0].nodes) pull += force[n][1];
  const double expected = std::exp(M_PI * friction);
  Row row = band_row(fmt::format("belt over half a turn, friction {}: pull over weight", friction),
                     "Euler and Eytelwein; pulled by 24 mm in steps of 3 mm");
  row.paper = expected;
  if (done) row.ours = pull / kWeight;
  rows.push_back(row);
  if (!done) return;
  rows.push_back(claim(band_row("error of that", ""), 100 * std::abs(pull / kWeight / expected - 1),
                       "%", Relation::AtMost, 2));
}

}  // namespace

std::vector<Row> verify_band(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  FieldFigure map("contact_pressure", "kPa");
  rigid_cylinder(48, 0, context, rows, &map);
  rigid_cylinder(48, 0.3, context, rows);
  if (options.full) rigid_cylinder(96, 0, context, rows);
  for (const double poisson : {0.3, 0.45}) {
    elastic_tube(poisson, options.full ? 72 : 36, poisson < 0.4 ? 0.0 : 0.13, context, rows, map);
  }
  for (const double friction : {0.1, 0.3}) belt(friction, context, rows);
  if (!options.pictures.empty()) {
    run::RenderOptions view{.width = 1000, .height = 420};
    view.camera_direction = Vec3d{0, 0.9, 1};
    view.caption = "a band on a rigid cylinder; tubes under theirs, Poisson's ratio 0.3 and 0.45";
    map.draw(options.pictures / "verify_band.png", view, context);
  }
  return rows;
}

}  // namespace isochor::reproduce
