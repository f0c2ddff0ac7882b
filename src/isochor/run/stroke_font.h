#pragma once

#include <string_view>

#include "isochor/run/colormap.h"
#include "isochor/run/image.h"

namespace isochor::run {

enum class Align { Left, Centre, Right };

/// Width in pixels of a line of text whose capitals are `cap_height` pixels high.
double text_width(std::string_view text, double cap_height);

/// Draws one line of text, anti-aliased, its baseline at `y`. Printable ASCII; any other code point
/// shows as a box. What falls outside the image is clipped.
void draw_text(Image& image, double x, double y, std::string_view text, double cap_height,
               const Colour& colour, Align align = Align::Left);

}  // namespace isochor::run
