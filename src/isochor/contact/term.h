#pragma once

#include <algorithm>

#include "isochor/contact/pair.h"
#include "isochor/math/mat3.h"

namespace isochor::contact {

/// An energy of up to four points with its derivatives, as plain data for Newton's method.
struct Term {
  std::array<std::int32_t, 4> points{};  ///< of the method
  std::int32_t count = 0;                ///< of points
  std::int32_t collider = -1;            ///< its number; -1: of a pair
  double energy = 0;                     ///< J
  FourVectors gradient{};                ///< N; the force on a point is minus this
  std::array<Mat3d, 16> hessian{};  ///< N/m; the derivative of gradient i by point j is 4 i + j
};

/// What becomes of the second derivatives of an energy that is not convex.
enum class Curvature {
  None,  ///< zero: energy and gradient are all that is wanted
  Exact,
  Definite,  ///< the nearest matrix without negative eigenvalues, per term
};

/// a b^T
inline Mat3d outer(const Vec3d& a, const Vec3d& b) { return {{a * b[0], a * b[1], a * b[2]}}; }

}  // namespace isochor::contact
