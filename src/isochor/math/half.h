#pragma once

#include <bit>
#include <cstdint>

namespace isochor {

/// A number of half precision (IEEE 754 binary16) in memory: eleven bits, magnitudes up to 65504.
/// Nothing is computed in it.
struct Half {
  std::uint16_t bits;
};

/// Exact.
inline float to_float(Half half) {
  constexpr std::uint32_t kExponents = 0x7c00u << 13;
  const std::uint32_t sign = std::uint32_t(half.bits & 0x8000u) << 16;
  std::uint32_t bits = std::uint32_t(half.bits & 0x7fffu) << 13;
  const std::uint32_t exponent = bits & kExponents;
  bits += (127u - 15u) << 23;
  if (exponent == kExponents) {  // infinity or NaN
    bits += (128u - 16u) << 23;
  } else if (exponent ==
             0) {  // below the smallest normal number: as a difference of two normal ones
    bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits + (1u << 23)) -
                                        std::bit_cast<float>(113u << 23));
  }
  return std::bit_cast<float>(bits | sign);
}

/// The nearest, ties to even; beyond all finite ones, infinity.
inline Half to_half(float number) {
  const auto all = std::bit_cast<std::uint32_t>(number);
  const auto sign = std::uint16_t(all >> 16 & 0x8000u);
  std::uint32_t bits = all & 0x7fffffffu;
  if (bits >= 0x47800000u) {  // 65536 and more, or NaN
    return {std::uint16_t(sign | (bits > 0x7f800000u ? 0x7e00u : 0x7c00u))};
  }
  if (bits < 0x38800000u) {  // below 2^-14: adding a large number rounds as wanted
    const float sum = std::bit_cast<float>(bits) + std::bit_cast<float>(126u << 23);
    return {std::uint16_t(sign | (std::bit_cast<std::uint32_t>(sum) - (126u << 23)))};
  }
  const std::uint32_t odd = bits >> 13 & 1;
  bits += ((15u - 127u) << 23) + 0xfffu + odd;
  return {std::uint16_t(sign | bits >> 13)};
}

}  // namespace isochor
