#include "isochor/tets/conserving.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/tets/touching.h"

namespace isochor::tets {
Conserving::Conserving(const Model& model, const ConservingParams& params,
                       std::vector<contact::Collider> colliders, Context& context)
    : model_(model),
      params_(params),
      context_(context),
      colliders_(std::move(colliders), context.arena),
      surface_(surface_of(model)),
      rings_(model, context.arena),
      scratch_(model),
      wanted_(model.node_count()),
      guesses_{std::vector<double>(model.node_count()), std::vector<double>(model.node_count())},
      later_pressures_(model.node_count()),
      positions_(model.node_count()),
      velocities_(model.node_count()),
      half_(model.node_count()) {
  if (model.params.integrator != solve::Integrator::BackwardEuler) {
    throw Error(Fault::Input, "tets::Conserving", "volumes are kept with backward Euler only",
                "build the model with solve::Integrator::BackwardEuler");
  }
  if (params_.contact_distance == 0) params_.contact_distance = mean_size(model) / 20;
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    inverse_mass_.push_back(model.held[i] ? 0 : 1 / model.mass[i]);
  }
  for (const std::int32_t p : surface_.surface().points) {
    if (!model.held[p]) free_points_.push_back(p);
  }
}

ConservingReport Conserving::advance(State& state, const Vec3d& gravity, double time, double dt,
                                     std::span<const Vec3d> held_positions,
                                     std::span<const Vec3d> loads) {
  guesses_before_ = guesses_;
  const ConservingReport report =
      params_.scheme == Scheme::Published
          ? advance_published(state, gravity, time, dt, loads)
          : advance_implicit(state, gravity, time, dt, held_positions, loads);
  if (!report.converged) std::swap(guesses_, guesses_before_);
  return report;
}

void Conserving::find_rows(std::span<const Vec3d> positions, const contact::PlacedColliders& placed,
                           ConservingReport& report) {
  rows_.clear();
  find_contacts(placed, free_points_, positions, params_.contact_distance, context_.arena, near_);
  for (const contact::ColliderContact& c : near_) rows_.push_back(row_of(c));
  report.collider_contacts = near_.size();
  if (params_.self_contact) {
    find_close_pairs(
        surface_, positions, params_.contact_distance,
        {.rest_distance = 2 * params_.contact_distance, .rest_positions = model_.rest_positions},
        context_.arena, pairs_);
    for (const contact::Pair& p : pairs_) rows_.push_back(row_of(p, params_.friction));
    report.pair_contacts = pairs_.size();
  }
  projection_.build(rows_, inverse_mass_);
  impulses_.assign(rows_.size(), Vec3d{0, 0, 0});
}

/// [Irving07 (2)]
int Conserving::correct_velocities(std::span<Vec3d> velocities) {
  std::fill(wanted_.begin(), wanted_.end(), 0.0);
  return correct(velocities, guesses_.velocities);
}

int Conserving::correct(std::span<Vec3d> velocities, std::span<double> pressures) {
  const auto project = [&](std::span<Vec3d> v) {
    projection_.project(v, params_.sweeps, context_.arena);
  };
  return rings_.correct(velocities, wanted_, pressures, project, params_.rings, context_.cancelled)
      .iterations;
}

void Conserving::recover(const contact::PlacedColliders& placed, std::span<Vec3d> positions,
                         ConservingReport& report) {
  const std::span<const double> rest = rings_.rest_volumes();
  for (int step = 0;; ++step, ++report.recovery_steps) {
    // Velocities are none of its business.
    collide(placed, free_points_, positions, half_, context_.arena, contacts_);
    find_rows(positions, placed, report);
    rings_.measure(positions);
    const bool enough = rings_.largest_error() <= params_.volume_tolerance;
    if (enough || step == params_.recovery_steps || context_.cancelled) return;
    for (std::size_t i = 0; i < wanted_.size(); ++i) wanted_[i] = rest[i] - rings_.volumes()[i];
    std::fill(velocities_.begin(), velocities_.end(), Vec3d{0, 0, 0});
    // Only the first of these pressures is what the step before needed, too.
    const bool first = report.recovery_steps == 0;
    if (!first) std::fill(later_pressures_.begin(), later_pressures_.end(), 0.0);
    report.position_iterations +=
        correct(velocities_, first ? guesses_.positions : later_pressures_);
    for (std::size_t i = 0; i < velocities_.size(); ++i) positions[i] += velocities_[i];
  }
}

void Conserving::repel(std::span<Vec3d> velocities, double dt) {
  if (!params_.self_contact) return;
  projection_.repel(velocities,
                    {.thickness = params_.contact_distance,
                     .stiffness = params_.repulsion_stiffness,
                     .time_step = dt},
                    impulses_, context_.arena);
}

