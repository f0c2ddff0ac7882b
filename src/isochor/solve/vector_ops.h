#pragma once

#include <span>

#include "isochor/math/reduce.h"

/// The verbs that Krylov methods and Newton see. Vectors are plain spans of double.
namespace isochor::solve {

inline constexpr std::size_t kVectorGrain = 8192;

inline double dot(ThreadArena& arena, std::span<const double> a, std::span<const double> b) {
  return deterministic_sum(arena, a.size(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += a[i] * b[i];
    return sum;
  });
}

/// y += alpha x
inline void axpy(ThreadArena& arena, double alpha, std::span<const double> x, std::span<double> y) {
  parallel_for(arena, y.size(), kVectorGrain, [&](std::size_t i) { y[i] += alpha * x[i]; });
}

/// y = x + beta y
inline void xpby(ThreadArena& arena, std::span<const double> x, double beta, std::span<double> y) {
  parallel_for(arena, y.size(), kVectorGrain, [&](std::size_t i) { y[i] = x[i] + beta * y[i]; });
}

inline void copy(ThreadArena& arena, std::span<const double> x, std::span<double> y) {
  parallel_for(arena, y.size(), kVectorGrain, [&](std::size_t i) { y[i] = x[i]; });
}

inline void fill(ThreadArena& arena, double value, std::span<double> y) {
  parallel_for(arena, y.size(), kVectorGrain, [&](std::size_t i) { y[i] = value; });
}

}  // namespace isochor::solve
