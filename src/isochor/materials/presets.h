#pragma once

#include <array>
#include <span>
#include <string_view>

#include "isochor/materials/parameters.h"

namespace isochor::materials {

/// Measured numbers under a name, with where they come from.
struct Preset {
  std::string_view name;
  std::string_view law;
  double mu;                            ///< Pa
  double kappa;                         ///< Pa
  double density;                       ///< kg/m^3
  std::array<double, kMaxShape> shape;  ///< as Material::shape
  std::string_view source;
};
std::span<const Preset> presets();

/// Null for "none" and for unknown names.
const Preset* find_preset(std::string_view name);

/// "none", then the presets.
std::span<const std::string_view> preset_names();

}  // namespace isochor::materials
