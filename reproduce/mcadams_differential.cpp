/// [McAdams11 fig 2]: a bar pulled to 2.4 times its length at Poisson's ratio 0.3, by modified
/// Newton iterations with four differentials of the force.
///
/// The paper shows no size of the bar; this one is three times as long as high, its end faces
/// glued to plates. What decides whether a modified iteration converges is the spectral radius of
/// I - A^-1 K at the solution [McAdams11 sec 5], K being the exact stiffness matrix and A the one
/// that is used, both on free nodes. A is positive definite, so that the eigenvalues of A^-1 K are
/// those of a symmetric problem K v = k A v, which is solved densely.
#include <Eigen/Dense>
#include <fmt/core.h>
#include <optional>
#include <random>

#include "isochor/base/file.h"
#include "isochor/lattice/element_kernel.h"
#include "isochor/lattice/operator.h"
#include "isochor/lattice/solver.h"
#include "isochor/materials/registry.h"
#include "isochor/run/plot.h"
#include "reproduce/bar.h"
#include "reproduce/experiment.h"
#include "reproduce/variants/warped_stiffness.h"
#include "reproduce/variants/zhu_differential.h"

namespace isochor::reproduce {
namespace {

constexpr double kStretch = 2.4, kQuarterTurn = 1.5707963267948966;
constexpr int kMostIterations = 80;
constexpr double kTolerance = 1e-8;  // of the forces that a homogeneous stretch leaves

template <materials::Definiteness fix>
Mat3d corotated_differential(const Mat3d& F, const Mat3d& dF, double mu, double lambda) {
  auto tangent = materials::Corotated::linearise(F, {mu, lambda});
  materials::make_definite(tangent, fix);
  return materials::stress_differential(tangent, dF);
}

struct Variant {
  const char* name;
  Mat3d (*differential)(const Mat3d& F, const Mat3d& dF, double mu, double lambda);
  double paper;  ///< spectral radius
};
const std::array<Variant, 4> kVariants{
    {{"exact (best)", corotated_differential<materials::Definiteness::None>, 0},
     {"definite (paper)", corotated_differential<materials::Definiteness::Clamp>, 0.0717},
     {"Zhu 2010", zhu_differential, 0.829},
     {"warped stiffness", warped_stiffness_differential, 4.87}}};
enum { kExact, kDefinite, kZhu, kWarped };

/// A bar in the hands of dense linear algebra.
class Pulled {
 public:
  Pulled(int across, Context& context)
      : bar(make_bar({.cells = {3 * across, across, across},
                      .law = materials::law_index("corotated"),
                      .poisson = 0.3,
                      .params = {.newton = {.tolerance = 1e-10}}},
                     context)),
        context_(context) {
    const auto is_held = [&](std::size_t n) {
      return bar.model.freedom[n] == lattice::Freedom::Held;
    };
    for (std::size_t n = 0; n < bar.model.node_count(); ++n) {
      unknown_.push_back(is_held(n) ? -1 : 3 * int(free_.size()));
      if (!is_held(n)) free_.push_back(n);
    }
  }

  /// The far end pulled and turned about the bar's axis.
  std::vector<Vec3d> held(double stretch, double turn) const {
    const Vec3d middle{bar.size[0], 0.5 * bar.size[1], 0.5 * bar.size[2]};
    const Mat3d Q = rotation_from_vector({turn, 0, 0});
    return bar.held_positions([&](const Vec3d& p) {
      return middle + Vec3d{(stretch - 1) * bar.size[0], 0, 0} + Q * (p - middle);
    });
  }

  /// The equilibrium at a stretch, by small steps of the solver itself.
  std::optional<std::vector<Vec3d>> equilibrium(double stretch, double turn,
                                                std::vector<Vec3d> from) {
    lattice::State state{std::move(from)};
    lattice::Scratch scratch(bar.model);
    const auto held_at = held(stretch, turn);
    const auto report =
        lattice::advance(bar.model, state, {.held_positions = held_at}, scratch, context_);
    if (!report.converged()) return std::nullopt;
    return state.positions;
  }

  /// The whole bar stretched alike, its free nodes off by up to a twentieth of a cell: without that
  /// the start has symmetries that hide what an iteration does to other errors.
  std::vector<Vec3d> homogeneous(double stretch) const {
    std::vector<Vec3d> x = bar.model.rest_positions;
    for (Vec3d& p : x) p[0] *= stretch;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> offset(-0.05, 0.05);
    for (const std::size_t n : free_) {
      for (int a = 0; a < 3; ++a) x[n][a] += bar.lattice.spacing * offset(random);
    }
    return x;
  }

