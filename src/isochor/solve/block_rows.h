#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/math/mat3.h"

namespace isochor::solve {

/// Where a sparse matrix has its 3x3 blocks: row i in columns[first[i]] to [first[i + 1]),
/// ascending.
struct BlockPattern {
  std::vector<std::int32_t> first{0};
  std::vector<std::int32_t> columns;

  std::size_t rows() const { return first.size() - 1; }
  std::size_t bytes() const {
    return (first.capacity() + columns.capacity()) * sizeof(std::int32_t);
  }
};

/// Its blocks, in the order of the columns.
template <class T>
using Blocks = std::vector<Mat3<T>>;

inline constexpr std::size_t kRowGrain = 512;

/// Row i of A x.
template <class T>
Vec3<T> row_times(const BlockPattern& pattern, const Blocks<T>& blocks, std::size_t i,
                  std::span<const Vec3<T>> x) {
  Vec3<T> sum{0, 0, 0};
  for (std::int32_t k = pattern.first[i]; k < pattern.first[i + 1]; ++k) {
    sum += blocks[k] * x[pattern.columns[k]];
  }
  return sum;
}

/// y = A x.
template <class T>
void multiply(const BlockPattern& pattern, const Blocks<T>& blocks, std::span<const Vec3<T>> x,
              std::span<Vec3<T>> y, ThreadArena& arena) {
  parallel_for(arena, pattern.rows(), kRowGrain,
               [&](std::size_t i) { y[i] = row_times(pattern, blocks, i, x); });
}

}  // namespace isochor::solve
