/// Manufactured solutions: maps that are given, with the forces that make them equilibria.
///
/// The waves phi = (X + a sin 2 pi Y, Y, Z + b sin 2 pi X) keep all volumes. With P = mu (F - F^-T)
/// + p F^-T and a pressure p of our choice the force per volume is, by Piola's identity,
///     f = -Div P = 4 pi^2 mu (a sin 2 pi Y, 0, b sin 2 pi X) - F^-T grad p,
/// for every bulk modulus if p = 0: what locks shows. In a cube all walls are held. In a ball the
/// surface is free but for the traction P N; nodes with Z < 0.3 are held.
///
/// The disc of Zhu et al. 2010, section 9.2, is phi = (2 x / sqrt(pi)) (cos(pi y / 2), sin(pi y /
/// 2)): F = R diag(2 / sqrt(pi), x sqrt(pi)), J = 2 x, far from isochoric. Here it is one cell
/// thick, in plane strain. Nodes with x < 0.5 are held: under dead tractions that press it to half,
/// that half would not be stable.
///
/// Forces are integrated with the four points of [Patterson12 sec 3.1] in each cell, tractions over
/// the triangles of the surface. Newton's method starts at the exact map.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <numbers>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/math/mat3.h"
#include "isochor/run/plot.h"
#include "reproduce/flight.h"
#include "reproduce/verification.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kId = "verify/mms";
constexpr double kPi = std::numbers::pi;

/// A solution for mu = 1 Pa.
struct Manufactured {
  std::string_view law;
  double lambda;  ///< Pa
  VectorField map, force;
  SurfaceField traction;
  std::function<double(const Vec3d&)> pressure;  ///< as the mixed lattice has it
};

/// Waves with the pressure p0 cos pi X cos pi Y cos pi Z.
Manufactured waves(double lambda, double p0) {
  constexpr double kA = 0.05, kB = 0.04;
  const auto gradient = [](const Vec3d& X) {
    Mat3d F = Mat3d::identity();
    F(0, 1) = 2 * kPi * kA * std::cos(2 * kPi * X[1]);
    F(2, 0) = 2 * kPi * kB * std::cos(2 * kPi * X[0]);
    return F;
  };
  // F^-T of a map that keeps volumes: the cofactors.
  const auto cofactors = [gradient](const Vec3d& X) {
    const Mat3d F = gradient(X);
    return Mat3d{{cross(F.column[1], F.column[2]), cross(F.column[2], F.column[0]),
                  cross(F.column[0], F.column[1])}};
  };
  const auto p = [p0](const Vec3d& X) {
    return p0 * std::cos(kPi * X[0]) * std::cos(kPi * X[1]) * std::cos(kPi * X[2]);
  };
  const auto grad_p = [p0](const Vec3d& X) {
    const double c[3] = {std::cos(kPi * X[0]), std::cos(kPi * X[1]), std::cos(kPi * X[2])};
    const double s[3] = {std::sin(kPi * X[0]), std::sin(kPi * X[1]), std::sin(kPi * X[2])};
    return -kPi * p0 * Vec3d{s[0] * c[1] * c[2], c[0] * s[1] * c[2], c[0] * c[1] * s[2]};
  };
  return {.law = "neo_hookean",
          .lambda = lambda,
          .map =
              [](const Vec3d& X) {
                return X + Vec3d{kA * std::sin(2 * kPi * X[1]), 0, kB * std::sin(2 * kPi * X[0])};
              },
          .force =
              [=](const Vec3d& X) {
                const Vec3d wave{kA * std::sin(2 * kPi * X[1]), 0, kB * std::sin(2 * kPi * X[0])};
                return 4 * kPi * kPi * wave - cofactors(X) * grad_p(X);
              },
          .traction =
              [=](const Vec3d& X, const Vec3d& normal) {
                return (gradient(X) + (p(X) - 1) * cofactors(X)) * normal;
              },
          .pressure = p};
}

