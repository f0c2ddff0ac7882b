#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "isochor/base/context.h"

namespace isochor::sim {

/// A first scene for a mesh, and what was guessed about it.
struct StarterScene {
  std::string text;                  ///< TOML with comments; runs as it is
  std::vector<std::string> guesses;  ///< sentences for the user
};

/// `skeleton` is a glTF or BVH file; empty: the mesh's own, where it has one. Without a skeleton
/// the body is held at its lower end. `scene` is where the text will stand, so that files are named
/// from there. Units are guessed from sizes; an empty or flat mesh is an input error.
StarterScene make_starter_scene(const std::filesystem::path& mesh,
                                const std::filesystem::path& skeleton,
                                const std::filesystem::path& scene, Context& context);

}  // namespace isochor::sim
