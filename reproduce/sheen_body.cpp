/// [Sheen21 fig 4], section 6: a body with anatomical zones; and section 8.7: a soft figure pressed
/// between cylinders. The paper's bodies are not public: ours is the made figure, whose bones are
/// what is near the lines between its joints.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/geometry/organic_shapes.h"
#include "isochor/geometry/shapes.h"
#include "isochor/geometry/stuffing.h"
#include "reproduce/experiment.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

geometry::TetMesh make_person(double spacing, ThreadArena& arena) {
  const geometry::SurfaceMesh skin = geometry::make_figure(0.02).skin;
  const geometry::SignedDistance inside(skin.positions, geometry::triangulate(skin), arena);
  return geometry::stuff(inside, {.spacing = spacing}, arena);
}

double distance_to_segment(const Vec3d& x, const Vec3d& a, const Vec3d& b) {
  const Vec3d way = b - a;
  const double square = dot(way, way);
  const double t = square > 0 ? std::clamp(dot(x - a, way) / square, 0.0, 1.0) : 0;
  return norm(x - (a + t * way));
}

/// Nodes near bones below and above the given heights.
tets::HoldSpec bones(const geometry::TetMesh& mesh, double thickness, double below, double above) {
  const std::vector<geometry::FigureJoint> joints = geometry::figure_joints();
  return hold_where(mesh, "bones", [&](const Vec3d& x) {
    if (x[1] > below && x[1] < above) return false;
    return std::ranges::any_of(joints, [&](const geometry::FigureJoint& joint) {
      return joint.parent >= 0 &&
             distance_to_segment(x, joint.position, joints[joint.parent].position) < thickness;
    });
  });
}

double height_of(std::string_view name) {
  const std::vector<geometry::FigureJoint> joints = geometry::figure_joints();
  return std::ranges::find(joints, name, &geometry::FigureJoint::name)->position[1];
}

/// As an artist would paint them: belly, back and sides of the waist, legs, breasts.
std::vector<tets::PaintedZone> anatomy(const geometry::TetMesh& mesh) {
  const double hips = height_of("hips");
  struct Painted {
    const char* name;
    std::function<bool(const Vec3d&)> where;
  };
  const auto trunk = [](const Vec3d& x) { return std::abs(x[0]) < 0.2; };
  const std::vector<Painted> zones{
      {"belly",
       [=](const Vec3d& x) {
         return trunk(x) && x[2] > 0.02 && std::abs(x[1] - hips - 0.08) < 0.12;
       }},
      {"waist",
       [=](const Vec3d& x) {
         return trunk(x) && x[2] <= 0.02 && std::abs(x[1] - hips - 0.08) < 0.12;
       }},
      {"left leg", [=](const Vec3d& x) { return x[0] > 0 && trunk(x) && x[1] < hips - 0.1; }},
      {"right leg", [=](const Vec3d& x) { return x[0] < 0 && trunk(x) && x[1] < hips - 0.1; }},
      {"left breast",
       [=](const Vec3d& x) {
         return x[0] > 0 && trunk(x) && x[2] > 0.02 && std::abs(x[1] - hips - 0.32) < 0.1;
       }},
      {"right breast", [=](const Vec3d& x) {
         return x[0] < 0 && trunk(x) && x[2] > 0.02 && std::abs(x[1] - hips - 0.32) < 0.1;
       }}};
  std::vector<tets::PaintedZone> out;
  for (const Painted& zone : zones) {
    tets::PaintedZone painted{.name = zone.name, .weights = {}};
    for (const Vec3d& x : mesh.positions) painted.weights.push_back(zone.where(x));
    out.push_back(std::move(painted));
  }
  return out;
}

/// Of zones that need not be those of the body: the largest change, relative.
struct Change {
  std::string zone;
  double part = 0;
};
Change largest_change(const ZonalBody& body, const std::vector<tets::ZoneSpec>& zones) {
  const tets::Model& model = body.model();
  std::vector<double> ratio(model.tets.size()), rest(model.tets.size());
  for (std::size_t t = 0; t < ratio.size(); ++t) {
    const std::size_t source = std::size_t(model.source[t]);
    ratio[source] = determinant(deformation_gradient(model, t, body.state().positions));
    rest[source] = model.volume[t];
  }
  Change worst;
  for (const tets::ZoneSpec& zone : zones) {
    double now = 0, before = 0;
    for (const std::int32_t t : zone.tets) {
      now += ratio[t] * rest[t];
      before += rest[t];
    }
    const double part = now / before - 1;
    if (std::abs(part) > std::abs(worst.part)) worst = {zone.name, part};
  }
  return worst;
}

}  // namespace

