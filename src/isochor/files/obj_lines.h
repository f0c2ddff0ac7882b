#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "isochor/anatomy/fibre_field.h"

namespace isochor::files {

/// The lines (elements `l`) of a Wavefront OBJ file, in their order, in the file's units; all else
/// is ignored. A file without lines, and a line that names fewer than two vertices or one that is
/// not there, is an Error naming its line.
std::vector<anatomy::Polyline> read_obj_lines(const std::filesystem::path& path);
/// The same from memory; `place` names the file in errors.
std::vector<anatomy::Polyline> read_obj_lines(std::string place, std::span<const std::byte> bytes);

}  // namespace isochor::files
