#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "isochor/files/surface_file.h"

namespace isochor::files {

/// The polygons of a Wavefront OBJ file. Vertices keep their order and number, used or not.
/// Groups, objects, materials and texture coordinates are kept, and so are colours that follow the
/// coordinates of vertices; normals, lines, points and free-form surfaces are ignored, and lines
/// with keywords that the format does not know are noted. Whatever else cannot be understood is an
/// Error naming its line.
SurfaceFile read_obj(const std::filesystem::path& path);
/// The same from memory; `place` names the file in errors.
SurfaceFile read_obj(std::string place, std::span<const std::byte> bytes);

/// The faces of `topology` over `positions`, with as many digits as it takes to read the same
/// numbers back; texture coordinates and groups as SurfaceFile has them, where there are some.
void write_obj(const std::filesystem::path& path, std::span<const Vec3d> positions,
               const geometry::SurfaceMesh& topology,
               std::span<const std::array<float, 2>> texture_coordinates = {},
               std::span<const FaceGroup> groups = {});

}  // namespace isochor::files
