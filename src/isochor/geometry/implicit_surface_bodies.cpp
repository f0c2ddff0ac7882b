#include "isochor/geometry/implicit_surface_bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isochor::geometry {
namespace {

/// The cubic with these values and rates at both ends of [0, 1].
template <class T>
T hermite(const T& from, const T& from_rate, const T& to, const T& to_rate, double t) {
  const double s = 1 - t;
  return from * (s * s * (1 + 2 * t)) + from_rate * (s * s * t) + to * (t * t * (1 + 2 * s)) -
         to_rate * (t * t * s);
}

/// A ball around all of these, not the smallest.
Ball ball_around(std::span<const Ball> balls) {
  Ball around{0.5 * (balls.front().center + balls.back().center), 0};
  for (const Ball& ball : balls) {
    around.radius = std::max(around.radius, norm(ball.center - around.center) + ball.radius);
  }
  return around;
}

}  // namespace

double distance_to(const Ball& ball, const Vec3d& point) {
  return norm(point - ball.center) - ball.radius;
}

double distance_to(const Ellipsoid& ellipsoid, const Vec3d& point) {
  const Vec3d& r = ellipsoid.radii;
  Vec3d scaled = point - ellipsoid.center;
  for (int a = 0; a < 3; ++a) scaled[a] /= r[a];
  return (norm(scaled) - 1) * std::min({r[0], r[1], r[2]});
}

double smooth_union(double a, double b, double width) {
  const double overlap = std::max(width - std::abs(a - b), 0.0);
  return std::min(a, b) - overlap * overlap / (4 * width);
}

double smooth_difference(double a, double b, double width) { return -smooth_union(-a, b, width); }

BallChain::Cone::Cone(const Ball& from, const Ball& to)
    : start(from.center), direction(to.center - from.center), radius(from.radius) {
  length = norm(direction);
  direction *= 1 / length;
  sine = (from.radius - to.radius) / length;
  if (std::abs(sine) >= 1) {
    // One ball holds the other.
    if (sine < 0) start = to.center, radius = to.radius;
    length = sine = 0;
  }
  tangent = sine / std::sqrt(1 - sine * sine);
}

double BallChain::Cone::distance_to(const Vec3d& point) const {
  // Of all balls with centres x along the axis, the nearest is where the line from its centre to
  // the point is normal to the cone.
  const Vec3d from_start = point - start;
  const double t = dot(from_start, direction);
  const double away_squared = std::max(0.0, dot(from_start, from_start) - t * t);
  const double x = std::clamp(t - std::sqrt(away_squared) * tangent, 0.0, length);
  return std::sqrt((t - x) * (t - x) + away_squared) - (radius - sine * x);
}

BallChain::BallChain(std::span<const Ball> balls)
    // Straight between two, else in pieces short enough for the eye.
    : cones_per_span_(balls.size() == 2 ? 1 : 5) {
  const std::size_t last = balls.size() - 1;
  const auto length = [&](std::size_t i) { return norm(balls[i + 1].center - balls[i].center); };
  // The mean change per length over the spans on both sides, times `scale`.
  const auto rate = [&](std::size_t i, double scale) -> Ball {
    const std::size_t before = i > 0 ? i - 1 : i, after = std::min(i + 1, last);
    double sum = 0;
    for (std::size_t k = before; k < after; ++k) sum += length(k);
    return {(balls[after].center - balls[before].center) * (scale / sum),
            (balls[after].radius - balls[before].radius) * (scale / sum)};
  };
  std::vector<Ball> all{balls.front()};
  for (std::size_t i = 0; i < last; ++i) {
    const Ball &from = balls[i], &to = balls[i + 1];
    const Ball from_rate = rate(i, length(i)), to_rate = rate(i + 1, length(i));
    for (std::size_t k = 1; k <= cones_per_span_; ++k) {
      const double t = double(k) / double(cones_per_span_);
      all.push_back({hermite(from.center, from_rate.center, to.center, to_rate.center, t),
                     hermite(from.radius, from_rate.radius, to.radius, to_rate.radius, t)});
      cones_.emplace_back(all.end()[-2], all.end()[-1]);
    }
    spans_.push_back(ball_around(std::span(all).last(cones_per_span_ + 1)));
  }
  around_ = ball_around(all);
}

double BallChain::distance_to(const Vec3d& point) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < spans_.size(); ++s) {
    if (geometry::distance_to(spans_[s], point) >= nearest) continue;
    for (const Cone& cone : std::span(cones_).subspan(s * cones_per_span_, cones_per_span_)) {
      nearest = std::min(nearest, cone.distance_to(point));
    }
  }
  return nearest;
}

}  // namespace isochor::geometry
