#include "isochor/geometry/cell_levels.h"

#include <algorithm>
#include <utility>

namespace isochor::geometry {

/// Whether a child of the cell, or a cell of the same size that touches one, is split.
bool CellLevels::any_near(int level, const Index3& parent) const {
  Index3 low, high;
  for (int a = 0; a < 3; ++a) {
    low[a] = std::max(2 * parent[a] - 1, 0);
    high[a] = std::min(2 * parent[a] + 3, cells_[level][a]);
  }
  for (int z = low[2]; z < high[2]; ++z) {
    for (int y = low[1]; y < high[1]; ++y) {
      for (int x = low[0]; x < high[0]; ++x) {
        if (is_split(level, {x, y, z})) return true;
      }
    }
  }
  return false;
}

CellLevels::CellLevels(const Index3& cells, int merges, std::vector<std::uint8_t> small,
                       ThreadArena& arena)
    : cells_{cells} {
  if (merges > 0) split_.push_back(std::move(small));
  for (int level = 1; level <= merges; ++level) {
    const Index3& below = cells_[level - 1];
    const Index3 n{(below[0] + 1) / 2, (below[1] + 1) / 2, (below[2] + 1) / 2};
    std::vector<std::uint8_t> split(count_of(n));
    parallel_for(arena, n[2], 1, [&](std::size_t z) {
      std::size_t i = z * n[0] * n[1];
      for (int y = 0; y < n[1]; ++y) {
        for (int x = 0; x < n[0]; ++x) split[i++] = any_near(level - 1, {x, y, int(z)});
      }
    });
    cells_.push_back(n);
    split_.push_back(std::move(split));
  }
}

}  // namespace isochor::geometry
