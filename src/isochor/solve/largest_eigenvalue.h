#pragma once

#include <algorithm>
#include <span>

#include "isochor/math/reduce.h"
#include "isochor/math/vec3.h"
#include "isochor/solve/lanczos.h"

namespace isochor::solve {

/// Memory of largest_eigenvalue; all of one size.
struct EigenvalueMemory {
  std::span<Vec3f> z, r, p, image;
};

/// The largest eigenvalue of D^-1 A, from above but for luck: conjugate gradients from a right-hand
/// side that has some of everything show it by their coefficients. precondition(): z = D^-1 r.
/// multiply(): image = A p. restrain(v): takes away what may not move. The same bits for any number
/// of threads.
///
/// Ten iterations do where eigenvalues lie close. One that stands out, as that of a few crushed or
/// nearly empty cells, shows late, and until then by how little the others are known: so it goes on
/// until that is little.
template <class Precondition, class Multiply, class Restrain>
double largest_eigenvalue(const EigenvalueMemory& memory, ThreadArena& arena,
                          Precondition&& precondition, Multiply&& multiply, Restrain&& restrain) {
  constexpr int kLeast = 10, kMost = 20;
  constexpr double kKnown = 0.04;  // relative
  constexpr std::size_t kGrain = 2048;
  const auto& [z, r, p, image] = memory;
  parallel_for(arena, r.size(), kGrain, [&](std::size_t i) {
    for (int a = 0; a < 3; ++a) {
      std::uint32_t bits = static_cast<std::uint32_t>(3 * i + a) * 2654435761u;
      bits = (bits ^ (bits >> 15)) * 2246822519u;
      r[i][a] = static_cast<float>(bits >> 8) / (1 << 23) - 1.0f;
    }
  });
  restrain(r);
  const auto product = [&](std::span<const Vec3f> v, std::span<const Vec3f> w) {
    return deterministic_sum(arena, v.size(), [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += double(dot(v[i], w[i]));
      return sum;
    });
  };
  const auto measure = [&] {
    precondition();
    restrain(z);
    return product(r, z);
  };
  Tridiagonal lanczos;
  double rho = measure();
  std::copy(z.begin(), z.end(), p.begin());
  Tridiagonal::Eigenvalue largest;
  for (int k = 0; k < kMost && rho > 0; ++k) {
    if (k >= kLeast && largest.error <= kKnown * largest.value) break;
    multiply();
    const double curvature = product(p, image);
    const auto step = static_cast<float>(rho / curvature);
    parallel_for(arena, r.size(), kGrain, [&](std::size_t i) { r[i] = r[i] - step * image[i]; });
    const double next = measure();
    lanczos.add(rho, curvature, next);
    largest = lanczos.largest();
    const auto keep = static_cast<float>(next / rho);
    parallel_for(arena, p.size(), kGrain, [&](std::size_t i) { p[i] = z[i] + keep * p[i]; });
    rho = next;
  }
  return largest.value + largest.error;
}

}  // namespace isochor::solve
