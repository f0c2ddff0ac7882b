#include "isochor/geometry/predicates.h"

#include <cmath>

namespace isochor::geometry {
namespace {

/// A number as the exact sum of doubles of growing magnitude that do not overlap; zeros are left
/// out, so that the last one has the sign of the sum. Room for the largest that `plane_side` needs.
class Expansion {
 public:
  Expansion() = default;

  static Expansion difference(double a, double b) {
    Expansion e;
    e.add(a);
    e.add(-b);
    return e;
  }

  /// Each part takes up what is left of the sum so far, exactly.
  void add(double value) {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      const double sum = value + part_[i];
      const double virtual_part = sum - value;
      const double rest = (value - (sum - virtual_part)) + (part_[i] - virtual_part);
      if (rest != 0) part_[kept++] = rest;
      value = sum;
    }
    if (value != 0) part_[kept++] = value;
    count_ = kept;
  }

  /// Adds a b, or subtracts it with `sign` -1.
  void add_product(const Expansion& a, const Expansion& b, double sign = 1) {
    for (int i = 0; i < a.count_; ++i) {
      for (int j = 0; j < b.count_; ++j) {
        const double factor = sign * a.part_[i];
        const double product = factor * b.part_[j];
        add(std::fma(factor, b.part_[j], -product));
        add(product);
      }
    }
  }

  int sign() const { return count_ == 0 ? 0 : part_[count_ - 1] > 0 ? 1 : -1; }

 private:
  // A difference has 2 parts, a 2x2 determinant of them 16, and the sum of three products 192.
  std::array<double, 192> part_;
  int count_ = 0;
};

/// The sign of (b - a) x (c - a) . (d - a) in exact arithmetic.
int exact_plane_side(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  Expansion u[3], v[3], w[3];
  for (int i = 0; i < 3; ++i) {
    u[i] = Expansion::difference(b[i], a[i]);
    v[i] = Expansion::difference(c[i], a[i]);
    w[i] = Expansion::difference(d[i], a[i]);
  }
  Expansion volume;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    Expansion normal;
    normal.add_product(u[j], v[k]);
    normal.add_product(u[k], v[j], -1);
    volume.add_product(normal, w[i]);
  }
  return volume.sign();
}

/// Whether the segment pq passes through the inside of the triangle.
bool pierces(const Vec3d& p, const Vec3d& q, const std::array<Vec3d, 3>& triangle) {
  const auto& [a, b, c] = triangle;
  const int turn = plane_side(p, q, a, b);
  return turn != 0 && plane_side(p, q, b, c) == turn && plane_side(p, q, c, a) == turn;
}

/// Whether an edge of `s` passes through the inside of `t`; `side` has the sides of the plane of
/// `t` on which the corners of `s` lie.
bool an_edge_pierces(const std::array<Vec3d, 3>& s, const std::array<int, 3>& side,
                     const std::array<Vec3d, 3>& t) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    if (side[i] * side[j] < 0 && pierces(s[i], s[j], t)) return true;
  }
  return false;
}

std::array<int, 3> sides(const std::array<Vec3d, 3>& plane, const std::array<Vec3d, 3>& points) {
  const auto side = [&](const Vec3d& p) { return plane_side(plane[0], plane[1], plane[2], p); };
  return {side(points[0]), side(points[1]), side(points[2])};
}

/// Whether some corner lies before the plane and some behind.
bool both_sides(const std::array<int, 3>& side) {
  return side[0] * side[1] < 0 || side[1] * side[2] < 0 || side[2] * side[0] < 0;
}

}  // namespace

int plane_side(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  const Vec3d u = b - a, v = c - a, w = d - a;
  double volume = 0, magnitude = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double first = u[j] * v[k], second = u[k] * v[j];
    volume += (first - second) * w[i];
    magnitude += (std::abs(first) + std::abs(second)) * std::abs(w[i]);
  }
  // Seven roundings lie between a difference of coordinates and the sum, one more is for this line.
  constexpr double kError = 8 * 0x1p-53;
  if (std::abs(volume) > kError * magnitude) return volume > 0 ? 1 : -1;
  return exact_plane_side(a, b, c, d);
}

bool triangles_cross(const std::array<Vec3d, 3>& s, const std::array<Vec3d, 3>& t) {
  const std::array<int, 3> s_sides = sides(t, s);
  if (!both_sides(s_sides)) return false;
  const std::array<int, 3> t_sides = sides(s, t);
  if (!both_sides(t_sides)) return false;
  return an_edge_pierces(s, s_sides, t) || an_edge_pierces(t, t_sides, s);
}

}  // namespace isochor::geometry
