#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "isochor/base/fields.h"
#include "isochor/materials/parameters.h"
#include "isochor/math/mat3.h"

namespace isochor::materials {

/// A material as a scene describes it. Stiffness is given as (young, poisson), (mu, lambda) or
/// (mu, kappa), or comes from a preset.
struct MaterialSpec {
  std::string preset = "none";
  std::string law = "corotated";
  std::optional<double> young, poisson, mu, lambda, kappa;
  double density = 1000;
  /// As the law's kShape lists them; those that are pressures may be left out.
  std::array<double, kMaxShape> shape{};
  std::array<std::optional<double>, kMaxShape> pressures{};
  Vec3d fibre{1, 0, 0}, sheet{0, 1, 0};
  Place place;
  std::string defaults_of;  ///< preset and law whose defaults have been filled in
};
void describe(FieldVisitor& visitor, MaterialSpec& spec);

/// A material ready to be evaluated. All in SI.
struct Material {
  int law = 0;                            ///< index in Laws
  double mu = 0, lambda = 0;              ///< Lamé parameters, Pa; lambda may be infinite
  std::array<double, kMaxShape> shape{};  ///< as laws see them
  double density = 0;                     ///< kg/m^3
  Mat3d axes = Mat3d::identity();         ///< columns: fibre, sheet, normal

  double kappa() const { return lambda + 2 * mu / 3; }
  bool incompressible() const { return std::isinf(lambda); }
  double young() const { return 2 * mu * (1 + poisson()); }
  double poisson() const { return incompressible() ? 0.5 : lambda / (2 * (lambda + mu)); }
};
/// Resolves whichever pair was given. An incomplete or doubled description is an input error.
Material resolve(const MaterialSpec& spec);

/// Fibre and sheet direction made orthonormal, and their normal. A sheet along the fibres, which do
/// have a length, is replaced by any direction across them.
Mat3d axes_along(const Vec3d& fibre, const Vec3d& sheet);

/// The resolved numbers in one line: "stable_neo_hookean, mu = 3356 Pa, ...".
std::string summary(const Material& material);

}  // namespace isochor::materials
