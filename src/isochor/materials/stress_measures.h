#pragma once

#include <cmath>

#include "isochor/math/mat3.h"

namespace isochor::materials {

/// What is shown of a Cauchy stress.
struct StressMeasures {
  double pressure;   ///< -tr(sigma) / 3, positive in compression, Pa
  double von_mises;  ///< Pa
};
inline StressMeasures measures_of(const Mat3d& sigma) {
  const double mean = trace(sigma) / 3;
  const Mat3d deviator = sigma - Mat3d::diagonal({mean, mean, mean});
  return {-mean, std::sqrt(1.5 * contract(deviator, deviator))};
}

}  // namespace isochor::materials
