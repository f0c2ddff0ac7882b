#include "isochor/files/skeleton_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"

namespace isochor::files {
namespace {

constexpr std::array<std::string_view, 3> kExtensions{".gltf", ".glb", ".bvh"};

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.parent_path().empty() ? "." : path.parent_path();
}

}  // namespace

std::span<const std::string_view> skeleton_extensions() { return kExtensions; }

anatomy::Skeleton read_skeleton(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".bvh") return read_bvh(path.string(), read_text_file(path));
  if (std::ranges::find(kExtensions, extension) == kExtensions.end()) {
    throw Error(Fault::Input, path.string(),
                fmt::format("is not known as a skeleton by '{}'", extension),
                fmt::format("use one of: {}", fmt::join(kExtensions, ", ")));
  }
  return read_gltf_skeleton(path.string(), read_file(path), folder_of(path));
}

anatomy::SkinWeights read_gltf_weights(const std::filesystem::path& path) {
  return read_gltf_weights(path.string(), read_file(path), folder_of(path));
}

}  // namespace isochor::files
