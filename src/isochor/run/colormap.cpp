#include "isochor/run/colormap.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace isochor::run {
namespace {

/// Oklab in polar form: equal steps in it look equal, so a map that moves evenly in it is
/// perceptually uniform by construction.
Colour from_oklch(double lightness, double chroma, double hue_degrees) {
  const double hue = hue_degrees * std::numbers::pi / 180;
  const double a = chroma * std::cos(hue), b = chroma * std::sin(hue);
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  const auto channel = [](double x) { return static_cast<float>(std::clamp(x, 0.0, 1.0)); };
  return {channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

Colour map_colour(Colormap map, double t) {
  if (std::isnan(t)) return kNoValueColour;
  t = std::clamp(t, 0.0, 1.0);
  if (map == Colormap::Sequential) {
    // The chroma stays just inside what a screen can show along this path: nothing is clipped.
    return from_oklch(0.30 + 0.62 * t, 0.16 - 0.25 * t * (1 - t), 300 - 195 * t);
  }
  const double side = 2 * t - 1, amount = std::abs(side);
  const double hue = side < 0 ? 255 : 28;
  return from_oklch(0.96 - 0.46 * amount, 0.165 * amount, hue);
}

std::uint8_t encode_srgb(float linear) {
  const float x = std::clamp(linear, 0.0f, 1.0f);
  const float encoded = x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1 / 2.4f) - 0.055f;
  return static_cast<std::uint8_t>(std::lround(255 * encoded));
}

Colour decode_srgb(std::uint32_t rrggbb) {
  Colour c;
  for (int i = 0; i < 3; ++i) {
    const float x = static_cast<float>((rrggbb >> (16 - 8 * i)) & 255u) / 255;
    c[i] = x <= 0.04045f ? x / 12.92f : std::pow((x + 0.055f) / 1.055f, 2.4f);
  }
  return c;
}

}  // namespace isochor::run
