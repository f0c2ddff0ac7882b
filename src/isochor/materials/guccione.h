#pragma once

#include "isochor/materials/fung.h"

namespace isochor::materials {

/// Guccione's law of heart muscle (Guccione et al. 1991): Fung's exponential with
///     Q = bf E11^2 + bt (E22^2 + E33^2 + 2 E23^2) + 2 bfs (E12^2 + E31^2),
/// C = 2 mu / bt, and kappa/2 (J - 1)^2 beside it. Active fibres add a second Piola-Kirchhoff
/// stress of activation active_stress, whatever their length (Land et al. 2015).
struct Guccione : DenseLaw<Guccione, VolumeMatrix> {
  static constexpr std::string_view kName = "guccione";
  static constexpr std::array kShape{
      ShapeParameter{"bf", 8, Range::positive(), "resists stretch along the fibres"},
      ShapeParameter{"bt", 2, Range::positive(), "resists stretch and shear across them"},
      ShapeParameter{"bfs", 4, Range::positive(), "resists shear of fibres against the rest"},
      ShapeParameter{"active_stress", 0, Range::at_least(0),
                     "second Piola-Kirchhoff stress along fibres of full activation; default 0",
                     Unit::Pressure}};

  template <class T>
  static ISOCHOR_KERNEL GreenEnergy<T> green(const T (&E)[6], const Parameters<T>& p) {
    const T &bf = p.shape[0], &bt = p.shape[1], &bfs = p.shape[2], o(0);
    GreenEnergy<T> result =
        detail::exponential_energy<T>(E, p.mu, {bf, bt, bt}, {o, o, o}, {bt, bfs, bfs});
    const T tension = p.activation * p.fibres * p.mu * p.shape[3];
    result.energy = result.energy + tension * E[0];
    result.stress[0] = result.stress[0] + tension;
    return result;
  }
};

}  // namespace isochor::materials
