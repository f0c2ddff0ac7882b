#pragma once

/// What multigrid is measured against: the scalar Poisson equation, of which nothing can be harder
/// than it is.
namespace isochor::reproduce {

/// The factor per V(1,1)-cycle on a periodic cube of n^3 points, n a power of two: Gauss and Seidel
/// point after point, and the transfers of a component of the displacement. Geometric mean of the
/// last ten of `cycles`, from random numbers on.
double poisson_factor(int n, int cycles);

}  // namespace isochor::reproduce
