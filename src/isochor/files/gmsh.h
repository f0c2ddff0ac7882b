#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "isochor/files/tet_file.h"

namespace isochor::files {

/// The tets of a mesh of Gmsh (.msh), format 2.2 or 4.1, ascii or binary. Regions are the physical
/// groups of volumes, with their names; volumes without one are regions of their own.
TetFile read_gmsh(const std::filesystem::path& path);
/// The same from memory; `place` names the file in errors.
TetFile read_gmsh(std::string place, std::span<const std::byte> bytes);

}  // namespace isochor::files
