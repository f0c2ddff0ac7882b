#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "isochor/files/surface_file.h"

namespace isochor::files {

/// The triangles of an STL file, ascii or binary. The format repeats a vertex for every triangle,
/// so vertices with exactly equal coordinates are welded, in order of first appearance. Normals and
/// colours are ignored. A named solid of an ascii file becomes a group.
SurfaceFile read_stl(const std::filesystem::path& path);
/// The same from memory; `place` names the file in errors.
SurfaceFile read_stl(std::string place, std::span<const std::byte> bytes);

}  // namespace isochor::files
