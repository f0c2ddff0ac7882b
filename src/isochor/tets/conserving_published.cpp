#include <algorithm>
#include <cmath>

#include "isochor/tets/conserving.h"

/// The scheme as published: [Irving07 sec 2].
namespace isochor::tets {
namespace {

/// What goes through a collider by less than this part of the distance in which things touch has
/// not passed it.
constexpr double kThrough = 0.1;
/// Error of a one-ring, relative, from which the motion has blown up and is no longer one.
constexpr double kLost = 10;

}  // namespace

/// (M + dt/2 b K) (v - from) = dt/2 (f - b K from), with all of it in what contacts leave: P^T A P
/// y = P^T f, P^T = M P M^-1, v - from = P y.
void Conserving::half_step(std::span<const Vec3d> x, std::span<const Vec3d> from,
                           const StepInput& input, const contact::ContactProjection* contacts,
                           std::span<Vec3d> to, ConservingReport& report) {
  const Configuration at{.positions = x, .activations = input.activations};
  const double dt = input.dt, b = 0.5 * dt * params_.stiffness_damping;
  const auto project = [&](std::span<Vec3d> v) {
    if (contacts) contacts->project(v, params_.sweeps, context_.arena);
  };
  const auto project_force = [&](std::span<Vec3d> f) {
    each_node([&](std::size_t i) { f[i] *= inverse_mass_[i]; });
    project(f);
    each_node([&](std::size_t i) { f[i] *= model_.mass[i]; });
  };
  // The matrix times v.
  const auto multiply = [&](std::span<const Vec3d> v, std::span<Vec3d> out) {
    if (b > 0) {
      solve::multiply(model_.pattern, scratch_.linear.matrix, v, out, context_.arena);
      each_node([&](std::size_t i) { out[i] = b * out[i] + model_.mass[i] * v[i]; });
    } else {
      each_node([&](std::size_t i) { out[i] = model_.mass[i] * v[i]; });
    }
  };
  elastic_force(model_, at, scratch_.force, scratch_.elastic, context_.arena);
  const std::span<Vec3d> right = loads_;
  each_node([&](std::size_t i) {
    right[i] = 0.5 * dt * (scratch_.force[i] + model_.mass[i] * input.gravity);
    if (!input.loads.empty()) right[i] += 0.5 * dt * input.loads[i];
  });
  const std::span<Vec3d> step = scratch_.step;
  if (b > 0) {
    linearise(model_, at, materials::Definiteness::Clamp, scratch_.linear.stiffnesses,
              context_.arena);
    assemble(model_, scratch_.linear.stiffnesses, scratch_.linear.matrix, context_.arena);
    solve::multiply(model_.pattern, scratch_.linear.matrix, from, std::span(scratch_.force),
                    context_.arena);
    each_node([&](std::size_t i) { right[i] -= b * scratch_.force[i]; });
    std::ranges::copy(right, scratch_.target.begin());
    project_force(scratch_.target);
    const solve::KrylovReport found = solve::conjugate_gradient(
        context_.arena,
        [&](std::span<const double> p, std::span<double> q) {
          std::ranges::copy(vectors(p), scratch_.origin.begin());
          project(scratch_.origin);
          multiply(scratch_.origin, vectors(q));
          project_force(vectors(q));
        },
        [&](std::span<const double> r, std::span<double> z) {
          each_node([&](std::size_t i) { vectors(z)[i] = inverse_mass_[i] * vectors(r)[i]; });
        },
        [&] { return bool(context_.cancelled); }, flat(std::span<const Vec3d>(scratch_.target)),
        flat(step), 1e-3, 200, scratch_.linear.krylov);
    report.krylov_iterations += found.iterations;
    report.operator_applications += found.operator_applications;
  } else {
    each_node([&](std::size_t i) { step[i] = inverse_mass_[i] * right[i]; });
  }
  project(step);
  each_node([&](std::size_t i) { to[i] = from[i] + step[i]; });
  // What contacts have done, kg m/s.
  multiply(step, scratch_.force);
  each_node([&](std::size_t i) { reaction_[i] = scratch_.force[i] - right[i]; });
}

void Conserving::drive(const State& state, const StepInput& input, double time) {
  std::ranges::copy(state.velocities, driven_.begin());
  const auto stays = [&] { return input.held_positions.empty(); };
  std::size_t k = 0;
  for (const Hold& hold : model_.holds) {
    for (const std::int32_t n : hold.nodes) {
      const Vec3d& from = state.positions[n];
      driven_[n] = (1 / input.dt) * ((stays() ? from : input.held_positions[k++]) - from);
    }
  }
  for (const Slide& slide : slides_) {
    Vec3d& v = driven_[slide.node];
    const double way = slide.place - dot(slide.normal, state.positions[slide.node]);
    v += (way / input.dt - dot(slide.normal, v)) * slide.normal;
  }
  place_obstacles(model_, time + input.dt, obstacles_);
  for (std::size_t o = 0; o < obstacles_.size(); ++o) {
    const std::size_t n = model_.first_obstacle_node + o;
    driven_[n] = (1 / input.dt) * (obstacles_[o] - state.positions[n]);
  }
}

/// Both half steps, the jump of velocity into this step, and what pressures pushed with.
void Conserving::settle_holds(State& state, double dt) {
  std::ranges::fill(state.pushes, Vec3d{0, 0, 0});
  const auto push_on = [&](std::int32_t n) {
    const Vec3d jump = model_.mass[n] * (velocities_[n] - state.velocities[n]);
    return (1 / dt) * (2 * reaction_[n] + jump + pressed_[n]);
  };
  std::size_t k = 0;
  for (const Hold& hold : model_.holds) {
    for (const std::int32_t n : hold.nodes) state.pushes[k++] = push_on(n);
  }
  for (const Slide& slide : slides_) {
    state.pushes[slide.held] += dot(slide.normal, push_on(slide.node)) * slide.normal;
  }
}

/// The numbers are those of the steps in [Irving07 sec 2].
ConservingReport Conserving::advance_published(State& state, const StepInput& input, double time) {
  ConservingReport report;
  const double dt = input.dt;
  slides_ = input.slides;
  drive(state, input, time);
  rings_.begin_step();
  const contact::PlacedColliders before = colliders_.at(time, context_.arena);
  const contact::PlacedColliders after = colliders_.at(time + dt, context_.arena);
  part_forces_.reset(model_.node_count(), colliders_.size());
  std::ranges::fill(pressed_, Vec3d{0, 0, 0});
  // 1
  find_rows(state.positions, before, report);
  if (!params_.restrain_both) grips_.build(std::span(rows_).first(slides_.size()), inverse_mass_);
  half_step(state.positions, driven_, input, params_.restrain_both ? &projection_ : &grips_,
            velocities_, report);
  // 2, [Irving07 (1)]
  if (params_.keep_volumes) {
    rings_.measure(state.positions);
    const std::span<const double> rest = rings_.rest_volumes();
    const double fastest = params_.recovery_time > 0 ? 1 / params_.recovery_time : 1 / dt;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const double most = rest[i] * fastest;
      wanted_[i] = std::clamp((rest[i] - rings_.volumes()[i]) / dt, -most, most);
    }
    const solve::KrylovReport found =
        correct(velocities_, pressures_.positions, params_.rings.tolerance);
    report.position_iterations = found.iterations;
    report.operator_applications += found.operator_applications;
  }
  // 3, 4
  repel(velocities_, dt, params_.repulsion_stiffness);
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    positions_[i] = state.positions[i] + dt * velocities_[i];
  }
  // 5
  velocities_ = driven_;
  contact::find_passed(colliders_.placements(time), after, free_points_, state.positions,
                       positions_, kThrough * params_.contact_distance, context_.arena, near_);
  contact::collide_passed(positions_, velocities_, near_);
  part_forces_.add(near_, inverse_mass_, dt, positions_, after);
  collide(after, free_points_, positions_, velocities_, context_.arena, near_);
  part_forces_.add(near_, inverse_mass_, dt, positions_, after);
  separate(state.positions, positions_, velocities_, dt, report);
  // 6, [Irving07 (2)]
  find_rows(positions_, after, report);
  carried_.assign(rows_.size(), Vec3d{0, 0, 0});
  if (params_.keep_volumes) {
    rings_.measure(positions_);
    correct_velocities(velocities_, report);
    add_corrections(positions_, dt, after);
    if (model_.held_count() + model_.sliding_count() > 0)
      rings_.gradient(pressures_.velocities, pressed_);
  }
  // 7, 8
  const contact::ContactProjection& restraint = params_.restrain_both ? projection_ : grips_;
  if (!params_.restrain_both) {
    const auto of_pair = [](const contact::Row& row) { return row.collider < 0 && !row.held; };
    grip_rows_ = rows_;
    std::erase_if(grip_rows_, of_pair);
    grips_.build(grip_rows_, inverse_mass_);
  }
  for (std::size_t i = 0; i < half_.size(); ++i) {
    scratch_.positions[i] = 0.5 * (state.positions[i] + positions_[i]);
  }
  half_step(scratch_.positions, velocities_, input, &restraint, half_, report);
  add_reactions(positions_, dt, after);
  for (std::size_t i = 0; i < half_.size(); ++i) velocities_[i] = 2 * half_[i] - velocities_[i];
  // 9: what contacts have carried in 6 and 7 rubs.
  std::swap(impulses_, carried_);
  carried_.clear();
  projection_.rub(velocities_, impulses_, context_.arena);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    impulses_[r] -= dot(rows_[r].normal, impulses_[r]) * rows_[r].normal;  // is counted already
  }
  repel(velocities_, dt);
  add_impulses(positions_, dt, after);
  add_obstacles(model_, positions_, after, part_forces_);

  for (const Vec3d& v : velocities_) {
    if (!std::isfinite(dot(v, v))) report.converged = false;
  }
  if (params_.keep_volumes) {
    report.worst_ring = rings_.largest_error();
    if (!(report.worst_ring <= kLost)) report.converged = false;
  }
  if (!report.converged) return report;
  settle_holds(state, dt);
  std::swap(forces_, part_forces_);
  std::swap(state.positions, positions_);
  std::swap(state.velocities, velocities_);
  state.last_dt = dt;
  return report;
}

double Conserving::stable_step(std::span<const Vec3d> positions,
                               std::span<const double> activations) {
  linearise(model_, {positions, activations}, materials::Definiteness::Clamp,
            scratch_.linear.stiffnesses, context_.arena);
  assemble(model_, scratch_.linear.stiffnesses, scratch_.linear.matrix, context_.arena);
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
