#pragma once

#include <optional>
#include <string>

#include "isochor/base/fields.h"

namespace isochor::materials {

/// A material as a scene describes it. Stiffness is given as (young, poisson) or (mu, lambda).
struct MaterialSpec {
  std::string law = "corotated";
  std::optional<double> young, poisson;
  std::optional<double> mu, lambda;
  double density = 1000;
  Place place;
};
void describe(FieldVisitor& visitor, MaterialSpec& spec);

/// The Lamé parameters, Pa.
struct Lame {
  double mu = 0;
  double lambda = 0;
};
/// Resolves whichever pair was given. An incomplete or doubled description is an input error.
Lame lame_parameters(const MaterialSpec& spec);

}  // namespace isochor::materials
