#include "isochor/sim/staggered_method.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "isochor/sim/body_frame.h"
#include "isochor/sim/zones.h"
#include "isochor/staggered/loads.h"
#include "isochor/staggered/stresses.h"

namespace isochor::sim {
namespace {

using staggered::Index;
using staggered::SolveReport;

/// Vectors that GMRES keeps.
constexpr int kRestart = 15;
/// Per linear system.
constexpr int kPublishedCycles = 20;

double cell_volume(const StaggeredBody& body) {
  const auto& h = body.model.levels[0].spacing;
  return h[0] * h[1] * h[2];
}

staggered::CorotatedParams corotated_params(const std::string& variant) {
  return variant == "paper" ? staggered::CorotatedParams::published()
                            : staggered::CorotatedParams{};
}

}  // namespace

struct StaggeredMethod::Work {
  Work(const StaggeredBody& body, const std::string& variant)
      : step(body.model), load(body.model.unknowns()) {
    if (body.corotated()) {
      corotated.emplace(body.model, corotated_params(variant));
    } else {
      // As published cycles are the solver.
      linear.emplace(body.model, variant == "paper" ? 0 : kRestart);
    }
  }
  /// The model for steps of a length.
  const staggered::Model<3>& model_for(const StaggeredBody& body, double inertia) {
    if (!moving || moving->material.inertia != inertia) moving = body.model_with(inertia);
    return *moving;
  }

  std::optional<staggered::MotionMemory<3>> linear;
  std::optional<staggered::CorotatedMemory<3>> corotated;
  staggered::StepWork<3> step;
  std::vector<double> load;
  std::optional<staggered::Model<3>> moving;
};

StaggeredMethod::~StaggeredMethod() = default;

StaggeredMethod::StaggeredMethod(const SceneSpec& scene, Context& context)
    : context_(context),
      timing_(scene.time),
      gravity_(scene.world.gravity),
      newton_(scene.method.newton),
      bodies_(scene.bodies),
      scene_(build_staggered_scene(scene, context)),
      contact_(make_staggered_contact(scene, scene_, context)),
      guides_(scene_.holds.size()),
      loads_(first_node(scene_.bodies.size())) {
  // The limit counts linear systems. Ours take a cycle for each; as published cycles are the
  // solver, and one system takes many.
  if (scene.method.variant == "paper") newton_.max_iterations *= kPublishedCycles;
  if (contact_) pressures_ = contact_->none();
  for (const StaggeredBody& body : scene_.bodies) {
    motions_.emplace_back(body.model);
    work_.push_back(std::make_unique<Work>(body, scene.method.variant));
  }
}

std::size_t StaggeredMethod::first_node(std::size_t body) const {
  std::size_t sum = 0;
  for (std::size_t b = 0; b < body; ++b) sum += scene_.topology.bodies[b].rest_nodes.size();
  return sum;
}

Summary StaggeredMethod::summary() const {
  Summary result;
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    const StaggeredBody& body = scene_.bodies[b];
    const auto& topology = scene_.topology.bodies[b];
    result.cells += body.cells.size();
    result.nodes += topology.rest_nodes.size();
    result.surface_vertices += topology.surface.positions.size();
    result.mass += std::accumulate(body.node_mass.begin(), body.node_mass.end(), 0.0);
    result.volume +=
        std::abs(geometry::enclosed_volume(topology.surface.positions, body.triangles));
    result.memory +=
        body.model.bytes() + body.nodes.bytes() + 10 * body.model.unknowns() * sizeof(double);
    if (work_[b]->corotated) result.memory += work_[b]->corotated->turns.bytes();
  }
  for (const Driver& hold : scene_.holds) result.held_nodes += hold.points.size();
  return result;
}

