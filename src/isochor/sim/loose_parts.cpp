#include "isochor/sim/loose_parts.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>

#include "isochor/base/error.h"

namespace isochor::sim {

std::vector<std::int32_t> loose_nodes(const BodySpec& body, std::span<const Vec3d> nodes,
                                      std::span<const std::size_t> parts, DisjointSets& sets,
                                      Context& context) {
  std::vector<std::int32_t> loose;
  std::map<std::size_t, std::size_t> sizes;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    ++sizes[parts[n]];
    if (sets.find(parts[n]) != sets.find(0)) loose.push_back(static_cast<std::int32_t>(n));
  }
  if (loose.empty()) return loose;
  const auto largest = std::ranges::max_element(sizes, {}, [](const auto& s) { return s.second; });
  const Vec3d& p = nodes[loose[0]];
  const std::string at = fmt::format("({:.4g}, {:.4g}, {:.4g}) m", p[0], p[1], p[2]);
  if (sets.find(largest->first) != sets.find(0)) {
    throw Error(Fault::Input, body.place.text(),
                fmt::format("nothing holds the largest part of '{}', at {}, so that it has no "
                            "state of rest",
                            body.name, at),
                "add a [[body.hold]] or a [[tie]] that takes it");
  }
  context.log(LogLevel::Warning,
              fmt::format("{}: nothing holds {} of the {} nodes of '{}', the first at {}, which "
                          "do not hang together with the rest; they are held where they are",
                          body.place.text(), loose.size(), nodes.size(), body.name, at));
  return loose;
}

}  // namespace isochor::sim
