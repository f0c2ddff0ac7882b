#pragma once

#include "isochor/sim/tet_scene.h"

/// Skin of bodies, and bands around them, in scenes of tets.
namespace isochor::sim {

/// The sheet of a body's skin; nothing where it has none.
std::vector<shells::SheetSpec> build_skin(const SkinSpec& spec, const geometry::TetMesh& mesh);

/// A band as a body of its own around tets.
tets::BodySpec build_band(const BandSpec& spec, const BodySpec& body, const geometry::TetMesh& mesh,
                          double spacing);

}  // namespace isochor::sim
