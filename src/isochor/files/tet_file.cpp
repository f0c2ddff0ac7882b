#include "isochor/files/tet_file.h"

#include <algorithm>
#include <cctype>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/base/text.h"
#include "isochor/files/gmsh.h"
#include "isochor/files/medit.h"
#include "isochor/files/tet_builder.h"
#include "isochor/files/tetgen.h"
#include "isochor/files/vega.h"
#include "isochor/files/vtk_legacy.h"
#include "isochor/files/vtu_reader.h"

namespace isochor::files {
namespace {

TetFile read_vtk(const std::filesystem::path& path) {
  return tets_of(read_vtk_legacy(path.string(), read_file(path)));
}
TetFile read_vtu_tets(const std::filesystem::path& path) {
  return tets_of(read_vtu(path.string(), read_file(path)));
}

constexpr std::string_view kExtensions[] = {".msh",  ".mesh", ".vtk", ".vtu",
                                            ".node", ".ele",  ".veg"};
constexpr TetFile (*kReaders[])(const std::filesystem::path&) = {
    read_gmsh, read_medit, read_vtk, read_vtu_tets, read_tetgen, read_tetgen, read_vega};
static_assert(std::size(kExtensions) == std::size(kReaders));

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

}  // namespace

std::span<const std::string_view> tet_extensions() { return kExtensions; }

bool is_tet_file(const std::filesystem::path& path) {
  return std::ranges::find(kExtensions, extension_of(path)) != std::end(kExtensions);
}

TetFile read_tets(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  const auto* known = std::ranges::find(kExtensions, extension);
  if (known == std::end(kExtensions)) {
    throw Error(Fault::Input, path.string(),
                extension.empty() ? "has no extension that names its format"
                                  : fmt::format("the format '{}' is not known for tets", extension),
                fmt::format("export the solid as one of {}", join(kExtensions)));
  }
  return kReaders[known - kExtensions](path);
}

}  // namespace isochor::files
