#pragma once

#include "isochor/math/jacobi_eigen.h"
#include "isochor/math/mat3.h"
#include "isochor/math/symmetric_eigen.h"

/// dP/dF as linearising writes it and as solvers apply it, in one of two forms: twelve numbers in
/// the frame of the SVD for isotropic laws, a symmetric 9x9 matrix for all others.
namespace isochor::materials {

/// What becomes of directions in which the energy curves down.
enum class Definiteness {
  None,      ///< they stay: the exact tangent
  Clamp,     ///< their eigenvalues become zero: the nearest semi-definite tangent
  Absolute,  ///< their eigenvalues change sign (Chen et al. 2024)
};

/// Isotropic laws are functions of the singular values of F = U diag(sigma) V^T. With
/// D = U^T dF V:
/// - the diagonal of D is mapped by the symmetric 3x3 matrix `stretch`;
/// - each pair (D_ij, D_ji) splits into a symmetric part, scaled by `flip`, and a skew part, scaled
///   by `twist`. Entry k of both belongs to the pair (i, j) that leaves k out.
/// All eigenvalues of the tangent are those of `stretch` and the entries of `flip` and `twist`.
template <class T>
struct PrincipalTangent {
  Mat3<T> U, V;
  Mat3<T> stretch;
  Vec3<T> flip, twist;
};

/// The upper triangle of a symmetric 9x9 matrix, by columns; entry (i, j) of a 3x3 matrix has the
/// number i + 3 j.
template <class T>
struct DenseTangent {
  static constexpr int kSize = 45;
  T entry[kSize];

  static constexpr int index(int r, int c) {
    return r <= c ? c * (c + 1) / 2 + r : r * (r + 1) / 2 + c;
  }
  ISOCHOR_KERNEL T& operator()(int r, int c) { return entry[index(r, c)]; }
  ISOCHOR_KERNEL const T& operator()(int r, int c) const { return entry[index(r, c)]; }
};

/// The stress differential dP for a given dF.
template <class T>
ISOCHOR_KERNEL Mat3<T> stress_differential(const PrincipalTangent<T>& tangent, const Mat3<T>& dF) {
  const Mat3<T> D = transpose_times(tangent.U, dF * tangent.V);
  Mat3<T> out = Mat3<T>::diagonal(tangent.stretch * Vec3<T>{D(0, 0), D(1, 1), D(2, 2)});
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const T symmetric = tangent.flip[k] * (T(0.5) * (D(i, j) + D(j, i)));
    const T skew = tangent.twist[k] * (T(0.5) * (D(i, j) - D(j, i)));
    out(i, j) = symmetric + skew;
    out(j, i) = symmetric - skew;
  }
  return times_transpose(tangent.U * out, tangent.V);
}

template <class T>
ISOCHOR_KERNEL Mat3<T> stress_differential(const DenseTangent<T>& tangent, const Mat3<T>& dF) {
  Mat3<T> out = Mat3<T>::zero();
  for (int r = 0; r < 9; ++r) {
    for (int c = 0; c < 9; ++c) {
      out(r % 3, r / 3) = muladd(tangent(r, c), dF(c % 3, c / 3), out(r % 3, r / 3));
    }
  }
  return out;
}

/// dF : (dP/dF) : dF for dF = e_i g^T, i = 0, 1, 2: what the diagonal of a stiffness matrix is made
/// of.
template <class T>
ISOCHOR_KERNEL Vec3<T> rank_one_curvatures(const PrincipalTangent<T>& tangent, const Vec3<T>& g) {
  const Vec3<T> w = transpose(tangent.V) * g;
  Vec3<T> result;
  for (int row = 0; row < 3; ++row) {
    const Vec3<T> u{tangent.U(row, 0), tangent.U(row, 1), tangent.U(row, 2)};
    const Vec3<T> diagonal{u[0] * w[0], u[1] * w[1], u[2] * w[2]};
    T sum = dot(diagonal, tangent.stretch * diagonal);
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const T plus = u[i] * w[j] + u[j] * w[i], minus = u[i] * w[j] - u[j] * w[i];
      sum = sum + T(0.5) * (tangent.flip[k] * plus * plus + tangent.twist[k] * minus * minus);
    }
    result[row] = sum;
  }
  return result;
}

template <class T>
ISOCHOR_KERNEL Vec3<T> rank_one_curvatures(const DenseTangent<T>& tangent, const Vec3<T>& g) {
  Vec3<T> result{T(0), T(0), T(0)};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int l = 0; l < 3; ++l) {
        result[i] = muladd(tangent(i + 3 * j, i + 3 * l), g[j] * g[l], result[i]);
      }
    }
  }
  return result;
}

namespace detail {

template <class T>
ISOCHOR_KERNEL T fixed(const T& eigenvalue, Definiteness fix) {
  return fix == Definiteness::Clamp ? max(eigenvalue, T(0)) : abs(eigenvalue);
}

}  // namespace detail

/// Makes a tangent positive semi-definite. One that is so already stays as it is, to the last bit.
template <class T>
ISOCHOR_LARGE_KERNEL void make_definite(PrincipalTangent<T>& tangent, Definiteness fix) {
  if (fix == Definiteness::None) return;
  const SymmetricEigen<T> f = symmetric_eigen(tangent.stretch);
  Vec3<T> values;
  for (int k = 0; k < 3; ++k) {
    values[k] = detail::fixed(f.values[k], fix);
    tangent.flip[k] = detail::fixed(tangent.flip[k], fix);
    tangent.twist[k] = detail::fixed(tangent.twist[k], fix);
  }
  const T lowest = min(f.values[0], min(f.values[1], f.values[2]));
  const Mat3<T> definite = times_transpose(f.vectors * Mat3<T>::diagonal(values), f.vectors);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      tangent.stretch(i, j) = select(lowest < T(0), definite(i, j), tangent.stretch(i, j));
    }
  }
}

template <class T>
ISOCHOR_LARGE_KERNEL void make_definite(DenseTangent<T>& tangent, Definiteness fix) {
  if (fix == Definiteness::None) return;
  const JacobiEigen<T, 9> f = jacobi_eigen<T, 9>(tangent);
  T lowest = f.values[0], values[9];
  for (int k = 0; k < 9; ++k) {
    lowest = min(lowest, f.values[k]);
    values[k] = detail::fixed(f.values[k], fix);
  }
  for (int c = 0; c < 9; ++c) {
    for (int r = 0; r <= c; ++r) {
      T sum(0);
      for (int k = 0; k < 9; ++k) {
        sum = muladd(f.vectors[k][r] * values[k], f.vectors[k][c], sum);
      }
      tangent(r, c) = select(lowest < T(0), sum, tangent(r, c));
    }
  }
}

}  // namespace isochor::materials
