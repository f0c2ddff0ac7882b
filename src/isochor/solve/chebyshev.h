#pragma once

#include <array>

namespace isochor::solve {

/// The smoother of multigrid: `degree` steps of Jacobi's method, 1 to 4, whose lengths make the
/// bound of a V-cycle smallest (Lottes 2023, fourth-kind Chebyshev polynomials with weights). It
/// needs to know no more than the largest eigenvalue of D^-1 A. Being a fixed polynomial in D^-1 A,
/// the same before and after the coarse correction, it keeps a cycle symmetric.
///
/// Calls step(length, first) for x += length D^-1 (b - A x). The polynomial is taken by its roots
/// instead of by the three-term recurrence: there is no direction to keep. So few factors lose
/// nothing by it, the longest coming first: what it makes of rounding the others damp.
template <class Step>
void chebyshev_smooth(double largest_eigenvalue, int degree, Step&& step) {
  // Reciprocals of the roots where the largest eigenvalue is one.
  constexpr std::array<std::array<double, 4>, 4> kLengths{
      {{1.5},
       {3.61803398874989, 1.11803398874989},
       {6.85085507532709, 1.69202147163010, 1.05495813208737},
       {11.1702446109533, 2.53208888623796, 1.34729635533386, 1.03208888623796}}};
  for (int k = 0; k < degree; ++k) step(kLengths[degree - 1][k] / largest_eigenvalue, k == 0);
}

}  // namespace isochor::solve
