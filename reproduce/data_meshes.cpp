#include "reproduce/data_meshes.h"

#include <algorithm>

#include "isochor/files/surface_file.h"

namespace isochor::reproduce {

std::vector<std::filesystem::path> meshes_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  const auto known = files::surface_extensions();
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (std::ranges::find(known, entry.path().extension().string()) != known.end()) {
      found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace isochor::reproduce
