/// Rivlin's torsion of an incompressible cylinder, with and without extension. Its end discs follow
///     r = R / sqrt(lambda), theta = Theta + tau z, z = lambda Z,
/// its side is free; then that is the motion of the whole, and with a = A / sqrt(lambda)
///     M = pi tau a^4 (c1 lambda^2 + c2 lambda),
///     N = 2 pi a^2 (lambda - lambda^-2) (c1 lambda + c2) - pi tau^2 a^4 (c1 lambda^2 / 2 + c2
///     lambda).
/// Without extension N is negative: the ends must be pushed together, by a force of second order.
///
/// Aligned, the ends are in walls of cells. Turned, they are not: the cylinder is then longer, and
/// all its nodes beyond the ends are held in the same motion continued.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/run/plot.h"
#include "reproduce/flight.h"
#include "reproduce/verification.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kId = "verify/torsion";
constexpr double kRadius = 1, kHalf = 1;  // m; mu is 1 Pa
constexpr int kSteps = 2;

struct Torsion {
  std::string_view name, law;
  double second;   ///< c2 / mu
  double stretch;  ///< lambda
  double twist;    ///< tau, rad/m of deformed length

  Vec3d map(const Vec3d& rest, double part) const {
    const double lambda = 1 + part * (stretch - 1), z = lambda * rest[2];
    const double angle = part * twist * z, thin = 1 / std::sqrt(lambda);
    const double c = thin * std::cos(angle), s = thin * std::sin(angle);
    return {c * rest[0] - s * rest[1], s * rest[0] + c * rest[1], z};
  }
  double moment() const {
    const double c1 = 0.5 - second, a2 = kRadius * kRadius / stretch;
    return std::numbers::pi * twist * a2 * a2 * (c1 * stretch * stretch + second * stretch);
  }
  double pull() const {
    const double c1 = 0.5 - second, a2 = kRadius * kRadius / stretch;
    return std::numbers::pi *
           (2 * a2 * (stretch - 1 / (stretch * stretch)) * (c1 * stretch + second) -
            twist * twist * a2 * a2 * (0.5 * c1 * stretch * stretch + second * stretch));
  }
};

struct Outcome {
  bool arrived = false;
  double moment = 0, pull = 0;  ///< relative errors
  double distance = 0;          ///< rms, m
  int solves = 0, iterations = 0;
};

geometry::SurfaceMesh cylinder(double half, double edge) {
  return geometry::make_cylinder({0, 0, 0}, {0, 0, 1}, kRadius, 2 * half, edge);
}

Outcome twist(const Torsion& torsion, const Scheme& scheme, bool turned, int across,
              Context& context) {
  const double h = 2 * kRadius / across, edge = h / 6;
  const Placement placement(turned, h);
  const geometry::SurfaceMesh surface =
      placement.surface(cylinder(turned ? kHalf + 2 * h : kHalf, edge));
  lattice::BodySpec spec = make_embedded(surface, h, scheme.boundary, torsion.law, 1, 0.5, context,
                                         Vec3d{0, 0, 0});
  if (torsion.second != 0) spec.shape[0] = torsion.second;
  spec.holds = {hold_where(spec, placement, "ends",
                           [](const Vec3d& p) { return std::abs(p[2]) > kHalf - 1e-9; })};
  StaticBody body(std::move(spec), scheme, context);
  Outcome outcome{.arrived = true};
  for (int step = 1; step <= kSteps && outcome.arrived; ++step) {
    const std::vector<Vec3d> held = body.held([&](const Vec3d& p) {
      return placement.point(torsion.map(placement.point_back(p), double(step) / kSteps));
    });
    outcome.arrived = body.advance({.held_positions = held});
  }
  outcome.solves = body.solves;
  outcome.iterations = body.iterations;
  if (!outcome.arrived) return outcome;
  const std::vector<Vec3d> pushes = body.pushes();
  double moment = 0, pull = 0;
  for (const std::int32_t n : body.model.base.holds[0].nodes) {
    const Vec3d at = placement.point_back(body.state.positions[n]);
    if (at[2] < 0) continue;
    const Vec3d push = placement.direction_back(pushes[n]);
    moment += cross(at, push)[2];
    pull += push[2];
  }
  outcome.moment = moment / torsion.moment() - 1;
  outcome.pull = pull / torsion.pull() - 1;
  const BodySamples samples = sample_body(placement.surface(cylinder(kHalf, edge)), h, context);
  outcome.distance = errors_of(body, samples, placement, [&](const Vec3d& p) {
                       return torsion.map(p, 1);
                     }).position;
  return outcome;
}

}  // namespace

std::vector<Row> verify_torsion(const ExperimentOptions& options, Context& context) {
  constexpr Torsion kPlain{"torsion", "neo_hookean", 0, 1, 0.5};
  constexpr Torsion kPulled{"torsion and extension", "mooney_rivlin", 0.15, 1.2, 0.5};
  for (const Torsion& torsion : {kPlain, kPulled}) {
    for (const bool turned : {true, false}) {
      for (const Scheme& scheme : schemes()) {
        for (const int across : {8, 12, 16, 24, 32}) {
          if (across > (options.full ? 32 : 16)) continue;
          const Outcome o = twist(torsion, scheme, turned, across, context);
          fmt::print("{} {} {} {}: M {:+.4f} % N {:+.4f} % u {:.3e}  {} {} {}\n", torsion.name,
                     turned, scheme.name, across, 100 * o.moment, 100 * o.pull, o.distance,
                     o.arrived, o.solves, o.iterations);
          std::fflush(stdout);
        }
      }
    }
  }
  return {};
}

}  // namespace isochor::reproduce
