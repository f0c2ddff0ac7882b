#pragma once

#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "isochor/materials/corotated.h"
#include "isochor/materials/fixed_corotated.h"
#include "isochor/materials/neo_hookean.h"
#include "isochor/materials/neo_hookean_isochoric.h"
#include "isochor/materials/st_venant_kirchhoff.h"
#include "isochor/materials/stable_neo_hookean.h"

/// Every law of the program, once. Scene keys, tests and documentation follow from this list.
namespace isochor::materials {

using Laws = std::tuple<Corotated, FixedCorotated, StVenantKirchhoff, NeoHookean,
                        NeoHookeanIsochoric, StableNeoHookean>;

inline constexpr std::size_t kLawCount = std::tuple_size_v<Laws>;

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

}  // namespace isochor::materials
