#include "reproduce/tet_motion.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/geometry/stuffing.h"
#include "isochor/materials/registry.h"

namespace isochor::reproduce {
namespace {

tets::Params params_of(const MotionSetup& setup) {
  tets::Params params{.integrator = solve::Integrator::BackwardEuler};
  params.newton.tolerance = setup.newton_tolerance;
  if (setup.scheme == tets::Scheme::Published) {
    params.preconditioner = tets::Preconditioner::Jacobi;
  }
  return params;
}

tets::ConservingParams completed(tets::ConservingParams params, const MotionSetup& setup) {
  params.scheme = setup.scheme;
  params.keep_volumes = setup.keep_volumes;
  if (setup.scheme == tets::Scheme::Published) {
    params.rings.precondition = setup.precondition;
    params.rings.compliance = 0;
    params.stiffness_damping = setup.stiffness_damping;
  }
  return params;
}

}  // namespace

geometry::TetMesh stuffed_ball(const Vec3d& centre, double radius, double spacing,
                               ThreadArena& arena, int grading) {
  const auto depth = [&](const Vec3d& x) {
    const Vec3d d = x - centre;
    return radius - std::sqrt(dot(d, d));
  };
  const auto is_inside = [&](const Vec3d& x) { return depth(x) > 0; };
  const auto has_ball = [&](const Vec3d& x, double r) -> std::optional<bool> {
    if (std::abs(depth(x)) <= r) return std::nullopt;
    return depth(x) > 0;
  };
  const auto crossing = [&](const Vec3d& a, const Vec3d& b) {
    double low = 0, high = 1;
    for (int k = 0; k < 50; ++k) {
      const double middle = (low + high) / 2;
      (is_inside(a + middle * (b - a)) ? low : high) = middle;
    }
    return low;
  };
  const Vec3d corner{radius, radius, radius};
  return geometry::stuff(
      geometry::StuffedBody{{centre - corner, centre + corner}, is_inside, has_ball, crossing},
      {.spacing = spacing, .grading = grading}, arena);
}

materials::Material elastic_flesh(double young, double poisson) {
  materials::Material m;
  m.law = materials::law_index("stable_neo_hookean");
  m.mu = young / (2 * (1 + poisson));
  m.lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  m.density = 1000;
  return m;
}

TetMotion::TetMotion(const std::vector<tets::BodySpec>& bodies, const MotionSetup& setup,
                     tets::ConservingParams params, std::vector<contact::Collider> colliders,
                     Context& context)
    : setup_(setup),
      context_(context),
      model_(tets::build_model(bodies, params_of(setup), context.arena)),
      state_(tets::make_state(model_)),
      stepper_(model_, completed(params, setup), std::move(colliders), context) {
  surface_.positions = model_.rest_positions;
  for (const geometry::Triangle& t : geometry::boundary_triangles(model_.tets)) {
    surface_.add_face(t);
  }
}

FrameReport TetMotion::frame(const Vec3d& gravity, double length) {
  FrameReport report;
  const auto start = std::chrono::steady_clock::now();
  report.steps = setup_.substeps;
  if (setup_.scheme == tets::Scheme::Published) {
    const double longest = setup_.step_part * stepper_.stable_step(state_.positions);
    report.steps = std::max(1, int(std::ceil(length / longest)));
  }
  const double dt = length / report.steps;
  report.forces.reset(model_.node_count(), stepper_.colliders().size());
  for (int k = 0; k < report.steps; ++k) {
    const tets::ConservingReport step = stepper_.advance(state_, gravity, time_, dt);
    if (!step.converged) {
      throw Error(Fault::Simulation, fmt::format("at {:.4f} s", time_), "a step did not converge",
                  "take shorter steps");
    }
    time_ += dt;
    report.forces.add(stepper_.forces(), 1.0 / report.steps);
    report.sum.newton_iterations += step.newton_iterations;
    report.sum.krylov_iterations += step.krylov_iterations;
    report.sum.position_iterations += step.position_iterations;
    report.sum.velocity_iterations += step.velocity_iterations;
    report.sum.recovery_steps += step.recovery_steps;
    report.sum.impacts += step.impacts;
    report.sum.cuts += step.cuts;
    report.sum.collider_contacts = step.collider_contacts;
    report.sum.pair_contacts = step.pair_contacts;
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  measure(report);
  return report;
}

void TetMotion::measure(FrameReport& report) {
  tets::OneRings& rings = stepper_.rings();
  rings.measure(state_.positions);
  report.worst_ring = rings.largest_error();
  double now = 0, rest = 0;
  for (const tets::BodyRange& body : model_.bodies) {
    double body_now = 0, body_rest = 0;
    for (std::int32_t i = body.first_node; i < body.first_node + body.node_count; ++i) {
      body_now += rings.volumes()[i];
      body_rest += rings.rest_volumes()[i];
    }
    report.worst_body = std::max(report.worst_body, std::abs(body_now / body_rest - 1));
    now += body_now;
    rest += body_rest;
  }
  report.volume_error = now / rest - 1;
  report.low = report.high = state_.positions[0][1];
  for (const Vec3d& x : state_.positions) {
    report.low = std::min(report.low, x[1]);
    report.high = std::max(report.high, x[1]);
  }
  for (std::size_t t = 0; t < model_.tets.size(); ++t) {
    report.inverted += determinant(tets::deformation_gradient(model_, t, state_.positions)) <= 0;
  }
}

}  // namespace isochor::reproduce
