#include <algorithm>
#include <cmath>

#include "isochor/geometry/stuffing.h"

namespace isochor::geometry {
namespace {

/// Halves an interval that begins inside and ends outside.
template <class IsInside>
double bisected(const IsInside& is_inside, double low, double high) {
  constexpr int kHalvings = 40;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (is_inside(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Where the surface is met on the way from inside to outside: the first triangle behind which the
/// winding number says outside. In a hole there is none; then the number alone decides.
double crossing_of(const SignedDistance& surface, const Vec3d& inside, const Vec3d& outside) {
  constexpr int kMostTriangles = 32;
  constexpr double kApart = 1e-9;  // triangles that share an edge are met once
  const Vec3d way = outside - inside;
  const auto is_inside = [&](double t) { return surface.is_inside(inside + t * way); };
  const auto next_hit = [&](double from) {
    const RayHit hit = surface.tree().first_hit(Ray(inside + from * way, way), -1, 1 - from);
    return hit.triangle < 0 ? 1 : from + hit.distance;
  };
  double met = next_hit(0);
  for (int i = 0; i < kMostTriangles && met < 1; ++i) {
    const double next = next_hit(std::min(1.0, met + kApart));
    if (!is_inside(0.5 * (met + next))) return met;
    met = next;
  }
  return bisected(is_inside, 0, 1);
}

/// A ball without a triangle is on one side, unless the surface has a hole there. Near to 0 or 1
/// the winding number sees none; else it is asked for a margin that a plane hole does not have:
/// there it differs from a half by half the cosine towards the rim.
std::optional<bool> has_ball_in(const SignedDistance& surface, const Vec3d& center, double radius) {
  if (surface.tree().closest_point(center, radius).triangle >= 0) return {};
  const double winding = surface.winding_number(center), margin = std::abs(winding - 0.5);
  const bool is_sure =
      margin > 0.45 ||
      (margin > 0.25 && surface.tree().closest_point(center, 2 * radius).triangle < 0);
  if (!is_sure) return {};
  return winding > 0.5;
}

}  // namespace

TetMesh stuff(const SignedDistance& surface, const StuffingOptions& options, ThreadArena& arena) {
  const TriangleBvh& tree = surface.tree();
  const TriangleBvh::Node& root = tree.nodes()[0];
  const auto corner = [&](const std::array<float, 3>& p) {
    return tree.origin() + Vec3d{p[0], p[1], p[2]};
  };
  const auto is_inside = [&](const Vec3d& p) { return surface.is_inside(p); };
  const auto has_ball = [&](const Vec3d& p, double radius) {
    return has_ball_in(surface, p, radius);
  };
  const auto crossing = [&](const Vec3d& inside, const Vec3d& outside) {
    return crossing_of(surface, inside, outside);
  };
  return stuff({{corner(root.low), corner(root.high)}, is_inside, has_ball, crossing}, options,
               arena);
}

TetMesh stuff(ImplicitBody body, const Bounds& box, const StuffingOptions& options,
              ThreadArena& arena) {
  const auto is_inside = [&](const Vec3d& p) { return body(p) < 0; };
  const auto has_ball = [&](const Vec3d& p, double radius) -> std::optional<bool> {
    const double value = body(p);
    if (std::abs(value) <= radius) return {};
    return value < 0;
  };
  const auto crossing = [&](const Vec3d& inside, const Vec3d& outside) {
    return bisected([&](double t) { return body(inside + t * (outside - inside)) < 0; }, 0, 1);
  };
  return stuff({box, is_inside, has_ball, crossing}, options, arena);
}

}  // namespace isochor::geometry
