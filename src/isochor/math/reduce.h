#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "isochor/base/parallel.h"

namespace isochor {

/// The sum over [0, count) of what partial(begin, end) returns for each chunk. Chunks and the
/// order of addition depend on `count` only: the same bits for any number of threads.
template <class F>
double deterministic_sum(ThreadArena& arena, std::size_t count, F&& partial) {
  constexpr std::size_t kMaxChunks = 256, kSmallest = 2048;
  const std::size_t grain = std::max(kSmallest, (count + kMaxChunks - 1) / kMaxChunks);
  std::array<double, kMaxChunks> sums;
  arena.for_chunks(count, grain, [&](std::size_t begin, std::size_t end) {
    sums[begin / grain] = partial(begin, end);
  });
  double total = 0;
  for (std::size_t c = 0; c * grain < count; ++c) total += sums[c];
  return total;
}

}  // namespace isochor
