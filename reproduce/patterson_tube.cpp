/// [Patterson12 fig 4]: a thin-walled tube, compressed and twisted.
///
/// How fast it converges is measured where the answer is known, in a smooth motion of a short piece
/// with ends that slide (twisted_tube.h). Corrugations as in the figure are beyond a bifurcation:
/// pictures only, of a shorter tube at Poisson's ratio 0.4, without pressures, where a minimum of
/// the energy is to be found.
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/grid/embedding.h"
#include "isochor/lattice/solver.h"
#include "isochor/run/plot.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"
#include "reproduce/order_study.h"
#include "reproduce/twisted_tube.h"

namespace isochor::reproduce {
namespace {

/// A tube with a wall of less than a coarse cell, shortened and twisted until it buckles. Nothing
/// where the solver does not get there.
std::vector<Vec3d> corrugate(const geometry::SurfaceMesh& surface, double length, int cells,
                             const Scheme& scheme, Context& context) {
  constexpr double kShortened = 0.16, kTurn = 1.7;
  constexpr int kSteps = 4;
  lattice::BodySpec body =
      make_embedded(surface, 1.0 / cells, scheme.boundary, "neo_hookean", 1, 0.4, context);
  lattice::HoldSpec ends{.name = "ends"};
  for (std::size_t i = 0; i < body.lattice.rest_positions.size(); ++i) {
    const double x = body.lattice.rest_positions[i][0];
    if (x * cells < 0.5 || (length - x) * cells < 0.5) {
      ends.nodes.push_back(static_cast<std::int32_t>(i));
    }
  }
  body.holds.push_back(ends);
  const lattice::Model model =
      lattice::build_model({body}, {.quadrature = scheme.quadrature,
                                    .preconditioner = lattice::Preconditioner::Multigrid,
                                    .newton = {.tolerance = 1e-3, .max_iterations = 300}});
  lattice::State state = lattice::make_state(model);
  lattice::Scratch scratch(model);
  for (int k = 1; k <= kSteps; ++k) {
    const double t = double(k) / kSteps;
    const Mat3d turn = rotation_from_vector({t * kTurn, 0, 0});
    std::vector<Vec3d> held;
    for (const std::int32_t n : model.holds[0].nodes) {
      const Vec3d& p = model.rest_positions[n];
      held.push_back(p[0] < 0.5 * length ? p : turn * p - Vec3d{t * kShortened * length, 0, 0});
    }
    if (!advance(model, state, {.held_positions = held}, scratch, context).converged()) return {};
  }
  std::vector<Vec3d> out(surface.positions.size());
  grid::embed(body.lattice, surface.positions, body.lattice.vertex_cells,
              grid::Interpolation::Tricubic)
      .interpolate(std::span<const Vec3d>(state.positions), out);
  return out;
}

void draw_corrugations(const std::filesystem::path& file, Context& context) {
  constexpr double kLength = 3, kRow = -1.4;
  const geometry::SurfaceMesh surface =
      geometry::make_tube({0.5 * kLength, 0, 0}, {1, 0, 0}, 0.42, 0.5, kLength, 0.025);
  Figure figure;
  int row = 0;
  for (const auto& [scheme, cells] : {std::pair{kFirstOrder, 8}, {kFirstOrder, 16}, {kCut, 8}}) {
    const std::vector<Vec3d> vertices = corrugate(surface, kLength, cells, scheme, context);
    if (!vertices.empty()) {
      figure.add(fmt::format("{}", row), surface, vertices, {0, row * kRow, 0});
    }
    ++row;
  }
  figure.draw(file,
              {.width = 640,
               .height = 704,
               .camera_direction = Vec3d{0.1, 0.25, 1},
               .ground = false,
               .caption = "voxels, 8 and 16 across; cut cells, 8 across"},
              context);
}

}  // namespace

std::vector<Row> patterson_tube(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  const ConvergenceCase tube = twisted_tube();
  std::vector<int> sizes{8, 16, 32};
  if (options.full) sizes.push_back(64);
  std::vector<Vec3d> expected;
  for (const Vec3d& p : tube.points) expected.push_back(tube.exact(p));
  std::vector<run::Series> plot;
  for (const Scheme& scheme : {kSecondOrder, kFirstOrder, kCut, kWeighted}) {
    const bool second = scheme.boundary == Boundary::Cut;
    const auto levels =
        measure_convergence("patterson/tube", tube, scheme, sizes,
                            second ? std::optional(1.8) : std::nullopt, context, rows);
    run::Series series{.name = scheme.name};
    for (const Level& level : levels) {
      series.x.push_back(std::log2(level.cells_per_metre));
      series.y.push_back(rms_difference(level.at_points, expected));
    }
    plot.push_back(std::move(series));
  }
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    write_file_atomic(options.pictures / "patterson_tube_error.svg",
                      run::plot_svg(plot, {.title = "A tube, compressed and twisted",
                                           .x_label = "log2 of cells per metre",
                                           .y_label = "error (rms), m",
                                           .log_y = true}));
    draw_corrugations(options.pictures / "patterson_tube.png", context);
  }
  return rows;
}

}  // namespace isochor::reproduce
