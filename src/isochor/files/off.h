#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "isochor/files/surface_file.h"

namespace isochor::files {

/// The polygons of an ascii OFF file (Geomview), with vertices in 3D. Colours (COFF) and texture
/// coordinates (STOFF) of vertices are kept; normals (NOFF) and colours of faces are ignored.
SurfaceFile read_off(const std::filesystem::path& path);
/// The same from memory; `place` names the file in errors.
SurfaceFile read_off(std::string place, std::span<const std::byte> bytes);

}  // namespace isochor::files
