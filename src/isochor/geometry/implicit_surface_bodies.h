#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "isochor/math/vec3.h"

/// Bodies to build with, as functions for implicit_surface.h: negative inside, in metres, nowhere
/// steeper than a distance.
namespace isochor::geometry {

struct Ball {
  Vec3d center;
  double radius;
};
double distance_to(const Ball& ball, const Vec3d& point);

/// An ellipsoid along the coordinate axes. The value is exact on the surface and beside it along
/// the shortest axis; elsewhere it is less than the distance.
struct Ellipsoid {
  Vec3d center, radii;
};
double distance_to(const Ellipsoid& ellipsoid, const Vec3d& point);

/// The union of two bodies by their values at a point, with the crease filled where the values
/// differ by less than `width`. Bodies farther apart than half of it stay separate.
double smooth_union(double a, double b, double width);

/// The same where `body` lies within a ball: it is asked only where it can matter.
template <class Body>
double smooth_union(double value, const Vec3d& point, const Ball& around, const Body& body,
                    double width) {
  return distance_to(around, point) >= value + width ? value
                                                     : smooth_union(value, body(point), width);
}

/// What is in the first body and not in the second, its new rim rounded.
double smooth_difference(double a, double b, double width);

/// A ball led along a smooth curve through given ones, its radius changing smoothly: a limb, a
/// muscle. Two balls give a straight cone with round ends.
class BallChain {
 public:
  BallChain(std::initializer_list<Ball> balls) : BallChain(std::span(balls)) {}
  /// Two balls or more, no two neighbours at the same place.
  explicit BallChain(std::span<const Ball> balls);

  double distance_to(const Vec3d& point) const;
  /// The smooth union with a body that has `value` at the point.
  double joined(double value, const Vec3d& point, double width) const {
    return smooth_union(
        value, point, around_, [this](const Vec3d& p) { return distance_to(p); }, width);
  }
  /// A ball that holds all of it.
  const Ball& around() const { return around_; }

 private:
  /// The cone between two balls: the radius falls by `sine` per length.
  struct Cone {
    Vec3d start, direction;
    double length, radius, sine, tangent;

    Cone(const Ball& from, const Ball& to);
    double distance_to(const Vec3d& point) const;
  };

  std::vector<Cone> cones_;
  std::vector<Ball> spans_;  ///< a ball around each run of `cones_per_span_` cones
  std::size_t cones_per_span_;
  Ball around_;
};

}  // namespace isochor::geometry
