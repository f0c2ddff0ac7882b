#pragma once

#include <limits>
#include <string_view>

#include "isochor/base/fields.h"
#include "isochor/math/scalar.h"

namespace isochor::materials {

/// The most numbers that a law has besides its two moduli.
inline constexpr int kMaxShape = 9;

/// What a law is evaluated with. An energy is linear in the two moduli, so that painting a body
/// stiffer or softer scales them and leaves the shape of its curves alone.
template <class T>
struct Parameters {
  T mu, lambda;          ///< Pa, per cell
  T activation{0};       ///< of muscle, 0 to 1
  T fibres{1};           ///< factor of all that fibres do, passive and active, per cell
  T shape[kMaxShape]{};  ///< as Law::kShape lists them, without unit
};

/// kappa, Pa.
template <class T>
ISOCHOR_KERNEL T bulk_modulus(const Parameters<T>& p) {
  return p.lambda + T(2.0 / 3) * p.mu;
}

/// One number of Parameters::shape, as scenes know it.
struct ShapeParameter {
  std::string_view name;
  double fallback;  ///< if the scene does not say; a pressure in multiples of mu
  Range range;
  std::string_view doc;
  /// How scenes give it. Laws see multiples of mu for a pressure, the cosine for an angle.
  Unit unit = Unit::None;
  double most_of_mu = std::numeric_limits<double>::infinity();  ///< largest such multiple
  bool nonzero = false;
};

}  // namespace isochor::materials
