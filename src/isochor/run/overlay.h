#pragma once

#include <string_view>

#include "isochor/run/image.h"
#include "isochor/run/studio.h"

namespace isochor::run {

/// At the right edge: the colours from low to high, their ends and middle as numbers, and `label`.
void draw_colour_bar(Image& image, const ColourScale& scale, std::string_view label);

/// One line at the lower left; a longer one is cut with dots.
void draw_caption(Image& image, std::string_view caption);

}  // namespace isochor::run
