#pragma once

#include "isochor/materials/parameters.h"
#include "isochor/materials/tangent.h"
#include "isochor/math/svd.h"

namespace isochor::materials {

template <class T>
struct Response {
  T energy;        ///< per rest volume, J/m^3
  Mat3<T> stress;  ///< first Piola-Kirchhoff, Pa
};

namespace detail {

/// One copy of the SVD for all laws.
template <class T>
ISOCHOR_LARGE_KERNEL Svd<T> decompose(const Mat3<T>& F) {
  return svd(F);
}

}  // namespace detail

/// A law that is a function of the singular values of F. Law supplies
///   static T energy_of(sigma, p)                 energy density
///   static Vec3<T> stress_of(sigma, p)           its derivatives by the singular values
///   static void tangent_of(sigma, p, tangent)    fills stretch, flip and twist
template <class Law>
struct PrincipalLaw {
  template <class T>
  using Tangent = PrincipalTangent<T>;

  template <class T>
  static ISOCHOR_LARGE_KERNEL T energy(const Mat3<T>& F, const Parameters<T>& p) {
    return Law::energy_of(detail::decompose(F).sigma, p);
  }

  template <class T>
  static ISOCHOR_LARGE_KERNEL Response<T> respond(const Mat3<T>& F, const Parameters<T>& p) {
    const Svd<T> f = detail::decompose(F);
    return {Law::energy_of(f.sigma, p),
            times_transpose(f.U * Mat3<T>::diagonal(Law::stress_of(f.sigma, p)), f.V)};
  }

  template <class T>
  static ISOCHOR_LARGE_KERNEL PrincipalTangent<T> linearise(const Mat3<T>& F,
                                                            const Parameters<T>& p) {
    const Svd<T> f = detail::decompose(F);
    PrincipalTangent<T> tangent;
    tangent.U = f.U;
    tangent.V = f.V;
    Law::tangent_of(f.sigma, p, tangent);
    return tangent;
  }
};

namespace detail {

/// What divides (p_i + p_j): two singular values whose sum vanishes have no unique rotation, and
/// the twist stays finite. The sum is never negative.
template <class T>
ISOCHOR_KERNEL T twist_divisor(const T& a, const T& b) {
  return max(a + b, T(1e-6));
}

}  // namespace detail
}  // namespace isochor::materials
