#include "isochor/geometry/cube_moments.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace isochor::geometry {
namespace {

/// Weights sum to one. Exact for degree four (Dunavant 1985).
struct TrianglePoint {
  Vec3d barycentric;
  double weight;
};
constexpr std::array<TrianglePoint, 6> make_triangle_rule() {
  constexpr double a = 0.44594849091596488632, u = 0.22338158967801146571;
  constexpr double b = 0.09157621350977074346, v = 0.10995174365532186763;
  return {{{{1 - 2 * a, a, a}, u},
           {{a, 1 - 2 * a, a}, u},
           {{a, a, 1 - 2 * a}, u},
           {{1 - 2 * b, b, b}, v},
           {{b, 1 - 2 * b, b}, v},
           {{b, b, 1 - 2 * b}, v}}};
}
constexpr std::array<TrianglePoint, 6> kTriangleRule = make_triangle_rule();

/// From 0 to 1, of equal weight; exact for degree three.
constexpr double kGauss[2] = {0.21132486540518711775, 0.78867513459481288225};

/// Integrals of 1, y, z, yy, yz, zz over a part of the face x = 1.
struct FaceMoments {
  double one = 0, y = 0, z = 0, yy = 0, yz = 0, zz = 0;

  /// What a point of the boundary contributes, `flow` being its length times the y of its normal.
  void add_boundary(double flow, double at_y, double at_z) {
    const double w = flow * at_y;
    one += w;
    y += w * at_y / 2;
    z += w * at_z;
    yy += w * at_y * at_y / 3;
    yz += w * at_y * at_z / 2;
    zz += w * at_z * at_z;
  }
  /// What an end, at z, of a part of the edge y = 1 contributes.
  void add_end(double sign, double at_z) {
    const double l0 = sign * at_z, l1 = l0 * at_z / 2, l2 = l0 * at_z * at_z / 3;
    one += l0;
    y += l0 / 2;
    z += l1;
    yy += l0 / 3;
    yz += l1 / 2;
    zz += l2;
  }
  /// Of the solid below the part, down to x = 0.
  Moments column() const { return {one, {one / 2, y, z}, {one / 3, yy, zz, yz, z / 2, y / 2}}; }
};

/// What a point of the surface contributes, `flow` being its area times the x of its normal.
void add_surface(Moments& m, double flow, const Vec3d& p) {
  const double w = flow * p[0];
  m.volume += w;
  m.first += w * Vec3d{p[0] / 2, p[1], p[2]};
  m.second[0] += w * p[0] * p[0] / 3;
  m.second[1] += w * p[1] * p[1];
  m.second[2] += w * p[2] * p[2];
  m.second[3] += w * p[1] * p[2];
  m.second[4] += w * p[0] * p[2] / 2;
  m.second[5] += w * p[0] * p[1] / 2;
}

/// Where an edge meets a face of the cube: the same from whichever triangle.
Vec3d meeting(const Vec3d& a, const Vec3d& b, int axis, double wall) {
  const bool swapped = std::tie(b[0], b[1], b[2]) < std::tie(a[0], a[1], a[2]);
  const Vec3d &from = swapped ? b : a, &to = swapped ? a : b;
  Vec3d p = from + ((wall - from[axis]) / (to[axis] - from[axis])) * (to - from);
  p[axis] = wall;
  return p;
}

/// Sutherland and Hodgman 1974, for one plane.
void clip(CubePolygon& polygon, CubePolygon::Edge face) {
  const int axis = face / 2;
  const bool high = face % 2;
  const auto is_in = [&](const Vec3d& p) { return high ? p[axis] < 1 : p[axis] > 0; };
  const int inside = static_cast<int>(
      std::count_if(polygon.points.begin(), polygon.points.begin() + polygon.count, is_in));
  if (inside == polygon.count) return;
  if (inside == 0) {
    polygon.count = 0;
    return;
  }
  const CubePolygon old = polygon;
  polygon.count = 0;
  const auto put = [&](const Vec3d& p, CubePolygon::Edge edge) {
    polygon.points[polygon.count] = p;
    polygon.edges[polygon.count++] = edge;
  };
  for (int i = 0; i < old.count; ++i) {
    const Vec3d &a = old.points[i], &b = old.points[(i + 1) % old.count];
    const bool a_in = is_in(a), b_in = is_in(b);
    if (a_in) put(a, old.edges[i]);
    if (a_in != b_in) put(meeting(a, b, axis, high), a_in ? face : old.edges[i]);
  }
}

}  // namespace

