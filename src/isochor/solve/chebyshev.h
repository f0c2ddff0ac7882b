#pragma once

#include <array>

namespace isochor::solve {

/// The smoother of multigrid: `degree` steps of Jacobi's method, 1 to 4, accelerated by the
/// polynomials that make the bound of a V-cycle smallest (Lottes 2023, fourth-kind Chebyshev with
/// weights). It needs to know no more than the largest eigenvalue of D^-1 A. Being a fixed
/// polynomial in D^-1 A, the same before and after the coarse correction, it keeps a cycle
/// symmetric.
///
/// Calls step(momentum, gain, weight, first) for
///     d = momentum d + gain D^-1 (b - A x),  x += weight d,
/// where d counts as zero in the first step.
template <class Step>
void chebyshev_smooth(double largest_eigenvalue, int degree, Step&& step) {
  constexpr std::array<std::array<double, 4>, 4> kWeights{
      {{1.12500000000000},
       {1.02387287570313, 1.26408905371085},
       {1.00842544782028, 1.08867839208730, 1.33753125909618},
       {1.00391310427285, 1.04035811188593, 1.14863498546254, 1.38268869241000}}};
  for (int k = 1; k <= degree; ++k) {
    step((2.0 * k - 3) / (2.0 * k + 1), (8.0 * k - 4) / ((2.0 * k + 1) * largest_eigenvalue),
         kWeights[degree - 1][k - 1], k == 1);
  }
}

}  // namespace isochor::solve
