#pragma once

#include <cstdint>
#include <vector>

#include "isochor/scene/difference.h"
#include "isochor/sim/scene_spec.h"

/// What the frames of a scene depend on, in two parts: what changes with time, told apart frame by
/// frame, and all the rest, on which every frame depends.
namespace isochor::sim {

/// Hash of what a scene asks for at times after frame - 1, up to `frame`: motions of holds and
/// activations of muscles. Where it is equal, so are all demands in between, bit for bit. The state
/// at frame - 1 and this determine the state at `frame`.
std::uint64_t frame_inputs(const SceneSpec& scene, int frame);

/// The scene without what frame_inputs covers, and without what no frame depends on: its title and
/// its length.
SceneSpec without_motion(SceneSpec scene);

/// The keys that every frame depends on and that differ. `before` is a resolved scene; `file` is
/// where it stands.
std::vector<scene::Difference> changed_keys(const std::string& before,
                                            const std::filesystem::path& file,
                                            const SceneSpec& after);

}  // namespace isochor::sim
