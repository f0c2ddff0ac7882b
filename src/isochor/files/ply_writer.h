#pragma once

#include <array>
#include <filesystem>
#include <span>

#include "isochor/geometry/surface_mesh.h"

namespace isochor::files {

/// The faces of `topology` over `positions` as a binary PLY file (Stanford format, little endian):
/// coordinates as doubles, colours per vertex as bytes. `colours` are red, green and blue from 0
/// to 1, one per position, or empty.
void write_ply(const std::filesystem::path& path, std::span<const Vec3d> positions,
               const geometry::SurfaceMesh& topology,
               std::span<const std::array<float, 3>> colours = {});

}  // namespace isochor::files
