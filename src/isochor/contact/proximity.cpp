#include "isochor/contact/proximity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/contact/perpendicular.h"
#include "isochor/geometry/triangle_queries.h"

namespace isochor::contact {
namespace {

constexpr std::size_t kPointGrain = 256;
constexpr std::size_t kLeafGrain = 64;

std::size_t chunks_of(std::size_t count, std::size_t grain) { return (count + grain - 1) / grain; }

/// Where on the segment from a to b a point is nearest, 0 to 1.
double nearest_parameter(const Vec3d& a, const Vec3d& b, const Vec3d& point) {
  const Vec3d along = b - a;
  const double squared = dot(along, along);
  return squared > 0 ? std::clamp(dot(point - a, along) / squared, 0.0, 1.0) : 0;
}

/// Perpendicular to two vectors, or to the longer if they are parallel.
Vec3d common_normal(const Vec3d& u, const Vec3d& v) {
  const Vec3d normal = cross(u, v);
  const double length = norm(normal);
  constexpr double kParallel = 1e-12;
  if (length > kParallel * norm(u) * norm(v)) return normal * (1 / length);
  return any_perpendicular(dot(u, u) > dot(v, v) ? u : v);
}

/// Relative to one of the points, so that what is far from the origin keeps its digits.
FourVectors about_the_first(const FourVectors& x) {
  return {Vec3d{0, 0, 0}, x[1] - x[0], x[2] - x[0], x[3] - x[0]};
}

bool share_a_point(const std::array<std::int32_t, 4>& p, PairKind kind) {
  if (kind == PairKind::PointTriangle) return p[0] == p[1] || p[0] == p[2] || p[0] == p[3];
  return p[0] == p[2] || p[0] == p[3] || p[1] == p[2] || p[1] == p[3];
}

bool passes(const PairFilter& filter, const Surface& surface, PairKind kind,
            const std::array<std::int32_t, 4>& points) {
  if (share_a_point(points, kind)) return false;
  const std::span<const std::uint8_t> changed = filter.changed;
  if (!changed.empty() &&
      std::ranges::none_of(points, [&](std::int32_t p) { return changed[p] != 0; })) {
    return false;
  }
  const bool first = surface.is_obstacle(points[0]), second = surface.is_obstacle(points[2]);
  if (first || second) {
    return first != second && filter.with_obstacles &&
           std::ranges::none_of(points, [&](std::int32_t p) {
             return surface.is_held(p) && !surface.is_obstacle(p);
           });
  }
  const bool same = surface.bodies[points[0]] == surface.bodies[points[2]];
  if (!(same ? filter.within_bodies : filter.between_bodies)) return false;
  if (!same || filter.rest_distance <= 0) return true;
  return squared_distance(kind, gather(filter.rest_positions, points)) >=
         filter.rest_distance * filter.rest_distance;
}

}  // namespace

SegmentPoints closest_on_segments(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  SegmentPoints best{.squared_distance = std::numeric_limits<double>::infinity()};
  const auto consider = [&](double s, double t) {
    const Vec3d between = (a + s * (b - a)) - (c + t * (d - c));
    const double squared = dot(between, between);
    if (squared < best.squared_distance) best = {s, t, squared};
  };
  // The nearest points of the lines, where they lie within both segments and are not far off
  // because the lines are nearly parallel; else an end of one segment is among the nearest.
  const Vec3d u = b - a, v = d - c, w = a - c;
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v);
  const double determinant = uu * vv - uv * uv;
  if (determinant > 0) {
    const double s = (uv * dot(v, w) - vv * dot(u, w)) / determinant;
    if (s > 0 && s < 1) {
      // Both are refined in turn, which costs little and makes up for a small determinant.
      const double t = nearest_parameter(c, d, a + s * u);
      consider(nearest_parameter(a, b, c + t * v), t);
    }
  }
  consider(0, nearest_parameter(c, d, a));
  consider(1, nearest_parameter(c, d, b));
  consider(nearest_parameter(a, b, c), 0);
  consider(nearest_parameter(a, b, d), 1);
  return best;
}

double squared_distance(PairKind kind, const FourVectors& x) {
  const FourVectors y = about_the_first(x);
  if (kind == PairKind::EdgeEdge) {
    return closest_on_segments(y[0], y[1], y[2], y[3]).squared_distance;
  }
  return geometry::closest_point_on({y[1], y[2], y[3]}, y[0]).squared_distance;
}

