/// [Sheen21 fig 6], section 7, and fig. 9 d: a puck that is indented, with and without skin that
/// keeps its area.
///
/// Skin with shear has the stiffness of real skin of 1 mm with a Young's modulus of 1 MPa, that of
/// the paper's 100 kPa (see kSkinUnit).
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "reproduce/experiment.h"
#include "reproduce/field_figure.h"
#include "reproduce/puck.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

constexpr double kRounding = 0.005;

struct Skinned {
  std::string name;
  std::string kind;
  materials::Material material;
  bool zone = false;
  std::optional<shells::SheetLaw> skin;
  double thickness = kSkinUnit;
  std::optional<double> paper_iterations{}, paper_seconds{};  ///< per step, table 1
};

std::vector<Skinned> skinned() {
  const materials::Material soft = unconstrained(kFleshShear, 0.4545);
  const materials::Material ours = with_penalty(kFleshShear, 100e3, 9);
  return {{"nu = 0.4545", "comparator", soft, false, {}, 0},
          {"nu = 0.4545, skin of 40 kPa", "paper", soft, false, shells::AreaLaw{40e3, 1}},
          {"zone", "paper", ours, true, {}, 0, 3.38, 1.93},
          {"zone, skin of 100 kPa", "paper", ours, true, shells::AreaLaw{100e3, 1}, kSkinUnit, 3.51,
           2.25},
          {"zone, skin with shear", "best", ours, true, shells::RubberLaw{.mu = 1e6 / 3}, 1e-3}};
}

/// What the surface looks like. Folds are changes of the angle between neighbouring triangles.
/// Those that a held point takes part in are not the body's: the indenter prescribes on one side of
/// its rim where points go, and ends at once, so that the corner there is as sharp as triangles are
/// small, and skin that keeps its area makes the wall beside it steeper. What the paper shows, and
/// says of skin ("without unnaturally sharp edges", section 7), is the free surface.
struct SurfaceMeasure {
  double area_change = 0;  ///< rms of triangles' relative change
  double fold = 0;         ///< rms of folds of the free surface, rad
  double sharpest = 0;     ///< the largest of them, rad
  double radius = 0;       ///< where that is, from the axis at rest, m
  double rim = 0;          ///< the largest of those that held points take part in, rad
  double rim_radius = 0;   ///< where that is, m
};

SurfaceMeasure measure(const ZonalBody& puck, std::span<const geometry::Triangle> triangles) {
  shells::Sheets sheets;
  shells::append({.name = "measure",
                  .triangles = {triangles.begin(), triangles.end()},
                  .law = shells::AreaLaw{1, 1},
                  .bending = 1},
                 puck.model().rest_positions, 0, "puck", sheets);
  SurfaceMeasure out;
  double area = 0;
  const std::span<const Vec3d> x = puck.state().positions;
  for (std::size_t t = 0; t < sheets.triangles.size(); ++t) {
    const double change = shells::tension(sheets, t, {x}).area_ratio - 1;
    out.area_change += sheets.triangles[t].area * change * change;
    area += sheets.triangles[t].area;
  }
  out.area_change = std::sqrt(out.area_change / area);
  std::size_t free = 0;
  for (const shells::Hinge& h : sheets.hinges) {
    const double fold = std::abs(shells::hinge_angle(contact::gather(x, h.points)) - h.angle);
    const bool held =
        std::ranges::any_of(h.points, [&](std::int32_t n) { return puck.model().held[n]; });
    if (!held) {
      out.fold += fold * fold;
      ++free;
    }
    double& most = held ? out.rim : out.sharpest;
    if (fold <= most) continue;
    most = fold;
    const Vec3d& rest = puck.model().rest_positions[h.points[0]];
    (held ? out.rim_radius : out.radius) = std::hypot(rest[0], rest[1]);
  }
  out.fold = std::sqrt(out.fold / double(free));
  return out;
}

/// In percent, per node.
std::vector<double> area_changes(const ZonalBody& puck,
                                 std::span<const geometry::Triangle> triangles) {
  const auto area = [](std::span<const Vec3d> x, const geometry::Triangle& t) {
    return norm(cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]));
  };
  std::vector<double> now(puck.model().node_count(), 0), rest(now);
  for (const geometry::Triangle& t : triangles) {
    for (const std::int32_t n : t) {
      now[n] += area(puck.state().positions, t);
      rest[n] += area(puck.model().rest_positions, t);
    }
  }
  for (std::size_t n = 0; n < now.size(); ++n) {
    now[n] = rest[n] > 0 ? 100 * (now[n] / rest[n] - 1) : 0;
  }
  return now;
}

/// The boundary of the tets without the floor and what the indenter holds.
std::vector<geometry::Triangle> free_triangles(const tets::BodySpec& body) {
  std::vector<std::uint8_t> held(body.mesh.positions.size(), 0);
  for (const tets::HoldSpec& hold : body.holds) {
    for (const std::int32_t n : hold.nodes) held[n] = 1;
  }
  std::vector<geometry::Triangle> out;
  for (const geometry::Triangle& t : geometry::boundary_triangles(body.mesh.tets)) {
    if (!(held[t[0]] && held[t[1]] && held[t[2]])) out.push_back(t);
  }
  return out;
}

}  // namespace

