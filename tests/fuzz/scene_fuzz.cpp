/// Feeds the scene parser with whatever the fuzzer thinks of. Nothing but isochor::Error may be
/// thrown, and what is accepted must be accepted again as the program prints it. `./dev fuzz` runs
/// it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "isochor/base/error.h"
#include "isochor/sim/scene_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isochor;
  sim::SceneSpec scene;
  try {
    scene = sim::parse_scene({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  } catch (const Error& error) {
    if (error.problem().empty() || error.fault() != Fault::Input) std::abort();
    return 0;
  }
  sim::parse_scene(sim::resolved_scene(scene), "printed.toml");
  return 0;
}
