#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "isochor/math/vec3.h"

/// Two parts of a surface that are near each other, as plain data for a method.
namespace isochor::contact {

/// Object and point-triangle contacts come before edge-edge contacts wherever contacts are sorted:
/// their normals are more coherent.
enum class PairKind : std::uint8_t { PointTriangle, EdgeEdge };

/// The nearest points of a point and a triangle (points[0]; points[1..3]) or of two edges
/// (points[0..1]; points[2..3]). They are weighted sums of the four points, and
///     sum_i weights[i] x[points[i]] = distance * normal,
/// from the second to the first. Weights are those of the nearest point (positive) minus those of
/// the other, so that their sum is zero: what they do to points conserves momentum.
struct Pair {
  PairKind kind = PairKind::PointTriangle;
  std::int32_t first = -1, second = -1;  ///< the point and the triangle, or edges, of the Surface
  std::array<std::int32_t, 4> points{};  ///< of the method
  std::array<double, 4> weights{};       ///< see above
  Vec3d normal{0, 0, 0};                 ///< of length one
  double distance = 0;                   ///< m, never negative
};

/// The order of results: by kind, then by `first` and `second`.
inline bool operator<(const Pair& a, const Pair& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  return a.first != b.first ? a.first < b.first : a.second < b.second;
}

/// Positions, or velocities, of the four points of a pair.
using FourVectors = std::array<Vec3d, 4>;

inline FourVectors gather(std::span<const Vec3d> values,
                          const std::array<std::int32_t, 4>& points) {
  return {values[points[0]], values[points[1]], values[points[2]], values[points[3]]};
}

inline Vec3d weighted(const std::array<double, 4>& weights, const FourVectors& x) {
  return weights[0] * x[0] + weights[1] * x[1] + weights[2] * x[2] + weights[3] * x[3];
}

}  // namespace isochor::contact
