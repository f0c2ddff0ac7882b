#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/principal_law.h"

namespace isochor::materials {

/// Linear elasticity: mu |e|^2 + lambda/2 tr^2(e), e = (F + F^T)/2 - I. For small strains only: it
/// takes a rotation for a stretch.
struct Linear {
  static constexpr std::string_view kName = "linear";
  static constexpr std::array<ShapeParameter, 0> kShape{};
  template <class T>
  using Tangent = PrincipalTangent<T>;

  template <class T>
  static ISOCHOR_KERNEL T energy(const Mat3<T>& F, const Parameters<T>& p) {
    const Mat3<T> e = strain(F);
    const T t = trace(e);
    return p.mu * contract(e, e) + T(0.5) * p.lambda * t * t;
  }

  template <class T>
  static ISOCHOR_KERNEL Response<T> respond(const Mat3<T>& F, const Parameters<T>& p) {
    const Mat3<T> e = strain(F);
    const T t = trace(e), pressure = p.lambda * t;
    return {p.mu * contract(e, e) + T(0.5) * pressure * t,
            (T(2) * p.mu) * e + Mat3<T>::diagonal({pressure, pressure, pressure})};
  }

  template <class T>
  static ISOCHOR_KERNEL PrincipalTangent<T> linearise(const Mat3<T>&, const Parameters<T>& p) {
    const T o(0), twice = T(2) * p.mu;
    PrincipalTangent<T> tangent;
    tangent.U = tangent.V = Mat3<T>::identity();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) tangent.stretch(i, j) = i == j ? p.lambda + twice : p.lambda;
    }
    tangent.flip = {twice, twice, twice};
    tangent.twist = {o, o, o};
    return tangent;
  }

 private:
  template <class T>
  static ISOCHOR_KERNEL Mat3<T> strain(const Mat3<T>& F) {
    return T(0.5) * (F + transpose(F)) - Mat3<T>::identity();
  }
};

}  // namespace isochor::materials
