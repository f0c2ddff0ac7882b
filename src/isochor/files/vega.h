#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "isochor/files/tet_file.h"

namespace isochor::files {

/// The tets of a mesh of Vega (.veg). Regions are those of the file, named by their sets; what is
/// said about their materials is noted. Files that it includes are looked for beside it; the sets
/// of one that is not there are left out with a note.
TetFile read_vega(const std::filesystem::path& path);
/// The same from memory, without what it includes; `place` names the file in errors.
TetFile read_vega(const std::string& place, std::span<const std::byte> bytes);

}  // namespace isochor::files
