#pragma once

#include "isochor/contact/pair.h"

namespace isochor::contact {

/// A contact as a linear row on velocities (or on their changes): the relative velocity of what
/// touches is
///     u = sum_i weights[i] v[points[i]] - velocity,
/// along the normal c^T v = normal . u in the terms of [Irving07 sec 4]; u . normal < 0 means that
/// the two approach each other.
struct Row {
  std::array<std::int32_t, 4> points{};
  std::array<double, 4> weights{};
  std::int32_t count = 0;      ///< of points
  std::int32_t collider = -1;  ///< its number; -1: of a pair
  bool edges = false;          ///< of two edges
  bool held = false;      ///< by a hold that goes by the normal: it lets nothing approach or leave
  Vec3d normal{0, 0, 0};  ///< of length one, towards the first part
  Vec3d velocity{0, 0, 0};  ///< m/s, of a collider's surface; zero for pairs
  double gap = 0;           ///< m, negative where they overlap
  double friction = 0;      ///< coefficient
};

/// Of a point and a triangle, or of two edges [Irving07 sec 4].
inline Row row_of(const Pair& pair, double friction) {
  return {.points = pair.points,
          .weights = pair.weights,
          .count = 4,
          .edges = pair.kind == PairKind::EdgeEdge,
          .normal = pair.normal,
          .gap = pair.distance,
          .friction = friction};
}

inline Vec3d relative_velocity(const Row& row, std::span<const Vec3d> velocities) {
  Vec3d u = -row.velocity;
  for (int i = 0; i < row.count; ++i) u += row.weights[i] * velocities[row.points[i]];
  return u;
}

}  // namespace isochor::contact
