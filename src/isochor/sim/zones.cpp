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

std::optional<double> worse(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a ? a : b;
  return std::abs(*b) > std::abs(*a) ? b : a;
}

std::optional<double> worst_zone_volume_error(std::span<const CellField> painted,
                                              std::span<const double> J,
                                              FunctionRef<double(std::size_t)> rest_volume) {
  const auto zones = std::ranges::find(painted, "zone", &CellField::name);
  if (zones == painted.end()) return std::nullopt;
  std::map<long, Volumes> volumes;
  for (std::size_t c = 0; c < zones->values.size(); ++c) {
    Volumes& zone = volumes[std::lround(zones->values[c])];
    const double volume = rest_volume(c);
    zone.at_rest += volume;
    zone.now += J[c] * volume;
  }
  std::optional<double> worst;
  for (const auto& [number, zone] : volumes) worst = worse(worst, zone.now / zone.at_rest - 1);
  return worst;
}

std::optional<double> worst_zone_volume_error(const LatticeScene& scene,
                                              std::span<const double> J) {
  const lattice::Model& model = scene.model();
  std::optional<double> worst;
  for (std::size_t b = 0; b < scene.riders.size(); ++b) {
    const std::int32_t first = model.bodies[b].first_cell;
    worst = worse(worst,
                  worst_zone_volume_error(
                      scene.riders[b].painted, J.subspan(first, model.bodies[b].cell_count),
                      [&](std::size_t c) { return rest_volume(model, model.cells[first + c]); }));
  }
  return worst;
}

}  // namespace isochor::sim
