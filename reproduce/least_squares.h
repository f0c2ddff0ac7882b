#pragma once

#include <span>
#include <vector>

#include "isochor/base/function_ref.h"

namespace isochor::reproduce {

/// A number to be found between two others. One that is always positive is searched by its
/// logarithm.
struct Unknown {
  double start, low, high;
};

struct Fit {
  std::vector<double> values;
  double rms = 0;  ///< root of the mean square of the residuals
  int iterations = 0;
  bool converged = false;  ///< no step makes it noticeably better
};

/// Fills `residuals`, whose size is the number of measurements, for the given values.
using Residuals = FunctionRef<void(std::span<const double> values, std::span<double> residuals)>;

/// Least squares by Levenberg and Marquardt, with derivatives by differences; steps are cut off at
/// the bounds. Finds one local minimum.
Fit least_squares(const Residuals& residuals, std::size_t count, std::span<const Unknown> unknowns);

}  // namespace isochor::reproduce
