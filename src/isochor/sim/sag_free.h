#pragma once

#include "isochor/base/context.h"
#include "isochor/sim/scene_spec.h"

/// Rest shapes from shapes under load: inverse elastostatics. docs/sag-free.md.
namespace isochor::sim {

/// How well a rest shape was found.
struct RestShapeReport {
  int rounds = 0;  ///< states of rest that were computed
  /// From where vertices should be at frame 0 to where they were in the last round, relative to the
  /// size of their body: the largest one.
  double misfit = 0;
  double moved = 0;  ///< from the given shape to the one at rest, the same
};

bool asks_for_rest_shapes(const SceneSpec& scene);

/// The scene with rest shapes for its bodies that have `sag_free`, such that frame 0, the state of
/// rest under all that acts there, is the given shape. Their muscles go with them. Every other key
/// stays, so that the result is an ordinary scene, which gives the same bits whenever it is made.
/// Throws where no such shape is found.
SceneSpec with_rest_shapes(SceneSpec scene, Context& context, RestShapeReport* report = nullptr);

/// What no single field can know of `sag_free`.
void check_sag_free(const SceneSpec& scene);

}  // namespace isochor::sim