std::vector<double> StaggeredMethod::load_at(std::size_t b, double time) const {
  const StaggeredBody& body = scene_.bodies[b];
  std::vector<double> load(body.model.unknowns());
  const Vec3d gravity = gravity_ * std::clamp(1 + time, 0.0, 1.0);
  staggered::add_body_force<3>(
      body.model, [&](const auto&, int k) { return body.density * gravity[k]; }, load);
  for (const StaggeredLoad& traction : body.tractions) {
    solve::axpy(context_.arena, sim::load_at(traction.spec, time), traction.b, load);
  }
  const std::vector<Vec3d> pushes = loads_.at(time, timing_);
  if (!pushes.empty()) {
    const auto own =
        std::span(pushes).subspan(first_node(b), scene_.topology.bodies[b].rest_nodes.size());
    body.nodes.add_forces(body.model, own, load);
  }
  if (contact_) solve::axpy(context_.arena, 1, contact_->load(b), load);
  return load;
}

void StaggeredMethod::set_given(std::size_t b, double time, std::span<double> u) const {
  struct Rigid {
    Mat3d rotation;
    Vec3d from, to;
  };
  std::vector<Rigid> motions;
  for (std::size_t h = 0; h < scene_.holds.size(); ++h) {
    const Driver& driver = scene_.holds[h];
    const Pose pose = pose_at(driver, guides_[h], time);
    motions.push_back(
        {rotation_from_vector(pose.rotation), driver.center, driver.center + pose.translation});
  }
  for (const GivenFace& face : scene_.bodies[b].given) {
    const Rigid& m = motions[face.hold];
    u[face.place] = (m.to + m.rotation * (face.at - m.from) - face.at)[face.axis];
  }
}

template <class F>
solve::NewtonReport StaggeredMethod::all_or_none(double time, bool again, F&& f) {
  std::vector<Motion> moved = motions_;
  StaggeredContact::Pressures pressures = pressures_;
  solve::NewtonReport report{.end = solve::NewtonEnd::Converged, .residual = 0};
  for (std::size_t b = 0; b < moved.size() && report.converged(); ++b) {
    const SolveReport solved =
        contact_ ? contact_->touch(b, time / timing_.frame_rate, again, moved[b], pressures[b],
                                   [&](Motion& motion) { return f(b, motion); })
                 : f(b, moved[b]);
    report.iterations += 1;
    report.krylov_iterations += solved.iterations;
    report.operator_applications += solved.iterations;
    report.residual = std::max(report.residual, solved.relative_residual);
    if (!solved.converged) {
      report.end = context_.cancelled                        ? solve::NewtonEnd::Cancelled
                   : std::isfinite(solved.relative_residual) ? solve::NewtonEnd::TooManyIterations
                                                             : solve::NewtonEnd::NotFinite;
    }
  }
  if (report.converged()) {
    motions_ = std::move(moved);
    pressures_ = std::move(pressures);
  }
  return report;
}

solve::NewtonReport StaggeredMethod::advance(double time) {
  solve::NewtonReport report{.end = solve::NewtonEnd::Converged, .residual = 0};
  if (timing_.moves() && time > 0) {
    std::vector<std::vector<double>> before, from;
    for (std::size_t b = 0; b < motions_.size(); ++b) {
      before.push_back(pushes(b, motions_[b]));
      from.push_back(motions_[b].u);
    }
    report =
        all_or_none(time, true, [&](std::size_t b, Motion& m) { return step(b, time_, time, m); });
    if (!report.converged()) return report;
    // By the trapezoidal rule: holds along their faces, and loads that act all the way.
    double work = 0;
    for (std::size_t b = 0; b < motions_.size(); ++b) {
      const StaggeredBody& body = scene_.bodies[b];
      const std::vector<double> after = pushes(b, motions_[b]), load = load_at(b, time);
      for (std::size_t g = 0; g < body.given.size(); ++g) {
        const std::size_t place = body.given[g].place;
        work += 0.5 * (before[b][g] + after[g]) * (motions_[b].u[place] - from[b][place]);
      }
      const double force = -body.model.material.mu * cell_volume(body);
      const Vec3d gravity = gravity_ * body.density * cell_volume(body);
      staggered::for_each_unknown<3>(
          body.model, [&](const Index<3>& cell, int k, std::size_t place) {
            if (k == 3) return;
            const double own =
                force * load[place] - gravity[k] * staggered::mass_fraction(body.model, cell, k);
            work += own * (motions_[b].u[place] - from[b][place]);
          });
    }
    ledger_.add({}, work);
  } else if (timing_.starts_in_equilibrium()) {
    report = all_or_none(time, false, [&](std::size_t b, Motion& m) { return relax(b, time, m); });
    if (report.converged() && timing_.moves()) set_velocities();
  } else {
    for (std::size_t b = 0; b < motions_.size(); ++b) motions_[b] = Motion(scene_.bodies[b].model);
    set_velocities();
  }
  if (report.converged()) time_ = time;
  return report;
}

