#include "isochor/sim/region.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "isochor/base/error.h"
#include "isochor/geometry/orientation.h"
#include "isochor/sim/body_builder.h"

namespace isochor::sim {
namespace {

[[noreturn]] void fail_empty(const HoldSpec& hold, std::string_view what, double cell_size) {
  throw Error(
      Fault::Input, hold.place.text(),
      hold.encloses() ? fmt::format("the bone '{}' holds no {}", hold.name, what)
                      : fmt::format("the region '{}' holds no {}", hold.where, what),
      hold.encloses()
          ? fmt::format("move the surface into the body, make cells smaller than {} m, or hold it "
                        "by springs: select = \"surface\" and a stiffness",
                        cell_size)
          : fmt::format("make it larger than a cell ({} m), or move it onto the body", cell_size));
}

SurfacePatch patch_of(const geometry::SurfaceMesh& surface,
                      std::span<const geometry::Triangle> triangles) {
  const std::vector<Vec3d>& x = surface.positions;
  std::vector<double> areas(x.size(), 0);
  for (const geometry::Triangle& t : triangles) {
    const double area = 0.5 * norm(cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]));
    for (const std::int32_t v : t) areas[v] += area / 3;
  }
  SurfacePatch patch;
  for (std::size_t v = 0; v < x.size(); ++v) {
    if (!(areas[v] > 0)) continue;
    patch.vertices.push_back(static_cast<std::int32_t>(v));
    patch.areas.push_back(areas[v]);
  }
  return patch;
}

std::vector<geometry::Triangle> triangles_of_group(const HoldSpec& hold,
                                                   const SurfaceFaces& faces) {
  const auto group = std::ranges::find(faces.groups, hold.group, &files::FaceGroup::name);
  if (group == faces.groups.end()) {
    std::vector<std::string> known;
    for (const files::FaceGroup& g : faces.groups) known.push_back(g.name);
    throw Error(Fault::Input, hold.place.text("group"),
                fmt::format("the surface has no group '{}'", hold.group),
                known.empty() ? "it has no groups; choose another region"
                              : fmt::format("use one of: {}", fmt::join(known, ", ")));
  }
  std::vector<geometry::Triangle> chosen;
  std::size_t next = 0;
  auto wanted = group->faces.begin();
  for (std::size_t f = 0; f < faces.surface.face_count(); ++f) {
    const std::size_t count = faces.surface.face(f).size() - 2;
    if (wanted != group->faces.end() && std::size_t(*wanted) == f) {
      for (std::size_t k = 0; k < count; ++k) chosen.push_back(faces.triangles[next + k]);
      ++wanted;
    }
    next += count;
  }
  return chosen;
}

/// From its surface, m; negative inside.
double distance_to_capsule(const ShapeSpec& capsule, const Vec3d& point) {
  const Vec3d axis = capsule.axis * (1 / norm(capsule.axis)), from = point - capsule.center;
  const double along = std::clamp(dot(from, axis), -0.5 * capsule.length, 0.5 * capsule.length);
  return norm(from - along * axis) - capsule.radius;
}

}  // namespace

Region::Region(const HoldSpec& hold, const geometry::Bounds& bounds, double cell_size,
               const Enclosure* enclosure)
    : low_(bounds.low - cell_size * Vec3d{1, 1, 1}),
      high_(bounds.high + cell_size * Vec3d{1, 1, 1}),
      enclosure_(enclosure) {
  if (hold.where == "box") {
    low_ = min(hold.low, hold.high);
    high_ = max(hold.low, hold.high);
  } else if (enclosure) {
    const geometry::Bounds box = geometry::bounds_of_faces(enclosure->surface);
    low_ = box.low;
    high_ = box.high;
  } else if (hold.where != "all") {
    const int axis = hold.where[0] - 'x';
    const double depth = hold.depth > 0 ? hold.depth : 0.5 * cell_size;
    if (hold.where[1] == '-') {
      high_[axis] = bounds.low[axis] + depth;
    } else {
      low_[axis] = bounds.high[axis] - depth;
    }
  }
  const double slack = 1e-9 * cell_size;
  low_ -= slack * Vec3d{1, 1, 1};
  high_ += slack * Vec3d{1, 1, 1};
}