void Conserving::separate(std::span<const Vec3d> start, std::span<Vec3d> positions,
                          std::span<Vec3d> velocities, double dt, ConservingReport& report) {
  if (!params_.self_contact) return;
  for (std::size_t i = 0; i < half_.size(); ++i) half_[i] = (1 / dt) * (positions[i] - start[i]);
  // A tenth of the distance in which pairs touch is what they keep.
  const contact::ResolutionReport found = resolver_.resolve(
      surface_, start, half_, inverse_mass_,
      {.time_step = dt, .friction = params_.friction, .distance = 0.1 * params_.contact_distance},
      {}, context_.arena);
  report.impacts += found.impacts;
  report.converged &= found.clear;
  if (found.impacts == 0) return;
  for (std::size_t i = 0; i < half_.size(); ++i) {
    const Vec3d end = start[i] + dt * half_[i];
    velocities[i] += (1 / dt) * (end - positions[i]);
    positions[i] = end;
  }
}

std::vector<Slide> Conserving::slides_at(std::span<const Vec3d> positions,
                                         const contact::PlacedColliders& placed,
                                         double reach) const {
  std::vector<contact::ColliderContact> near;
  find_contacts(placed, free_points_, positions, reach, context_.arena, near);
  std::vector<Slide> slides;
  for (const contact::ColliderContact& c : near) {
    if (!slides.empty() && slides.back().node == c.point) continue;
    const double place = dot(c.normal, positions[c.point]) - c.distance;
    slides.push_back({.node = c.point, .normal = c.normal, .place = place});
  }
  return slides;
}

int Conserving::half_step(std::span<const Vec3d> x, std::span<const Vec3d> from,
                          const Vec3d& gravity, std::span<const Vec3d> loads, double dt,
                          std::span<const Slide> slides, std::span<Vec3d> to) {
  const Restraint restraint{model_, slides};
  elastic_force(model_, {x}, scratch_.force, scratch_.elastic, context_.arena);
  const std::span<Vec3d> right = vectors(std::span(scratch_.linear.krylov.r));
  for (std::size_t i = 0; i < right.size(); ++i) {
    right[i] = 0.5 * dt * (scratch_.force[i] + model_.mass[i] * gravity);
    if (!loads.empty()) right[i] += 0.5 * dt * loads[i];
  }
  int iterations = 0;
  if (params_.stiffness_damping > 0) {
    // (M + dt/2 b K) (v - from) = dt/2 (f - b K from)
    linearise(model_, {x}, materials::Definiteness::Clamp, scratch_.linear.tangents,
              context_.arena);
    assemble(model_, scratch_.linear.tangents, scratch_.linear.matrix, context_.arena);
    const double b = 0.5 * dt * params_.stiffness_damping;
    solve::multiply(model_.pattern, scratch_.linear.matrix, from, std::span(scratch_.step),
                    context_.arena);
    for (std::size_t i = 0; i < right.size(); ++i) right[i] -= b * scratch_.step[i];
    restraint(right, context_.arena);
    const auto report = solve::conjugate_gradient(
        context_.arena,
        [&](std::span<const double> p, std::span<double> q) {
          solve::multiply(model_.pattern, scratch_.linear.matrix, vectors(p), vectors(q),
                          context_.arena);
          for (std::size_t i = 0; i < model_.node_count(); ++i) {
            vectors(q)[i] = b * vectors(q)[i] + model_.mass[i] * vectors(p)[i];
          }
          restraint(vectors(q), context_.arena);
        },
        [&](std::span<const double> r, std::span<double> z) {
          for (std::size_t i = 0; i < model_.node_count(); ++i) {
            vectors(z)[i] = inverse_mass_[i] * vectors(r)[i];
          }
        },
        [&] { return bool(context_.cancelled); }, scratch_.linear.krylov.r,
        flat(std::span<Vec3d>(scratch_.step)), 1e-3, 200, scratch_.linear.krylov);
    iterations = report.iterations;
  } else {
    restraint(right, context_.arena);
    for (std::size_t i = 0; i < right.size(); ++i) scratch_.step[i] = inverse_mass_[i] * right[i];
  }
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + scratch_.step[i];
  return iterations;
}

void Conserving::settle(const contact::PlacedColliders& placed, std::span<const Vec3d> start,
                        State& next, double dt, ConservingReport& report) {
  // Volumes and contacts by turns: what keeps parts apart costs volume, and the other way round.
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    if (params_.keep_volumes) {
      recover(placed, next.positions, report);
    } else {
      find_rows(next.positions, placed, report);
    }
    const std::int64_t before = report.impacts;
    separate(start, next.positions, next.velocities, dt, report);
    if (report.impacts == before || !params_.keep_volumes) break;
  }
  if (!params_.keep_volumes) return;
  rings_.measure(next.positions);
  report.velocity_iterations = correct_velocities(next.velocities);
}