SolveReport StaggeredMethod::relax(std::size_t b, double time, Motion& motion) {
  const StaggeredBody& body = scene_.bodies[b];
  Work& work = *work_[b];
  work.load = load_at(b, time);
  work.step.next = motion.u;
  set_given(b, time, motion.u);
  ThreadArena& arena = context_.arena;
  // Against all that acts: loads, stresses, and what moving holds does at first.
  std::vector<double>& r = work.step.image;
  if (work.corotated) {
    staggered::Turns<3>& turns = work.corotated->turns;
    staggered::find_turns<3>(body.model, work.step.next, turns, arena);
    staggered::find_turned_residual<3>(body.model, turns, motion.u, work.load, r, arena);
  } else {
    staggered::find_residual<3>(body.model, motion.u, work.load, r, arena);
  }
  const auto norm = [&](std::span<const double> x) {
    return staggered::residual_norm<3>(body.model, x, arena);
  };
  const staggered::Stresses<3> stresses(body.model, motion.u,
                                        work.corotated ? &work.corotated->turns : nullptr);
  const double rest = norm(r);
  const double all = std::max({rest, norm(work.load), stresses.scale(arena)});
  if (rest <= newton_.tolerance * all) {
    return {.relative_residual = all > 0 ? rest / all : 0, .converged = true};
  }
  SolveReport report;
  if (work.corotated) {
    report = staggered::solve_corotated<3>(body.model, work.load, work.step.next, motion.u,
                                           newton_.tolerance, all, newton_.max_iterations,
                                           *work.corotated, context_);
  } else {
    report = staggered::solve<3>(body.model, work.load, motion.u, newton_.tolerance * all / rest,
                                 newton_.max_iterations, work.linear->solver, context_);
    report.relative_residual *= rest / all;
  }
  return report;
}

SolveReport StaggeredMethod::step(std::size_t b, double from, double to, Motion& motion) {
  const StaggeredBody& body = scene_.bodies[b];
  Work& work = *work_[b];
  const staggered::TimeStep step{
      .dt = (to - from) / timing_.frame_rate, .density = body.density, .damping = body.damping};
  const staggered::Model<3>& model = work.model_for(body, step.inertia());
  work.load = load_at(b, to);
  std::vector<double> given = motion.u;
  set_given(b, to, given);
  if (work.corotated) {
    return staggered::advance_corotated<3>(model, step, work.load, given, newton_.tolerance,
                                           newton_.max_iterations, motion, work.step,
                                           *work.corotated, context_);
  }
  return staggered::advance<3>(model, step, work.load, given, newton_.tolerance,
                               newton_.max_iterations, motion, *work.linear, context_);
}

std::vector<Vec3d> StaggeredMethod::nodes_of(std::size_t b, std::span<const double> field) const {
  std::vector<Vec3d> out(scene_.topology.bodies[b].rest_nodes.size());
  scene_.bodies[b].nodes.to_nodes(field, out, context_.arena);
  return out;
}

std::vector<Vec3d> StaggeredMethod::positions_of(std::size_t b) const {
  std::vector<Vec3d> out = nodes_of(b, motions_[b].u);
  const auto& rest = scene_.topology.bodies[b].rest_nodes;
  for (std::size_t n = 0; n < out.size(); ++n) out[n] += rest[n];
  return out;
}

