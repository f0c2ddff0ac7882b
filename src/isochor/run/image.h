#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace isochor::run {

/// Eight bits per channel, sRGB, rows from the top.
struct Image {
  Image() = default;
  Image(int columns, int rows)
      : width(columns), height(rows), rgb(3 * static_cast<std::size_t>(columns) * rows) {}

  std::uint8_t* pixel(int x, int y) {
    return rgb.data() + 3 * (static_cast<std::size_t>(y) * width + x);
  }
  const std::uint8_t* pixel(int x, int y) const {
    return rgb.data() + 3 * (static_cast<std::size_t>(y) * width + x);
  }

  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// The bytes of a PNG file. The same image always gives the same bytes.
std::vector<std::byte> encode_png(const Image& image);

}  // namespace isochor::run