  /// The matrix on free nodes that a differential gives, the stabilisation included.
  Eigen::MatrixXd matrix(std::span<const Vec3d> x, const Variant& variant) const {
    const auto size = Eigen::Index(3 * free_.size());
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size, size);
    for (const std::int32_t cell : bar.model.cells) {
      const lattice::Block& block = bar.model.blocks[cell / 8];
      const double mu = bar.model.mu(cell), lambda = bar.model.lambda(cell);
      std::int32_t node[8];
      Vec3d corners[8];
      for (int c = 0; c < 8; ++c) {
        node[c] = bar.model.corner(cell, c);
        corners[c] = x[node[c]];
      }
      const Mat3d F = lattice::deformation_gradient(corners, 1 / block.h);
      for (int column = 0; column < 24; ++column) {
        const int at = unknown_[node[column / 3]];
        if (at < 0) continue;
        Vec3d d[8] = {}, force[8] = {};
        d[column / 3][column % 3] = -1;  // a force differential with the sign of K
        const Mat3d dF = lattice::deformation_gradient(d, 1 / block.h);
        const Mat3d dP = variant.differential(F, dF, mu, lambda);
        lattice::add_corner_forces(d, dF, dP, block.h, mu, force);
        for (int c = 0; c < 8; ++c) {
          if (unknown_[node[c]] < 0) continue;
          for (int a = 0; a < 3; ++a) A(unknown_[node[c]] + a, at + column % 3) += force[c][a];
        }
      }
    }
    return A;
  }

  /// The largest |1 - k| of K v = k A v.
  double spectral_radius(std::span<const Vec3d> x, const Variant& variant) const {
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(
        matrix(x, kVariants[kExact]), matrix(x, variant), Eigen::EigenvaluesOnly);
    return (1 - solver.eigenvalues().array()).abs().maxCoeff();
  }

  Eigen::VectorXd force(std::span<const Vec3d> x) const {
    std::vector<Vec3d> nodal(x.size());
    std::vector<double> energy(bar.model.blocks.size());
    lattice::elastic_force(bar.model, x, nodal, energy, context_.arena);
    return on_free_nodes(nodal);
  }

  /// How far the assembled matrix is from what the program applies.
  double difference_from_operator(std::span<const Vec3d> x, materials::Definiteness fix,
                                  const Variant& variant) const {
    lattice::Tangents tangents(bar.model);
    lattice::linearise(bar.model, x, fix, tangents, context_.arena);
    std::vector<Vec3d> v(x.size(), Vec3d{0, 0, 0}), Kv(x.size());
    for (const std::size_t n : free_) v[n] = {std::sin(3.0 * double(n)), std::cos(double(n)), 1};
    lattice::apply_stiffness(bar.model, tangents, v, Kv, context_.arena);
    const Eigen::VectorXd ours = on_free_nodes(Kv);
    return (matrix(x, variant) * on_free_nodes(v) - ours).norm() / ours.norm();
  }

  /// Relative residuals of x += A^-1 f, whole steps, until converged or out of hand.
  std::vector<double> iterate(std::vector<Vec3d>& x, const Variant& variant) const {
    Eigen::VectorXd f = force(x);
    const double first = f.norm();
    std::vector<double> residuals{1};
    while (residuals.back() > kTolerance && residuals.back() < 1e3 &&
           int(residuals.size()) <= kMostIterations) {
      const Eigen::VectorXd step = matrix(x, variant).ldlt().solve(f);
      for (std::size_t i = 0; i < free_.size(); ++i) {
        for (int a = 0; a < 3; ++a) x[free_[i]][a] += step[Eigen::Index(3 * i) + a];
      }
      f = force(x);
      residuals.push_back(f.norm() / first);
    }
    return residuals;
  }

  Bar bar;

 private:
  Eigen::VectorXd on_free_nodes(std::span<const Vec3d> nodal) const {
    Eigen::VectorXd v(Eigen::Index(3 * free_.size()));
    for (std::size_t i = 0; i < free_.size(); ++i) {
      for (int a = 0; a < 3; ++a) v[Eigen::Index(3 * i) + a] = nodal[free_[i]][a];
    }
    return v;
  }

