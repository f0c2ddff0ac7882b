#pragma once

#include <optional>

#include "isochor/files/frame.h"
#include "isochor/run/render.h"
#include "isochor/sim/scenery.h"

/// What pictures have of a scene. Colliders are surfaces beside those of bodies, without fields.
namespace isochor::run {

void add_scenery(std::span<const sim::SceneryPart> scenery, files::Topology& topology);
/// As it is at the time of the frame.
void add_scenery(std::span<const sim::SceneryPart> scenery, files::Frame& frame);

/// Takes out planes that rest and are level, and puts the ground where the highest of them is.
std::vector<sim::SceneryPart> without_ground(std::span<const sim::SceneryPart> scenery,
                                             const RenderOptions& options, View& view);

/// The scenery of a run, as its scene has it; nothing where that cannot be read any more.
std::vector<sim::SceneryPart> scenery_of_run(const std::string& scene_text,
                                             const std::filesystem::path& scene_file,
                                             const files::Topology& topology, Context& context);

/// The axis that comes nearest to where gravity does not pull, as the scene of a run has it; y
/// where there is none, or no scene.
Vec3d up_of_run(const std::string& scene_text);

}  // namespace isochor::run
