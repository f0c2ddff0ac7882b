#include "isochor/run/part_table.h"

#include <fmt/core.h>

namespace isochor::run {

std::vector<TextTable> part_tables(const sim::Setup& setup, std::span<const std::string> bodies) {
  std::vector<TextTable> tables;
  for (std::size_t b = 0; b < setup.bodies.size(); ++b) {
    const std::vector<sim::PartVolume>& parts = setup.bodies[b].parts;
    if (parts.empty()) continue;
    TextTable& table = tables.emplace_back();
    table.heading = fmt::format("Bones and muscles of '{}'", bodies[b]);
    table.columns = {"part", "tissue", "inside its mesh [cm\u00b3]", "in cells [cm\u00b3]",
                     "in cells [%]"};
    for (const sim::PartVolume& part : parts) {
      table.rows.push_back({part.name, std::string(part.tissue),
                            fmt::format("{:.2f}", 1e6 * part.enclosed),
                            fmt::format("{:.2f}", 1e6 * part.in_cells),
                            fmt::format("{:.1f}", 100 * part.in_cells / part.enclosed)});
    }
  }
  return tables;
}

}  // namespace isochor::run
