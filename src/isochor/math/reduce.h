#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "isochor/base/parallel.h"

namespace isochor {

/// The sum over [0, count) of what partial(begin, end) returns for each chunk, of `smallest` or
/// more. Chunks and the order of addition depend on `count` only: the same bits for any number of
/// threads.
template <class F>
auto deterministic_sum(ThreadArena& arena, std::size_t count, F&& partial,
                       std::size_t smallest = 2048) {
  using Sum = decltype(partial(std::size_t(0), std::size_t(0)));
  constexpr std::size_t kMaxChunks = 256;
  const std::size_t grain = std::max(smallest, (count + kMaxChunks - 1) / kMaxChunks);
  std::array<Sum, kMaxChunks> sums;
  arena.for_chunks(count, grain, [&](std::size_t begin, std::size_t end) {
    sums[begin / grain] = partial(begin, end);
  });
  Sum total{};
  for (std::size_t c = 0; c * grain < count; ++c) total += sums[c];
  return total;
}

}  // namespace isochor
