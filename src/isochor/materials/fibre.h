#pragma once

#include "isochor/materials/dense_law.h"
#include "isochor/materials/smooth.h"

/// Energies of fibres, for laws that have some.
namespace isochor::materials {

/// Adds k1 / (2 k2) (e^(k2 e^2) - 1) for the fibre strain e = H : C - 1, where fibres are longer
/// than at rest; H, of trace 1, says how they are spread. Buckled fibres carry nothing.
template <class T>
ISOCHOR_LARGE_KERNEL void add_fibres(const T (&E)[6], const T (&H)[6], const T& k1, const T& k2,
                                     GreenEnergy<T>& to) {
  T e(0);
  for (int i = 0; i < 3; ++i) e = e + T(2) * (H[i] * E[i] + T(2) * H[3 + i] * E[3 + i]);
  const T taut = select(e > T(0), k1, T(0));
  const Smooth<T> g = smooth_exp(k2 * e * e);
  const T slope = taut * e * g.slope;
  const T curvature = taut * (g.slope + T(2) * k2 * e * e * g.curvature);
  to.energy = to.energy + T(0.5) * taut / k2 * g.value;
  for (int a = 0; a < 6; ++a) {
    to.stress[a] = to.stress[a] + T(2) * slope * H[a];
    for (int b = 0; b < 6; ++b) {
      to.tangent[a][b] = to.tangent[a][b] + T(4) * curvature * H[a] * H[b];
    }
  }
}

/// The force-length curve of active muscle: 1 at the optimal length, nothing beyond `width` to
/// either side, (1 - y^2)^2 between, y = (length / optimal - 1) / width. As a function of the
/// length: its integral, itself, its slope.
template <class T>
ISOCHOR_KERNEL Smooth<T> force_length(const T& length, const T& optimal, const T& width) {
  const T reach = width * optimal;
  const T y = min(max((length - optimal) / reach, T(-1)), T(1)), y2 = y * y, dip = T(1) - y2;
  return {reach * (y * (T(1) - y2 * (T(2.0 / 3) - T(0.2) * y2)) + T(8.0 / 15)), dip * dip,
          T(-4) * y * dip / reach};
}

/// How long fibres along the first axis are, relative to rest. Curves of active muscle end before
/// the length does, so that nothing is divided by zero.
template <class T>
ISOCHOR_KERNEL T fibre_length(const T (&E)[6]) {
  return sqrt(max(T(1) + T(2) * E[0], T(1e-6)));
}

/// Adds fibres along the first axis with an energy f of their length: its slope is the nominal
/// stress, T(lambda) = Psi'(lambda) in [Patterson12 sec 5].
template <class T>
ISOCHOR_KERNEL void add_tension(const T& length, const Smooth<T>& f, GreenEnergy<T>& to) {
  const T inverse = T(1) / length;
  to.energy = to.energy + f.value;
  to.stress[0] = to.stress[0] + f.slope * inverse;
  to.tangent[0][0] = to.tangent[0][0] + inverse * inverse * (f.curvature - f.slope * inverse);
}

/// Adds active muscle along the first axis: a nominal stress of `tension` times the force-length
/// curve.
template <class T>
ISOCHOR_KERNEL void add_active(const T (&E)[6], const T& tension, const T& optimal, const T& width,
                               GreenEnergy<T>& to) {
  const T length = fibre_length(E);
  const Smooth<T> f = force_length(length, optimal, width);
  add_tension<T>(length, {tension * f.value, tension * f.slope, tension * f.curvature}, to);
}

}  // namespace isochor::materials
