#pragma once

#include "isochor/lattice/freedom.h"
#include "isochor/lattice/solver.h"

/// What the holds of a model ask of its nodes in a step. Where forces are evaluated half way
/// (solve::TimeStep::reach 2), nodes are held half way too, so that they arrive at the end.
namespace isochor::lattice {

/// Calls f(node, hold, its place among the positions of held nodes).
template <class F>
void for_each_held(const Model& model, F&& f) {
  std::size_t next = 0;
  for (std::size_t h = 0; h < model.holds.size(); ++h) {
    for (const std::int32_t n : model.holds[h].nodes) f(n, h, next++);
  }
}

/// What holds ask of the nodes that slide, in `slides`, about positions at the start of the step.
void collect_slides(const Model& model, const StepInput& input, std::span<const Vec3d> start,
                    double reach, std::span<SlideFrame> slides);

/// Puts held nodes where they have to be, and sliding ones where they may be.
void place_held(const Model& model, const StepInput& input, std::span<const Vec3d> start,
                double reach, std::span<const SlideFrame> slides, std::span<Vec3d> positions);

/// Whether no hold moves; of nodes that slide, up to rounding.
bool holds_rest(const Model& model, const StepInput& input, std::span<const Vec3d> start,
                std::span<const SlideFrame> slides);

}  // namespace isochor::lattice
