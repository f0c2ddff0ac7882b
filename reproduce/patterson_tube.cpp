/// [Patterson12 fig 4]: a thin-walled tube, compressed and twisted.
///
/// How fast it converges is measured where the answer is known, in a smooth motion of a short piece
/// with ends that slide (twisted_tube.h).
#include <cmath>

#include "isochor/base/file.h"
#include "isochor/run/plot.h"
#include "reproduce/experiment.h"
#include "reproduce/order_study.h"
#include "reproduce/twisted_tube.h"

namespace isochor::reproduce {

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
  }
  return rows;
}

}  // namespace isochor::reproduce
