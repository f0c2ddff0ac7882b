#pragma once

#include <span>
#include <string>
#include <string_view>

namespace isochor::sim {

/// What a method can do. `isochor list` prints this, `isochor check` enforces it.
struct Capability {
  std::string_view method;
  std::string_view source;  ///< the paper it comes from
  std::string_view elements;
  std::string_view materials;  ///< names, or "all"
  std::string_view volume;     ///< how volume is kept
  std::string_view states;     ///< static, dynamic
  std::string_view constraints;
  std::string_view contact;
};
std::span<const Capability> capabilities();

std::span<const std::string_view> method_names();

}  // namespace isochor::sim
