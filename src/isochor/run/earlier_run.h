#pragma once

#include <cstdint>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/run/run_directory.h"
#include "isochor/sim/simulation.h"

/// What a run that is resumed may keep of an earlier one.
namespace isochor::run {

/// What the manifest of a run says about the scene: identity, parts, and inputs of frames up to
/// `last_frame`.
void describe_inputs(const sim::Simulation& simulation, int last_frame, Manifest& manifest);

/// Refuses a scene that differs from that of an earlier run in something that every frame depends
/// on; the message names the keys with their old and new values.
void require_same_scene(const RunDirectory& directory, const Manifest& earlier,
                        const sim::SceneSpec& scene);
/// The same for what lies outside the scene file, such as meshes.
void require_same_parts(const RunDirectory& directory, const Manifest& earlier,
                        const Manifest& now);

/// Where an earlier run can be taken up again.
struct Foothold {
  int last = -1;        ///< the simulation is in the state of this frame
  int same_inputs = 0;  ///< whole frames whose inputs are still the same, counted from frame 0
  int whole = 0;        ///< whole frames, counted from frame 0
  std::vector<std::uint64_t> hashes;  ///< of frames 0 to `last`
};

/// Brings the simulation to the last frame, at most `limit`, up to which all files are whole and
/// nothing was asked for that differs from what is asked for now. Damaged and missing files give a
/// warning; those of another format version are refused, and nothing on disk is changed.
Foothold find_foothold(const RunDirectory& directory, const Manifest& earlier, const Manifest& now,
                       int limit, sim::Simulation& simulation, Context& context);

}  // namespace isochor::run
