#include "isochor/materials/material_spec.h"

#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/materials/presets.h"
#include "isochor/materials/registry.h"

namespace isochor::materials {
namespace {

/// A law's own numbers, from the preset if that is of the same law.
void fill_shape(MaterialSpec& spec, const Preset* preset) {
  const int law = law_index(spec.law);
  if (law < 0) return;
  const std::span<const ShapeParameter> list = shape_parameters(law);
  const bool from_preset = preset && preset->law == spec.law;
  spec.pressures = {};
  for (std::size_t i = 0; i < list.size(); ++i) {
    spec.shape[i] = list[i].fallback;
    if (!from_preset) continue;
    const double value = preset->shape[i];
    if (list[i].unit == Unit::Angle) {
      spec.shape[i] = std::acos(value);
    } else if (list[i].unit != Unit::Pressure) {
      spec.shape[i] = value;
    }
  }
}

struct Moduli {
  double mu, lambda;
};

Moduli moduli(const MaterialSpec& spec) {
  const int given = spec.young.has_value() + spec.poisson.has_value() + spec.mu.has_value() +
                    spec.lambda.has_value() + spec.kappa.has_value();
  if (const Preset* preset = find_preset(spec.preset); preset && given == 0) {
    return {preset->mu, preset->kappa - 2 * preset->mu / 3};
  }
  if (given == 2 && spec.mu && spec.lambda) return {*spec.mu, *spec.lambda};
  if (given == 2 && spec.mu && spec.kappa) return {*spec.mu, *spec.kappa - 2 * *spec.mu / 3};
  if (given == 2 && spec.young && spec.poisson) {
    const double e = *spec.young, nu = *spec.poisson;
    return {e / (2 * (1 + nu)), e * nu / ((1 + nu) * (1 - 2 * nu))};
  }
  throw Error(Fault::Input, spec.place.text(),
              "the stiffness must be given by exactly one pair of numbers",
              "give young and poisson, mu and lambda, or mu and kappa");
}

std::string pascals(double modulus) {
  return std::isinf(modulus) ? "infinite" : fmt::format("{:.6g} Pa", modulus);
}

Mat3d axes_of(const MaterialSpec& spec) {
  if (!(norm(spec.fibre) > 0)) {
    throw Error(Fault::Input, spec.place.text("fibre"), "is a direction without length",
                "give the direction of the fibres, as [1, 0, 0]");
  }
  return axes_along(spec.fibre, spec.sheet);
}

}  // namespace

Mat3d axes_along(const Vec3d& fibre, const Vec3d& sheet) {
  const Vec3d f = fibre * (1 / norm(fibre));
  Vec3d s = sheet - dot(sheet, f) * f;
  if (norm(s) <= 1e-9 * norm(sheet)) {
    // The axis most across the fibres is one.
    int least = 0;
    for (int i = 1; i < 3; ++i) least = std::abs(f[i]) < std::abs(f[least]) ? i : least;
    Vec3d axis{0, 0, 0};
    axis[least] = 1;
    s = axis - dot(axis, f) * f;
  }
  s *= 1 / norm(s);
  return {{f, s, cross(f, s)}};
}

std::span<const ShapeParameter> shape_parameters(int law) {
  std::span<const ShapeParameter> result;
  with_law(law, [&]<class Law>(Law) { result = Law::kShape; });
  return result;
}

bool is_isotropic(int law) {
  bool result = true;
  with_law(law, [&]<class Law>(Law) { result = kIsotropic<Law>; });
  return result;
}

void describe(FieldVisitor& visitor, MaterialSpec& spec) {
  visitor.place(spec.place);
  visitor.choice("preset", spec.preset, preset_names(),
                 "a measured material; what else is said here goes before it");
  const Preset* preset = find_preset(spec.preset);
  // Defaults depend on preset and law, and are filled in once: a spec may be described again.
  const bool fresh = !spec.defaults_of.starts_with(spec.preset + " ");
  if (preset && fresh) {
    spec.law = preset->law;
    spec.density = preset->density;
  }
  visitor.choice("law", spec.law, kLawNames, "constitutive law");
  if (const std::string key = spec.preset + " " + spec.law; spec.defaults_of != key) {
    fill_shape(spec, preset);
    spec.defaults_of = key;
  }
  visitor.number("young", spec.young, Unit::Pressure, Range::positive(),
                 "Young's modulus; goes with poisson");
  visitor.number("poisson", spec.poisson, Unit::None, {.min = -1, .max = 0.5, .open_min = true},
                 "Poisson's ratio; goes with young; 0.5, incompressible, with method.volume = "
                 "\"mixed\"");
  visitor.number("mu", spec.mu, Unit::Pressure, Range::positive(),
                 "shear modulus; goes with lambda or kappa, in place of young and poisson");
  visitor.number("lambda", spec.lambda, Unit::Pressure, Range::at_least(0),
                 "first Lamé parameter; goes with mu");
  visitor.number("kappa", spec.kappa, Unit::Pressure, Range::positive(),
                 "bulk modulus; goes with mu");
  visitor.number("density", spec.density, Unit::Density, Range::positive(), "mass per rest volume");
  const int law = law_index(spec.law);
  if (law < 0) return;
  const std::span<const ShapeParameter> list = shape_parameters(law);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].unit == Unit::Pressure) {
      visitor.number(list[i].name, spec.pressures[i], list[i].unit, list[i].range, list[i].doc);
    } else {
      visitor.number(list[i].name, spec.shape[i], list[i].unit, list[i].range, list[i].doc);
    }
  }
  if (!is_isotropic(law)) {
    visitor.vector("fibre", spec.fibre.e, Unit::None, {}, "direction of the fibres at rest");
    visitor.vector("sheet", spec.sheet.e, Unit::None, {},
                   "a direction across the fibres, in the plane that they form");
  }
}

