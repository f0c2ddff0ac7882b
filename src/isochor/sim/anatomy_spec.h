#pragma once

#include <string_view>

#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// Whether a name fits one of several patterns, which blanks separate; * stands for anything.
bool matches(std::string_view patterns, std::string_view name);

/// Puts the bones and muscles of every [[body.anatomy]] into its body, as holds and muscles in the
/// order of their names, and takes the entry away: a resolved scene has nothing that its folder
/// could change. A folder that is not there, or a pattern that nothing fits, is an input error.
void expand_anatomies(SceneSpec& scene);

}  // namespace isochor::sim
