#pragma once

#include "isochor/sim/method.h"
#include "isochor/sim/tet_body.h"
#include "isochor/tets/fields.h"

namespace isochor::sim {

/// Zones of a model that one of the scene stands for: as many as nodes where it is rings.
struct ZoneGroup {
  std::string name;  ///< "body.zone"
  std::size_t first = 0, count = 1;
  std::vector<ZoneKeySpec> keys;
};

/// The zones of a body, to be added to its spec, and what they stand for; `first` is the number of
/// the first of them. A body without any is one. Input errors that name the zone where it has no
/// tets, or a region that is not there.
std::vector<ZoneGroup> add_zones(const BodySpec& spec, std::size_t first, TetBody& body);

/// What zones of the model are to have at a time, over that at rest, as in tets::StepInput.
std::vector<double> wanted_volumes(std::span<const ZoneGroup> groups, double time);

/// Volumes and pressures for the diagnostics, of groups the zone that is farthest from what it is
/// to have; and by how much, relative.
struct ZoneMeasures {
  std::vector<NamedZone> zones;
  double worst = 0;
};
ZoneMeasures measure_zones(const tets::Model& model, const tets::State& state,
                           std::span<const ZoneGroup> groups, double time, ThreadArena& arena);

}  // namespace isochor::sim
