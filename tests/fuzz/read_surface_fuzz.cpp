// Feeds the mesh readers with whatever the fuzzer thinks of: the first byte chooses the format, the
// rest is the file. Nothing but isochor::Error may be thrown, and what is read must be consistent.
//
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -I. -o fuzz
//     tests/fuzz/read_surface_fuzz.cpp src/isochor/files/*.cpp
//     src/isochor/base/{error,file,text}.cpp src/isochor/geometry/surface_mesh.cpp -lfmt
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

namespace {

using isochor::files::SurfaceFile;
using Bytes = std::span<const std::byte>;

SurfaceFile read(std::uint8_t format, Bytes bytes) {
  using namespace isochor::files;
  switch (format % 5) {
    case 0:
      return read_obj("fuzz.obj", bytes);
    case 1:
      return read_ply("fuzz.ply", bytes);
    case 2:
      return read_stl("fuzz.stl", bytes);
    case 3:
      return read_off("fuzz.off", bytes);
    default:
      return read_gltf("fuzz.glb", bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    const SurfaceFile surface = read(data[0], std::as_bytes(std::span(data + 1, size - 1)));
    if (!isochor::files::inconsistency(surface).empty()) std::abort();
  } catch (const isochor::Error& error) {
    if (error.problem().empty() || error.remedy().empty()) std::abort();
  }
  return 0;
}
