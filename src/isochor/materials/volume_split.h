#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/registry.h"
#include "isochor/materials/volume_measure.h"

namespace isochor::materials {

/// A law as Psi0(F) + kappa M^2(F) / 2 [Patterson12 sec 2.1]. Energies are linear in the two
/// moduli, so that Psi0 is the law itself with kappa = 0: with lambda = -mu_share mu.
struct VolumeSplit {
  double mu_share = 0;  ///< kappa = lambda + mu_share mu
  VolumeMeasure measure = VolumeMeasure::J;
  bool has_penalty = false;  ///< the first number of its shape is beta of RatioVolume

  double kappa(double mu, double lambda) const { return lambda + mu_share * mu; }
};

namespace detail {

struct NamedSplit {
  std::string_view law;
  VolumeSplit split;
};
inline constexpr std::array kVolumeSplits{
    NamedSplit{Linear::kName, {0, VolumeMeasure::Linear}},
    NamedSplit{Corotated::kName, {0, VolumeMeasure::Corotated}},
    NamedSplit{FixedCorotated::kName, {0, VolumeMeasure::J}},
    NamedSplit{StVenantKirchhoff::kName, {0, VolumeMeasure::Green}},
    NamedSplit{NeoHookean::kName, {0, VolumeMeasure::LogJ}},
    NamedSplit{NeoHookeanIsochoric::kName, {2.0 / 3, VolumeMeasure::J, true}},
    NamedSplit{StableNeoHookean::kName, {5.0 / 6, VolumeMeasure::J}},
    NamedSplit{MooneyRivlin::kName, {2.0 / 3, VolumeMeasure::J}},
    NamedSplit{Ogden::kName, {2.0 / 3, VolumeMeasure::J}},
    NamedSplit{Guccione::kName, {2.0 / 3, VolumeMeasure::J}},
    NamedSplit{Fung::kName, {2.0 / 3, VolumeMeasure::J}},
    NamedSplit{HolzapfelGasserOgden::kName, {2.0 / 3, VolumeMeasure::J, true}},
    NamedSplit{Muscle::kName, {5.0 / 6, VolumeMeasure::J}},
    NamedSplit{MuscleMooneyRivlin::kName, {2.0 / 3, VolumeMeasure::LogJ}},
};

constexpr bool every_law_is_split() {
  for (std::size_t i = 0; i < kLawCount; ++i) {
    if (kVolumeSplits[i].law != kLawNames[i]) return false;
  }
  return kVolumeSplits.size() == kLawCount;
}
static_assert(every_law_is_split(), "list laws here in the order of the registry");

}  // namespace detail

/// Of the law with that index.
constexpr const VolumeSplit& volume_split(int law) {
  return detail::kVolumeSplits[static_cast<std::size_t>(law)].split;
}

}  // namespace isochor::materials