bool Region::contains(const Vec3d& point) const {
  bool inside = true;
  for (int a = 0; a < 3; ++a) inside = inside && point[a] >= low_[a] && point[a] <= high_[a];
  return inside && (!enclosure_ || enclosure_->winding(point) > 0.5);
}

std::vector<std::int32_t> select_nodes(const HoldSpec& hold, const NodesAndCells& body,
                                       const geometry::Bounds& bounds, const Enclosure* enclosure) {
  const Region region(hold, bounds, body.spacing, enclosure);
  std::vector<std::uint8_t> chosen(body.nodes.size(), 0);
  if (hold.select == "cells") {
    for (std::size_t c = 0; c < body.cells.size(); c += body.corners) {
      const auto corners = body.cells.subspan(c, body.corners);
      Vec3d middle{0, 0, 0};
      for (const std::int32_t n : corners) middle += body.nodes[n];
      if (!region.contains(middle * (1 / static_cast<double>(body.corners)))) continue;
      for (const std::int32_t n : corners) chosen[n] = 1;
    }
  } else {
    std::ranges::transform(body.nodes, chosen.begin(),
                           [&](const Vec3d& p) { return std::uint8_t(region.contains(p)); });
  }
  std::vector<std::int32_t> nodes;
  for (std::size_t n = 0; n < chosen.size(); ++n) {
    if (chosen[n]) nodes.push_back(static_cast<std::int32_t>(n));
  }
  if (nodes.empty()) fail_empty(hold, "node of the body", body.spacing);
  return nodes;
}

void share_out(std::span<const Vec3d> nodes, const HoldSpec& bone, std::vector<std::int32_t>& held,
               const HoldSpec& other, std::vector<std::int32_t>& theirs) {
  std::vector<std::int32_t> lost;
  std::erase_if(held, [&](std::int32_t n) {
    if (!std::ranges::binary_search(theirs, n)) return false;
    const bool nearer = other.where == "bone" && distance_to_capsule(bone.inside, nodes[n]) <
                                                     distance_to_capsule(other.inside, nodes[n]);
    if (nearer) lost.push_back(n);
    return !nearer;
  });
  std::erase_if(theirs, [&](std::int32_t n) { return std::ranges::binary_search(lost, n); });
}

std::optional<Enclosure> make_enclosure(const HoldSpec& hold, double spacing,
                                        const std::filesystem::path& scene_file,
                                        ThreadArena& arena) {
  if (!hold.encloses()) return std::nullopt;
  geometry::SurfaceMesh mesh = build_surface(hold.inside, spacing, scene_file).mesh;
  std::vector<geometry::Triangle> triangles =
      geometry::oriented_outward(mesh.positions, geometry::triangulate(mesh), arena).triangles;
  geometry::WindingNumber winding(mesh.positions, triangles);
  return Enclosure{std::move(mesh), std::move(triangles), std::move(winding)};
}

HoldSpec region_of(const LoadSpec& load) {
  return {.name = load.name,
          .where = load.where,
          .group = load.group,
          .depth = load.depth,
          .low = load.low,
          .high = load.high,
          .place = load.place};
}

std::vector<geometry::Triangle> select_triangles(const HoldSpec& hold, const SurfaceFaces& faces,
                                                 double cell_size) {
  if (hold.where == "group") return triangles_of_group(hold, faces);
  const Region region(hold, geometry::bounds_of_faces(faces.surface), cell_size);
  std::vector<geometry::Triangle> chosen;
  std::ranges::copy_if(faces.triangles, std::back_inserter(chosen), [&](const auto& t) {
    return std::ranges::all_of(
        t, [&](std::int32_t v) { return region.contains(faces.surface.positions[v]); });
  });
  if (chosen.empty()) fail_empty(hold, "triangle of the surface", cell_size);
  return chosen;
}

SurfacePatch select_surface(const HoldSpec& hold, const SurfaceFaces& faces, double cell_size) {
  return patch_of(faces.surface, select_triangles(hold, faces, cell_size));
}

SurfacePatch whole_surface(const geometry::SurfaceMesh& surface,
                           std::span<const geometry::Triangle> triangles) {
  return patch_of(surface, triangles);
}

}  // namespace isochor::sim
