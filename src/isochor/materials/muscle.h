#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/fibre.h"
#include "isochor/materials/stable_neo_hookean.h"

namespace isochor::materials {

/// Hill-type muscle: a stable neo-Hookean matrix, passive fibres along the first axis that stiffen
/// exponentially, and an active nominal stress
///     activation active_stress f(stretch),
/// f being the force-length curve of fibre.h. Force-velocity does not matter in statics.
struct Muscle : DenseLaw<Muscle, StableNeoHookean> {
  static constexpr std::string_view kName = "muscle";
  static constexpr std::array kShape{
      ShapeParameter{"k1", 0, Range::at_least(0), "stiffness of passive fibres", Unit::Pressure},
      ShapeParameter{"k2", 1, Range::positive(), "how fast passive fibres stiffen"},
      ShapeParameter{"active_stress", 20, Range::at_least(0),
                     "nominal stress of full activation at the optimal stretch; default 20 mu",
                     Unit::Pressure},
      ShapeParameter{"optimal_stretch", 1, Range::between(0.5, 2),
                     "stretch at which active muscle is strongest"},
      ShapeParameter{"width", 0.65, Range::between(0.1, 0.95),
                     "how far from the optimal stretch activity ends, relative to it"}};

  template <class T>
  static ISOCHOR_KERNEL GreenEnergy<T> green(const T (&E)[6], const Parameters<T>& p) {
    const T o(0), along[6] = {T(1), o, o, o, o, o};
    GreenEnergy<T> result;
    const T mu = p.fibres * p.mu;
    add_fibres(E, along, mu * p.shape[0], p.shape[1], result);
    add_active(E, p.activation * mu * p.shape[2], p.shape[3], p.shape[4], result);
    return result;
  }
};

}  // namespace isochor::materials