  Context& context_;
  std::vector<std::size_t> free_;
  std::vector<int> unknown_;  ///< per node: its first unknown, or -1
};

Row make_row(std::string quantity, const Variant& variant) {
  return {.id = "mcadams/differential",
          .quantity = std::move(quantity),
          .variant = variant.name,
          .source = "McAdams 2011, fig. 2 and section 5"};
}

/// Modified Newton from a homogeneous stretch.
void add_iterations(const Pulled& pulled, const ExperimentOptions& options, std::vector<Row>& rows,
                    Context& context) {
  std::vector<run::Series> series;
  for (std::size_t v = 0; v < kVariants.size(); ++v) {
    const Variant& variant = kVariants[v];
    std::vector<Vec3d> x = pulled.homogeneous(kStretch);
    const std::vector<double> residuals = pulled.iterate(x, variant);
    const bool converged = residuals.back() <= kTolerance;
    Row row = make_row("Newton iterations to 1e-8, whole steps", variant);
    if (converged) row.ours = double(residuals.size() - 1);
    if (!converged) {
      row.note = fmt::format("does not converge: the residual is {:.2g} of the first after {}",
                             residuals.back(), residuals.size() - 1);
    }
    if (v <= kDefinite) {
      row.relation = Relation::AtMost;
      row.bound = 6;
    }
    rows.push_back(row);
    if (v == kWarped) {
      Row last = make_row("residual at the end / at the start", variant);
      last.ours = residuals.back();
      last.relation = Relation::Above;
      last.bound = 0.1;
      rows.push_back(last);
    }
    run::Series& s =
        series.emplace_back(run::Series{.name = variant.name, .dashed = v == kDefinite});
    for (std::size_t k = 0; k < residuals.size(); ++k) {
      s.x.push_back(double(k));
      s.y.push_back(residuals[k]);
    }
    if (options.pictures.empty() || (v != kDefinite && v != kWarped)) continue;
    draw_bar(pulled.bar, x, fmt::format("{}, {} iterations", variant.name, residuals.size() - 1),
             options.pictures / (v == kWarped ? "mcadams_differential_warped.png"
                                              : "mcadams_differential_definite.png"),
             context);
  }
  if (options.pictures.empty()) return;
  write_file_atomic(options.pictures / "mcadams_differential_residual.svg",
                    run::plot_svg(series, {.title = "Modified Newton at 2.4 times the length",
                                           .x_label = "iteration",
                                           .y_label = "residual / first residual",
                                           .log_y = true,
                                           .width = 720,
                                           .height = 420}));
}

/// Spectral radii at equilibrium, by variant; one point per stretch where `all_the_way`.
std::optional<std::vector<run::Series>> spectral_radii(Pulled& pulled, double turn,
                                                       bool all_the_way) {
  constexpr int kSteps = 7;
  std::vector<run::Series> series;
  for (int v = kDefinite; v <= kWarped; ++v) series.push_back({.name = kVariants[v].name});
  std::optional<std::vector<Vec3d>> x = pulled.bar.model.rest_positions;
  for (int step = 1; step <= kSteps; ++step) {
    const double part = double(step) / kSteps, stretch = 1 + part * (kStretch - 1);
    x = pulled.equilibrium(stretch, part * turn, *x);
    if (!x) return std::nullopt;
    if (step < kSteps && !all_the_way) continue;
    for (int v = kDefinite; v <= kWarped; ++v) {
      series[v - 1].x.push_back(stretch);
      series[v - 1].y.push_back(pulled.spectral_radius(*x, kVariants[v]));
    }
  }
  return series;
}

/// The pulled bar has the paper's claim. Turned as well, for which the paper has no number, some of
/// its cells are clamped, and no more is asked than the order of the three.
void add_radii(Pulled& pulled, int across, bool turned, const ExperimentOptions& options,
               std::vector<Row>& rows) {
  const bool plot = across == 3 && !turned && !options.pictures.empty();
  const auto series = spectral_radii(pulled, turned ? kQuarterTurn : 0, plot);
  const double definite = series ? (*series)[0].y.back() : 0;
  for (int v = kDefinite; v <= kWarped; ++v) {
    Row row = make_row(fmt::format("spectral radius, {0} x {1} x {1} cells{2}", 3 * across, across,
                                   turned ? ", a quarter turn" : ""),
                       kVariants[v]);
    if (!turned) row.paper = kVariants[v].paper;
    if (series) row.ours = (*series)[v - 1].y.back();
    row.note = !series                              ? "no equilibrium"
               : v == kDefinite && definite < 1e-12 ? "no cell of this equilibrium is clamped"
                                                    : "";
    row.relation = v == kWarped ? Relation::Above : Relation::Below;
    row.bound = 1;
    if (v == kDefinite && series) {
      row.relation = Relation::AtMost;
      row.bound = turned ? 0.5 * (*series)[kZhu - 1].y.back() : 0.15;
    }
    rows.push_back(row);
  }
  if (!plot || !series) return;
  make_directory(options.pictures);
  write_file_atomic(options.pictures / "mcadams_differential_radius.svg",
                    run::plot_svg(*series, {.title = "Spectral radius of modified Newton",
                                            .x_label = "length / length at rest",
                                            .y_label = "spectral radius",
                                            .width = 720,
                                            .height = 420}));
}

}  // namespace

std::vector<Row> mcadams_differential(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  for (const int across : {3, 4, 6}) {
    if (across > 4 && !options.full) continue;
    Pulled pulled(across, context);
    for (const bool turned : {false, true}) add_radii(pulled, across, turned, options, rows);
    if (across != 3) continue;
    Row same = make_row("assembled matrix against the program's operator", kVariants[kDefinite]);
    same.ours = pulled.difference_from_operator(
        pulled.homogeneous(kStretch), materials::Definiteness::Clamp, kVariants[kDefinite]);
    same.relation = Relation::AtMost;
    same.bound = 1e-6;
    same.note = "relative; the program keeps tangents in single precision";
    rows.push_back(same);
    add_iterations(pulled, options, rows, context);
  }
  return rows;
}

}  // namespace isochor::reproduce
