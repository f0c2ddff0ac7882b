#include "isochor/sim/zones.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace isochor::sim {
namespace {

struct Volumes {
  double now = 0, at_rest = 0;
};

/// Of the material in a cell, m^3.
double rest_volume(const lattice::Model& model, std::int32_t cell) {
  const std::int32_t block = cell / 8;
  const double h = model.blocks[block].h;
  const lattice::GroupModuli& group = model.moduli[block / lattice::kGroupBlocks];
  return group.fill[cell % 8][block % lattice::kGroupBlocks] * h * h * h;
}

}  // namespace

std::optional<double> worst_zone_volume_error(const LatticeScene& scene,
                                              std::span<const double> J) {
  const lattice::Model& model = scene.model();
  std::optional<double> worst;
  for (std::size_t b = 0; b < scene.riders.size(); ++b) {
    const auto& painted = scene.riders[b].painted;
    const auto zones = std::ranges::find(painted, "zone", &CellField::name);
    if (zones == painted.end()) continue;
    const std::int32_t first = model.bodies[b].first_cell;
    std::map<long, Volumes> volumes;
    for (std::size_t c = 0; c < zones->values.size(); ++c) {
      Volumes& zone = volumes[std::lround(zones->values[c])];
      const double volume = rest_volume(model, model.cells[first + c]);
      zone.at_rest += volume;
      zone.now += J[first + c] * volume;
    }
    for (const auto& [number, zone] : volumes) {
      const double error = zone.now / zone.at_rest - 1;
      if (!worst || std::abs(error) > std::abs(*worst)) worst = error;
    }
  }
  return worst;
}

}  // namespace isochor::sim
