#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/dense_law.h"
#include "isochor/materials/smooth.h"

namespace isochor::materials {

namespace detail {

/// c/2 (e^Q - 1) with Q = E : B : E. `normal` are the factors of the squares of E11, E22, E33,
/// `cross` of 2 E22 E33, 2 E33 E11, 2 E11 E22, `shear` of 2 E23^2, 2 E31^2, 2 E12^2. The scale is
/// c = 2 mu / shear[0], which makes mu the shear modulus at rest in the plane across the fibres.
template <class T>
ISOCHOR_LARGE_KERNEL GreenEnergy<T> exponential_energy(const T (&E)[6], const T& mu,
                                                       const Vec3<T>& normal, const Vec3<T>& cross,
                                                       const Vec3<T>& shear) {
  const T c = T(2) * mu / shear[0];
  T t[6];  // B : E
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    t[i] = normal[i] * E[i] + cross[k] * E[j] + cross[j] * E[k];
    t[3 + i] = shear[i] * E[3 + i];
  }
  T Q(0);
  for (int i = 0; i < 3; ++i) Q = Q + t[i] * E[i] + T(2) * t[3 + i] * E[3 + i];
  const Smooth<T> g = smooth_exp(Q);
  GreenEnergy<T> result;
  result.energy = T(0.5) * c * g.value;
  for (int a = 0; a < 6; ++a) {
    result.stress[a] = c * g.slope * t[a];
    for (int b = 0; b < 6; ++b) result.tangent[a][b] = T(2) * c * g.curvature * t[a] * t[b];
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    result.tangent[i][i] = result.tangent[i][i] + c * g.slope * normal[i];
    result.tangent[j][k] = result.tangent[j][k] + c * g.slope * cross[i];
    result.tangent[k][j] = result.tangent[k][j] + c * g.slope * cross[i];
    result.tangent[3 + i][3 + i] = result.tangent[3 + i][3 + i] + T(0.5) * c * g.slope * shear[i];
  }
  return result;
}

}  // namespace detail

/// Fung's exponential, orthotropic (Fung 1993; Humphrey 2002):
///     c/2 (e^Q - 1) + kappa/2 (J - 1)^2,
///     Q = b1 E11^2 + b2 E22^2 + b3 E33^2 + 2 b23 E22 E33 + 2 b31 E33 E11 + 2 b12 E11 E22
///         + 2 s23 E23^2 + 2 s31 E31^2 + 2 s12 E12^2,
/// c = 2 mu / s23, kappa = lambda + 2 mu / 3. For Q > 30 the exponential is continued.
struct Fung : DenseLaw<Fung, VolumeMatrix> {
  static constexpr std::string_view kName = "fung";
  static constexpr std::array kShape{
      ShapeParameter{"b1", 1, Range::positive(), "resists stretch along the fibres"},
      ShapeParameter{"b2", 1, Range::positive(), "resists stretch across them, in the sheet"},
      ShapeParameter{"b3", 1, Range::positive(), "resists stretch normal to the sheet"},
      ShapeParameter{"b23", 0, Range::at_least(0), "couples E22 and E33"},
      ShapeParameter{"b31", 0, Range::at_least(0), "couples E33 and E11"},
      ShapeParameter{"b12", 0, Range::at_least(0), "couples E11 and E22"},
      ShapeParameter{"s23", 1, Range::positive(), "resists shear across the fibres"},
      ShapeParameter{"s31", 1, Range::positive(), "resists shear of fibres against the normal"},
      ShapeParameter{"s12", 1, Range::positive(), "resists shear of fibres in the sheet"}};

  template <class T>
  static ISOCHOR_KERNEL GreenEnergy<T> green(const T (&E)[6], const Parameters<T>& p) {
    const auto& b = p.shape;
    return detail::exponential_energy<T>(E, p.mu, {b[0], b[1], b[2]}, {b[3], b[4], b[5]},
                                         {b[6], b[7], b[8]});
  }
};

}  // namespace isochor::materials
