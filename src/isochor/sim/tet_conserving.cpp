#include "isochor/sim/tet_conserving.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"
#include "isochor/contact/crossings.h"
#include "isochor/sim/collider_scene.h"

namespace isochor::sim {
namespace {

/// The published scheme has one coefficient for all bodies, and none that is times mass.
double published_damping(const SceneSpec& scene) {
  const double all = scene.bodies[0].damping.stiffness;
  for (const BodySpec& body : scene.bodies) {
    if (body.damping.mass > 0) {
      throw Error(Fault::Input, body.place.text("damping.mass"),
                  "the variant paper of one-rings has no damping by mass",
                  "leave it out, or choose method.variant = \"best\"");
    }
    if (body.damping.stiffness != all) {
      throw Error(Fault::Input, body.place.text("damping.stiffness"),
                  "the variant paper of one-rings has one damping for all bodies",
                  "give all bodies the same");
    }
  }
  return all;
}

tets::ConservingParams params_of(const SceneSpec& scene) {
  tets::ConservingParams params{.keep_volumes = scene.method.volume == "one-ring",
                                .self_contact = scene.method.self_contact,
                                .friction = scene.method.friction};
  if (scene.method.variant == "paper") {
    params.scheme = tets::Scheme::Published;
    params.rings.precondition = false;
    params.rings.compliance = 0;
    // What contacts took away all at once comes back as a burst.
    params.recovery_time = 0.2 / scene.time.frame_rate;
    params.stiffness_damping = published_damping(scene);
  }
  return params;
}

int parts_of(tets::Conserving& conserving, std::span<const Vec3d> positions, double dt) {
  if (conserving.params().scheme != tets::Scheme::Published) return 1;
  // Half of what linear theory allows: elements get stiffer while they deform.
  const double longest = 0.5 * conserving.stable_step(positions);
  return std::max(1, static_cast<int>(std::ceil(dt / longest)));
}

solve::NewtonEnd end_of(const tets::ConservingReport& step, const Context& context) {
  if (context.cancelled) return solve::NewtonEnd::Cancelled;
  if (step.converged) return solve::NewtonEnd::Converged;
  // Where elasticity was solved, contacts were not.
  return step.elastic.converged() ? solve::NewtonEnd::Stalled : step.elastic.end;
}

}  // namespace

std::unique_ptr<tets::Conserving> make_conserving(const SceneSpec& scene, const tets::Model& model,
                                                  Context& context) {
  if (scene.method.volume == "zones") return nullptr;
  if (scene.method.volume != "one-ring" && !scene.has_contact()) return nullptr;
  return std::make_unique<tets::Conserving>(model, params_of(scene),
                                            build_colliders(scene, context), context);
}

tets::StepReport advance(tets::Conserving& conserving, tets::State& state,
                         const tets::StepInput& input, double time, Context& context) {
  tets::State next = state;
  tets::HandedPressures before = conserving.pressures();
  const int parts = parts_of(conserving, state.positions, input.dt);
  const double dt = input.dt / parts;
  tets::StepReport report;
  report.residual = 0;
  for (int k = 0; k < parts; ++k) {
    const tets::ConservingReport step = conserving.advance(next, input.gravity, time + k * dt, dt,
                                                           input.held_positions, input.loads);
    report.end = end_of(step, context);
    report.iterations += step.newton_iterations;
    report.krylov_iterations +=
        step.krylov_iterations + step.position_iterations + step.velocity_iterations;
    report.operator_applications += step.operator_applications;
    report.cuts += step.cuts;
    if (conserving.params().scheme == tets::Scheme::Implicit) {
      report.residual = step.elastic.residual;
      report.balance = step.elastic.balance;
    }
    if (!report.converged()) {
      conserving.set_pressures(std::move(before));
      return report;
    }
  }
  std::swap(state, next);
  return report;
}

ContactMeasures contact_measures(tets::Conserving& conserving, std::span<const Vec3d> positions,
                                 double time, ThreadArena& arena) {
  ContactMeasures out;
  std::vector<contact::ColliderContact> contacts;
  find_contacts(conserving.colliders().at(time, arena), conserving.free_points(), positions,
                conserving.params().contact_distance, arena, contacts);
  out.collider_contacts = contacts.size();
  for (const contact::ColliderContact& c : contacts) {
    out.deepest = std::max(out.deepest, -c.distance);
  }
  if (conserving.params().self_contact) {
    out.crossings = contact::find_crossings(conserving.surface(), positions, arena).count();
  }
  if (conserving.params().keep_volumes) {
    conserving.rings().measure(positions);
    out.worst_ring_volume_error = conserving.rings().largest_error();
  }
  return out;
}

}  // namespace isochor::sim
