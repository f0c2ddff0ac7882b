/// [McAdams11 fig 4]: the matrix M + dt^2 K of backward Euler loses its definiteness as cells get
/// smaller, since the mass of a node falls faster than its stiffness; with the definiteness fix of
/// section 5 it does not.
///
/// The paper follows a bar in motion, of which it gives no more than the resolution. This one is
/// pressed to a part of its length, and waves: a state of motion that is no equilibrium, the same
/// at every resolution. Eigenvalues are those of M^-1/2 (M + dt^2 K) M^-1/2 on free nodes, where 1
/// is what inertia alone would give; they have the signs of the matrix itself. By Lanczos'
/// iteration, which approaches the smallest from above: what it finds negative is so.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/file.h"
#include "isochor/lattice/operator.h"
#include "isochor/materials/registry.h"
#include "isochor/run/plot.h"
#include "isochor/solve/vector_ops.h"
#include "reproduce/bar.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

constexpr double kStep = 1.0 / 30;  // s
constexpr double kHeight = 0.6;     // m, the paper's 16 x 24 x 84 cells with 0.025 m each
constexpr double kYoung = 1e4;      // Pa

struct Spectrum {
  double smallest = 0, largest = 0;
};

/// Extreme eigenvalues of a symmetric operator on n numbers.
template <class Apply>
Spectrum lanczos(std::size_t n, int steps, Apply&& apply, ThreadArena& arena) {
  std::vector<double> v(n), last(n, 0.0), w(n), diagonal, off;
  std::uint32_t bits = 1;
  for (double& x : v) {
    bits = bits * 1664525u + 1013904223u;
    x = double(bits >> 8) / (1 << 23) - 1;
  }
  apply(v, w);  // of what is not free nothing is left
  const double first = std::sqrt(solve::dot(arena, w, w));
  for (std::size_t i = 0; i < n; ++i) v[i] = w[i] / first;
  double beta = 0;
  for (int k = 0; k < steps; ++k) {
    apply(v, w);
    solve::axpy(arena, -beta, last, w);
    const double alpha = solve::dot(arena, v, w);
    solve::axpy(arena, -alpha, v, w);
    beta = std::sqrt(solve::dot(arena, w, w));
    diagonal.push_back(alpha);
    off.push_back(beta);
    if (!(beta > 0)) break;
    std::swap(last, v);
    for (std::size_t i = 0; i < n; ++i) v[i] = w[i] / beta;
  }
  const auto size = Eigen::Index(diagonal.size());
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::Map<Eigen::VectorXd>(diagonal.data(), size),
                                Eigen::Map<Eigen::VectorXd>(off.data(), size - 1),
                                Eigen::EigenvaluesOnly);
  return {solver.eigenvalues()[0], solver.eigenvalues()[size - 1]};
}

/// Pressed to a part of its length, with a wave of a tenth of its height.
std::vector<Vec3d> pressed(const Bar& bar, double part) {
  std::vector<Vec3d> x = bar.model.rest_positions;
  for (Vec3d& p : x) {
    const double wave = std::sin(2 * 3.14159265358979 * p[0] / bar.size[0]);
    p = {part * p[0], p[1], p[2] + (1 - part) * 0.2 * kHeight * wave};
  }
  return x;
}

Spectrum backward_euler(const Bar& bar, std::span<const Vec3d> x, materials::Definiteness fix,
                        int steps, Context& context) {
  const lattice::Model& model = bar.model;
  lattice::Tangents tangents(model);
  lattice::linearise(model, x, fix, tangents, context.arena);
  std::vector<Vec3d> scaled(model.node_count()), image(model.node_count());
  const auto apply = [&](std::span<const double> v, std::span<double> w) {
    for (std::size_t n = 0; n < scaled.size(); ++n) {
      const bool held = model.freedom[n] == lattice::Freedom::Held;
      const double scale = held ? 0 : 1 / std::sqrt(model.mass[n]);
      for (int a = 0; a < 3; ++a) scaled[n][a] = scale * v[3 * n + a];
    }
    lattice::apply_stiffness(model, tangents, scaled, image, context.arena);
    for (std::size_t n = 0; n < scaled.size(); ++n) {
      const bool held = model.freedom[n] == lattice::Freedom::Held;
      const double scale = kStep * kStep / std::sqrt(model.mass[n]);
      for (int a = 0; a < 3; ++a) {
        w[3 * n + a] = held ? 0.0 : v[3 * n + a] + scale * image[n][a];
      }
    }
  };
  return lanczos(3 * model.node_count(), steps, apply, context.arena);
}

}  // namespace

std::vector<Row> mcadams_indefinite(const ExperimentOptions& options, Context& context) {
  constexpr double kPressed = 0.6;
  using materials::Definiteness;
  std::vector<Row> rows;
  std::vector<run::Series> series;
  const int steps = options.full ? 800 : 300;
  for (const int refine : {1, 2, 4}) {
    const Bar bar = make_bar({.cells = {21 * refine, 4 * refine, 6 * refine},
                              .height = kHeight,
                              .law = materials::law_index("corotated"),
                              .young = kYoung,
                              .poisson = 0.3,
                              .both_ends = false},
                             context);
    const std::string size = fmt::format("{} x {} x {} cells", 4 * refine, 6 * refine, 21 * refine);
    for (const Definiteness fix : {Definiteness::None, Definiteness::Clamp}) {
      const bool fixed = fix == Definiteness::Clamp;
      const Spectrum s = backward_euler(bar, pressed(bar, kPressed), fix, steps, context);
      Row row{
          .id = "mcadams/indefinite",
          .quantity = "smallest eigenvalue, " + size,
          .variant = fixed ? "paper" : "exact",
          .source = "McAdams 2011, fig. 4 and section 5",
          .ours = s.smallest,
          .unit = "of inertia alone",
          .note = fmt::format("pressed to {} of the length; largest {:.3g}", kPressed, s.largest)};
      // Coarse cells are heavy enough, the paper's finest are not.
      row.relation = fixed ? Relation::AtLeast : refine == 4 ? Relation::Below : Relation::Shown;
      if (fixed) row.bound = 1 - 1e-5;
      if (!fixed && refine == 4) row.bound = 0;
      if (!fixed && refine == 1) {
        row.relation = Relation::Above;
        row.bound = 0;
      }
      rows.push_back(row);
    }
    if (options.pictures.empty()) continue;
    for (const Definiteness fix : {Definiteness::None, Definiteness::Clamp}) {
      const bool fixed = fix == Definiteness::Clamp;
      if (fixed && refine != 4) continue;
      run::Series& line = series.emplace_back(
          run::Series{.name = size + (fixed ? ", fixed" : ""), .dashed = fixed});
      for (int k = 0; k <= 10; ++k) {
        const double part = 1 - 0.05 * k;
        const Spectrum s = backward_euler(bar, pressed(bar, part), fix, steps, context);
        line.x.push_back(part);
        line.y.push_back(s.smallest / s.largest);
      }
    }
  }
  if (options.pictures.empty()) return rows;
  make_directory(options.pictures);
  write_file_atomic(options.pictures / "mcadams_indefinite.svg",
                    run::plot_svg(series, {.title = "Eigenvalues of backward Euler's matrix",
                                           .x_label = "length / length at rest",
                                           .y_label = "smallest / largest eigenvalue",
                                           .width = 720,
                                           .height = 420}));
  return rows;
}

}  // namespace isochor::reproduce
