#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isochor/math/vec3.h"

namespace isochor::geometry {

using Index3 = std::array<int, 3>;

inline Index3 operator+(const Index3& a, const Index3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

/// Cells of a box.
inline std::size_t count_of(const Index3& cells) {
  return static_cast<std::size_t>(cells[0]) * cells[1] * cells[2];
}

/// The corners and the centres of a box of cubic cells. Coordinates of points count half cells: all
/// three are even at a corner, odd at a centre. A point is joined to its 6 nearest of the same kind
/// (long edges, one cell) and to the 8 nearest of the other kind (short ones, sqrt(3)/2 cells).
struct BccLattice {
  Vec3d origin;    ///< of corner (0, 0, 0), m
  double spacing;  ///< edge of a cell, m
  Index3 cells;    ///< along each axis

  std::int64_t corner_count() const {
    return std::int64_t{cells[0] + 1} * (cells[1] + 1) * (cells[2] + 1);
  }
  std::int64_t point_count() const {
    return corner_count() + std::int64_t{cells[0]} * cells[1] * cells[2];
  }
  /// The number of a point; those with the same z follow each other.
  std::int32_t point(const Index3& at) const {
    const int odd = at[0] & 1;
    const std::int64_t nx = cells[0] + 1 - odd, ny = cells[1] + 1 - odd;
    const std::int64_t number = (at[0] >> 1) + nx * ((at[1] >> 1) + ny * (at[2] >> 1));
    return static_cast<std::int32_t>(number + (odd ? corner_count() : 0));
  }
  /// The inverse of `point`.
  Index3 coordinates(std::int32_t point) const {
    const int odd = point >= corner_count();
    const std::int64_t nx = cells[0] + 1 - odd, ny = cells[1] + 1 - odd;
    const std::int64_t number = point - (odd ? corner_count() : 0);
    return {static_cast<int>(2 * (number % nx)) + odd,
            static_cast<int>(2 * (number / nx % ny)) + odd,
            static_cast<int>(2 * (number / (nx * ny))) + odd};
  }
  bool contains(const Index3& at) const {
    for (int a = 0; a < 3; ++a) {
      if (at[a] < 0 || at[a] > 2 * cells[a]) return false;
    }
    return true;
  }
  Vec3d position(const Index3& at) const {
    return origin + 0.5 * spacing * Vec3d{double(at[0]), double(at[1]), double(at[2])};
  }
};

/// Where the edges at a point lead to: 6 long ones, then 8 short ones.
inline constexpr int kBccLong = 6, kBccDirections = 14;
inline constexpr std::array<Index3, kBccDirections> kBccOffsets{{{2, 0, 0},
                                                                 {-2, 0, 0},
                                                                 {0, 2, 0},
                                                                 {0, -2, 0},
                                                                 {0, 0, 2},
                                                                 {0, 0, -2},
                                                                 {1, 1, 1},
                                                                 {-1, 1, 1},
                                                                 {1, -1, 1},
                                                                 {-1, -1, 1},
                                                                 {1, 1, -1},
                                                                 {-1, 1, -1},
                                                                 {1, -1, -1},
                                                                 {-1, -1, -1}}};
inline constexpr bool is_long(int direction) { return direction < kBccLong; }
inline constexpr int opposite(int direction) {
  return is_long(direction) ? direction ^ 1 : kBccLong + kBccDirections - 1 - direction;
}
/// Of the edge between two points that have one.
inline int bcc_direction(const Index3& from, const Index3& to) {
  const int dx = to[0] - from[0], dy = to[1] - from[1], dz = to[2] - from[2];
  if ((dx & 1) != 0) return kBccLong + (dx < 0 ? 1 : 0) + (dy < 0 ? 2 : 0) + (dz < 0 ? 4 : 0);
  return dx != 0 ? (dx < 0) : dy != 0 ? 2 + (dy < 0) : 4 + (dz < 0);
}

}  // namespace isochor::geometry
