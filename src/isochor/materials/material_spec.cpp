#include "isochor/materials/material_spec.h"

#include "isochor/base/error.h"
#include "isochor/materials/registry.h"

namespace isochor::materials {

void describe(FieldVisitor& visitor, MaterialSpec& spec) {
  visitor.place(spec.place);
  visitor.choice("law", spec.law, kLawNames, "constitutive law");
  visitor.number("young", spec.young, Unit::Pressure, Range::positive(),
                 "Young's modulus; goes with poisson");
  visitor.number("poisson", spec.poisson, Unit::None,
                 {.min = -1, .max = 0.5, .open_min = true, .open_max = true},
                 "Poisson's ratio; goes with young");
  visitor.number("mu", spec.mu, Unit::Pressure, Range::positive(),
                 "shear modulus; goes with lambda, in place of young and poisson");
  visitor.number("lambda", spec.lambda, Unit::Pressure, Range::at_least(0),
                 "first Lamé parameter; goes with mu");
  visitor.number("density", spec.density, Unit::Density, Range::positive(), "mass per rest volume");
}

Lame lame_parameters(const MaterialSpec& spec) {
  const bool by_young = spec.young && spec.poisson;
  const bool by_lame = spec.mu && spec.lambda;
  const int given = spec.young.has_value() + spec.poisson.has_value() + spec.mu.has_value() +
                    spec.lambda.has_value();
  if (given != 2 || by_young == by_lame) {
    throw Error(Fault::Input, spec.place.text(),
                "the stiffness must be given by exactly one pair of numbers",
                "give young and poisson, or mu and lambda");
  }
  if (by_lame) return {*spec.mu, *spec.lambda};
  const double e = *spec.young, nu = *spec.poisson;
  return {e / (2 * (1 + nu)), e * nu / ((1 + nu) * (1 - 2 * nu))};
}

}  // namespace isochor::materials
