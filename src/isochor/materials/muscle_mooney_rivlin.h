#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/fibre.h"
#include "isochor/materials/mooney_rivlin.h"

namespace isochor::materials {

/// The matrix of MuscleMooneyRivlin: Mooney-Rivlin with kappa/2 ln^2 J in place of its volume term.
struct MooneyRivlinLog {
  static constexpr bool kHasSecondInvariant = true;

  template <class T>
  static ISOCHOR_KERNEL T energy(const Invariants<T>& s, const Parameters<T>& p) {
    const T log_j = smooth_log(s.j).value;
    return MooneyRivlin::energy(s, without_volume(p)) + T(0.5) * bulk_modulus(p) * log_j * log_j;
  }

  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Invariants<T>& s,
                                                            const Parameters<T>& p) {
    InvariantDerivatives<T> d = MooneyRivlin::derivatives(s, without_volume(p));
    const Smooth<T> l = smooth_log(s.j);
    const T kappa = bulk_modulus(p);
    d.j = d.j + kappa * l.value * l.slope;
    d.jj = d.jj + kappa * (l.slope * l.slope + l.value * l.curvature);
    return d;
  }

 private:
  template <class T>
  static ISOCHOR_KERNEL Parameters<T> without_volume(Parameters<T> p) {
    p.lambda = T(-2.0 / 3) * p.mu;
    return p;
  }
};

/// Tension of fibres relative to that of full activation, by e = length - 1, the length relative to
/// the optimal one; each is an integral with its first two derivatives.
///
/// Passive fibres: p1 (e^(p2 e) - p2 e - 1) from e = 0 to 0.4, straight on from there.
template <class T>
ISOCHOR_KERNEL Smooth<T> passive_tension(const T& e, const T& p1, const T& p2) {
  constexpr double kStraight = 0.4;
  const T bent = min(max(e, T(0)), T(kStraight)), beyond = max(e - T(kStraight), T(0));
  const T x = p2 * bent, growth = expm1(x);
  const T tension = p1 * (growth - x), slope = p1 * p2 * growth;
  return {
      p1 * ((growth - x) / p2 - T(0.5) * x * bent) + beyond * (tension + T(0.5) * beyond * slope),
      tension + beyond * slope, slope};
}

/// Active fibres: two parabolas on each side of the optimal length, 1 - 25/6 e^2 to |e| = 0.4, then
/// 25/3 (|e| - 0.6)^2 down to nothing at 0.6.
template <class T>
ISOCHOR_KERNEL Smooth<T> active_tension(const T& e) {
  constexpr double kInner = 0.4, kEnd = 0.6, kBend = 25.0 / 6;
  const T side = select(e < T(0), T(-1), T(1)), y = abs(e), near = min(y, T(kInner));
  const T left = min(max(y, T(kInner)), T(kEnd)) - T(kEnd);
  const auto is_near = y < T(kInner);
  const T half =
      near - T(kBend / 3) * near * near * near + T(2 * kBend / 3) * (left * left * left + T(0.008));
  // The integral of the whole side is 17/45.
  return {side * half + T(17.0 / 45),
          select(is_near, T(1) - T(kBend) * near * near, T(2 * kBend) * left * left),
          side * select(is_near, T(-2 * kBend) * near, T(4 * kBend) * left)};
}

/// Muscle as simulations of Lee, Sifakis and Terzopoulos (2009) have it, whom [Patterson12 sec 6]
/// follows: a Mooney-Rivlin matrix with kappa/2 ln^2 J, and along the first axis the nominal stress
///     active_stress (activation f_active(e) + f_passive(e)),   e = stretch / optimal_stretch - 1.
struct MuscleMooneyRivlin : DenseLaw<MuscleMooneyRivlin, MooneyRivlinLog> {
  static constexpr std::string_view kName = "muscle_mooney_rivlin";
  static constexpr std::array kShape{
      MooneyRivlin::kShape[0],
      ShapeParameter{"active_stress", 2, Range::at_least(0),
                     "nominal stress of full activation at the optimal stretch; default 2 mu",
                     Unit::Pressure},
      ShapeParameter{"p1", 0.05, Range::at_least(0),
                     "tension of passive fibres, as a part of the active stress"},
      ShapeParameter{"p2", 6.6, Range::positive(), "how fast passive fibres stiffen"},
      ShapeParameter{"optimal_stretch", 1, Range::between(0.5, 2),
                     "stretch at which active muscle is strongest and passive fibres begin"}};

  template <class T>
  static ISOCHOR_KERNEL GreenEnergy<T> green(const T (&E)[6], const Parameters<T>& p) {
    const T optimal = p.shape[4], length = fibre_length(E), e = length / optimal - T(1);
    const Smooth<T> passive = passive_tension(e, p.shape[2], p.shape[3]);
    const Smooth<T> active = active_tension(e);
    const T stress = p.fibres * p.mu * p.shape[1];
    GreenEnergy<T> result;
    add_tension<T>(length,
                   {stress * optimal * (passive.value + p.activation * active.value),
                    stress * (passive.slope + p.activation * active.slope),
                    stress / optimal * (passive.curvature + p.activation * active.curvature)},
                   result);
    return result;
  }
};

}  // namespace isochor::materials