/// The numbers are those of the steps in [Irving07 sec 2].
ConservingReport Conserving::advance_published(State& state, const Vec3d& gravity, double time,
                                               double dt, std::span<const Vec3d> loads) {
  ConservingReport report;
  const contact::PlacedColliders before = colliders_.at(time, context_.arena);
  const contact::PlacedColliders after = colliders_.at(time + dt, context_.arena);
  // 1
  std::vector<Slide> slides;
  if (params_.restrain_both) {
    slides = slides_at(state.positions, before, params_.contact_distance);
  }
  report.krylov_iterations +=
      half_step(state.positions, state.velocities, gravity, loads, dt, slides, velocities_);
  // 2, [Irving07 (1)]
  find_rows(state.positions, before, report);
  if (params_.keep_volumes) {
    rings_.measure(state.positions);
    const std::span<const double> rest = rings_.rest_volumes();
    const double fastest = params_.recovery_time > 0 ? 1 / params_.recovery_time : 1 / dt;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const double most = rest[i] * fastest;
      wanted_[i] = std::clamp((rest[i] - rings_.volumes()[i]) / dt, -most, most);
    }
    report.position_iterations = correct(velocities_, guesses_.positions);
  }
  // 3, 4
  repel(velocities_, dt);
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    positions_[i] = state.positions[i] + dt * velocities_[i];
  }
  // 5
  velocities_ = state.velocities;
  collide(after, free_points_, positions_, velocities_, context_.arena, contacts_);
  separate(state.positions, positions_, velocities_, dt, report);
  // 6, [Irving07 (2)]
  find_rows(positions_, after, report);
  if (params_.keep_volumes) {
    rings_.measure(positions_);
    report.velocity_iterations = correct_velocities(velocities_);
  }
  // 7, 8
  slides = slides_at(positions_, after, params_.contact_distance);
  for (std::size_t i = 0; i < half_.size(); ++i) {
    scratch_.positions[i] = 0.5 * (state.positions[i] + positions_[i]);
  }
  report.krylov_iterations +=
      half_step(scratch_.positions, velocities_, gravity, loads, dt, slides, half_);
  for (std::size_t i = 0; i < half_.size(); ++i) velocities_[i] = 2 * half_[i] - velocities_[i];
  // 9
  repel(velocities_, dt);

  for (const Vec3d& v : velocities_) {
    if (!std::isfinite(dot(v, v))) report.converged = false;
  }
  if (!report.converged) return report;
  std::swap(state.positions, positions_);
  std::swap(state.velocities, velocities_);
  state.last_dt = dt;
  return report;
}

ConservingReport Conserving::advance_implicit(State& state, const Vec3d& gravity, double time,
                                              double dt, std::span<const Vec3d> held_positions,
                                              std::span<const Vec3d> loads) {
  ConservingReport report;
  const contact::PlacedColliders after = colliders_.at(time + dt, context_.arena);
  // What would be inside a collider at the end of the step slides on it.
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    positions_[i] = state.positions[i] + dt * (state.velocities[i] + dt * gravity);
  }
  const std::vector<Slide> slides = slides_at(positions_, after, 0);
  State next = state;
  const StepReport elastic = tets::advance(model_, next,
                                           {.gravity = gravity,
                                            .held_positions = held_positions,
                                            .loads = loads,
                                            .slides = slides,
                                            .dt = dt},
                                           scratch_, context_);
  report.elastic = elastic;
  report.newton_iterations = elastic.iterations;
  report.krylov_iterations = elastic.krylov_iterations;
  report.converged = elastic.converged();
  if (!report.converged) return report;
  collide(after, free_points_, next.positions, next.velocities, context_.arena, contacts_);
  settle(after, state.positions, next, dt, report);
  if (!report.converged) return report;
  repel(next.velocities, dt);
  std::swap(state, next);
  return report;
}

void Conserving::poison() {
  scratch_.poison();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (auto* values : {&wanted_, &later_pressures_}) std::ranges::fill(*values, kNan);
  for (auto* vectors : {&positions_, &velocities_, &half_}) {
    std::ranges::fill(*vectors, Vec3d{kNan, kNan, kNan});
  }
}

double Conserving::stable_step(std::span<const Vec3d> positions) {
  linearise(model_, {positions}, materials::Definiteness::Clamp, scratch_.linear.tangents,
            context_.arena);
  assemble(model_, scratch_.linear.tangents, scratch_.linear.matrix, context_.arena);
  // Rows of M^-1 K bound its eigenvalues (Gershgorin).
  double largest = 0;
  for (std::size_t i = 0; i < model_.node_count(); ++i) {
    if (model_.held[i]) continue;
    double sum[3] = {0, 0, 0};
    for (std::int32_t k = model_.pattern.first[i]; k < model_.pattern.first[i + 1]; ++k) {
      for (int e = 0; e < 9; ++e) sum[e % 3] += std::abs(scratch_.linear.matrix[k](e % 3, e / 3));
    }
    largest = std::max(
        {largest, sum[0] / model_.mass[i], sum[1] / model_.mass[i], sum[2] / model_.mass[i]});
  }
  return 2 / std::sqrt(largest);
}

}  // namespace isochor::tets