/// Principal stresses of the disc.
struct DiscStress {
  double first, second, slope;  ///< P1, P2, dP1/dx
};
Manufactured disc(std::string_view law, double lambda) {
  const auto stress = [=](double x) -> DiscStress {
    const double s1 = 2 / std::sqrt(kPi), s2 = x * std::sqrt(kPi);
    if (law == "corotated") {
      const double trace = lambda * (s1 + s2 - 2);
      return {2 * (s1 - 1) + trace, 2 * (s2 - 1) + trace, lambda * std::sqrt(kPi)};
    }
    const double log_j = lambda * std::log(2 * x);
    return {s1 - 1 / s1 + log_j / s1, s2 - 1 / s2 + log_j / s2, lambda * std::sqrt(kPi) / (2 * x)};
  };
  const auto along = [](double y) {
    return Vec3d{std::cos(0.5 * kPi * y), std::sin(0.5 * kPi * y), 0};
  };
  return {.law = law,
          .lambda = lambda,
          .map =
              [=](const Vec3d& X) {
                return (2 * X[0] / std::sqrt(kPi)) * along(X[1]) + Vec3d{0, 0, X[2]};
              },
          .force =
              [=](const Vec3d& X) {
                const DiscStress P = stress(X[0]);
                return (0.5 * kPi * P.second - P.slope) * along(X[1]);
              },
          .traction =
              [=](const Vec3d& X, const Vec3d& normal) {
                const DiscStress P = stress(X[0]);
                const Vec3d u = along(X[1]), v{-u[1], u[0], 0};
                return P.first * normal[0] * u + P.second * normal[1] * v;
              },
          .pressure =
              [=](const Vec3d& X) {
                const double s1 = 2 / std::sqrt(kPi), s2 = X[0] * std::sqrt(kPi);
                return lambda * (law == "corotated" ? s1 + s2 - 2 : std::log(2 * X[0]));
              }};
}

struct Domain {
  std::string_view name;
  std::function<geometry::SurfaceMesh(double h)> surface;
  std::function<bool(const Vec3d&)> held;
  bool has_traction;
  bool is_plane;  ///< no node leaves its plane across z
};

Domain cube() {
  return {.name = "cube",
          .surface =
              [](double) {
                return geometry::make_box({0.5, 0.5, 0.5}, {1, 1, 1}, 0.5);
              },
          .held =
              [](const Vec3d& X) {
                const double away =
                    std::max({std::abs(X[0] - 0.5), std::abs(X[1] - 0.5), std::abs(X[2] - 0.5)});
                return away > 0.5 - 1e-9;
              },
          .has_traction = false,
          .is_plane = false};
}

Domain ball() {
  return {.name = "ball",
          .surface =
              [](double) {
                return geometry::make_sphere({0.5, 0.5, 0.5}, 0.4, 0.04);
              },
          .held = [](const Vec3d& X) { return X[2] < 0.3 + 1e-9; },
          .has_traction = true,
          .is_plane = false};
}

Domain slab() {
  return {.name = "disc",
          .surface =
              [](double h) {
                return geometry::make_cylinder({0.5, 0.5, 0.5 * h}, {0, 0, 1}, 0.25, h,
                                               std::min(h, 0.03));
              },
          .held = [](const Vec3d& X) { return X[0] < 0.5 + 1e-9; },
          .has_traction = true,
          .is_plane = true};
}

struct Outcome {
  bool arrived = false;
  Errors errors;
  int solves = 0, iterations = 0;
};

