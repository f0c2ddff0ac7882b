#pragma once

#include <array>
#include <concepts>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "isochor/materials/corotated.h"
#include "isochor/materials/fixed_corotated.h"
#include "isochor/materials/fung.h"
#include "isochor/materials/guccione.h"
#include "isochor/materials/holzapfel_gasser_ogden.h"
#include "isochor/materials/linear.h"
#include "isochor/materials/mooney_rivlin.h"
#include "isochor/materials/muscle.h"
#include "isochor/materials/muscle_mooney_rivlin.h"
#include "isochor/materials/neo_hookean.h"
#include "isochor/materials/neo_hookean_isochoric.h"
#include "isochor/materials/ogden.h"
#include "isochor/materials/st_venant_kirchhoff.h"
#include "isochor/materials/stable_neo_hookean.h"

/// Every law of the program, once. Scene keys, tests, kernels and documentation follow from this
/// list.
namespace isochor::materials {

/// A law: pure functions of F and parameters, templates on the number type.
template <class L>
concept MaterialLaw = requires(const Mat3d& F, const Parameters<double>& p) {
  { L::kName } -> std::convertible_to<std::string_view>;
  {std::span<const ShapeParameter>(L::kShape)};
  { L::energy(F, p) } -> std::same_as<double>;
  { L::respond(F, p) } -> std::same_as<Response<double>>;
  { L::linearise(F, p) } -> std::same_as<typename L::template Tangent<double>>;
};

template <MaterialLaw... L>
using LawList = std::tuple<L...>;

using Laws = LawList<Linear, Corotated, FixedCorotated, StVenantKirchhoff, NeoHookean,
                     NeoHookeanIsochoric, StableNeoHookean, MooneyRivlin, Ogden, Guccione, Fung,
                     HolzapfelGasserOgden, Muscle, MuscleMooneyRivlin>;

inline constexpr std::size_t kLawCount = std::tuple_size_v<Laws>;

/// Whether a law has no directions of its own: its tangent is then a PrincipalTangent.
template <MaterialLaw L>
inline constexpr bool kIsotropic =
    std::same_as<typename L::template Tangent<double>, PrincipalTangent<double>>;

inline constexpr auto kLawNames = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<std::string_view, kLawCount>{std::tuple_element_t<I, Laws>::kName...};
}
(std::make_index_sequence<kLawCount>{});

/// Index of a law by name, or -1.
constexpr int law_index(std::string_view name) {
  for (std::size_t i = 0; i < kLawCount; ++i) {
    if (kLawNames[i] == name) return static_cast<int>(i);
  }
  return -1;
}

/// Calls f(Law{}) for the law with that index: the type is found once per loop, not per cell.
template <class F>
void with_law(int index, F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((index == static_cast<int>(I) ? f(std::tuple_element_t<I, Laws>{}) : void()), ...);
  }
  (std::make_index_sequence<kLawCount>{});
}

/// What a law's kShape lists.
std::span<const ShapeParameter> shape_parameters(int law);

/// Whether the law with that index is isotropic.
bool is_isotropic(int law);

}  // namespace isochor::materials
