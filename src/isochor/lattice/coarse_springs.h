#pragma once

#include <span>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/solve/springs.h"

namespace isochor::lattice {

/// A sparse symmetric matrix of 3x3 blocks on some of the nodes of a model.
struct BlockMatrix {
  struct Entry {
    std::int32_t node;
    Mat3<float> block;
  };
  std::vector<std::int32_t> nodes;     ///< that have a row, ascending
  std::vector<std::int32_t> first{0};  ///< row r has entries [first[r], first[r + 1])
  std::vector<Entry> entries;          ///< of a row by ascending node

  std::size_t bytes() const;
};

/// What springs do to the nodes of a level. However many there are, a level has no more entries
/// than it has pairs of nodes in common cells, or tied to each other.
BlockMatrix spring_matrix(std::span<const solve::Spring> springs);

/// out += A v
void add_product(const BlockMatrix& A, std::span<const Vec3f> v, std::span<Vec3f> out,
                 ThreadArena& arena);
void add_diagonal(const BlockMatrix& A, std::span<Vec3f> diagonal);

}  // namespace isochor::lattice
