#include "isochor/tets/conserving.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/base/error.h"

namespace isochor::tets {
namespace {

/// Of the mean of a body: nodes that weigh less count as if they had it where volumes are
/// recovered.
constexpr double kLeastMass = 1;

}  // namespace

Conserving::Conserving(const Model& model, const ConservingParams& params,
                       std::vector<contact::Collider> colliders, Context& context)
    : model_(model),
      params_(params),
      context_(context),
      colliders_(std::move(colliders), context.arena),
      scale_(surface_scale(model, surface_of(model))),
      touch_(make_contact(model,
                          {.reach = params.contact_distance,
                           .pairs = false,
                           .friction = params.friction,
                           .collider_barriers = false,
                           .slip_speed = params.slip_speed},
                          0)),
      rings_(model, context.arena),
      scratch_(model),
      cell_(mean_size(model)),
      wanted_(model.node_count()),
      pressures_{std::vector<double>(model.node_count()), std::vector<double>(model.node_count()),
                 std::vector<double>(model.node_count())},
      next_elastic_(model.node_count()),
      shear_modulus_(model.node_count()),
      later_pressures_(model.node_count()),
      positions_(model.node_count()),
      velocities_(model.node_count()),
      half_(model.node_count()),
      way_(model.node_count()),
      loads_(model.node_count()),
      reaction_(params.scheme == Scheme::Published ? model.node_count() : 0),
      driven_(reaction_.size()),
      pressed_(reaction_.size()),
      obstacles_(model.obstacle_node_count()),
      obstacle_friction_(obstacle_friction(model)) {
  if (params.scheme == Scheme::Published && model.springs.count() > 0) {
    throw Error(Fault::Input, "tets::Conserving", "the published scheme knows no springs",
                "choose Scheme::Implicit");
  }
  if (model.params.integrator != solve::Integrator::BackwardEuler) {
    throw Error(Fault::Input, "tets::Conserving", "volumes are kept with backward Euler only",
                "build the model with solve::Integrator::BackwardEuler");
  }
  params_.contact_distance = touch_.params().barrier.reach;
  if (params_.repulsion_stiffness == 0) params_.repulsion_stiffness = scale_.stiffness;
  for (auto* forces : {&forces_, &forces_before_, &part_forces_}) {
    forces->reset(model.node_count(), colliders_.size());
  }
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    inverse_mass_.push_back(model.held[i] ? 0 : 1 / model.mass[i]);
  }
  impact_mass_ = response_ = inverse_mass_;
  for (const SlidingHold& hold : model.sliding) {
    for (const std::int32_t n : hold.nodes) impact_mass_[n] = 0;
  }
  for (const BodyRange& body : model.bodies) {
    if (body.tet_count == 0) continue;
    double mass = 0;
    for (std::int32_t i = 0; i < body.node_count; ++i) mass += model.mass[body.first_node + i];
    const double most = double(body.node_count) / (kLeastMass * mass);
    for (std::int32_t i = 0; i < body.node_count; ++i) {
      double& response = response_[body.first_node + i];
      response = std::min(response, most);
    }
  }
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    for (const std::int32_t n : model.tets[t]) {
      shear_modulus_[n] += model.mu[t] * model.volume[t] / (4 * rings_.rest_volumes()[n]);
    }
  }
  const std::vector<std::uint8_t> held = model.is_held_at_all();
  for (const std::int32_t p : surface().surface().points) {
    if (!held[p]) free_points_.push_back(p);
  }
}

ConservingReport Conserving::advance(State& state, const Vec3d& gravity, double time, double dt,
                                     std::span<const Vec3d> held_positions,
                                     std::span<const Vec3d> loads,
                                     std::span<const double> activations) {
  return advance(state,
                 {.gravity = gravity,
                  .held_positions = held_positions,
                  .activations = activations,
                  .loads = loads,
                  .dt = dt},
                 time);
}

ConservingReport Conserving::advance(State& state, const StepInput& input, double time) {
  pressures_before_ = pressures_;
  place_obstacles(model_, time, std::span(state.positions).subspan(model_.first_obstacle_node));
  std::swap(forces_, forces_before_);
  forces_.reset(model_.node_count(), colliders_.size());
  pair_list_.clear();
  const ConservingReport report = params_.scheme == Scheme::Published
                                      ? advance_published(state, input, time)
                                      : advance_in_parts(state, input, time);
  if (!report.converged) {
    std::swap(pressures_, pressures_before_);
    std::swap(forces_, forces_before_);
  }
  return report;
}

contact::PairFilter Conserving::filter(double rest_distance) const {
  return {.within_bodies = params_.self_contact,
          .between_bodies = params_.self_contact,
          .rest_distance = rest_distance,
          .rest_positions = model_.rest_positions};
}

