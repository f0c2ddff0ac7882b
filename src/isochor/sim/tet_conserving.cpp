#include "isochor/sim/tet_conserving.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"

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
    params.recovery_time =
        scene.method.recovery_time > 0 ? scene.method.recovery_time : 0.2 / scene.time.frame_rate;
    params.stiffness_damping = published_damping(scene);
  }
  return params;
}

/// Of the longest step that linear theory allows: elements get stiffer while they deform, and what
/// bodies that meet lose of their volume in a step must not be more than comes back in the next.
constexpr double kPart = 0.5, kPartWithPairs = 0.25;
/// Steps of the published scheme in which the motion blows up are tried again, in twice as many,
/// up to so many times as many.
constexpr int kFinest = 8;

int parts_of(tets::Conserving& conserving, std::span<const Vec3d> positions,
             const tets::StepInput& input) {
  if (conserving.params().scheme != tets::Scheme::Published) return 1;
  const double part = conserving.params().self_contact ? kPartWithPairs : kPart;
  const double longest = part * conserving.stable_step(positions, input.activations);
  return std::max(1, static_cast<int>(std::ceil(input.dt / longest)));
}

solve::NewtonEnd end_of(const tets::ConservingReport& step, tets::Scheme scheme,
                        const Context& context) {
  if (context.cancelled) return solve::NewtonEnd::Cancelled;
  if (step.converged) return solve::NewtonEnd::Converged;
  if (scheme == tets::Scheme::Published) return solve::NewtonEnd::Diverged;
  // Where elasticity was solved, contacts were not.
  return step.elastic.converged() ? solve::NewtonEnd::Stalled : step.elastic.end;
}

/// In equal parts.
tets::StepReport advance_in(int parts, tets::Conserving& conserving, tets::State& state,
                            const tets::StepInput& input, double time,
                            contact::ContactForces& forces, Context& context) {
  tets::State next = state;
  tets::HandedPressures before = conserving.pressures();
  const double dt = input.dt / parts;
  contact::ContactForces mean;
  mean.reset(forces.points.size(), forces.colliders.size());
  tets::StepReport report;
  report.residual = 0;
  for (int k = 0; k < parts; ++k) {
    const tets::StepInput part = conserving.part_of(next, input, double(k) / parts, 1.0 / parts);
    const tets::ConservingReport step = conserving.advance(next, part, time + k * dt);
    report.end = end_of(step, conserving.params().scheme, context);
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
    mean.add(conserving.forces(), 1.0 / parts);
  }
  std::swap(forces, mean);
  std::swap(state, next);
  return report;
}

}  // namespace

std::unique_ptr<tets::Conserving> make_conserving(const SceneSpec& scene, const tets::Model& model,
                                                  const std::vector<contact::Collider>& colliders,
                                                  Context& context) {
  if (scene.method.volume == "zones") return nullptr;
  if (scene.method.volume != "one-ring" && !scene.touches()) return nullptr;
  return std::make_unique<tets::Conserving>(model, params_of(scene), colliders, context);
}

tets::StepReport advance(tets::Conserving& conserving, tets::State& state,
                         const tets::StepInput& input, double time, contact::ContactForces& forces,
                         Context& context) {
  const int parts = parts_of(conserving, state.positions, input);
  tets::StepReport report = advance_in(parts, conserving, state, input, time, forces, context);
  for (int finer = 2; report.end == solve::NewtonEnd::Diverged && finer <= kFinest; finer *= 2) {
    const tets::StepReport last = report;
    report = advance_in(finer * parts, conserving, state, input, time, forces, context);
    report.iterations += last.iterations;
    report.krylov_iterations += last.krylov_iterations;
    report.operator_applications += last.operator_applications;
    report.cuts += last.cuts + 1;
  }
  return report;
}

contact::ContactReport contact_report(tets::Conserving& conserving,
                                      std::span<const Vec3d> positions, double time,
                                      ThreadArena& arena) {
  const double reach = conserving.params().contact_distance;
  return contact::report_contact(conserving.surface(), positions, conserving.free_points(),
                                 conserving.colliders().at(time, arena), reach,
                                 conserving.filter(2 * reach), arena);
}

}  // namespace isochor::sim
