#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace isochor {

/// FNV-1a, 64 bit: detects change and damage, not malice.
class Hash {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte b : bytes) {
      state_ = (state_ ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
    }
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }
  std::uint64_t value() const { return state_; }
  /// Sixteen hexadecimal digits.
  std::string text() const {
    std::string digits(16, '0');
    std::uint64_t rest = state_;
    for (auto d = digits.rbegin(); d != digits.rend(); ++d, rest >>= 4) {
      *d = "0123456789abcdef"[rest & 15];
    }
    return digits;
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace isochor
