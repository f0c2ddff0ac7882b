#pragma once

#include "isochor/math/mat3.h"

/// Isotropic laws are functions of the singular values of F = U diag(sigma) V^T. Their stress is
/// U diag(p) V^T, and their tangent in that frame has only twelve numbers, whatever the law.
namespace isochor::materials {

/// dP/dF in the frame of the SVD. With D = U^T dF V:
/// - the diagonal of D is mapped by the symmetric 3x3 matrix `stretch`;
/// - each pair (D_ij, D_ji) splits into a symmetric part, scaled by `flip`, and a skew part, scaled
///   by `twist`. Entry k of both belongs to the pair (i, j) that leaves k out.
/// All eigenvalues of the tangent are those of `stretch` and the entries of `flip` and `twist`.
template <class T>
struct PrincipalTangent {
  Mat3<T> stretch;
  Vec3<T> flip;
  Vec3<T> twist;
};

/// The stress differential dP for a given dF.
template <class T>
ISOCHOR_KERNEL Mat3<T> stress_differential(const PrincipalTangent<T>& tangent, const Mat3<T>& U,
                                           const Mat3<T>& V, const Mat3<T>& dF) {
  const Mat3<T> D = transpose_times(U, dF * V);
  Mat3<T> out = Mat3<T>::diagonal(tangent.stretch * Vec3<T>{D(0, 0), D(1, 1), D(2, 2)});
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const T symmetric = tangent.flip[k] * (T(0.5) * (D(i, j) + D(j, i)));
    const T skew = tangent.twist[k] * (T(0.5) * (D(i, j) - D(j, i)));
    out(i, j) = symmetric + skew;
    out(j, i) = symmetric - skew;
  }
  return times_transpose(U * out, V);
}

/// dF : (dP/dF) : dF for the rank-one dF = u w^T, both given in the frame of the SVD
/// (u = U^T a, w = V^T b for dF = a b^T): what the diagonal of a stiffness matrix is made of.
template <class T>
ISOCHOR_KERNEL T rank_one_curvature(const PrincipalTangent<T>& tangent, const Vec3<T>& u,
                                    const Vec3<T>& w) {
  const Vec3<T> diagonal{u[0] * w[0], u[1] * w[1], u[2] * w[2]};
  T sum = dot(diagonal, tangent.stretch * diagonal);
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const T plus = u[i] * w[j] + u[j] * w[i], minus = u[i] * w[j] - u[j] * w[i];
    sum = sum + T(0.5) * (tangent.flip[k] * plus * plus + tangent.twist[k] * minus * minus);
  }
  return sum;
}

}  // namespace isochor::materials