void Conserving::find_rows(std::span<const Vec3d> positions, const contact::PlacedColliders& placed,
                           ConservingReport& report) {
  rows_.clear();
  for (const Slide& slide : slides_) {
    rows_.push_back(
        {.points = {slide.node}, .weights = {1}, .count = 1, .held = true, .normal = slide.normal});
  }
  find_contacts(placed, free_points_, positions, params_.contact_distance, context_.arena, near_);
  for (const contact::ColliderContact& c : near_) rows_.push_back(row_of(c));
  report.collider_contacts = near_.size();
  if (has_pairs()) {
    // Volumes that are recovered move things by little, step after step.
    constexpr double kSlack = 3;
    const double reach = params_.contact_distance;
    if (pair_list_.range(positions, reach, {}, context_.arena) < 0) {
      pair_list_.make(surface(), positions, kSlack * reach, filter(2 * reach), context_.arena);
    }
    pair_list_.find_close(positions, reach, context_.arena, pairs_);
    for (const contact::Pair& p : pairs_) {
      rows_.push_back(
          row_of(p, surface().surface().friction_of(p.points[0], p.points[3], params_.friction,
                                                    obstacle_friction_)));
    }
    report.pair_contacts = pairs_.size();
  }
  projection_.build(rows_, inverse_mass_);
  impulses_.assign(rows_.size(), Vec3d{0, 0, 0});
}

/// [Irving07 (2)]
void Conserving::correct_velocities(std::span<Vec3d> velocities, ConservingReport& report) {
  std::fill(wanted_.begin(), wanted_.end(), 0.0);
  const solve::KrylovReport found =
      correct(velocities, pressures_.velocities, params_.rings.tolerance);
  report.velocity_iterations += found.iterations;
  report.operator_applications += found.operator_applications;
}

solve::KrylovReport Conserving::correct(std::span<Vec3d> velocities, std::span<double> pressures,
                                        double tolerance, std::span<const double> response) {
  const auto project = [&](std::span<Vec3d> v) {
    projection_.project(v, params_.sweeps, context_.arena);
  };
  OneRingParams rings = params_.rings;
  rings.tolerance = tolerance;
  rings.response = response;
  return rings_.correct(velocities, wanted_, pressures, project, rings, context_.cancelled, rows_);
}

void Conserving::keep_out(std::span<Vec3d> positions) {
  constexpr int kRounds = 4;  // in a corner, one way out leads into the next collider
  for (int round = 0; round < kRounds; ++round) {
    const auto inside = touch_.find_inside(positions, context_.arena);
    if (inside.empty()) return;
    for (const contact::ColliderContact& c : inside) positions[c.point] -= c.distance * c.normal;
  }
}

void Conserving::recover(const contact::PlacedColliders& placed, std::span<Vec3d> positions,
                         bool first_round, ConservingReport& report) {
  const std::span<const double> rest = rings_.rest_volumes();
  rings_.measure(positions);
  if (first_round) hand_on();
  for (int step = 0;; ++step, ++report.recovery_steps) {
    find_rows(positions, placed, report);
    report.worst_ring = rings_.largest_error();
    const bool enough = report.worst_ring <= params_.volume_tolerance;
    if (enough || step == params_.recovery_steps || context_.cancelled) return;
    each_node([&](std::size_t i) {
      wanted_[i] = rest[i] - rings_.volumes()[i];
      velocities_[i] = {0, 0, 0};
    });
    // Only the first of these pressures is what the step before needed, too.
    const bool first = first_round && step == 0;
    if (!first) std::fill(later_pressures_.begin(), later_pressures_.end(), 0.0);
    // What is left to do asks for no more, nor do volumes that are far off: they are not linear.
    constexpr double kEnough = 0.5, kLinear = 0.05;
    const double tolerance =
        std::max({params_.rings.tolerance, std::min(kLinear, report.worst_ring),
                  kEnough * params_.volume_tolerance / report.worst_ring});
    if (!pairs_.empty()) projection_.build(rows_, response_);
    const solve::KrylovReport found =
        correct(velocities_, first ? pressures_.positions : later_pressures_, tolerance, response_);
    report.position_iterations += found.iterations;
    report.operator_applications += found.operator_applications;
    move_by_parts(positions);
  }
}

void Conserving::move_by_parts(std::span<Vec3d> positions) {
  constexpr double kLeast = 1.0 / 16;
  const double wrong = rings_.squared_error();
  each_node([&](std::size_t i) { positions_[i] = positions[i]; });
  for (double part = 1;; part /= 2) {
    each_node([&](std::size_t i) { positions[i] = positions_[i] + part * velocities_[i]; });
    keep_out(positions);
    rings_.measure(positions);
    // All of the way would leave nothing, were volumes linear.
    if (rings_.squared_error() <= (1 - 0.5 * part) * wrong || part == kLeast) return;
  }
}

