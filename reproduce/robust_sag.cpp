/// Bodies that are drawn as they stand: without more ado gravity bends them at frame 0; with the
/// key sag_free they stay as they are drawn. What moves is measured in per cent of the diagonal of
/// a body's bounds, from the given surface to frame 0, and from there over a second of motion.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/sim/sag_free.h"
#include "isochor/sim/simulation.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"
#include "reproduce/flight.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kSagId = "robust/sag";
constexpr std::string_view kSagSource = "starting from a shape under load";

struct SagCase {
  const char* name;
  const char* picture;  ///< how its picture is called
  const char* body;     ///< TOML
  bool mixed = false;
};
constexpr SagCase kSagCases[] = {
    {"bar, held at one end", "bar", R"(cell_size = "25 mm"
shape = { kind = "box", size = [0.6, 0.1, 0.1], edge = "12.5 mm" }
material = { law = "neo_hookean", young = "800 kPa", poisson = 0.4 }
[[body.hold]]
name = "wall"
where = "x-"
)"},
    {"ball on a soft foot", "ball", R"(cell_size = "20 mm"
shape = { kind = "sphere", radius = 0.15, edge = "10 mm" }
material = { law = "stable_neo_hookean", young = "12 kPa", poisson = 0.45 }
[[body.hold]]
name = "ground"
where = "y-"
depth = "4 cm"
)"},
    {"hand, held at the wrist", "hand", R"(cell_size = "8 mm"
shape = { kind = "hand", edge = "4 mm" }
material = { law = "neo_hookean", young = "1 MPa", poisson = 0.45 }
[[body.hold]]
name = "wrist"
where = "x-"
depth = "2 cm"
)"},
    {"bar, a pressure per cell", "incompressible", R"(cell_size = "25 mm"
shape = { kind = "box", size = [0.6, 0.1, 0.1], edge = "12.5 mm" }
material = { law = "neo_hookean", young = "800 kPa", poisson = 0.5 }
[[body.hold]]
name = "wall"
where = "x-"
)",
     true},
};

sim::SceneSpec scene_of(const SagCase& wanted, bool sag_free, bool moves) {
  const std::string text = fmt::format(
      R"(format = 1
[time]
frames = 12
frame_rate = 12
{}
[method]
volume = "{}"
newton.tolerance = 1e-8
[[body]]
name = "body"
sag_free = {}
{})",
      moves ? "integrator = \"bdf2\"\nsubsteps = 2\nstart = \"equilibrium\"" : "",
      wanted.mixed ? "mixed" : "penalty", sag_free, wanted.body);
  return sim::parse_scene(text, "robust_sag.toml");
}

double size_of(std::span<const Vec3d> points) {
  Vec3d low = points[0], high = low;
  for (const Vec3d& p : points) {
    low = min(low, p);
    high = max(high, p);
  }
  return norm(high - low);
}

/// The largest distance between points, relative to the size of the second set.
double motion_between(std::span<const Vec3d> now, std::span<const Vec3d> before) {
  double largest = 0;
  for (std::size_t i = 0; i < now.size(); ++i)
    largest = std::max(largest, norm(now[i] - before[i]));
  return largest / size_of(before);
}

/// The largest motion of frames 1 to `frames` from frame 0.
double drift(sim::Simulation& simulation, int frames, std::span<const Vec3d> start) {
  double largest = 0;
  for (int f = 1; f <= frames && simulation.advance(); ++f) {
    largest =
        std::max(largest, motion_between(simulation.snapshot().first.bodies[0].vertices, start));
  }
  return largest;
}

void measure(const SagCase& wanted, const ExperimentOptions& options, Context& context,
             std::vector<Row>& rows, Figure& figure) {
  const auto add = [&](const std::string& quantity) {
    rows.push_back(verification_row(kSagId, fmt::format("{}: {}", wanted.name, quantity), "best",
                                    std::string(kSagSource)));
    rows.back().unit = "%";
    return &rows.back();
  };
  sim::Simulation plain(scene_of(wanted, false, false), context);
  const geometry::SurfaceMesh given = plain.topology().bodies[0].surface;
  plain.advance();
  const std::vector<Vec3d> sagged = plain.snapshot().first.bodies[0].vertices;
  add("sag of the shape as drawn")->ours = 100 * motion_between(sagged, given.positions);

  sim::RestShapeReport report;
  sim::Simulation still(sim::with_rest_shapes(scene_of(wanted, true, true), context, &report),
                        context);
  still.advance();
  const std::vector<Vec3d> start = still.snapshot().first.bodies[0].vertices;
  Row* row = add("motion at frame 0 with sag_free");
  *row = claim(*row, 100 * motion_between(start, given.positions), "%", Relation::AtMost, 0.1);
  row->note = fmt::format(
      "{} states of rest computed; the rest shape is {:.1f} % away from the "
      "given one, what fills its cells is within {:.1g} % of it",
      report.rounds, 100 * report.moved, 100 * report.misfit);
  const int frames = options.full ? 12 : 6;
  row = add(fmt::format("motion over {:g} s from there", frames / 12.0));
  *row = claim(*row, 100 * drift(still, frames, start), "%", Relation::AtMost, 0.1);

  const std::vector<Vec3d>& rest = still.topology().bodies[0].surface.positions;
  const double size = size_of(given.positions);
  const std::span<const Vec3d> shown[] = {given.positions, sagged, rest, start};
  for (int i = 0; i < 4; ++i) {
    figure.add(wanted.name, given, shown[i], Vec3d{1.15 * size * i, 0, 0});
  }
}

}  // namespace

std::vector<Row> robust_sag(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  for (const SagCase& wanted : kSagCases) {
    if (context.cancelled) break;
    Figure figure;
    measure(wanted, options, context, rows, figure);
    if (!options.pictures.empty()) {
      figure.draw(options.pictures / fmt::format("robust_sag_{}.png", wanted.picture),
                  {.width = 1200,
                   .height = 380,
                   .samples = 24,
                   .camera_direction = Vec3d{0, 0.25, 1},
                   .camera_distance_factor = 0.96,
                   .ground = false,
                   .caption = "as drawn; sagged; rest shape; frame 0 with sag_free"},
                  context);
    }
  }
  return rows;
}

}  // namespace isochor::reproduce