std::vector<Row> sheen_epidermis(const ExperimentOptions& options, Context& context) {
  const double spacing = options.full ? 0.0021 : 0.0036;
  const int steps = options.full ? 50 : 20;
  const geometry::TetMesh mesh = make_puck(spacing, context.arena, kRounding);
  std::vector<Row> rows;
  FieldFigure figure("area_change", "%");
  int shown = 0;
  SurfaceMeasure bare;
  for (const Skinned& v : with_ours(skinned())) {
    tets::BodySpec body{.name = "puck", .mesh = mesh};
    body.materials = {v.material};
    body.holds = puck_holds(mesh, spacing);
    if (v.zone) body.zones = {tets::whole_zone(mesh)};
    const std::vector<geometry::Triangle> outside = geometry::boundary_triangles(mesh.tets);
    if (v.skin) {
      body.sheets = {
          {.name = "skin", .triangles = outside, .law = *v.skin, .thickness = v.thickness}};
    }
    ZonalBody puck(body, params_of(v.kind), context);
    int done = 0;
    for (; done < steps && !context.cancelled; ++done) {
      const double way = 0.5 * kPuckHeight * (done + 1) / steps;
      const tets::StepReport report = puck.step([&](std::size_t hold, const Vec3d& x) {
        return hold == 1 ? x - Vec3d{0, 0, way} : x;
      });
      if (!report.converged() || report.fallbacks > 0) break;
    }
    const bool arrived = done == steps;
    const VariantRows out{
        rows, "sheen/epidermis", "Sheen 2021, figs. 6 and 9, table 1", v.name, v.kind, arrived};
    const SurfaceMeasure now = measure(puck, free_triangles(body));
    if (!v.skin) bare = now;
    // Skin has to have less of both than what is bare.
    const auto less = [&](std::string quantity, double ours, double of_bare, const char* unit,
                          std::string note) {
      out.add(std::move(quantity), ours, unit, {}, v.skin ? Relation::Below : Relation::Shown,
              v.skin ? std::optional(of_bare) : std::nullopt, std::move(note));
    };
    less("triangles of the surface change their area by", 100 * now.area_change,
         100 * bare.area_change, "% rms",
         fmt::format("{} tets, {} steps of {:.2f} s{}", mesh.tets.size(), steps,
                     puck.seconds / steps,
                     arrived ? "" : fmt::format("; step {} did not converge", done + 1)));
    less("sharpest fold of the free surface", now.sharpest * 180 / M_PI, bare.sharpest * 180 / M_PI,
         "degrees",
         fmt::format("{:.1f} mm from the axis; rms {:.1f}", 1000 * now.radius,
                     now.fold * 180 / M_PI));
    out.show(
        "fold at the rim of the indenter", now.rim * 180 / M_PI, "degrees", {},
        fmt::format("no claim: prescribed on one side, {:.1f} mm from the axis, where what the "
                    "indenter moves ends ({:.0f} mm)",
                    1000 * now.rim_radius, 1000 * kIndenterRadius));
    double top = 0;
    for (const Vec3d& x : puck.state().positions) top = std::max(top, x[2]);
    out.show(
        "bulge above the top", 100 * (top / kPuckHeight - 1), "% of the height", {},
        fmt::format("volume {:.2f} %, {} inverted tets", 100 * puck.volume(), puck.inverted()));
    out.show("Newton iterations per step", double(puck.iterations) / steps, "", v.paper_iterations,
             "the paper's are those of Ipopt, at steps of 1 % of the height");
    out.show("seconds per step", puck.seconds / steps, "s", v.paper_seconds);
    if (v.kind == "paper") continue;  // to look at it is ours
    // Without a zone behind, with one in front.
    const Vec3d offset{2.3 * kPuckRadius * (v.zone ? shown - 2 : shown + 0.5),
                       v.zone ? 0 : 2.4 * kPuckRadius, 0};
    if (arrived) {
      figure.add(v.name, outside, puck.state().positions, area_changes(puck, outside), offset);
    }
    ++shown;
  }
  if (!options.pictures.empty()) {
    figure.draw(options.pictures / "sheen_epidermis.png",
                {.width = 960,
                 .height = 610,
                 .samples = 32,
                 .field_min = -40,
                 .field_max = 40,
                 .up = {0, 0, 1},
                 .camera_direction = Vec3d{0, -1, 1.1},
                 .camera_distance_factor = 0.85,
                 .ground = false,
                 .caption = "behind: Poisson's ratio 0.4545, without and with skin; in front: a "
                            "zone without skin, with skin, with skin that resists shear"},
                context);
  }
  return rows;
}

}  // namespace isochor::reproduce
