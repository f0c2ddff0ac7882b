#pragma once

#include <filesystem>
#include <span>

#include "isochor/geometry/surface_mesh.h"

namespace isochor::files {

/// The polygons of a Wavefront OBJ file. Vertices keep their order and number, used or not; texture
/// coordinates, normals, groups, materials, lines, points and free-form surfaces are ignored.
/// Whatever cannot be understood is an Error naming its line.
geometry::SurfaceMesh read_obj(const std::filesystem::path& path);

/// The faces of `topology` over `positions`, with as many digits as it takes to read the same
/// numbers back.
void write_obj(const std::filesystem::path& path, std::span<const Vec3d> positions,
               const geometry::SurfaceMesh& topology);

}  // namespace isochor::files
