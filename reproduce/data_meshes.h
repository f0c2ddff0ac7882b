#pragma once

#include <filesystem>
#include <vector>

namespace isochor::reproduce {

/// The surfaces in a folder, by name.
std::vector<std::filesystem::path> meshes_in(const std::filesystem::path& folder);

}  // namespace isochor::reproduce
