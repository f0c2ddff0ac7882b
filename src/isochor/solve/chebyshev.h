#pragma once

#include <array>

namespace isochor::solve {

/// The smoother of multigrid: `degree` steps of Jacobi's method, 1 to 4, whose lengths make them a
/// polynomial that is small wherever coarse levels are of no use (after Lottes 2023, fourth-kind
/// Chebyshev with weights; see docs/multigrid.md for how it differs). It needs to know no more than
/// the largest eigenvalue of D^-1 A. Being a fixed polynomial in D^-1 A, the same before and after
/// the coarse correction, it keeps a cycle symmetric.
///
/// Calls step(length, first) for x += length D^-1 (b - A x). The polynomial is taken by its roots
/// instead of by a three-term recurrence: there is no direction to keep. So few factors lose
/// nothing by it, the longest coming first: what it makes of rounding the others damp.
template <class Step>
void chebyshev_smooth(double largest_eigenvalue, int degree, Step&& step) {
  // Reciprocals of the roots where the largest eigenvalue is one.
  constexpr std::array<std::array<double, 4>, 4> kLengths{
      {{1.5},
       {3.57879085503552, 1.15727712246425},
       {6.65657076443670, 1.85258034207968, 1.08868357252818},
       {10.7532000060691, 2.77990263811057, 1.48753662681129, 1.06107946777216}}};
  for (int k = 0; k < degree; ++k) step(kLengths[degree - 1][k] / largest_eigenvalue, k == 0);
}

}  // namespace isochor::solve
