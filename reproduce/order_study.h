#pragma once

#include <span>
#include <vector>

#include "isochor/math/vec3.h"

/// How fast results at fixed points converge when the cells of a lattice are halved.
namespace isochor::reproduce {

/// Root of the mean square distance.
double rms_difference(std::span<const Vec3d> a, std::span<const Vec3d> b);

/// Of three results on lattices h, h/2, h/4, coarsest first: their order p by the ratio of the two
/// differences, and what they tend to by Richardson's extrapolation with that p. Differences that
/// do not shrink leave the order at 0 or below and the finest result as the limit.
struct Extrapolation {
  double order = 0;
  std::vector<Vec3d> limit;
};
Extrapolation extrapolate(std::span<const Vec3d> coarse, std::span<const Vec3d> middle,
                          std::span<const Vec3d> fine);

/// Least-squares slope of log2(error) by halvings.
double fitted_order(std::span<const double> errors);

}  // namespace isochor::reproduce
