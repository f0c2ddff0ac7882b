#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/fibre.h"
#include "isochor/materials/neo_hookean_isochoric.h"

namespace isochor::materials {

/// Holzapfel-Gasser-Ogden (2006): an isochoric neo-Hookean matrix with two families of fibres in
/// the plane of the first two axes, at +angle and -angle from the first, spread by `dispersion`
/// (0: aligned, 1/3: in all directions). Fibres feel the whole of F, volume change included
/// (Nolan et al. 2014): with the isochoric part alone they would not stop a swelling body.
struct HolzapfelGasserOgden : DenseLaw<HolzapfelGasserOgden, NeoHookeanIsochoric> {
  static constexpr std::string_view kName = "holzapfel_gasser_ogden";
  static constexpr std::array kShape{
      ShapeParameter{"beta", 0, Range::at_least(0), "as for neo_hookean_isochoric"},
      ShapeParameter{"k1", 0, Range::at_least(0), "stiffness of the fibres", Unit::Pressure},
      ShapeParameter{"k2", 1, Range::positive(), "how fast fibres stiffen"},
      ShapeParameter{"dispersion", 0, Range::between(0, 1.0 / 3), "spread of the fibres"},
      ShapeParameter{"angle", 0, Range::between(0, 1.5707963267948966),
                     "between a family of fibres and the fibre direction", Unit::Angle}};

  template <class T>
  static ISOCHOR_KERNEL GreenEnergy<T> green(const T (&E)[6], const Parameters<T>& p) {
    const T k1 = p.fibres * p.mu * p.shape[1], k2 = p.shape[2], spread = p.shape[3], c = p.shape[4];
    const T s = sqrt(max(T(1) - c * c, T(0))), aligned = T(1) - T(3) * spread, o(0);
    GreenEnergy<T> result;
    for (const double side : {1.0, -1.0}) {
      const T H[6] = {spread + aligned * c * c, spread + aligned * s * s, spread, o, o,
                      T(side) * aligned * c * s};
      add_fibres(E, H, k1, k2, result);
    }
    return result;
  }
};

}  // namespace isochor::materials
