/// [Sheen21 fig 9], section 8.4: a puck is indented by half of its height.
///
/// Its floor is held.
#include <cmath>
#include <fmt/core.h>

#include "reproduce/experiment.h"
#include "reproduce/puck.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

std::vector<ZonalVariant> variants() {
  const double mu = kFleshShear;
  return {
      {"stable neo-Hookean, lambda = 40 kPa", "comparator",
       unconstrained(mu, 40.0 / (2 * (40 + 16))), false, 3.00, 1.55},
      {"stable neo-Hookean, lambda = 400 kPa", "comparator",
       unconstrained(mu, 400.0 / (2 * (400 + 16))), false, 3.14, 1.58},
      {"nu = 0.4", "comparator", unconstrained(mu, 0.4), false, {}, {}},
      {"nu = 0.4545", "comparator", unconstrained(mu, 0.4545), false, {}, {}},
      {"nu = 0.495", "comparator", unconstrained(mu, 0.495), false, {}, {}},
      {"zone, penalty 100 kPa, beta = 0", "paper", with_penalty(mu, 100e3, 0), true, 4.00, 2.25},
      {"zone, penalty 100 kPa, beta = 9", "paper", with_penalty(mu, 100e3, 9), true, 3.38, 1.93}};
}

/// Volume lost at half the height, %.
std::optional<double> published_loss(const ZonalVariant& v) {
  if (v.zone) return 0;
  if (v.name == "nu = 0.4") return 22;
  if (v.name == "nu = 0.4545") return 5.1;
  if (v.name == "nu = 0.495") return 1.8;
  return std::nullopt;
}

}  // namespace

std::vector<Row> sheen_puck(const ExperimentOptions& options, Context& context) {
  const double spacing = options.full ? 0.0021 : 0.0036;
  const int steps = options.full ? 50 : 25;
  const geometry::TetMesh mesh = make_puck(spacing, context.arena);
  std::vector<Row> rows;
  PressureFigure figure;
  double offset = 0;
  for (const ZonalVariant& v : with_ours(variants())) {
    tets::BodySpec body{.name = "puck", .mesh = mesh};
    body.materials = {v.material};
    body.holds = puck_holds(mesh, spacing);
    if (v.zone) body.zones = {tets::whole_zone(mesh)};
    ZonalBody puck(body, params_of(v.kind), context);
    int done = 0;
    for (; done < steps; ++done) {
      const double way = 0.5 * kPuckHeight * (done + 1) / steps;
      const tets::StepReport report = puck.step([&](std::size_t hold, const Vec3d& x) {
        return hold == 1 ? x - Vec3d{0, 0, way} : x;
      });
      if (!report.converged() || report.fallbacks > 0) break;
    }
    const bool arrived = done == steps;
    const VariantRows out{rows,   "sheen/puck", "Sheen 2021, fig. 9, section 8.4",
                          v.name, v.kind,       arrived};
    const std::string cost =
        fmt::format("{} tets, {} steps{}", mesh.tets.size(), steps,
                    arrived ? "" : fmt::format("; step {} did not converge", done + 1));
    const double loss = 100 * (1 - puck.volume());
    out.add("volume lost at half the height", v.zone ? std::abs(loss) : loss, "%",
            published_loss(v), v.zone ? Relation::AtMost : Relation::Shown,
            v.zone ? std::optional(1e-7) : std::nullopt, cost);
    out.add("inverted tets", puck.inverted(), "", v.zone ? std::optional(0.0) : std::nullopt,
            v.zone ? Relation::AtMost : Relation::Shown, v.zone ? std::optional(0.0) : std::nullopt,
            fmt::format("the smallest J is {:.3f}", puck.smallest_ratio()));
    out.show("Newton iterations per step", double(puck.iterations) / steps, "", v.iterations,
             "the paper's are iterations of Ipopt");
    out.show("seconds per step", puck.seconds / steps, "s", v.seconds);
    double top = 0;
    for (const Vec3d& x : puck.state().positions) top = std::max(top, x[2]);
    out.add("bulge above the top", 100 * (top / kPuckHeight - 1), "% of the height", std::nullopt,
            Relation::Shown, std::nullopt, "");
    // What is published and ours have the same shape, and those of table 1 that of a ratio between
    // the others.
    if (v.kind == "paper" || v.iterations.has_value() != v.zone) continue;
    if (arrived) figure.add(v.name, puck, {offset, 0, 0});
    offset += 2.3 * kPuckRadius;
  }
  if (!options.pictures.empty()) {
    figure.draw(options.pictures / "sheen_puck.png",
                {.width = 1500,
                 .height = 380,
                 .field_min = -60e3,
                 .field_max = 60e3,
                 .up = {0, 0, 1},
                 .camera_direction = Vec3d{0, -1, 0.35},
                 .camera_distance_factor = 0.82,
                 .ground = false,
                 .caption = "Poisson's ratio 0.4, 0.4545, 0.495; a zone with beta = 0 and 9",
                 .cut = run::CutPlane{.normal = {0, -1, 0}, .offset = 0}},
                context);
  }
  return rows;
}

}  // namespace isochor::reproduce
