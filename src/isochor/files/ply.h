#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "isochor/files/surface_file.h"

namespace isochor::files {

/// The polygons of a PLY file (Stanford format), ascii or binary of either byte order. Of the
/// vertices it takes x, y, z, the colour (red, green, blue), texture coordinates (s and t, u and v,
/// texture_u and texture_v), and every other scalar property as an attribute of its name, except
/// normals and opacity. Of the faces it takes the indices and texture coordinates per corner
/// (texcoord); triangle strips are understood, other elements are skipped.
SurfaceFile read_ply(const std::filesystem::path& path);
/// The same from memory; `place` names the file in errors.
SurfaceFile read_ply(std::string place, std::span<const std::byte> bytes);

}  // namespace isochor::files
