#include "isochor/sim/capabilities.h"

#include <array>

namespace isochor::sim {
namespace {

constexpr std::array kCapabilities{
    Capability{.method = "lattice",
               .source = "McAdams 2011",
               .elements = "hexahedral cells",
               .materials = "all",
               .volume = "none",
               .states = "static, dynamic",
               .constraints = "held and sliding nodes, soft holds, ties",
               .contact = "none"}};

constexpr auto kNames = [] {
  std::array<std::string_view, kCapabilities.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kCapabilities[i].method;
  return names;
}();

}  // namespace

std::span<const Capability> capabilities() { return kCapabilities; }
std::span<const std::string_view> method_names() { return kNames; }

}  // namespace isochor::sim
