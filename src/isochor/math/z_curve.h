#pragma once

#include <array>
#include <cstdint>

namespace isochor {

/// The place of a cell on a Z-shaped curve through all of them (Morton 1966): the bits of its
/// coordinates in turn, x lowest. Coordinates are from 0 to 2^21 - 1.
inline std::uint64_t place_on_z_curve(const std::array<std::uint32_t, 3>& cell) {
  std::uint64_t place = 0;
  for (int bit = 0; bit < 21; ++bit) {
    for (int a = 0; a < 3; ++a) place |= std::uint64_t(cell[a] >> bit & 1) << (3 * bit + a);
  }
  return place;
}

}  // namespace isochor