Material resolve(const MaterialSpec& spec) {
  Material material;
  material.law = law_index(spec.law);
  const Moduli m = moduli(spec);
  material.mu = m.mu;
  material.lambda = m.lambda;
  material.density = spec.density;
  material.axes = axes_of(spec);
  const Preset* preset = find_preset(spec.preset);
  const std::span<const ShapeParameter> list = shape_parameters(material.law);
  for (std::size_t i = 0; i < list.size(); ++i) {
    double& value = material.shape[i];
    value = spec.shape[i];
    if (list[i].unit == Unit::Angle) value = std::cos(value);
    if (list[i].unit == Unit::Pressure) {
      value = list[i].fallback;
      if (preset && preset->law == spec.law) value = preset->shape[i];
      if (spec.pressures[i]) value = *spec.pressures[i] / m.mu;
      if (value > list[i].most_of_mu) {
        throw Error(Fault::Input, spec.place.text(list[i].name),
                    fmt::format("is {:.6g} Pa, more than {:g} of the shear modulus of {:.6g} Pa",
                                value * m.mu, list[i].most_of_mu, m.mu),
                    "make it smaller, or the shear modulus larger");
      }
    }
    if (list[i].nonzero && value == 0) {
      throw Error(Fault::Input, spec.place.text(list[i].name), "is zero",
                  "leave the term out by a share of zero instead");
    }
  }
  return material;
}

std::string summary(const Material& material) {
  std::string text = fmt::format(
      "{}, mu = {:.6g} Pa, lambda = {}, kappa = {}, young = {:.6g} Pa, poisson = {:.6g}, "
      "density = {:.6g} kg/m^3",
      kLawNames[material.law], material.mu, pascals(material.lambda), pascals(material.kappa()),
      material.young(), material.poisson(), material.density);
  const std::span<const ShapeParameter> list = shape_parameters(material.law);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double value = material.shape[i];
    if (list[i].unit == Unit::Pressure) {
      text += fmt::format(", {} = {:.6g} Pa", list[i].name, value * material.mu);
    } else {
      text += fmt::format(", {} = {:.6g}{}", list[i].name,
                          list[i].unit == Unit::Angle ? std::acos(value) : value,
                          list[i].unit == Unit::Angle ? " rad" : "");
    }
  }
  return text;
}

}  // namespace isochor::materials