void Conserving::repel(std::span<Vec3d> velocities, double dt, double stiffness) {
  if (!has_pairs()) return;
  along_.clear();
  for (const Slide& s : slides_) along_.push_back(dot(s.normal, velocities[s.node]));
  projection_.repel(
      velocities, {.thickness = params_.contact_distance, .stiffness = stiffness, .time_step = dt},
      impulses_, context_.arena);
  for (std::size_t k = 0; k < slides_.size(); ++k) {
    Vec3d& v = velocities[slides_[k].node];
    v += (along_[k] - dot(slides_[k].normal, v)) * slides_[k].normal;
  }
}

void Conserving::separate(std::span<const Vec3d> start, std::span<Vec3d> positions,
                          std::span<Vec3d> velocities, double dt, ConservingReport& report) {
  if (!has_pairs()) return;
  for (std::size_t i = 0; i < half_.size(); ++i) half_[i] = (1 / dt) * (positions[i] - start[i]);
  // A tenth of the distance in which pairs touch is what they keep.
  const contact::ResolutionReport found =
      resolver_.resolve(surface(), start, half_, impact_mass_,
                        {.time_step = dt,
                         .friction = params_.friction,
                         .obstacle_friction = obstacle_friction_,
                         .distance = 0.1 * params_.contact_distance},
                        filter(), context_.arena);
  report.impacts += found.impacts;
  report.converged &= found.clear;
  if (found.impacts == 0) return;
  for (std::size_t i = 0; i < half_.size(); ++i) {
    const Vec3d end = start[i] + dt * half_[i];
    const Vec3d change = (1 / dt) * (end - positions[i]);
    velocities[i] += change;
    positions[i] = end;
    part_forces_.points[i] += (model_.mass[i] / dt) * change;
  }
  for (std::size_t i = model_.first_obstacle_node; i < model_.node_count(); ++i) {
    part_forces_.points[i] += (1 / dt) * resolver_.on_held(std::int32_t(i));
  }
}

void Conserving::step_implicit(const State& state, StepInput input, double time, bool must_hold,
                               ConservingReport& report) {
  const contact::PlacedColliders placed = colliders_.at(time + input.dt, context_.arena);
  touch_.params().barrier.stiffness = scale_.stiffness + scale_.mass / (input.dt * input.dt);
  touch_.place(placed, input.dt, colliders_.placements(time));
  place_obstacles(model_, time + input.dt, obstacles_);
  input.obstacles = obstacles_;
  if (colliders_.size() > 0 || params_.self_contact || input.bones) input.contact = &touch_;
  slides_ = input.slides;
  next_ = state;
  part_forces_.reset(model_.node_count(), colliders_.size());
  rings_.begin_step();
  if (params_.keep_volumes) {
    press(state, input.loads);
    input.loads = loads_;
  }
  const solve::Balance balance = report.elastic.balance;
  report.elastic = tets::advance(model_, next_, input, scratch_, context_);
  report.elastic.balance.damping_loss += balance.damping_loss;
  report.elastic.balance.hold_work += balance.hold_work;
  report.newton_iterations += report.elastic.iterations;
  report.krylov_iterations += report.elastic.krylov_iterations;
  report.operator_applications += report.elastic.operator_applications;
  report.converged = report.elastic.converged();
  if (!report.converged) return;
  touch_.begun_at(state.positions);
  add_elastic_forces(next_.positions, placed);
  keep_out(next_.positions);
  settle(placed, state.positions, input.dt, report);
  add_obstacles(model_, next_.positions, placed, part_forces_);
  if (must_hold && report.worst_ring > params_.volume_tolerance) report.converged = false;
}

void Conserving::press(const State& state, std::span<const Vec3d> loads) {
  rings_.measure(state.positions);
  rings_.gradient(pressures_.elastic, loads_);
  each_node([&](std::size_t i) {
    loads_[i] = -1.0 * loads_[i];
    if (!loads.empty()) loads_[i] += loads[i];
  });
}

void Conserving::hand_on() {
  // A quarter of what a uniform body at rest, of Poisson's ratio 0, asks for, so that softer ones
  // do not overshoot; and little of what is far off: that is an impact's, and would be wrong in the
  // next step.
  constexpr double kPart = 0.5, kMost = 0.1;
  const std::span<const double> rest = rings_.rest_volumes();
  each_node([&](std::size_t i) {
    const double lost =
        rest[i] > 0 ? std::clamp(1 - rings_.volumes()[i] / rest[i], -kMost, kMost) : 0;
    next_elastic_[i] = pressures_.elastic[i] + kPart * shear_modulus_[i] * lost;
  });
}

