#include "isochor/anatomy/rigid_motion.h"

#include <cmath>
#include <numbers>

namespace isochor::anatomy {
namespace {

double length(const Quaternion& q) { return std::sqrt(dot(q.v, q.v) + q.w * q.w); }

}  // namespace

Transform inverse(const Transform& transform) {
  const Mat3d& a = transform.linear;
  const Mat3d cofactors{{cross(a.column[1], a.column[2]), cross(a.column[2], a.column[0]),
                         cross(a.column[0], a.column[1])}};
  const Mat3d linear = transpose(cofactors) * (1 / determinant(a));
  return {linear, -(linear * transform.translation)};
}

Transform transform_of(const LocalTransform& local) {
  return {rotation(local.rotation) * Mat3d::diagonal(local.scale), local.translation};
}

LocalTransform local_of(const Transform& transform) {
  LocalTransform local{.translation = transform.translation};
  Mat3d turn = transform.linear;
  for (int c = 0; c < 3; ++c) {
    local.scale[c] = norm(turn.column[c]);
    if (c == 0 && determinant(turn) < 0) local.scale[c] = -local.scale[c];
    turn.column[c] *= 1 / local.scale[c];
  }
  local.rotation = quaternion_of(turn);
  return local;
}

Quaternion quaternion_of(const Mat3d& rotation) { return normalised(long_quaternion(rotation)); }

Quaternion normalised(const Quaternion& q) {
  const double size = length(q);
  if (!(size > 0)) return {{0, 0, 0}, 1};
  return {q.v * (1 / size), q.w / size};
}

Quaternion slerp(const Quaternion& a, const Quaternion& b, double way) {
  double cosine = dot(a.v, b.v) + a.w * b.w;
  const double side = cosine < 0 ? -1 : 1;
  cosine *= side;
  constexpr double kNearlyEqual = 1 - 1e-9;  // where sines have lost their digits
  double of_a = 1 - way, of_b = way;
  if (cosine < kNearlyEqual) {
    const double angle = std::acos(cosine);
    of_a = std::sin((1 - way) * angle) / std::sin(angle);
    of_b = std::sin(way * angle) / std::sin(angle);
  }
  return normalised({of_a * a.v + (side * of_b) * b.v, of_a * a.w + (side * of_b) * b.w});
}

LocalTransform blend(const LocalTransform& a, const LocalTransform& b, double way) {
  return {.translation = (1 - way) * a.translation + way * b.translation,
          .rotation = slerp(a.rotation, b.rotation, way),
          .scale = (1 - way) * a.scale + way * b.scale};
}

Vec3d rotation_vector(const Mat3d& rotation, const Vec3d& previous) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const Quaternion q = quaternion_of(rotation);
  const double sine = norm(q.v);
  // Without a rotation any axis will do; that of the previous vector keeps whole turns.
  const double before = norm(previous);
  const Vec3d none = before > 0 ? previous * (1 / before) : Vec3d{1, 0, 0};
  const Vec3d axis = sine > 0 ? q.v * (1 / sine) : none;
  const double angle = 2 * std::atan2(sine, q.w);
  return (angle + kTurn * std::round((dot(previous, axis) - angle) / kTurn)) * axis;
}

}  // namespace isochor::anatomy
