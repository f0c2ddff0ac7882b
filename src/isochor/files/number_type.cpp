#include "isochor/files/number_type.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace isochor::files {
namespace {

template <class T>
std::vector<double> widened_from(std::span<const std::byte> bytes, bool big_endian) {
  std::vector<double> numbers(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::array<std::byte, sizeof(T)> raw;
    std::ranges::copy(bytes.subspan(i * sizeof(T), sizeof(T)), raw.begin());
    if (big_endian) std::ranges::reverse(raw);
    T number;
    std::memcpy(&number, raw.data(), sizeof number);
    numbers[i] = static_cast<double>(number);
  }
  return numbers;
}

template <class One, class Two, class Four, class Eight>
std::vector<double> by_size(std::span<const std::byte> bytes, const NumberType& type) {
  switch (type.size) {
    case 1:
      return widened_from<One>(bytes, false);
    case 2:
      return widened_from<Two>(bytes, type.big_endian);
    case 4:
      return widened_from<Four>(bytes, type.big_endian);
    case 8:
      return widened_from<Eight>(bytes, type.big_endian);
    default:
      throw std::logic_error("widened: a number of no known size");
  }
}

}  // namespace

std::vector<double> widened(std::span<const std::byte> bytes, const NumberType& type) {
  if (type.kind == NumberKind::Signed) {
    return by_size<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(bytes, type);
  }
  if (type.kind == NumberKind::Unsigned) {
    return by_size<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(bytes, type);
  }
  if (type.size != 4 && type.size != 8) {
    throw std::logic_error("widened: a floating number of no known size");
  }
  return type.size == 4 ? widened_from<float>(bytes, type.big_endian)
                        : widened_from<double>(bytes, type.big_endian);
}

}  // namespace isochor::files
