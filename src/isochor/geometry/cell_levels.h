#pragma once

#include <cstdint>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/geometry/bcc_lattice.h"

namespace isochor::geometry {

/// A box of cells merged by eights, and these again, where nothing asks for small ones: an octree
/// in which leaves that touch, be it at a corner, differ by one level at most. Level 0 has the
/// cells themselves.
class CellLevels {
 public:
  enum class Kind : std::uint8_t {
    Leaf,
    Split,    ///< has leaves of a lower level in it
    Merged,   ///< lies in a leaf of a higher level
    Outside,  ///< of the box
  };

  /// `small` says per cell (x fastest) whether it and all that touch it must stay as they are.
  CellLevels(const Index3& cells, int merges, std::vector<std::uint8_t> small, ThreadArena& arena);

  int count() const { return static_cast<int>(cells_.size()); }
  const Index3& cells(int level) const { return cells_[level]; }

  Kind kind(int level, const Index3& at) const {
    for (int a = 0; a < 3; ++a) {
      if (at[a] < 0 || at[a] >= cells_[level][a]) return Kind::Outside;
    }
    if (level > 0 && is_split(level, at)) return Kind::Split;
    if (level + 1 == count()) return Kind::Leaf;
    return is_split(level + 1, {at[0] >> 1, at[1] >> 1, at[2] >> 1}) ? Kind::Leaf : Kind::Merged;
  }

 private:
  std::size_t index(int level, const Index3& at) const {
    const Index3& n = cells_[level];
    return at[0] + std::size_t(n[0]) * (at[1] + std::size_t(n[1]) * at[2]);
  }
  bool is_split(int level, const Index3& at) const { return split_[level][index(level, at)] != 0; }
  bool any_near(int level, const Index3& parent) const;

  std::vector<Index3> cells_;                     ///< per level
  std::vector<std::vector<std::uint8_t>> split_;  ///< per level and cell; of level 0 `small`
};

}  // namespace isochor::geometry