Outcome solve(const Manufactured& exact, const Domain& domain, const Discretisation& scheme,
              bool turned, int cells, Context& context) {
  const double h = 1.0 / cells;
  const Placement placement(turned, h);
  const geometry::SurfaceMesh surface = placement.surface(domain.surface(h));
  const double poisson =
      std::isfinite(exact.lambda) ? 0.5 * exact.lambda / (exact.lambda + 1) : 0.5;
  lattice::BodySpec spec =
      make_embedded(surface, h, scheme.boundary, exact.law, 1, poisson, context, Vec3d{0, 0, 0});
  spec.holds = {hold_where(spec, placement, "held", domain.held)};
  if (domain.is_plane) {
    spec.holds.push_back(hold_where(
        spec, placement, "plane", [&](const Vec3d& X) { return !domain.held(X); },
        lattice::Slide::InPlane));
  }
  StaticBody body(std::move(spec), scheme, context, 1e-8);
  const BodySamples samples = sample_body(surface, h, context);
  std::vector<Vec3d> loads(body.model.node_count(), Vec3d{0, 0, 0});
  add_body_force(body.lattice(), samples, placement, exact.force, loads);
  if (domain.has_traction) {
    add_traction(body.lattice(), surface, placement, exact.traction, loads, context);
  }
  const VectorField map = [&](const Vec3d& p) {
    return placement.point(exact.map(placement.point_back(p)));
  };
  for (std::size_t n = 0; n < body.model.node_count(); ++n) {
    body.state.positions[n] = map(body.model.base.rest_positions[n]);
  }
  const std::vector<Vec3d> held = body.held(map), directions(2, Vec3d{0, 0, 1});
  Outcome outcome;
  outcome.arrived =
      body.advance({.held_positions = held, .slide_directions = directions, .loads = loads});
  outcome.solves = body.solves;
  outcome.iterations = body.iterations;
  if (outcome.arrived) {
    outcome.errors = errors_of(body, samples, placement, exact.map, exact.pressure);
  }
  return outcome;
}

/// One solution by one scheme on several lattices.
struct Study {
  const Discretisation& scheme;
  bool turned;
  std::vector<int> cells;
  std::vector<Outcome> outcomes;

  Refinement places, pressures;

  bool arrived() const {
    return std::ranges::all_of(outcomes, [](const Outcome& o) { return o.arrived; });
  }
  double iterations(std::size_t i) const {
    return double(outcomes[i].iterations) / std::max(1, outcomes[i].solves);
  }
};

Study refine(const Manufactured& exact, const Domain& domain, const Discretisation& scheme,
             bool turned, std::vector<int> cells, Context& context) {
  Study study{scheme, turned, std::move(cells), {}, {}, {}};
  for (const int n : study.cells) {
    const Outcome& o =
        study.outcomes.emplace_back(solve(exact, domain, scheme, turned, n, context));
    study.places.add(1.0 / n, o.errors.position);
    study.pressures.add(1.0 / n, o.errors.pressure);
  }
  return study;
}

void add_order(const Study& study, const std::string& problem, double least,
               std::vector<Row>& rows) {
  Row row = verification_row(
      kId, fmt::format("{}, {}: order", problem, Placement(study.turned, 1).name()),
      study.scheme.name, "smooth solution");
  row = claim(row, study.places.order(), "", Relation::AtLeast, least);
  if (study.scheme.boundary == Boundary::Weighted) row.relation = Relation::Shown;
  row.note =
      fmt::format("{} to {} cells per metre; error {:.3g} m; pressure {:.2g} Pa, order {:.2f}",
                  study.cells.front(), study.cells.back(), study.places.error.back(),
                  study.pressures.error.back(), study.pressures.order());
  if (!study.arrived()) {
    row.ours.reset();
    row.note = "no equilibrium was found";
  }
  rows.push_back(row);
}

/// The same error whatever the bulk modulus.
void add_locking(const Domain& domain, bool turned, std::vector<int> cells, std::vector<Row>& rows,
                 Context& context) {
  const Discretisation& best = schemes().front();
  double soft = 0, stiff = 0;
  std::string errors;
  for (const double lambda : {1.0, 1e2, 1e4, 1e6}) {
    const Study study = refine(waves(lambda, 0), domain, best, turned, cells, context);
    const double error = study.places.error.back();
    if (cells.size() > 1) {
      add_order(study, fmt::format("waves in a {}, lambda = {:g} mu", domain.name, lambda), 1.9,
                rows);
    }
    if (lambda == 1e2) soft = error;
    if (lambda == 1e6) stiff = error;
    errors += fmt::format("{}{:.4g}", errors.empty() ? "" : ", ", error);
  }
  Row row = verification_row(
      kId,
      fmt::format("waves in a {}, {}: error with lambda = 1e6 mu against 1e2 mu, difference",
                  domain.name, Placement(turned, 1).name()),
      best.name, "force independent of lambda");
  row.note = fmt::format("{} m with lambda = 1, 1e2, 1e4, 1e6 mu, {} cells per metre", errors,
                         cells.back());
  rows.push_back(claim(row, 100 * std::abs(stiff / soft - 1), "%", Relation::AtMost, 10));
}

