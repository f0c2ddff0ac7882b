#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace isochor::files {

enum class NumberKind { Signed, Unsigned, Floating };

/// How a file stores its numbers. Whole numbers have 1, 2, 4 or 8 bytes, others 4 or 8.
struct NumberType {
  NumberKind kind = NumberKind::Floating;
  std::size_t size = 8;
  bool big_endian = false;
};

/// Numbers of any type as doubles; whole ones are exact up to 2^53. The size of `bytes` is a
/// multiple of that of a number.
std::vector<double> widened(std::span<const std::byte> bytes, const NumberType& type);

}  // namespace isochor::files
