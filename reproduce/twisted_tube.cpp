#include "reproduce/twisted_tube.h"

#include <cmath>
#include <fmt/core.h>

#include "isochor/geometry/shapes.h"

namespace isochor::reproduce {
namespace {

constexpr double kInner = 0.25, kOuter = 0.5, kLength = 0.5;  // m
constexpr double kStretch = 0.9, kTwist = 0.5;                // rad/m
const Vec3d kOnAxis{0, 0.01, 0.02};                           // m

/// The motion above.
class TwistedTube {
 public:
  TwistedTube() {
    double low = 0.5 * kInner, high = 2 * kInner;
    for (int i = 0; i < 100; ++i) {
      inner_ = 0.5 * (low + high);
      (pull(inner_) > 0 ? high : low) = inner_;
    }
  }
  Vec3d operator()(const Vec3d& p) const {
    const Vec3d from = p - kOnAxis;
    const double R = std::hypot(from[1], from[2]);
    const double r = std::sqrt(inner_ * inner_ + (R * R - kInner * kInner) / kStretch);
    const Vec3d spun = rotation_from_vector({kTwist * from[0], 0, 0}) * from;
    return kOnAxis + Vec3d{kStretch * from[0], spun[1] * r / R, spun[2] * r / R};
  }

 private:
  /// What the wall pulls its inner surface by, in units of mu: the integral of (sigma_theta theta -
  /// sigma_rr) / (mu r) over r, by Simpson's rule.
  static double pull(double inner) {
    constexpr int kSteps = 1000;
    const double outer = std::sqrt(inner * inner + (kOuter * kOuter - kInner * kInner) / kStretch);
    const auto f = [&](double r) {
      const double R2 = kInner * kInner + kStretch * (r * r - inner * inner);
      return (r * r / R2 + kTwist * kTwist * r * r - R2 / (kStretch * kStretch * r * r)) / r;
    };
    double sum = 0;
    for (int i = 0; i <= kSteps; ++i) {
      const double weight = i == 0 || i == kSteps ? 1 : i % 2 ? 4 : 2;
      sum += weight * f(inner + (outer - inner) * i / kSteps);
    }
    return sum;
  }
  double inner_ = 0;
};

/// Every node of the ends slides along its own radius: a hold for each.
std::vector<lattice::HoldSpec> radial_holds(const grid::Lattice& lattice) {
  std::vector<lattice::HoldSpec> holds;
  for (std::size_t i = 0; i < lattice.rest_positions.size(); ++i) {
    const double x = lattice.rest_positions[i][0], h = lattice.spacing;
    if (x > 0.5 * h && x < kLength - 0.5 * h) continue;
    holds.push_back({.name = fmt::format("node {}", i),
                     .nodes = {static_cast<std::int32_t>(i)},
                     .slide = lattice::Slide::AlongLine});
  }
  return holds;
}

Holding turn_ends(const lattice::Model& model, double t) {
  Holding out;
  for (const lattice::Hold& hold : model.holds) {
    const Vec3d from = model.rest_positions[hold.nodes[0]] - kOnAxis;
    const Vec3d spun = rotation_from_vector({t * kTwist * from[0], 0, 0}) * from;
    const double x = (1 + t * (kStretch - 1)) * from[0];
    out.positions.push_back(kOnAxis + Vec3d{x, spun[1], spun[2]});
    const Vec3d radius{0, spun[1], spun[2]};
    out.directions.push_back((1 / norm(radius)) * radius);
  }
  return out;
}

}  // namespace

ConvergenceCase twisted_tube() {
  ConvergenceCase tube{.surface = geometry::make_tube(kOnAxis + Vec3d{0.5 * kLength, 0, 0},
                                                      {1, 0, 0}, kInner, kOuter, kLength, 0.01),
                       .holds = radial_holds,
                       .holding = turn_ends,
                       .exact = TwistedTube()};
  constexpr double kStep = 0.0237, kMargin = 0.002;
  for (double x = 0.3 * kStep; x < kLength; x += kStep) {
    for (double y = -kOuter; y < kOuter; y += kStep) {
      for (double z = -kOuter; z < kOuter; z += kStep) {
        const double R = std::hypot(y, z);
        if (R < kInner + kMargin || R > kOuter - kMargin) continue;
        tube.points.push_back(kOnAxis + Vec3d{x, y, z});
      }
    }
  }
  return tube;
}

}  // namespace isochor::reproduce
