#pragma once

#include <span>
#include <string>
#include <vector>

#include "reproduce/least_squares.h"
#include "reproduce/measurements.h"
#include "reproduce/specimen.h"

namespace isochor::reproduce {

/// A law with some of its numbers to be found.
struct FitProblem {
  /// Where a number goes: the shear modulus, or a place in Parameters::shape.
  static constexpr int kMu = -1;
  struct Number {
    int slot;
    Unknown range;
  };

  int law = 0;
  double kappa_of_mu = 100;
  std::array<double, materials::kMaxShape> shape{};  ///< those that are given
  std::vector<Number> numbers;
};

struct MaterialFit {
  Specimen specimen;
  double misfit = 0;  ///< as `misfit` below
  std::size_t points = 0;
};

/// Root of the mean square of the relative errors of stress. An error is relative to the measured
/// stress, or to a tenth of the largest one of its curve where that is more: near rest, machines
/// measure noise.
double misfit(const Specimen& specimen, std::span<const MeasuredCurve> curves);

/// Makes the misfit least, near the given start.
MaterialFit fit_law(const FitProblem& problem, std::span<const MeasuredCurve> curves);

/// The best of several fits, where a law has more than one minimum: number `which` of the problem
/// starts from each of `starts`.
MaterialFit fit_law(FitProblem problem, std::span<const MeasuredCurve> curves, std::size_t which,
                    std::span<const double> starts);

/// The stress of a specimen where a curve was measured, Pa; NaN where it has no state.
std::vector<double> stress_along(const Specimen& specimen, const MeasuredCurve& curve);

/// "mu = 17.2 kPa, alpha1 = 1.3": mu and those numbers of the law that were to be found.
std::string numbers_text(const FitProblem& problem, const Specimen& found);

}  // namespace isochor::reproduce
