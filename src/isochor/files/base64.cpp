#include "isochor/files/base64.h"

#include <algorithm>
#include <cstdint>

namespace isochor::files {
namespace {

/// The value of a digit, or -1.
int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

}  // namespace

std::optional<std::vector<std::byte>> decode_base64(std::string_view text, std::size_t limit) {
  std::vector<std::byte> bytes;
  bytes.reserve(std::min(limit, text.size() / 4 * 3) + 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (bytes.size() >= limit) break;
    if (c == '=') {  // the bits left over are zeros that fill up a digit
      count = 0;
      continue;
    }
    const int digit = digit_of(c);
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<std::byte>(bits >> count & 0xff));
    }
  }
  return bytes;
}

}  // namespace isochor::files