std::vector<Row> sheen_body_zones(const ExperimentOptions& options, Context& context) {
  const double spacing = options.full ? 0.025 : 0.045;
  const geometry::TetMesh mesh = make_person(spacing, context.arena);
  std::vector<tets::ZoneSpec> zones = tets::painted_zones(mesh, anatomy(mesh), context.arena);
  zones.push_back(tets::whole_zone(mesh));
  const double mu = kFleshShear / 4, penalty = 120.0 / 16 * mu;
  struct Variant {
    std::string name, kind;
    materials::Material material;
    int zones;  ///< the last ones
  };
  const std::vector<Variant> variants{
      {"nu = 0.4", "comparator", unconstrained(mu, 0.4), 0},
      {"the whole body", "comparator", with_penalty(mu, penalty, 6), 1},
      {"seven zones", "paper", with_penalty(mu, penalty, 6), 7},
      {"seven zones, no penalty", "best", with_penalty(mu, 0, 0), 7}};
  std::vector<Row> rows;
  PressureFigure figure;
  double offset = 0;
  for (const Variant& v : with_ours(variants)) {
    if (context.cancelled) return rows;
    tets::BodySpec body{.name = "person", .mesh = mesh};
    body.materials = {v.material};
    body.holds = {bones(mesh, std::max(0.03, 0.9 * spacing), 1e9, 0)};
    body.zones.assign(zones.end() - v.zones, zones.end());
    ZonalBody person(body, params_of(v.kind), context);
    // It is turned to lie on its front, above the ground, and jolted by three times its weight.
    constexpr int kSteps = 3;
    bool arrived = true;
    for (int s = 1; s <= kSteps && arrived; ++s) {
      const tets::StepReport report =
          person.step([](std::size_t, const Vec3d& x) { return x; }, {0, 0, 3 * 9.81 * s / kSteps});
      arrived = report.converged() && report.fallbacks == 0;
    }
    const VariantRows out{rows, "sheen/body-zones", "Sheen 2021, fig. 4", v.name, v.kind, arrived};
    const Change change = largest_change(person, zones);
    const bool kept = v.zones == 7;
    out.add("largest change of a zone's volume", 100 * std::abs(change.part), "%", std::nullopt,
            kept ? Relation::AtMost : Relation::Shown, kept ? std::optional(1e-7) : std::nullopt,
            fmt::format("of seven zones, {}; {} tets, {} inverted", change.zone, mesh.tets.size(),
                        person.inverted()));
    out.show("Newton iterations per step", double(person.iterations) / kSteps, "", std::nullopt,
             fmt::format("{:.2f} s and {} Krylov iterations a step", person.seconds / kSteps,
                         person.krylov / kSteps));
    if (v.kind == "paper") continue;  // to look at it is ours
    figure.add(v.name, person, {offset, 0, 0});
    offset += 1.1;
  }
  if (!options.pictures.empty()) {
    figure.draw(options.pictures / "sheen_body_zones.png",
                {.width = 1100,
                 .height = 520,
                 .field_min = -4000,
                 .field_max = 4000,
                 .camera_direction = Vec3d{0.25, 0.05, 1},
                 .camera_distance_factor = 0.82,
                 .ground = false,
                 .caption = "pulled forwards by three times its weight: Poisson's ratio 0.4; the "
                            "whole body a zone; seven zones; without penalty"},
                context);
  }
  return rows;
}

