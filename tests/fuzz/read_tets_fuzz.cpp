/// Feeds one reader of tets, ISOCHOR_FUZZ_READER, with whatever the fuzzer thinks of. Nothing but
/// isochor::Error may be thrown, and what is read must be consistent. `./dev fuzz` runs it.
#include <cstdint>
#include <cstdlib>

#include "isochor/base/error.h"
#include "isochor/files/gmsh.h"
#include "isochor/files/medit.h"
#include "isochor/files/tet_builder.h"
#include "isochor/files/tetgen.h"
#include "isochor/files/text_scanner.h"
#include "isochor/files/vega.h"
#include "isochor/files/vtk_legacy.h"
#include "tests/files/tet_file_checks.h"

namespace isochor::files {
namespace {

using Bytes = std::span<const std::byte>;

[[maybe_unused]] TetFile read_vtk(const std::string& place, Bytes bytes) {
  return tets_of(read_vtk_legacy(place, bytes));
}

/// Both files of TetGen, with a % between them.
[[maybe_unused]] TetFile read_pair(const std::string& place, Bytes bytes) {
  const std::size_t cut = std::min(text_of(bytes).find('%'), bytes.size());
  return read_tetgen(place, bytes.first(cut), bytes.subspan(std::min(cut + 1, bytes.size())));
}

}  // namespace
}  // namespace isochor::files

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isochor::files;
  try {
    const TetFile file = ISOCHOR_FUZZ_READER("fuzz", std::as_bytes(std::span(data, size)));
    if (!inconsistency(file).empty()) std::abort();
  } catch (const isochor::Error& error) {
    if (error.problem().empty() || error.remedy().empty()) std::abort();
  }
  return 0;
}
