#include "isochor/tets/zones.h"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>

#include "isochor/base/error.h"
#include "isochor/geometry/triangle_bvh.h"
#include "isochor/math/reduce.h"
#include "isochor/tets/model.h"

namespace isochor::tets {
namespace {

/// Adds up numbers of tets over every zone.
void sum_over_zones(const Zones& zones, std::span<const double> tet, std::span<double> out,
                    ThreadArena& arena) {
  // One zone may be all tets: sums within a zone are what is shared out.
  constexpr std::size_t kFew = 64;
  if (zones.count() >= kFew) {
    parallel_for(arena, zones.count(), 16, [&](std::size_t z) {
      double sum = 0;
      for (std::int32_t k = zones.first[z]; k < zones.first[z + 1]; ++k) sum += tet[zones.tets[k]];
      out[z] = sum;
    });
    return;
  }
  for (std::size_t z = 0; z < zones.count(); ++z) {
    const std::int32_t* tets = &zones.tets[zones.first[z]];
    out[z] = deterministic_sum(arena, zones.first[z + 1] - zones.first[z],
                               [&](std::size_t begin, std::size_t end) {
                                 double sum = 0;
                                 for (std::size_t k = begin; k < end; ++k) sum += tet[tets[k]];
                                 return sum;
                               });
  }
}

/// Nodes that share a tet with each node, itself among them.
std::vector<std::vector<std::int32_t>> neighbours(const geometry::TetMesh& mesh) {
  std::vector<std::vector<std::int32_t>> out(mesh.positions.size());
  for (const geometry::Tet& tet : mesh.tets) {
    for (const std::int32_t a : tet) out[a].insert(out[a].end(), tet.begin(), tet.end());
  }
  for (auto& list : out) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return out;
}

}  // namespace

ZoneSpec whole_zone(const geometry::TetMesh& mesh, std::string name) {
  ZoneSpec zone{.name = std::move(name), .tets = std::vector<std::int32_t>(mesh.tets.size())};
  std::iota(zone.tets.begin(), zone.tets.end(), 0);
  return zone;
}

std::vector<ZoneSpec> ring_zones(const geometry::TetMesh& mesh, int rings) {
  std::vector<std::vector<std::int32_t>> tets_of(mesh.positions.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (const std::int32_t n : mesh.tets[t]) tets_of[n].push_back(std::int32_t(t));
  }
  const auto near = neighbours(mesh);
  std::vector<ZoneSpec> zones;
  for (std::size_t node = 0; node < near.size(); ++node) {
    if (tets_of[node].empty()) continue;
    std::vector<std::int32_t> reached{std::int32_t(node)};
    for (int ring = 1; ring < rings; ++ring) {
      std::vector<std::int32_t> further;
      for (const std::int32_t n : reached) {
        further.insert(further.end(), near[n].begin(), near[n].end());
      }
      std::ranges::sort(further);
      further.erase(std::unique(further.begin(), further.end()), further.end());
      reached = std::move(further);
    }
    ZoneSpec zone{.name = fmt::format("{}", node), .tets = {}};
    for (const std::int32_t n : reached) {
      zone.tets.insert(zone.tets.end(), tets_of[n].begin(), tets_of[n].end());
    }
    std::ranges::sort(zone.tets);
    zone.tets.erase(std::unique(zone.tets.begin(), zone.tets.end()), zone.tets.end());
    zones.push_back(std::move(zone));
  }
  return zones;
}

std::vector<ZoneSpec> painted_zones(const geometry::TetMesh& mesh,
                                    std::span<const PaintedZone> zones, ThreadArena& arena) {
  const std::vector<geometry::Triangle> surface = geometry::boundary_triangles(mesh.tets);
  const geometry::TriangleBvh tree(mesh.positions, surface, arena);
  std::vector<geometry::ClosestPoint> nearest(mesh.tets.size());
  parallel_for(arena, mesh.tets.size(), 64, [&](std::size_t t) {
    Vec3d middle{0, 0, 0};
    for (const std::int32_t n : mesh.tets[t]) middle += 0.25 * mesh.positions[n];
    nearest[t] = tree.closest_point(middle);
  });
  std::vector<ZoneSpec> out;
  for (const PaintedZone& zone : zones) {
    ZoneSpec spec{.name = zone.name, .tets = {}};
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
      const geometry::Triangle& triangle = surface[nearest[t].triangle];
      double weight = 0;
      for (int c = 0; c < 3; ++c) {
        weight += nearest[t].barycentric[c] * zone.weights[triangle[c]];
      }
      if (weight > 0.5) spec.tets.push_back(std::int32_t(t));
    }
    if (spec.tets.empty()) {
      throw Error(Fault::Input, zone.name, "no tet lies beneath what is painted",
                  "paint more than single nodes, or use smaller tets");
    }
    out.push_back(std::move(spec));
  }
  return out;
}

ZoneSlopes::ZoneSlopes(const Model& model) {
  if (model.zones.count() == 0) return;
  positions.resize(model.node_count());
  tet.resize(model.tets.size());
}

/// [Sheen21 (6)], with the factor 1/6 that the paper leaves out.
void measure_zones(const Model& model, std::span<const Vec3d> x, ZoneSlopes& slopes,
                   std::span<double> volumes, ThreadArena& arena) {
  std::ranges::copy(x, slopes.positions.begin());
  parallel_for(arena, model.tets.size(), solve::kRowGrain, [&](std::size_t t) {
    const geometry::Tet& tet = model.tets[t];
    slopes.tet[t] = dot(volume_slope(tet, 1, x), x[tet[1]] - x[tet[0]]);
  });
  sum_over_zones(model.zones, slopes.tet, volumes, arena);
}

void zone_change(const Model& model, ZoneSlopes& slopes, std::span<const Vec3d> u,
                 std::span<double> out, ThreadArena& arena) {
  parallel_for(arena, model.tets.size(), solve::kRowGrain, [&](std::size_t t) {
    const geometry::Tet& tet = model.tets[t];
    double gain = 0;
    for (int k = 1; k < 4; ++k) {
      gain += dot(volume_slope(tet, k, slopes.positions), u[tet[k]] - u[tet[0]]);
    }
    slopes.tet[t] = gain;
  });
  sum_over_zones(model.zones, slopes.tet, out, arena);
}

void tet_pressures(const Model& model, std::span<const double> pressures, std::span<double> out,
                   ThreadArena& arena) {
  const Zones& zones = model.zones;
  parallel_for(arena, model.tets.size(), solve::kRowGrain, [&](std::size_t t) {
    double sum = 0;
    for (std::int32_t k = zones.first_of_tet[t]; k < zones.first_of_tet[t + 1]; ++k) {
      sum += pressures[zones.of_tet[k]];
    }
    out[t] = sum;
  });
}

void add_zone_force(const Model& model, ZoneSlopes& slopes, std::span<const double> pressures,
                    std::span<Vec3d> force, ThreadArena& arena) {
  tet_pressures(model, pressures, slopes.tet, arena);
  parallel_for(arena, model.node_count(), solve::kRowGrain, [&](std::size_t i) {
    Vec3d sum{0, 0, 0};
    for (std::int32_t u = model.first_use[i]; u < model.first_use[i + 1]; ++u) {
      const std::int32_t use = model.uses[u];
      sum += slopes.tet[use / 4] * volume_slope(model.tets[use / 4], use % 4, slopes.positions);
    }
    force[i] += sum;
  });
}

}  // namespace isochor::tets
