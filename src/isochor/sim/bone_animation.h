#pragma once

#include "isochor/sim/scene_spec.h"

/// Bones whose meshes were animated elsewhere: what a mesh does from one sample to the next becomes
/// keys of the hold or the collider that has it.
namespace isochor::sim {

/// Reads the animations that a scene names and gives what they move its keys, one for each step of
/// time. Meshes move rigidly: one that does not is an input error, as is one without a mesh at
/// rest. Reading a scene does so.
void apply_animations(SceneSpec& scene);

}  // namespace isochor::sim
