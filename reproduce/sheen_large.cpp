/// [Sheen21 sec 8.7], table 1: a cube stretched and a cube twisted. How far is not stated; here to
/// three times its length, and by half a turn (after a whole one a cube is at rest again, if it
/// finds its way).
#include <cmath>
#include <fmt/core.h>

#include "reproduce/experiment.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

constexpr double kSide = 0.1;

/// Moves the far end in steps, and adds rows and a picture.
std::vector<Row> deform(const char* id, const std::vector<ZonalVariant>& variants, int steps,
                        const std::function<Vec3d(const Vec3d&, double)>& motion,
                        const Vec3d& apart, const char* caption, const ExperimentOptions& options,
                        Context& context) {
  const int cells = options.full ? 16 : 6;
  const geometry::TetMesh mesh = box_of_tets({cells, cells, cells}, kSide / cells);
  std::vector<Row> rows;
  PressureFigure figure;
  Vec3d offset{0, 0, 0};
  for (const ZonalVariant& v : with_ours(variants)) {
    tets::BodySpec body{.name = "cube", .mesh = mesh};
    body.materials = {v.material};
    if (v.zone) body.zones = {tets::whole_zone(mesh)};
    body.sheets = area_skin(mesh, v.skin);
    body.holds = {hold_where(mesh, "near", [](const Vec3d& x) { return x[0] == 0; }),
                  hold_where(mesh, "far", [](const Vec3d& x) { return x[0] > 0.999 * kSide; })};
    ZonalBody cube(body, params_of(v.kind), context);
    int done = 0;
    for (; done < steps; ++done) {
      const double t = double(done + 1) / steps;
      const tets::StepReport report =
          cube.step([&](std::size_t hold, const Vec3d& x) { return hold == 1 ? motion(x, t) : x; });
      if (!report.converged() || report.fallbacks > 0) break;
    }
    const bool arrived = done == steps;
    const VariantRows out{rows, id, "Sheen 2021, table 1", v.name, v.kind, arrived};
    const double change = 100 * (cube.volume() - 1);
    out.add("change of volume", v.zone ? std::abs(change) : change, "%", std::nullopt,
            v.zone ? Relation::AtMost : Relation::Shown,
            v.zone ? std::optional(1e-7) : std::nullopt,
            arrived ? fmt::format("{} tets inverted, the smallest J is {:.3f}", cube.inverted(),
                                  cube.smallest_ratio())
                    : fmt::format("step {} of {} did not converge", done + 1, steps));
    out.add("Newton iterations per step", double(cube.iterations) / steps, "", v.iterations,
            Relation::Shown, std::nullopt,
            fmt::format("{} tets; the paper's are iterations of Ipopt", mesh.tets.size()));
    out.show("seconds per step", cube.seconds / steps, "s", v.seconds);
    if (v.kind == "paper") continue;  // to look at it is ours
    if (arrived) figure.add(v.name, cube, offset);
    offset += apart;
  }
  if (!options.pictures.empty()) {
    std::string file = id;
    for (char& c : file) c = c == '/' ? '_' : c;
    figure.draw(options.pictures / (file + ".png"),
                {.width = 1200,
                 .height = 520,
                 .up = {0, 0, 1},
                 .camera_direction = Vec3d{0.2, -1, 0.5},
                 .ground = false,
                 .caption = caption},
                context);
  }
  return rows;
}

}  // namespace

std::vector<Row> sheen_stretch(const ExperimentOptions& options, Context& context) {
  const double mu = kFleshShear;
  return deform(
      "sheen/stretch",
      {{"stable neo-Hookean, lambda = 40 kPa", "comparator",
        unconstrained(mu, 40.0 / (2 * (40 + 16))), false, 4.51, 2.80},
       {"stable neo-Hookean, lambda = 400 kPa", "comparator",
        unconstrained(mu, 400.0 / (2 * (400 + 16))), false, 14.33, 9.91},
       {"zone, penalty 25 kPa, beta = 0", "paper", with_penalty(mu, 25e3, 0), true, 9.92, 7.89},
       {"zone, penalty 25 kPa, beta = 1", "paper", with_penalty(mu, 25e3, 1), true, 9.24, 7.28},
       {"zone, penalty 25 kPa, beta = 1, skin of 10 kPa", "paper", with_penalty(mu, 25e3, 1), true,
        7.33, 6.25, 10e3}},
      20,
      [](const Vec3d& x, double t) {
        return x + Vec3d{2 * kSide * t, 0, 0};
      },
      {0, 1.5 * kSide, 0},
      "from the front: stable neo-Hookean, lambda = 40 and 400 kPa; a zone with beta = 0 and 1; "
      "with skin",
      options, context);
}

std::vector<Row> sheen_twist(const ExperimentOptions& options, Context& context) {
  const double mu = kFleshShear;
  const auto turn = [](const Vec3d& x, double t) {
    const double angle = M_PI * t, c = std::cos(angle), s = std::sin(angle);
    const double y = x[1] - 0.5 * kSide, z = x[2] - 0.5 * kSide;
    return Vec3d{x[0], 0.5 * kSide + c * y - s * z, 0.5 * kSide + s * y + c * z};
  };
  return deform(
      "sheen/twist",
      {{"stable neo-Hookean, lambda = 100 kPa", "comparator",
        unconstrained(mu, 100.0 / (2 * (100 + 16))), false, 138.33, 86.06},
       {"no zone, penalty 100 kPa, beta = 9", "comparator", with_penalty(mu, 100e3, 9), false,
        50.33, 37.32},
       {"zone, penalty 100 kPa, beta = 6", "paper", with_penalty(mu, 100e3, 6), true, 90.33, 62.15},
       {"zone, penalty 100 kPa, beta = 6, skin of 15 kPa", "paper", with_penalty(mu, 100e3, 6),
        true, 92.0, 103.10, 15e3}},
      18, turn, {1.5 * kSide, 0, 0},
      "stable neo-Hookean; the penalty with beta = 9; a zone with beta = 6; with skin", options,
      context);
}

}  // namespace isochor::reproduce