std::vector<Row> sheen_cylinders(const ExperimentOptions& options, Context& context) {
  const double spacing = options.full ? 0.025 : 0.05;
  const int frames = options.full ? 60 : 10;
  const geometry::TetMesh mesh = make_person(spacing, context.arena);
  const double mu = kFleshShear;
  constexpr double kSkin = 40e3, kStep = 0.033;
  const std::vector<ZonalVariant> variants{
      {"stable neo-Hookean, lambda = 400 kPa", "comparator",
       unconstrained(mu, 400.0 / (2 * (400 + 16))), false, 11.29, 6.26, kSkin},
      {"zone, penalty 60 kPa, beta = 12", "paper", with_penalty(mu, 60e3, 12), true, 10.84, 6.97,
       kSkin},
      {"zone, penalty 60 kPa, beta = 12, BDF2, barriers", "best", with_penalty(mu, 60e3, 12), true,
       std::nullopt, std::nullopt, kSkin}};
  const double height = height_of("hips") + 0.12;
  double front = 0, back = 0;
  for (const Vec3d& x : mesh.positions) {
    if (std::abs(x[1] - height) > 0.06 || std::abs(x[0]) > 0.1) continue;
    front = std::max(front, x[2]);
    back = std::min(back, x[2]);
  }
  constexpr double kCylinder = 0.08;
  // Together they go half way through the body.
  const double whole_way = 0.25 * (front - back);
  std::vector<contact::Collider> pair;
  for (const double side : {1.0, -1.0}) {
    const double from = side > 0 ? front + kCylinder : back - kCylinder;
    pair.push_back(
        {.name = side > 0 ? "front" : "back",
         .shape = contact::Cylinder{1, kCylinder},
         .keys = {{0, {0, height, from}}, {frames * kStep, {0, height, from - side * whole_way}}},
         .turned = {0, 0, 0.5 * M_PI}});
  }
  const contact::Colliders colliders(std::move(pair), context.arena);
  std::vector<Row> rows;
  PressureFigure figure;
  double offset = 0;
  for (const ZonalVariant& v : variants) {
    if (context.cancelled) return rows;
    tets::BodySpec body{.name = "person", .mesh = mesh};
    body.materials = {v.material};
    // Feet, legs and what is above the chest stay.
    body.holds = {bones(mesh, std::max(0.03, 0.9 * spacing), height - 0.3, height + 0.3)};
    if (v.zone) body.zones = {tets::whole_zone(mesh)};
    body.sheets = area_skin(mesh, v.skin);
    const bool best = v.kind == "best";
    ZonalBody person(
        body, params_of(v.kind, best ? solve::Integrator::Bdf2 : solve::Integrator::BackwardEuler),
        context);
    int done = 0;
    double worst = 0;
    for (; done < frames; ++done) {
      const double way = whole_way * (done + 1) / frames;
      const auto cylinders = [&](const Vec3d& x) {
        const double towards =
            x[2] > 0.5 * (front + back) ? front + kCylinder - way : back - kCylinder + way;
        const Vec3d radial{0, x[1] - height, x[2] - towards};
        const double r = norm(radial);
        return Touch{r - kCylinder, (1 / r) * radial};
      };
      const auto stay = [](std::size_t, const Vec3d& x) { return x; };
      const Vec3d gravity{0, -9.81, 0};
      const tets::StepReport report =
          best ? person.touch(colliders.at((done + 1) * kStep, context.arena), stay, gravity, kStep)
               : person.press(cylinders, stay, gravity, kStep);
      if (!report.converged() || report.fallbacks > 0) break;
      worst = std::max(worst, std::abs(person.volume() - 1));
    }
    const VariantRows out{
        rows,   "sheen/cylinders", "Sheen 2021, section 8.7, table 1 (armadillo)", v.name,
        v.kind, done == frames};
    out.add("largest change of volume", 100 * worst, "%", std::nullopt,
            v.zone ? Relation::AtMost : Relation::Shown,
            v.zone ? std::optional(1e-7) : std::nullopt,
            fmt::format("{} tets, {} steps of 33 ms, {} tets inverted at the end, least J {:.3f}{}",
                        mesh.tets.size(), frames, person.inverted(), person.smallest_ratio(),
                        done == frames ? "" : fmt::format("; step {} failed", done + 1)));
    out.show("Newton iterations per step", double(person.iterations) / frames, "", v.iterations,
             best ? "contact is a part of the energy"
                  : "the paper's are iterations of Ipopt; steps that find new contacts are done "
                    "again");
    out.show("seconds per step", person.seconds / frames, "s", v.seconds);
    figure.add(v.name, person, {0, 0, -offset}, [&](const Vec3d& x) {
      return std::abs(x[1] - height) < 0.4 && std::abs(x[0]) < 0.22;
    });
    for (const double z : {front + kCylinder - whole_way, back - kCylinder + whole_way}) {
      figure.add_scenery("cylinder",
                         geometry::make_cylinder({0, height, z}, {1, 0, 0}, kCylinder, 0.3, 0.01),
                         {0, 0, -offset});
    }
    offset += 0.6;
  }
  if (!options.pictures.empty()) {
    figure.draw(options.pictures / "sheen_cylinders.png",
                {.width = 1200,
                 .height = 640,
                 .field_min = -10e3,
                 .field_max = 30e3,
                 .camera_direction = Vec3d{1, 0.15, 0.25},
                 .camera_distance_factor = 0.82,
                 .ground = false,
                 .caption = "pressed between cylinders, with skin: stable neo-Hookean; a zone as "
                            "published; ours"},
                context);
  }
  return rows;
}

}  // namespace isochor::reproduce