Pair closest_points(PairKind kind, const FourVectors& x) {
  const FourVectors y = about_the_first(x);
  Pair pair{.kind = kind};
  if (kind == PairKind::PointTriangle) {
    const Vec3d b = geometry::closest_point_on({y[1], y[2], y[3]}, y[0]).barycentric;
    pair.weights = {1, -b[0], -b[1], -b[2]};
  } else {
    const SegmentPoints at = closest_on_segments(y[0], y[1], y[2], y[3]);
    pair.weights = {1 - at.s, at.s, at.t - 1, -at.t};
  }
  const Vec3d between = weighted(pair.weights, y);
  pair.distance = norm(between);
  const double size = max(norm(y[1]), max(norm(y[2]), norm(y[3])));
  constexpr double kTouching = 1e-15;  // below, the direction is made of roundings
  if (pair.distance > kTouching * size) {
    pair.normal = between * (1 / pair.distance);
  } else if (kind == PairKind::PointTriangle) {
    pair.normal = common_normal(y[2] - y[1], y[3] - y[1]);
  } else {
    pair.normal = common_normal(y[1] - y[0], y[3] - y[2]);
  }
  return pair;
}

std::size_t candidate_chunks(const SurfaceBvh& bvh) {
  return chunks_of(bvh.surface().points.size(), kPointGrain) +
         chunks_of(bvh.edges().leaf_count(), kLeafGrain);
}

void for_each_candidate(const SurfaceBvh& bvh, std::span<const Vec3d> start,
                        std::span<const Vec3d> end, const PairFilter& filter, ThreadArena& arena,
                        CandidateFunction f) {
  const Surface& surface = bvh.surface();
  const std::size_t point_count = surface.points.size(), leaves = bvh.edges().leaf_count();
  // What has changed meets anything, all else only what has.
  const bool some = !filter.changed.empty();
  arena.for_chunks(point_count, kPointGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::int32_t p = surface.points[i];
      const auto candidate = [&](std::int32_t t) {
        const Triangle& corners = surface.triangles[t];
        const std::array points{p, corners[0], corners[1], corners[2]};
        if (!passes(filter, surface, PairKind::PointTriangle, points)) return;
        f(PairKind::PointTriangle, p, t, points, first / kPointGrain);
      };
      bvh.triangles().for_each_overlap(bvh.point_box(p, start, end), candidate,
                                       some && !filter.changed[p]);
    }
  });
  const std::size_t point_chunks = chunks_of(point_count, kPointGrain);
  arena.for_chunks(leaves, kLeafGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t leaf = first; leaf < last; ++leaf) {
      const auto candidate = [&](std::int32_t e, std::int32_t g) {
        const Edge &a = surface.edges[e], &b = surface.edges[g];
        const std::array points{a[0], a[1], b[0], b[1]};
        if (!passes(filter, surface, PairKind::EdgeEdge, points)) return;
        f(PairKind::EdgeEdge, e, g, points, point_chunks + first / kLeafGrain);
      };
      bvh.edges().for_each_pair(leaf, candidate, some && !bvh.edges().is_marked(leaf));
    }
  });
}

void find_close_pairs(SurfaceBvh& bvh, std::span<const Vec3d> positions, double reach,
                      const PairFilter& filter, ThreadArena& arena, std::vector<Pair>& pairs) {
  bvh.update(positions, reach, arena);
  std::vector<std::vector<Pair>> parts(candidate_chunks(bvh));
  for_each_candidate(bvh, positions, positions, filter, arena,
                     [&](PairKind kind, std::int32_t first, std::int32_t second,
                         const std::array<std::int32_t, 4>& points, std::size_t chunk) {
                       const FourVectors x = gather(positions, points);
                       Pair pair = closest_points(kind, x);
                       if (pair.distance > reach) return;
                       pair.first = first;
                       pair.second = second;
                       pair.points = points;
                       parts[chunk].push_back(pair);
                     });
  pairs.clear();
  for (const std::vector<Pair>& part : parts) pairs.insert(pairs.end(), part.begin(), part.end());
  std::ranges::sort(pairs, [](const Pair& a, const Pair& b) { return a < b; });
}

}  // namespace isochor::contact
