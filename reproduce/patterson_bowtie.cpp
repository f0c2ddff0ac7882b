/// [Patterson12 fig 5]: a bow-tie is bent.
///
/// Its ends are turned towards each other as planes in which the body may slide, its middle plane
/// stays one by symmetry, and its waist is rounded (a hyperbola): the solution is then smooth up to
/// the boundary. Held without sliding, or with a crease at the waist, it has a singularity there,
/// which limits the order of any scheme on uniform cells. The slopes of the tie cut cells anyhow;
/// the planes that are held lie on nodes.
#include <cmath>
#include <fmt/core.h>
#include <string_view>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/run/plot.h"
#include "reproduce/convergence.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"
#include "reproduce/order_study.h"

namespace isochor::reproduce {
namespace {

// Height and width fill an even number of cells but for a little of the outermost, m.
const Vec3d kSize{1.5, 0.99, 0.39};
const Vec3d kCentre{0.75, 0.01, 0.02};
constexpr double kWaist = 0.6;
constexpr double kBend = 0.35;  // of each end, rad

double height(double x) {
  const double s = 2 * (x - kCentre[0]) / kSize[0];
  return std::sqrt(kWaist * kWaist + (kSize[1] * kSize[1] - kWaist * kWaist) * s * s);
}

geometry::SurfaceMesh make_tie() {
  geometry::SurfaceMesh tie = geometry::make_bow_tie(kCentre, kSize, kWaist, 0.02);
  for (Vec3d& p : tie.positions) {
    const double s = std::abs(2 * (p[0] - kCentre[0]) / kSize[0]);
    const double creased = kWaist + (kSize[1] - kWaist) * s;
    p[1] = kCentre[1] + (p[1] - kCentre[1]) * height(p[0]) / creased;
  }
  return tie;
}

/// Nodes in the planes of both ends and in that of symmetry.
std::vector<lattice::HoldSpec> plane_holds(const grid::Lattice& lattice) {
  std::vector<lattice::HoldSpec> holds;
  const auto add = [&](const char* name, int axis, double place) {
    lattice::HoldSpec hold{.name = name, .slide = lattice::Slide::InPlane};
    for (std::size_t i = 0; i < lattice.rest_positions.size(); ++i) {
      if (std::abs(lattice.rest_positions[i][axis] - place) < 0.25 * lattice.spacing) {
        hold.nodes.push_back(static_cast<std::int32_t>(i));
      }
    }
    holds.push_back(std::move(hold));
  };
  add("left", 0, 0);
  add("right", 0, kSize[0]);
  add("middle", 2, kCentre[2]);
  return holds;
}

Holding bend(const lattice::Model& model, double t) {
  Holding out;
  for (std::size_t h = 0; h < 3; ++h) {
    const double angle = h == 0 ? -t * kBend : h == 1 ? t * kBend : 0;
    const Mat3d turn = rotation_from_vector({0, 0, angle});
    const Vec3d pivot{h == 1 ? kSize[0] : 0, kCentre[1], kCentre[2]};
    for (const std::int32_t n : model.holds[h].nodes) {
      out.positions.push_back(pivot + turn * (model.rest_positions[n] - pivot));
    }
    out.directions.push_back(h < 2 ? turn * Vec3d{1, 0, 0} : Vec3d{0, 0, 1});
  }
  return out;
}

ConvergenceCase make_case() {
  ConvergenceCase tie{.surface = make_tie(), .holds = plane_holds, .holding = bend};
  constexpr double kStep = 0.0237, kMargin = 0.002;
  for (double x = 0.3 * kStep; x < kSize[0]; x += kStep) {
    for (double y = -0.5; y < 0.5; y += kStep) {
      for (double z = -0.5; z < 0.5; z += kStep) {
        if (std::abs(y) > 0.5 * height(x) - kMargin) continue;
        if (std::abs(z) > 0.5 * kSize[2] - kMargin) continue;
        tie.points.push_back({x, kCentre[1] + y, kCentre[2] + z});
      }
    }
  }
  return tie;
}

std::vector<Vec3d> limit_of(const std::vector<Level>& levels) {
  const std::size_t last = levels.size() - 1;
  return extrapolate(levels[last - 2].at_points, levels[last - 1].at_points, levels[last].at_points)
      .limit;
}

/// Three lattices side by side: of the first order with a trilinear surface above, of the second
/// one below with a trilinear and a tricubic surface.
void add_to(Figure& figure, const ConvergenceCase& tie, const std::vector<Level>& levels,
            bool second) {
  constexpr double kColumn = 2, kRow = -1.2;
  for (int k = 0; k < 3; ++k) {
    const Level& level = levels[k];
    const std::string name = fmt::format("{} {}", second, level.cells_per_metre);
    figure.add(name, tie.surface, level.trilinear, {k * kColumn, second ? kRow : 0, 0});
    if (second) figure.add(name + " c", tie.surface, level.tricubic, {k * kColumn, 2 * kRow, 0});
  }
}

}  // namespace

std::vector<Row> patterson_bowtie(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  ConvergenceCase tie = make_case();
  std::vector<int> sizes{10, 20, 40};
  if (options.full) sizes.push_back(80);
  std::vector<run::Series> plot;
  Figure figure;
  for (const Scheme& scheme : {kSecondOrder, kFirstOrder, kCut}) {
    const bool second = scheme.boundary == Boundary::Cut;
    const std::vector<Level> levels =
        measure_convergence("patterson/bowtie", tie, scheme, sizes,
                            second ? std::optional(1.8) : std::nullopt, context, rows);
    if (levels.size() < sizes.size() || !levels.back().way.arrived) return rows;
    if (tie.limit.empty()) tie.limit = limit_of(levels);
    run::Series series{.name = scheme.name};
    for (const Level& level : levels) {
      series.x.push_back(std::log2(level.cells_per_metre));
      series.y.push_back(rms_difference(level.at_points, tie.limit));
    }
    plot.push_back(std::move(series));
    if (scheme.variant == std::string_view("paper")) add_to(figure, tie, levels, second);
  }
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    write_file_atomic(options.pictures / "patterson_bowtie_error.svg",
                      run::plot_svg(plot, {.title = "A bow-tie, bent",
                                           .x_label = "log2 of cells per metre",
                                           .y_label = "error (rms), m",
                                           .log_y = true}));
    figure.draw(options.pictures / "patterson_bowtie.png",
                {.width = 1000,
                 .height = 620,
                 .camera_direction = Vec3d{0.1, 0.15, 1},
                 .ground = false,
                 .caption = "first order; second order; the same with a tricubic surface"},
                context);
  }
  return rows;
}

}  // namespace isochor::reproduce
