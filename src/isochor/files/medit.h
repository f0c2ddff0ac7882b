#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "isochor/files/tet_file.h"

namespace isochor::files {

/// The tets of an ascii MEDIT file (.mesh), as TetGen, CGAL, fTetWild, Mmg and others write it.
/// Regions are the references of the tets.
TetFile read_medit(const std::filesystem::path& path);
/// The same from memory; `place` names the file in errors.
TetFile read_medit(std::string place, std::span<const std::byte> bytes);

/// Writes what read_medit reads, bit for bit. The reference of a tet is its region plus one, or 0.
void write_medit(const std::filesystem::path& path, const geometry::TetMesh& mesh);

}  // namespace isochor::files
