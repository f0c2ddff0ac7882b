#include "isochor/files/surface_file.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/base/text.h"
#include "isochor/files/gltf.h"
#include "isochor/files/obj.h"
#include "isochor/files/off.h"
#include "isochor/files/ply.h"
#include "isochor/files/stl.h"

namespace isochor::files {
namespace {

constexpr std::string_view kExtensions[] = {".obj", ".ply", ".stl", ".off", ".gltf", ".glb"};
constexpr SurfaceFile (*kReaders[])(const std::filesystem::path&) = {
    read_obj, read_ply, read_stl, read_off, read_gltf, read_gltf};
static_assert(std::size(kExtensions) == std::size(kReaders));

std::string in_lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Spreads the bits of a point over a word; the constants are odd and without pattern.
std::uint64_t hash_of(const Vec3d& point) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const double coordinate : point.e) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(coordinate)) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

void note_not_finite(std::string_view name, std::span<const float> values, SurfaceFile& surface) {
  const auto count = std::ranges::count_if(values, [](float v) { return !std::isfinite(v); });
  if (count > 0) {
    surface.notes.push_back(
        fmt::format("{} of {} numbers in {} are not finite", count, values.size(), name));
  }
}

}  // namespace

std::span<const std::string_view> surface_extensions() { return kExtensions; }

SurfaceFile read_surface(const std::filesystem::path& path) {
  const std::string extension = in_lower_case(path.extension().string());
  const auto* known = std::ranges::find(kExtensions, extension);
  if (known == std::end(kExtensions)) {
    throw Error(Fault::Input, path.string(),
                extension.empty() ? "has no extension that names its format"
                                  : fmt::format("the format '{}' is not known", extension),
                fmt::format("export the mesh as one of {}", join(kExtensions)));
  }
  return kReaders[known - kExtensions](path);
}

bool is_finite(const Vec3d& point) {
  return std::ranges::all_of(point.e, [](double coordinate) { return std::isfinite(coordinate); });
}

std::size_t DistinctPoints::slot_of(const Vec3d& point) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(point) & mask;
  while (slots_[slot] >= 0 && !std::ranges::equal(points_[slots_[slot]].e, point.e)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void DistinctPoints::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), -1);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    slots_[slot_of(points_[i])] = static_cast<std::int32_t>(i);
  }
}

std::int32_t DistinctPoints::index_of(Vec3d point) {
  if (2 * points_.size() >= slots_.size()) grow();
  for (double& coordinate : point.e) coordinate += 0.0;  // -0 becomes 0
  std::int32_t& index = slots_[slot_of(point)];
  if (index < 0) {
    index = static_cast<std::int32_t>(points_.size());
    points_.push_back(point);
  }
  return index;
}

std::size_t FaceGroups::find_or_add(std::string_view name) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) return known->second;
  by_name_.emplace(name, groups_.size());
  groups_.push_back({.name = std::string(name), .faces = {}});
  return groups_.size() - 1;
}

void FaceGroups::add(std::size_t group, std::int32_t face) {
  std::vector<std::int32_t>& faces = groups_[group].faces;
  if (faces.empty() || faces.back() < face) faces.push_back(face);
}

std::vector<FaceGroup> FaceGroups::take() {
  std::erase_if(groups_, [](const FaceGroup& group) { return group.faces.empty(); });
  by_name_.clear();
  return std::exchange(groups_, {});
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void add_strip(geometry::SurfaceMesh& mesh, std::span<const std::int32_t> strip) {
  for (std::size_t i = 2; i < strip.size(); ++i) {
    const std::int32_t a = strip[i - 2], b = strip[i - 1], c = strip[i];
    if (a == b || b == c || c == a) continue;
    mesh.add_face(i % 2 == 0 ? std::array{a, b, c} : std::array{b, a, c});
  }
}

void scale_colors(std::vector<float>& colors) {
  if (std::ranges::none_of(colors, [](float value) { return value > 1; })) return;
  for (float& value : colors) value /= 255;
}

void spread_to_corners(std::span<const std::array<float, 2>> per_vertex, SurfaceFile& surface) {
  surface.texture_coordinates.clear();
  surface.texture_coordinates.reserve(surface.mesh.corners.size());
  for (const std::int32_t vertex : surface.mesh.corners) {
    surface.texture_coordinates.push_back(per_vertex[vertex]);
  }
}

void finish(const std::string& place, SurfaceFile& surface) {
  if (surface.mesh.positions.empty() || surface.mesh.face_count() == 0) {
    throw Error(Fault::Input, place,
                surface.mesh.positions.empty() ? "the mesh has no vertices"
                                               : "the mesh has no faces, only points",
                "export a surface of polygons");
  }
  for (const VertexAttribute& attribute : surface.attributes) {
    note_not_finite(fmt::format("the attribute '{}'", attribute.name), attribute.values, surface);
  }
  const auto& texture = surface.texture_coordinates;
  const float* first = texture.empty() ? nullptr : texture.front().data();
  note_not_finite("the texture coordinates", {first, 2 * texture.size()}, surface);
}

}  // namespace isochor::files
