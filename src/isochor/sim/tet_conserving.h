#pragma once

#include <memory>

#include "isochor/sim/method.h"
#include "isochor/tets/conserving.h"

/// Scenes of tets whose bodies touch something or keep the volume around their nodes.
namespace isochor::sim {

/// Null where a scene asks for neither, or has zones, whose contacts are a part of every step. The
/// model must outlive it. Damping that the published scheme does not know is an input error.
std::unique_ptr<tets::Conserving> make_conserving(const SceneSpec& scene, const tets::Model& model,
                                                  const std::vector<contact::Collider>& colliders,
                                                  Context& context);

/// From `time`, s, through the duration of the input; in several steps where the published scheme
/// needs shorter ones. Transactional: unless converged, state and pressures are unchanged, and
/// `forces`, which are the mean over the duration.
tets::StepReport advance(tets::Conserving& conserving, tets::State& state,
                         const tets::StepInput& input, double time, contact::ContactForces& forces,
                         Context& context);

/// How bodies are placed at a time, s.
contact::ContactReport contact_report(tets::Conserving& conserving,
                                      std::span<const Vec3d> positions, double time,
                                      ThreadArena& arena);

}  // namespace isochor::sim