void Conserving::settle(const contact::PlacedColliders& placed, std::span<const Vec3d> start,
                        double dt, ConservingReport& report) {
  // Parts are kept apart first: volumes that are right where parts cross would be made wrong again.
  // Then both by turns, as what keeps parts apart costs volume and pushes nodes into colliders, and
  // the other way round. Few pairs still meet in later rounds, a tenth of those before.
  constexpr int kRounds = 16;
  const auto keep_apart = [&] {
    const std::int64_t before = report.impacts;
    separate(start, next_.positions, next_.velocities, dt, report);
    return report.impacts == before;
  };
  const auto volumes_are_right = [&] {
    if (!params_.keep_volumes) return true;
    rings_.measure(next_.positions);
    return rings_.largest_error() <= params_.volume_tolerance;
  };
  bool apart = keep_apart();
  for (int round = 0; round < kRounds; ++round) {
    if (!apart) keep_out(next_.positions);
    if (params_.keep_volumes) recover(placed, next_.positions, round == 0, report);
    apart = keep_apart();
    if (apart) break;
    if (volumes_are_right() && touch_.find_inside(next_.positions, context_.arena).empty()) break;
  }
  if (!params_.keep_volumes) find_rows(next_.positions, placed, report);
  if (params_.keep_volumes) {
    report.worst_ring = rings_.largest_error();
    correct_velocities(next_.velocities, report);
    add_corrections(next_.positions, dt, placed);
  }
  repel(next_.velocities, dt);
  add_impulses(next_.positions, dt, placed);
}

double Conserving::part_for_colliders(std::span<const Vec3d> positions, double time,
                                      double dt) const {
  double part = 1;
  if (colliders_.size() == 0) return part;
  // Parts that fail can be cut once more.
  const double least = std::ldexp(1.0, 1 - params_.most_cuts);
  const double way = colliders_.travel(
      time, time + dt, geometry::bounds_of(positions.first(model_.first_obstacle_node)));
  while (part * way > cell_ && part > least) part /= 2;
  return part;
}

StepInput Conserving::part_of(const State& state, const StepInput& input, double done,
                              double part) {
  StepInput next = input;
  next.dt = part * input.dt;
  if (part == 1) return next;
  const double of_rest = part / (1 - done);
  held_.resize(input.held_positions.size());
  std::size_t k = 0;
  for (const Hold& hold : model_.holds) {
    if (held_.empty()) break;
    for (const std::int32_t n : hold.nodes) {
      const Vec3d& from = state.positions[n];
      held_[k] = from + of_rest * (input.held_positions[k] - from);
      ++k;
    }
  }
  next.held_positions = held_;
  held_slides_.assign(input.slides.begin(), input.slides.end());
  for (Slide& slide : held_slides_) {
    const double from = dot(slide.normal, state.positions[slide.node]);
    slide.place = from + of_rest * (slide.place - from);
  }
  next.slides = held_slides_;
  if (input.first_spring_targets.empty()) return next;
  spring_targets_.resize(input.spring_targets.size());
  for (std::size_t s = 0; s < spring_targets_.size(); ++s) {
    const Vec3d& from = input.first_spring_targets[s];
    spring_targets_[s] = from + (done + part) * (input.spring_targets[s] - from);
  }
  next.spring_targets = spring_targets_;
  return next;
}

ConservingReport Conserving::advance_in_parts(State& state, const StepInput& input, double time) {
  ConservingReport report;
  before_ = state;
  const double least = std::ldexp(1.0, -params_.most_cuts);
  double done = 0, part = part_for_colliders(state.positions, time, input.dt);  // of the step
  while (done < 1) {
    const StepInput next = part_of(state, input, done, part);
    if (next.bones) next.bones->set_part(done, done + part);
    const solve::Balance balance = report.elastic.balance;
    step_implicit(state, next, time + done * input.dt, part > least, report);
    if (context_.cancelled || (!report.converged && part <= least)) {
      report.converged = false;
      std::swap(state, before_);
      return report;
    }
    if (!report.converged) {
      report.elastic.balance = balance;
      // Pressures that were handed on may be what was in the way.
      std::ranges::fill(pressures_.elastic, 0.0);
      part /= 2;
      ++report.cuts;
      continue;
    }
    std::swap(state, next_);
    if (params_.keep_volumes) std::swap(pressures_.elastic, next_elastic_);
    forces_.add(part_forces_, part);
    done += part;
  }
  return report;
}

void Conserving::poison() {
  scratch_.poison();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (auto* values : {&wanted_, &later_pressures_, &next_elastic_})
    std::ranges::fill(*values, kNan);
  for (auto* vectors : {&positions_, &velocities_, &half_, &way_, &loads_, &reaction_, &driven_,
                        &pressed_, &obstacles_, &part_forces_.points}) {
    std::ranges::fill(*vectors, Vec3d{kNan, kNan, kNan});
  }
}

}  // namespace isochor::tets
