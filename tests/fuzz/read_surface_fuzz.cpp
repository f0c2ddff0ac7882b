/// Feeds one mesh reader, ISOCHOR_FUZZ_READER, with whatever the fuzzer thinks of. Nothing but
/// isochor::Error may be thrown, and what is read must be consistent. `./dev fuzz` runs it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "isochor/base/error.h"
#include "isochor/files/gltf.h"
#include "isochor/files/obj.h"
#include "isochor/files/off.h"
#include "isochor/files/ply.h"
#include "isochor/files/stl.h"
#include "tests/files/surface_file_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isochor::files;
  try {
    const SurfaceFile surface = ISOCHOR_FUZZ_READER("fuzz", std::as_bytes(std::span(data, size)));
    if (!inconsistency(surface).empty()) std::abort();
  } catch (const isochor::Error& error) {
    if (error.problem().empty() || error.remedy().empty()) std::abort();
  }
  return 0;
}