void StaggeredMethod::set_velocities() {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const StaggeredBody& body = scene_.bodies[b];
    const std::vector<Vec3d> positions = positions_of(b);
    std::ranges::fill(motions_[b].v, 0.0);
    if (dot(bodies_[b].velocity, bodies_[b].velocity) +
            dot(bodies_[b].angular_velocity, bodies_[b].angular_velocity) ==
        0) {
      continue;
    }
    // A rigid motion about the centre of mass: what it does to four points says all of it.
    Vec3d middle{0, 0, 0};
    double mass = 0;
    for (std::size_t n = 0; n < positions.size(); ++n) {
      middle += body.node_mass[n] * positions[n];
      mass += body.node_mass[n];
    }
    middle *= 1 / mass;
    staggered::for_each_unknown<3>(body.model, [&](const Index<3>& cell, int k, std::size_t place) {
      if (k == 3) return;
      const auto x = staggered::position(body.model, cell, k);
      const Vec3d at = body.origin + Vec3d{x[0], x[1], x[2]};
      motions_[b].v[place] =
          (bodies_[b].velocity + cross(bodies_[b].angular_velocity, at - middle))[k];
    });
  }
  ledger_ = {.start = total_energy()};
}

void StaggeredMethod::move_hold(const std::string& name, const Pose& pose) {
  const std::size_t number = find_hold(name, scene_.hold_names, time_, timing_);
  std::optional<Guide>& guide = guides_[number];
  guide = Guide{.since = time_, .from = pose_at(scene_.holds[number], guide, time_), .to = pose};
}

void StaggeredMethod::push_surface(std::size_t b, std::span<const Vec3d> forces) {
  const std::span<Vec3d> loads =
      loads_.renew(time_, timing_, std::int32_t(first_node(b)),
                   std::int32_t(scene_.topology.bodies[b].rest_nodes.size()));
  for (std::size_t v = 0; v < forces.size(); ++v) {
    if (dot(forces[v], forces[v]) == 0) continue;
    for (const auto& [node, weight] : scene_.bodies[b].surface.weights(v)) {
      loads[node] += weight * forces[v];
    }
  }
}

void StaggeredMethod::push_mass(std::size_t b, const Vec3d& force) {
  spread_by_mass(force, scene_.bodies[b].node_mass,
                 loads_.renew(time_, timing_, std::int32_t(first_node(b)),
                              std::int32_t(scene_.topology.bodies[b].rest_nodes.size())));
}

void StaggeredMethod::poison_scratch() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& work : work_) {
    std::ranges::fill(work->load, kNan);
    work->moving.reset();
  }
  if (contact_) contact_->poison();
}

void StaggeredMethod::save(files::ByteWriter& writer) const {
  writer.put(time_);
  for (const Motion& motion : motions_) {
    writer.put(motion.u);
    writer.put(motion.v);
  }
  for (const auto& pressures : pressures_) writer.put(pressures);
  sim::save(ledger_, writer);
  sim::save(guides_, writer);
  loads_.save(writer);
}

void StaggeredMethod::load(files::ByteReader& reader) {
  const double time = reader.get<double>();
  std::vector<Motion> motions = motions_;
  for (Motion& motion : motions) {
    for (std::vector<double>* field : {&motion.u, &motion.v}) {
      const std::size_t size = field->size();
      *field = reader.get_vector<double>();
      if (field->size() != size) reader.fail("it holds another number of faces than the scene");
    }
  }
  StaggeredContact::Pressures pressures = pressures_;
  for (std::vector<double>& own : pressures) {
    const std::size_t size = own.size();
    own = reader.get_vector<double>();
    if (own.size() != size) reader.fail("it holds another number of vertices than the scene");
  }
  const Ledger ledger = load_ledger(reader);
  Guides guides = load_guides(reader, guides_.size());
  loads_ = NodalLoads::load(reader, first_node(scene_.bodies.size()));
  guides_ = std::move(guides);
  ledger_ = ledger;
  time_ = time;
  motions_ = std::move(motions);
  pressures_ = std::move(pressures);
}

}  // namespace isochor::sim
