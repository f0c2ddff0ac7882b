/// [McAdams11 sec 4]: one point per cell with the stabilisation against eight Gauss points, on a
/// bar whose far end is bent aside and turned about its axis.
///
/// Both are approximations of the same energy, so that their shapes must come together as cells
/// get smaller; how fast is measured. What they cost is counted: visits of the law, memory
/// of tangents, arithmetic of a force differential.
#include <cmath>
#include <fmt/core.h>
#include <optional>

#include "isochor/base/file.h"
#include "isochor/lattice/solver.h"
#include "isochor/materials/registry.h"
#include "isochor/run/plot.h"
#include "reproduce/bar.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

Row make_row(std::string quantity, std::string variant) {
  return {.id = "mcadams/gauss",
          .quantity = std::move(quantity),
          .variant = std::move(variant),
          .source = "McAdams 2011, section 4 (no number)"};
}

struct Solution {
  Bar bar;
  std::optional<std::vector<Vec3d>> positions;
  int newton = 0, krylov = 0;
};

/// Bent and turned in four steps.
Solution bend(int across, const char* law, lattice::Quadrature quadrature, Context& context) {
  Solution s{make_bar({.cells = {4 * across, across, across},
                       .height = 0.25,
                       .law = materials::law_index(law),
                       .params = {.quadrature = quadrature, .newton = {.tolerance = 1e-8}}},
                      context)};
  lattice::State state{s.bar.model.rest_positions};
  lattice::Scratch scratch(s.bar.model);
  const Vec3d middle{s.bar.size[0], 0.5 * s.bar.size[1], 0.5 * s.bar.size[2]};
  for (int step = 1; step <= 4; ++step) {
    const double part = 0.25 * step;
    const Mat3d Q = rotation_from_vector({part * 0.8, 0, part * 0.8});
    const auto held = s.bar.held_positions([&](const Vec3d& p) {
      return middle + part * Vec3d{-0.1, 0.3, 0} + Q * (p - middle);
    });
    const auto report =
        lattice::advance(s.bar.model, state, {.held_positions = held}, scratch, context);
    s.newton += report.iterations;
    s.krylov += report.krylov_iterations;
    if (!report.converged()) return s;
  }
  s.positions = state.positions;
  return s;
}

double root_mean_square(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i] - b[i], a[i] - b[i]);
  return std::sqrt(sum / double(a.size()));
}

void add_costs(std::vector<Row>& rows) {
  const auto add = [&](std::string quantity, double one, double gauss, std::string note) {
    Row row = make_row(std::move(quantity), "one-point");
    row.ours = one;
    rows.push_back(row);
    row.variant = "gauss";
    row.ours = gauss;
    row.note = fmt::format("{:.1f} times as many{}", gauss / one, note);
    rows.push_back(row);
  };
  add("visits of the law per cell and linearisation", 1, 8, "");
  add("bytes of a cell's tangent",
      sizeof(lattice::PrincipalGroupTangent) / (8.0 * lattice::kGroupBlocks), sizeof(double) * 240,
      "; double in place of single precision is two of them");
  // One point: by blocks, as bench/lattice_differential.cpp counts it. Eight: per point dF by eight
  // corners, the stress differential, and eight products with a gradient.
  constexpr double kStress = 4 * 45 + 15 + 3 * 8;
  add("arithmetic operations per cell and differential", (6 * 57 + 8 * 239 + 6 * 155 + 81) / 8.0,
      8 * (8 * 9 * 2 + 9 + kStress + 8 * (15 + 3 + 3)), "; blocks share edges, points do not");
}

}  // namespace

std::vector<Row> mcadams_gauss(const ExperimentOptions& options, Context& context) {
  using lattice::Quadrature;
  std::vector<Row> rows;
  std::vector<run::Series> series;
  for (const char* law : {"corotated", "stable_neo_hookean"}) {
    run::Series& s = series.emplace_back(run::Series{.name = law});
    std::optional<double> coarser;
    for (const int across : {2, 4, 8, 16}) {
      const bool first = law == std::string_view("corotated");
      if (across > (first ? 8 : 4) && !options.full) continue;
      const Solution one = bend(across, law, Quadrature::OnePoint, context);
      const Solution eight = bend(across, law, Quadrature::Gauss, context);
      Row row = make_row(
          fmt::format("difference of shapes, {0} x {1} x {1} cells", 4 * across, across), law);
      row.unit = "rms / rms displacement";
      row.note = fmt::format("Newton {} and {}, CG {} and {}", one.newton, eight.newton, one.krylov,
                             eight.krylov);
      row.relation = Relation::AtMost;
      row.bound = coarser ? 0.5 * *coarser : 0.2;
      if (one.positions && eight.positions) {
        row.ours = root_mean_square(*one.positions, *eight.positions) /
                   root_mean_square(*eight.positions, eight.bar.model.rest_positions);
        s.x.push_back(across);
        s.y.push_back(*row.ours);
      }
      rows.push_back(row);
      if (row.ours && coarser) {
        Row order = make_row(
            fmt::format("order of the difference, {} to {} cells across", across / 2, across), law);
        order.ours = std::log2(*coarser / *row.ours);
        order.relation = Relation::AtLeast;
        order.bound = 1;
        order.note = "of the cell size; 2 where the solution is smooth, less at glued edges";
        rows.push_back(order);
      }
      coarser = row.ours;
      if (across == 8 && !options.pictures.empty() && first) {
        for (const Solution* solution : {&one, &eight}) {
          if (!solution->positions) continue;
          const bool gauss = solution == &eight;
          draw_bar(solution->bar, *solution->positions,
                   gauss ? "eight Gauss points" : "one point, stabilised",
                   options.pictures / (gauss ? "mcadams_gauss_eight.png" : "mcadams_gauss_one.png"),
                   context);
        }
      }
    }
  }
  add_costs(rows);
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    write_file_atomic(options.pictures / "mcadams_gauss_order.svg",
                      run::plot_svg(series, {.title = "One stabilised point against eight",
                                             .x_label = "cells across the bar",
                                             .y_label = "difference / displacement, rms",
                                             .log_y = true,
                                             .width = 720,
                                             .height = 420}));
  }
  return rows;
}

}  // namespace isochor::reproduce
