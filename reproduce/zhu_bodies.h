#pragma once

#include <string_view>

#include "isochor/staggered/domain.h"

/// Bodies of cells for the experiments of Zhu 2010, in a unit cube.
namespace isochor::reproduce {

/// A cube of n cells per axis, held at one face or at two opposite ones.
template <int D>
staggered::Domain<D> elastic_box(int n, bool both_ends);

/// By name: "box", "ball" (held at a cap), "torus" (held at one side), "bone" (a ball around a rod
/// that is held), "L" (held at one end), "plate" (6/32 thick, clamped along one edge), "figure"
/// (a trunk with a head and four limbs, held at hands and feet).
inline constexpr std::string_view kZhuBodies[] = {"box", "ball",  "torus", "bone",
                                                  "L",   "plate", "figure"};
staggered::Domain<3> zhu_body(std::string_view name, int n);

}  // namespace isochor::reproduce