/// Forces at places where they are known from differences of P.
void add_check(std::vector<Row>& rows) {
  const Vec3d waved =
      waves(1, 3).force({0.31, 0.22, 0.77}) - Vec3d{-2.31660940, -2.28243062, 4.16758854};
  const Vec3d turned =
      disc("neo_hookean", 1.7).force({0.41, 0.63, 0}) - Vec3d{-2.97781686, -4.53329292, 0};
  const Vec3d rotated =
      disc("corotated", 1.7).force({0.41, 0.63, 0}) - Vec3d{-2.33813631, -3.55947235, 0};
  const double most = std::max({norm(waved), norm(turned), norm(rotated)});
  rows.push_back(
      claim(verification_row(kId, "forces against differences of P", "exact", "finite differences"),
            most, "N/m^3", Relation::AtMost, 2e-8));
}

void plot(const std::filesystem::path& folder, const char* file, const char* title,
          const std::vector<Study>& studies) {
  std::vector<run::Series> lines;
  for (const Study& study : studies) {
    run::Series& line = lines.emplace_back(series_of(study.scheme, Placement(study.turned, 1)));
    for (const int n : study.cells) line.x.push_back(std::log2(n));
    line.y = study.places.error;
  }
  make_directory(folder);
  write_file_atomic(folder / file, run::plot_svg(lines, {.title = title,
                                                         .x_label = "log2 of cells per metre",
                                                         .y_label = "rms error of positions [m]",
                                                         .log_y = true,
                                                         .width = 720,
                                                         .height = 360}));
}

}  // namespace

std::vector<Row> verify_mms(const ExperimentOptions& options, Context& context) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity(), kPressure = 3;
  std::vector<Row> rows;
  add_check(rows);
  const std::vector<int> cube_cells =
      options.full ? std::vector<int>{16, 32, 64} : std::vector<int>{8, 16};
  add_locking(cube(), false, cube_cells, rows, context);
  add_locking(ball(), true, {options.full ? 28 : 20}, rows, context);
  const std::vector<int> ball_cells =
      options.full ? std::vector<int>{14, 20, 28, 40, 56} : std::vector<int>{14, 20, 28};
  const std::vector<int> disc_cells =
      options.full ? std::vector<int>{32, 64, 128, 256} : std::vector<int>{32, 64, 128};
  std::vector<Study> balls, discs;
  for (const Discretisation& scheme : schemes()) {
    for (const bool turned : {false, true}) {
      balls.push_back(
          refine(waves(kInfinite, kPressure), ball(), scheme, turned, ball_cells, context));
      add_order(balls.back(), "waves in a ball, Poisson's ratio 0.5", 1.8, rows);
    }
    discs.push_back(refine(disc("neo_hookean", 1.7), slab(), scheme, false, disc_cells, context));
    add_order(discs.back(), "Zhu's disc, neo-Hookean", 1.8, rows);
    if (!options.full) continue;
    add_order(refine(disc("corotated", 1.7), slab(), scheme, false, disc_cells, context),
              "Zhu's disc, corotated", 1.8, rows);
  }
  const Study& turned = balls[1];
  const std::size_t last = turned.cells.size() - 1;
  Row row = verification_row(
      kId,
      fmt::format("waves in a ball, turned: iterations per linear system, {} against {} cells",
                  turned.cells[last], turned.cells[0]),
      turned.scheme.name, "multigrid");
  row.note = fmt::format("{:.1f} against {:.1f}", turned.iterations(last), turned.iterations(0));
  rows.push_back(
      claim(row, turned.iterations(last) / turned.iterations(0), "times", Relation::AtMost, 1.3));
  if (!options.pictures.empty()) {
    plot(options.pictures, "verify_mms_ball.svg", "Waves in a ball, incompressible", balls);
    plot(options.pictures, "verify_mms_disc.svg", "Zhu's disc, neo-Hookean", discs);
  }
  return rows;
}

}  // namespace isochor::reproduce