Moments operator+(const Moments& a, const Moments& b) {
  Moments sum{a.volume + b.volume, a.first + b.first, a.second};
  for (int i = 0; i < 6; ++i) sum.second[i] += b.second[i];
  return sum;
}

Moments operator*(double s, const Moments& m) {
  Moments product{s * m.volume, s * m.first, m.second};
  for (double& q : product.second) q *= s;
  return product;
}

Moments box_moments(const Vec3d& low, const Vec3d& high) {
  const Vec3d size = high - low, middle = 0.5 * (low + high);
  const double volume = size[0] * size[1] * size[2];
  Moments m{volume, volume * middle, {}};
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const double spread = i == j ? size[i] * size[i] / 12 : 0;
      m.second[second_moment(i, j)] = volume * (middle[i] * middle[j] + spread);
    }
  }
  return m;
}

Vec3d CubePolygon::area() const {
  Vec3d sum{0, 0, 0};
  for (int i = 2; i < count; ++i) {
    sum += 0.5 * cross(points[i - 1] - points[0], points[i] - points[0]);
  }
  return sum;
}

Vec3d CubePolygon::centroid() const {
  Vec3d weighted{0, 0, 0};
  double total = 0;
  for (int i = 2; i < count; ++i) {
    const double part = norm(cross(points[i - 1] - points[0], points[i] - points[0]));
    weighted += (part / 3) * (points[0] + points[i - 1] + points[i]);
    total += part;
  }
  return total > 0 ? weighted * (1 / total) : points[0];
}

CubePolygon clip_to_cube(const TriangleCorners& triangle) {
  CubePolygon polygon;
  polygon.count = 3;
  std::copy(triangle.begin(), triangle.end(), polygon.points.begin());
  std::fill_n(polygon.edges.begin(), 3, CubePolygon::Side);
  for (int face = CubePolygon::LowX; face <= CubePolygon::HighZ && polygon.count > 0; ++face) {
    clip(polygon, static_cast<CubePolygon::Edge>(face));
  }
  return polygon;
}

void CubeMoments::add(const TriangleCorners& triangle) {
  const CubePolygon polygon = clip_to_cube(triangle);
  const int n = polygon.count;
  for (int i = 2; i < n; ++i) {
    const Vec3d &a = polygon.points[0], &b = polygon.points[i - 1], &c = polygon.points[i];
    const Vec3d area = 0.5 * cross(b - a, c - a);
    for (const auto& [at, weight] : kTriangleRule) {
      add_surface(bare_, weight * area[0], at[0] * a + at[1] * b + at[2] * c);
    }
    for (int axis = 0; axis < 3; ++axis) {
      volumes_[axis] += area[axis] * (a[axis] + b[axis] + c[axis]) / 3;
    }
    area_ += area;
  }

  FaceMoments face;
  const auto high_axis = [](CubePolygon::Edge edge) {
    return edge > 0 && edge % 2 ? edge / 2 : -1;
  };
  for (int i = 0; i < n; ++i) {
    const int axis = high_axis(polygon.edges[i]);
    if (axis < 0) continue;
    // A triangle meets the face x = 1 in the segment from p to q; the normal in that face of the
    // part inside is e_x x (q - p). The same with axes in cyclic order.
    const int next_axis = (axis + 1) % 3, last_axis = (axis + 2) % 3;
    const Vec3d &p = polygon.points[i], &q = polygon.points[(i + 1) % n];
    const double flow = p[last_axis] - q[last_axis];
    volumes_[axis] += flow * (p[next_axis] + q[next_axis]) / 2;
    if (axis == 0) {
      for (const double t : kGauss) {
        face.add_boundary(flow / 2, p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2]));
      }
    }
    // Where it goes on, or comes from, along y = 1 it bounds the part of the edge x = y = 1.
    const int after = high_axis(polygon.edges[(i + 1) % n]);
    const int before = high_axis(polygon.edges[(i + n - 1) % n]);
    const auto end = [&](double sign, const Vec3d& at) {
      volumes_[axis] += sign * at[last_axis];
      if (axis == 0) face.add_end(sign, at[2]);
    };
    if (after == next_axis) end(1, q);
    if (before == next_axis) end(-1, p);
  }
  bare_ += face.column();
}

Moments CubeMoments::moments(int corner) const {
  return bare_ + double(corner) * box_moments({0, 0, 0}, {1, 1, 1});
}

double CubeMoments::mismatch() const {
  const auto [low, high] = std::minmax({volumes_[0], volumes_[1], volumes_[2]});
  return high - low;
}

}  // namespace isochor::geometry
