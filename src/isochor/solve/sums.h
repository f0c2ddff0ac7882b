#pragma once

#include "isochor/math/reduce.h"

namespace isochor::solve {

/// f(0) + f(1) + ..., with the same bits for any number of threads.
template <class F>
double sum_of(ThreadArena& arena, std::size_t count, F&& f) {
  return deterministic_sum(arena, count, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += f(i);
    return sum;
  });
}

}  // namespace isochor::solve
