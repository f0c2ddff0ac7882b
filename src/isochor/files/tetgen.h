#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "isochor/files/tet_file.h"

namespace isochor::files {

/// The tets of a pair of files of TetGen, NAME.node and NAME.ele, found from either. Regions are
/// the first attribute of the tets.
TetFile read_tetgen(const std::filesystem::path& path);
/// The same from memory; `place` names the pair in errors, without its extensions.
TetFile read_tetgen(const std::string& place, std::span<const std::byte> nodes,
                    std::span<const std::byte> elements);

}  // namespace isochor::files
