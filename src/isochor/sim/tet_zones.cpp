#include "isochor/sim/tet_zones.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "isochor/base/error.h"
#include "isochor/sim/motion.h"

namespace isochor::sim {
namespace {

/// The tets of a zone other than rings.
std::vector<std::int32_t> tets_of(const ZoneSpec& zone, const BodySpec& spec, const TetBody& body) {
  const geometry::TetMesh& mesh = body.spec.mesh;
  std::vector<std::int32_t> out;
  const auto add_where = [&](auto&& chosen) {
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
      if (chosen(t)) out.push_back(std::int32_t(t));
    }
  };
  if (zone.where == "painted") {
    const auto painted = std::ranges::find(body.fields, "zone", &CellField::name);
    add_where([&](std::size_t t) { return std::lround(painted->values[t]) == zone.painted; });
  } else if (zone.where == "box") {
    add_where([&](std::size_t t) {
      bool inside = true;
      for (int a = 0; a < 3; ++a) {
        double middle = 0;
        for (const std::int32_t n : mesh.tets[t]) middle += 0.25 * mesh.positions[n][a];
        inside = inside && middle >= zone.low[a] && middle <= zone.high[a];
      }
      return inside;
    });
  } else if (zone.where == "region") {
    const auto name = std::ranges::find(body.region_names, zone.region);
    if (name == body.region_names.end()) {
      throw Error(Fault::Input, zone.place.text("region"),
                  fmt::format("{} has no region '{}'", spec.tets, zone.region),
                  body.region_names.empty()
                      ? "it has no regions; choose another place"
                      : fmt::format("use one of: {}", fmt::join(body.region_names, ", ")));
    }
    const auto number = std::int32_t(name - body.region_names.begin());
    add_where([&](std::size_t t) { return mesh.regions[t] == number; });
  } else {
    add_where([](std::size_t) { return true; });
  }
  if (out.empty()) {
    throw Error(Fault::Input, zone.place.text(),
                fmt::format("no tet of '{}' is in the zone", spec.name),
                zone.where == "painted"
                    ? "paint the number on more than single vertices, or use smaller tets"
                    : "choose a place that the body reaches");
  }
  return out;
}

}  // namespace

std::vector<ZoneGroup> add_zones(const BodySpec& spec, std::size_t first, TetBody& body) {
  std::vector<ZoneGroup> groups;
  std::vector<ZoneSpec> zones = spec.zones;
  if (zones.empty()) zones.push_back({.name = "whole"});
  for (const ZoneSpec& zone : zones) {
    const std::size_t before = body.spec.zones.size();
    if (zone.where == "rings") {
      for (tets::ZoneSpec& ring : tets::ring_zones(body.spec.mesh, zone.rings)) {
        ring.name = fmt::format("{} {}", zone.name, ring.name);
        body.spec.zones.push_back(std::move(ring));
      }
    } else {
      body.spec.zones.push_back({.name = zone.name, .tets = tets_of(zone, spec, body)});
    }
    groups.push_back({.name = spec.name + "." + zone.name,
                      .first = first + before,
                      .count = body.spec.zones.size() - before,
                      .keys = zone.keys});
  }
  return groups;
}

std::vector<double> wanted_volumes(std::span<const ZoneGroup> groups, double time) {
  std::vector<double> out;
  for (const ZoneGroup& group : groups) {
    out.insert(out.end(), group.count, zone_volume_at(group.keys, time));
  }
  return out;
}

ZoneMeasures measure_zones(const tets::Model& model, const tets::State& state,
                           std::span<const ZoneGroup> groups, double time, ThreadArena& arena) {
  const tets::ZoneReport report = tets::zone_report(model, state, arena);
  const std::vector<double> wanted = wanted_volumes(groups, time);
  ZoneMeasures out;
  for (const ZoneGroup& group : groups) {
    const auto error = [&](std::size_t z) { return report.volume[z] / wanted[z] - 1; };
    std::size_t worst = group.first;
    for (std::size_t z = group.first; z < group.first + group.count; ++z) {
      if (std::abs(error(z)) > std::abs(error(worst))) worst = z;
    }
    if (std::abs(error(worst)) > std::abs(out.worst)) out.worst = error(worst);
    out.zones.push_back({group.name, report.volume[worst], state.pressures[worst]});
  }
  return out;
}

}  // namespace isochor::sim
