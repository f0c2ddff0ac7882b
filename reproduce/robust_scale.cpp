/// The same scene at scales from a centimetre to a hundred metres and stiffness over six decades:
/// a bar that is bent, turned and loaded by its weight. Gravity goes with stiffness over size, so
/// that all of them are one problem in different units, and must give one shape with the same
/// work. What is not free of units in a solver (a smallest step in metres, a force that counts as
/// nothing) shows here.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <optional>

#include "isochor/lattice/solver.h"
#include "isochor/materials/registry.h"
#include "reproduce/bar.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

constexpr double kWeight = 0.002;  // density gravity height / stiffness
constexpr double kDensity = 1000;  // kg/m^3

struct Outcome {
  std::optional<std::vector<Vec3d>> shape;  ///< in heights of the bar
  int newton = 0, krylov = 0;
  std::string end;
};

Outcome bend_and_turn(int across, int law, double scale, double young, Context& context) {
  const Bar bar = make_bar({.cells = {4 * across, across, across},
                            .height = scale,
                            .law = law,
                            .shape = lively_shape(law),
                            .young = young,
                            .poisson = 0.4},
                           context);
  lattice::State state{bar.model.rest_positions};
  lattice::Scratch scratch(bar.model);
  const Vec3d gravity{0, 0, -kWeight * young / (kDensity * scale)};
  const Vec3d middle{bar.size[0], 0.5 * bar.size[1], 0.5 * bar.size[2]};
  Outcome outcome;
  for (int step = 1; step <= 4; ++step) {
    const double part = 0.25 * step;
    const Mat3d Q = rotation_from_vector({part * 1.5, 0, part * 1.0});
    const auto held = bar.held_positions([&](const Vec3d& p) {
      return middle + part * scale * Vec3d{-0.8, 1.5, 0} + Q * (p - middle);
    });
    const auto report = lattice::advance(
        bar.model, state, {.gravity = gravity, .held_positions = held}, scratch, context);
    outcome.newton += report.iterations;
    outcome.krylov += report.krylov_iterations;
    outcome.end = text(report.end);
    if (!report.converged()) return outcome;
  }
  for (Vec3d& p : state.positions) p *= 1 / scale;
  outcome.shape = state.positions;
  return outcome;
}

}  // namespace

std::vector<Row> robust_scale(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  const int across = options.full ? 6 : 2;
  for (const char* law : {"corotated", "neo_hookean", "fung"}) {
    const int index = materials::law_index(law);
    const Outcome reference = bend_and_turn(across, index, 1, 1e6, context);
    double worst = 0;
    int failed = !reference.shape, fewest = reference.newton, most = reference.newton;
    std::string note;
    for (const double scale : {1e-2, 1e-1, 1.0, 1e1, 1e2}) {
      for (const double young : {1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}) {
        const Outcome outcome = bend_and_turn(across, index, scale, young, context);
        if (!outcome.shape || !reference.shape) {
          ++failed;
          note += fmt::format(" scale {:g}, E {:g}: {};", scale, young, outcome.end);
          continue;
        }
        worst = std::max(worst, distance(*outcome.shape, *reference.shape) / 4);
        fewest = std::min(fewest, outcome.newton);
        most = std::max(most, outcome.newton);
      }
    }
    const auto add = [&](std::string quantity, double ours, double bound, std::string unit) {
      rows.push_back({.id = "robust/scale",
                      .quantity = std::move(quantity),
                      .variant = law,
                      .source = "ours: scales 0.01 to 100, E 1e3 to 1e9 Pa",
                      .ours = ours,
                      .unit = std::move(unit),
                      .relation = Relation::AtMost,
                      .bound = bound,
                      .note = note});
    };
    add("of 35 scenes, without a solution", failed, 0, "");
    add("largest difference of shapes", worst, 1e-4, "of the length");
    note = fmt::format("{} to {} in four steps; with E 1e6 Pa, scale 1, {} CG iterations", fewest,
                       most, reference.krylov);
    add("largest difference of Newton iterations", most - fewest, 1, "");
  }
  return rows;
}

}  // namespace isochor::reproduce
