#pragma once

#include "isochor/shells/sheet_law.h"
#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// That of a skin whose law is not "none".
shells::SheetLaw sheet_law_of(const SkinSpec& spec);

/// An input error where skin or bands cannot be as a scene has them.
void check_sheets(const SceneSpec& scene);

}  // namespace isochor::sim
