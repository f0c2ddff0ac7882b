#include "isochor/grid/cell_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "isochor/grid/cell_box.h"

namespace isochor::grid {
namespace {

struct Point2 {
  double u, v;
  friend bool operator<(const Point2& a, const Point2& b) {
    return a.u < b.u || (a.u == b.u && a.v < b.v);
  }
};

/// Twice the signed area of the triangle a, b, p. Exactly the negative for b, a, p, zero included,
/// so that a line through the edge between two triangles meets one of them.
double side(const Point2& a, const Point2& b, const Point2& p) {
  const auto area = [&](const Point2& s, const Point2& t) {
    return (t.u - s.u) * (p.v - s.v) - (t.v - s.v) * (p.u - s.u) + 0.0;
  };
  return a < b ? area(a, b) : -area(b, a);
}

}  // namespace

std::pair<int, int> CellLines::lines_between(int along, double low, double high) const {
  const double first = axis_coordinate(along, 0);
  return {static_cast<int>(std::ceil(std::max(0.0, (low - first) * n_))),
          static_cast<int>(std::floor(std::min(n_ - 1.0, (high - first) * n_)))};
}

void CellLines::find_crossings(const geometry::TriangleCorners& corners, std::int32_t touch,
                               std::vector<Crossing>& crossings) const {
  for (int along = 0; along < 3; ++along) {
    const int u = (along + 1) % 3, v = (along + 2) % 3;
    const std::array<Point2, 3> q{{{corners[0][u], corners[0][v]},
                                   {corners[1][u], corners[1][v]},
                                   {corners[2][u], corners[2][v]}}};
    const auto [u_low, u_high] = std::minmax({q[0].u, q[1].u, q[2].u});
    const auto [v_low, v_high] = std::minmax({q[0].v, q[1].v, q[2].v});
    const auto [i_first, i_last] = lines_between(u, u_low, u_high);
    const auto [j_first, j_last] = lines_between(v, v_low, v_high);
    for (int j = j_first; j <= j_last; ++j) {
      for (int i = i_first; i <= i_last; ++i) {
        const Point2 p{axis_coordinate(u, i), axis_coordinate(v, j)};
        const double w0 = side(q[1], q[2], p), w1 = side(q[2], q[0], p), w2 = side(q[0], q[1], p);
        if (std::signbit(w0) != std::signbit(w1) || std::signbit(w1) != std::signbit(w2)) continue;
        const double area = w0 + w1 + w2;
        if (area == 0) continue;
        const double at =
            (w0 * corners[0][along] + w1 * corners[1][along] + w2 * corners[2][along]) / area;
        if (!(at > kWall && at < 1 - kWall)) continue;
        crossings.push_back({(along * n_ + j) * n_ + i, at, touch, area > 0 ? 1 : -1});
      }
    }
  }
}

ClippedTriangle clip_to_cell(const geometry::TriangleCorners& corners) {
  // Sutherland and Hodgman 1974: plane by plane.
  std::vector<Vec3d> polygon(corners.begin(), corners.end()), next;
  for (int plane = 0; plane < 6; ++plane) {
    const int axis = plane / 2;
    const auto depth = [&](const Vec3d& p) { return plane % 2 ? 1 - p[axis] : p[axis]; };
    next.clear();
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Vec3d &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
      const double da = depth(a), db = depth(b);
      if (da >= 0) next.push_back(a);
      if ((da >= 0) != (db >= 0)) next.push_back(a + (da / (da - db)) * (b - a));
    }
    polygon.swap(next);
  }
  ClippedTriangle result;
  Vec3d weighted{0, 0, 0};
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    const Vec3d &a = polygon[0], &b = polygon[i - 1], &c = polygon[i];
    const double area = 0.5 * norm(cross(b - a, c - a));
    result.area += area;
    weighted += (area / 3) * (a + b + c);
  }
  result.center = result.area > 0    ? weighted * (1 / result.area)
                  : !polygon.empty() ? polygon[0]
                                     : (1.0 / 3) * (corners[0] + corners[1] + corners[2]);
  return result;
}

}  // namespace isochor::grid
