#include "isochor/run/overlay.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "isochor/run/stroke_font.h"

namespace isochor::run {
namespace {

const Colour kInk = decode_srgb(0x2b3038);

/// Sizes are given for a picture of 800 lines.
double scale_of(const Image& image) { return image.height / 800.0; }

void fill(Image& image, double left, double top, double right, double bottom, const Colour& c) {
  const auto limit = [](double v, int size) {
    return static_cast<int>(std::clamp(std::round(v), 0.0, static_cast<double>(size)));
  };
  for (int y = limit(top, image.height); y < limit(bottom, image.height); ++y) {
    for (int x = limit(left, image.width); x < limit(right, image.width); ++x) {
      for (int i = 0; i < 3; ++i) image.pixel(x, y)[i] = encode_srgb(c[i]);
    }
  }
}

std::string number(double value, double span) {
  const double size = std::abs(value);
  if (size < 1e-6 * span) return "0";  // nothing beside the whole scale
  if (size < 1000 || size >= 1e6) return fmt::format("{:.3g}", value);
  const double unit = std::pow(10.0, std::floor(std::log10(size)) - 2);
  return fmt::format("{:.0f}", std::round(value / unit) * unit);
}

}  // namespace

void draw_colour_bar(Image& image, const ColourScale& scale, std::string_view label) {
  const double s = scale_of(image), text = 11.5 * s;
  const double right = image.width - 110 * s, left = right - 20 * s;
  const double top = 0.27 * image.height, bottom = 0.75 * image.height;
  fill(image, left - s, top - s, right + s, bottom + s, kInk);
  const int rows = std::max(1, static_cast<int>(std::round(bottom) - std::round(top)));
  for (int row = 0; row < rows; ++row) {
    const double value = scale.high + (scale.low - scale.high) * (row + 0.5) / rows;
    const double y = std::round(top) + row;
    fill(image, left, y, right, y + 1, scale.colour(value));
  }
  const double span = std::max(std::abs(scale.low), std::abs(scale.high));
  for (int i = 0; i <= 4; ++i) {
    const double t = i / 4.0, y = top + t * (bottom - top);
    fill(image, right + s, y - 0.6 * s, right + (i % 2 ? 4 : 7) * s, y + 0.6 * s, kInk);
    if (i % 2) continue;
    const double value = scale.high + t * (scale.low - scale.high);
    draw_text(image, right + 12 * s, y + 0.5 * text, number(value, span), text, kInk);
  }
  // Centred over the bar unless that would leave the picture.
  const double half = 0.5 * text_width(label, text);
  const double centre = std::min(left + 10 * s, image.width - 14 * s - half);
  draw_text(image, centre, top - 20 * s, label, text, kInk, Align::Centre);
}

void draw_caption(Image& image, std::string_view caption) {
  const double s = scale_of(image), text = 13 * s, room = image.width - 56 * s;
  std::string shown(caption);
  while (!shown.empty() && text_width(shown, text) > room) {
    shown.resize(shown.size() > 4 ? shown.size() - 4 : 0);
    if (!shown.empty()) shown += "...";
  }
  draw_text(image, 28 * s, image.height - 30 * s, shown, text, kInk);
}

}  // namespace isochor::run
