#include "isochor/geometry/grid_moments.h"

#include <algorithm>
#include <cmath>

#include "isochor/geometry/winding_number.h"

namespace isochor::geometry {
namespace {

using Index3 = std::array<std::int32_t, 3>;

/// The triangles of which a box around them reaches into each cell.
class CellTriangles {
 public:
  CellTriangles(std::span<const Vec3d> positions, std::span<const Triangle> triangles,
                const RegularGrid& grid)
      : starts_(grid.cell_count() + 1, 0) {
    const auto for_each = [&](auto&& f) {
      for (std::size_t t = 0; t < triangles.size(); ++t) {
        visit(positions, triangles[t], grid, [&](std::size_t cell) { f(cell, t); });
      }
    };
    for_each([&](std::size_t cell, std::size_t) { ++starts_[cell + 1]; });
    for (std::size_t c = 1; c < starts_.size(); ++c) starts_[c] += starts_[c - 1];
    triangles_.resize(starts_.back());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for_each([&](std::size_t cell, std::size_t t) {
      triangles_[next[cell]++] = static_cast<std::int32_t>(t);
    });
  }

  std::span<const std::int32_t> operator[](std::size_t cell) const {
    return std::span(triangles_).subspan(starts_[cell], starts_[cell + 1] - starts_[cell]);
  }

 private:
  template <class F>
  static void visit(std::span<const Vec3d> positions, const Triangle& triangle,
                    const RegularGrid& grid, F&& f) {
    Vec3d low = grid.in_cells(positions[triangle[0]]), high = low;
    for (const std::int32_t v : triangle) {
      low = min(low, grid.in_cells(positions[v]));
      high = max(high, grid.in_cells(positions[v]));
    }
    // One that lies in the wall between two cells belongs to both.
    Index3 first, last;
    for (int a = 0; a < 3; ++a) {
      const double end = grid.size[a] - 1;
      if (high[a] < 0 || low[a] > end + 1) return;
      first[a] = static_cast<std::int32_t>(std::clamp(std::ceil(low[a]) - 1, 0.0, end));
      last[a] = static_cast<std::int32_t>(std::clamp(std::floor(high[a]), 0.0, end));
    }
    for (std::int32_t k = first[2]; k <= last[2]; ++k) {
      for (std::int32_t j = first[1]; j <= last[1]; ++j) {
        for (std::int32_t i = first[0]; i <= last[0]; ++i) f(grid.index(i, j, k));
      }
    }
  }

  std::vector<std::size_t> starts_;
  std::vector<std::int32_t> triangles_;
};

Moments empty_or_full(bool full) { return full ? box_moments({0, 0, 0}, {1, 1, 1}) : Moments{}; }

}  // namespace

std::vector<Moments> moments_in_cells(std::span<const Vec3d> positions,
                                      std::span<const Triangle> triangles, const RegularGrid& grid,
                                      ThreadArena& arena) {
  constexpr double kRounding = 1e-9, kOpen = 1e-3;
  const CellTriangles in_cell(positions, triangles, grid);
  const WindingNumber winding(positions, triangles);
  const auto middle_is_inside = [&](const Index3& at) {
    const Vec3d middle{at[0] + 0.5, at[1] + 0.5, at[2] + 0.5};
    return winding(grid.origin + grid.spacing * middle) > 0.5;
  };
  const auto clipped = [&](const Index3& at, std::span<const std::int32_t> chosen) {
    const Vec3d low{double(at[0]), double(at[1]), double(at[2])};
    CubeMoments sum;
    for (const std::int32_t t : chosen) {
      TriangleCorners corners;
      for (int c = 0; c < 3; ++c) corners[c] = grid.in_cells(positions[triangles[t][c]]) - low;
      sum.add(corners);
    }
    if (sum.mismatch() > kOpen) return empty_or_full(middle_is_inside(at));
    // The corner (1, 1, 1) is inside or not; a volume that is neither nothing nor all tells which.
    const double bare = sum.bare_volume();
    if (std::abs(bare) < kRounding || std::abs(std::abs(bare) - 1) < kRounding) {
      return empty_or_full(middle_is_inside(at));
    }
    const Moments moments = sum.moments(bare < 0 ? 1 : 0);
    const bool sensible = moments.volume > 0 && moments.volume < 1 + kRounding;
    return sensible ? moments : empty_or_full(middle_is_inside(at));
  };

  std::vector<Moments> result(grid.cell_count());
  const auto rows = std::size_t(grid.size[1]) * std::size_t(grid.size[2]);
  parallel_for(arena, rows, 1, [&](std::size_t row) {
    const auto j = static_cast<std::int32_t>(row % std::size_t(grid.size[1]));
    const auto k = static_cast<std::int32_t>(row / std::size_t(grid.size[1]));
    // Between cells that triangles reach into, all are of one kind.
    bool known = false, inside = false;
    for (std::int32_t i = 0; i < grid.size[0]; ++i) {
      const std::size_t cell = grid.index(i, j, k);
      if (!in_cell[cell].empty()) {
        result[cell] = clipped({i, j, k}, in_cell[cell]);
        known = false;
        continue;
      }
      if (!known) inside = middle_is_inside({i, j, k});
      known = true;
      result[cell] = empty_or_full(inside);
    }
  });
  return result;
}

}  // namespace isochor::geometry
