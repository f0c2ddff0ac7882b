#pragma once

#include "isochor/sim/scene_spec.h"

/// Meshes that were animated elsewhere: what a bone does from one sample to the next becomes keys
/// of the hold or the collider that has it; a collider may change its shape.
namespace isochor::sim {

/// Reads the animations that a scene names and gives what they move its keys, one for each step of
/// time, or its shapes where it deforms. All others move rigidly: one that does not is an input
/// error, as is one without a mesh at rest. Reading a scene does so.
void apply_animations(SceneSpec& scene);

}  // namespace isochor::sim
