#pragma once

#include "isochor/materials/invariant_law.h"
#include "isochor/materials/smooth.h"
#include "isochor/materials/volume_measure.h"

/// Measures of volume written like laws whose energy is M: the stress is then Q = dM/dF and the
/// tangent the second derivative.
namespace isochor::materials {

/// A function m(J) of the volume ratio: derivatives by F need no singular values.
template <class Measure>
struct RatioMeasure : InvariantLaw<Measure> {
  template <class T>
  static ISOCHOR_KERNEL T energy(const Invariants<T>& s, const Parameters<T>& p) {
    return Measure::of(s.j, p).value;
  }
  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Invariants<T>& s,
                                                            const Parameters<T>& p) {
    const Smooth<T> m = Measure::of(s.j, p);
    return {.j = m.slope, .jj = m.curvature};
  }
  template <class T>
  static ISOCHOR_KERNEL Response<T> respond(const Mat3<T>& F, const Parameters<T>& p) {
    const Smooth<T> m = Measure::of(volume_change(F), p);
    return {m.value, m.slope * cofactors(F)};
  }
};

struct LogVolume : RatioMeasure<LogVolume> {
  template <class T>
  static ISOCHOR_KERNEL Smooth<T> of(const T& change, const Parameters<T>&) {
    return smooth_log(change);
  }
};

/// J - 1; or, where the law asks for a compression penalty with beta = p.shape[0], the m(J) with
/// m^2 / 2 = U(J; beta) [Sheen21 (13)]: (J - 1) sqrt(1 + beta (J - 1)^2 / 6).
struct RatioVolume : RatioMeasure<RatioVolume> {
  template <class T>
  static ISOCHOR_KERNEL Smooth<T> of(const T& change, const Parameters<T>& p) {
    const T steep = T(1.0 / 6) * p.shape[0] * change * change;
    const T root = sqrt(T(1) + steep), inverse = T(1) / root;
    const T cube = inverse * inverse * inverse;
    return {change * root, (T(1) + T(2) * steep) * inverse,
            T(1.0 / 6) * p.shape[0] * change * (T(3) + T(2) * steep) * cube};
  }
};

struct CorotatedVolume : InvariantLaw<CorotatedVolume> {
  static constexpr bool kHasStretches = true;
  using InvariantLaw::energy;
  template <class T>
  static ISOCHOR_KERNEL T energy(const Invariants<T>& s, const Parameters<T>&) {
    return s.t;
  }
  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Invariants<T>&,
                                                            const Parameters<T>&) {
    return {.t = T(1)};
  }
};

struct GreenVolume : InvariantLaw<GreenVolume> {
  using InvariantLaw::energy;
  template <class T>
  static ISOCHOR_KERNEL T energy(const Invariants<T>& s, const Parameters<T>&) {
    return T(0.5) * s.i1;
  }
  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Invariants<T>&,
                                                            const Parameters<T>&) {
    return {.i1 = T(0.5)};
  }
};

/// Its frame is that of the lattice, as that of linear elasticity: "singular values" are then the
/// diagonal of F.
struct LinearVolume {
  template <class T>
  static ISOCHOR_KERNEL Vec3<T> stress_of(const Vec3<T>&, const Parameters<T>&) {
    return {T(1), T(1), T(1)};
  }
  template <class T>
  static ISOCHOR_KERNEL void tangent_of(const Vec3<T>&, const Parameters<T>&,
                                        PrincipalTangent<T>& tangent) {
    tangent.stretch = Mat3<T>::zero();
    tangent.flip = tangent.twist = {T(0), T(0), T(0)};
  }
  template <class T>
  static ISOCHOR_KERNEL Response<T> respond(const Mat3<T>& F, const Parameters<T>&) {
    return {trace(F - Mat3<T>::identity()), Mat3<T>::identity()};
  }
};

/// Calls f(Measure{}): the type is found once per loop, not per cell.
template <class F>
void with_measure(VolumeMeasure measure, F&& f) {
  switch (measure) {
    case VolumeMeasure::Linear:
      return f(LinearVolume{});
    case VolumeMeasure::Corotated:
      return f(CorotatedVolume{});
    case VolumeMeasure::Green:
      return f(GreenVolume{});
    case VolumeMeasure::LogJ:
      return f(LogVolume{});
    case VolumeMeasure::J:
      return f(RatioVolume{});
  }
}

}  // namespace isochor::materials
