#pragma once

#include <cstdint>

#include "isochor/math/vec3.h"

namespace isochor::run {

/// Linear-light red, green and blue, 0 to 1 where displayable.
using Colour = Vec3<float>;

enum class Colormap {
  Sequential,  ///< deep violet over teal to yellow; lightness rises evenly
  Diverging,   ///< blue over near-white (at 0.5) to red; lightness falls evenly on both sides
};

/// The colour at `t` in [0, 1]; values outside are clamped, NaN gives `kNoValueColour`.
Colour map_colour(Colormap map, double t);

/// For places where a field has no value.
inline constexpr Colour kNoValueColour{0.25f, 0.25f, 0.25f};

/// The sRGB transfer function, both ways.
std::uint8_t encode_srgb(float linear);
Colour decode_srgb(std::uint32_t rrggbb);

}  // namespace isochor::run
