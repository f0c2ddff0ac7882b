#include "isochor/tets/equilibrium.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isochor::tets {
namespace {

/// What residuals count for as long as contacts are still being found: the next of them change
/// forces by much more than is left then.
constexpr double kRough = 0.2;

/// Times in a step that few nodes settle.
constexpr int kMostSettled = 10;

}  // namespace

Equilibrium::Equilibrium(const Model& model, const State& start, const StepInput& input,
                         const std::optional<solve::TimeStep>& time, Scratch& scratch,
                         Context& context)
    : model_(model),
      start_(start),
      input_(input),
      time_(time),
      scratch_(scratch),
      context_(context),
      restraint_{model, {}},
      linear_(model, restraint_, scratch.linear, context),
      local_(model, restraint_, scratch.local, context) {
  scratch.slides.assign(input.slides.begin(), input.slides.end());
  restraint_.slides = scratch.slides;
  if (model.zones.count() > 0) zonal_.emplace(model, scratch.zonal, context);
}

bool Equilibrium::begin() {
  if (zonal_) begin_zones(model_.params.zones.method, start_.pressures);
  double farthest = 0;
  for (const Vec3d& x : start_.positions) farthest = std::max(farthest, square(x));
  double rounding = model_.rounding_stiffness;
  if (has_bones()) {
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    rounding = std::max(rounding, kEpsilon * input_.bones->largest_stiffness());
  }
  rounding_force_ = rounding * std::sqrt(farthest);
  rounding_of_inertia_ = time_ ? rounding_of_inertia() : 0;
  each_node([&](std::size_t i) { scratch_.positions[i] = start_.positions[i]; });
  if (time_) {
    const bool history = time_->before != 0;
    each_node([&](std::size_t i) {
      const Vec3d& v = start_.velocities[i];
      scratch_.origin[i] =
          time_->origin(start_.positions[i], history ? start_.last_positions[i] : Vec3d{0, 0, 0});
      const Vec3d speed = time_->origin(v, history ? start_.last_velocities[i] : Vec3d{0, 0, 0});
      scratch_.target[i] = scratch_.origin[i] + (1 / time_->rate) * speed;
    });
  }
  if (damped()) linear_.linearise_damping({start_.positions, input_.activations});
  if (input_.contact) input_.contact->begin(start_.positions, context_.arena);
  if (has_bones()) {
    input_.bones->begin(start_.positions, context_.arena);
    take_springs();
  }
  drag_ = 0;
  settled_ = 0;
  recalls_friction_ = follows_friction_ = false;
  accuracy_ = finds_contacts() ? kRough : 1;
  if (slides_on_colliders()) {
    if (time_) each_node([&](std::size_t i) { scratch_.positions[i] = flight(i); });
    add_slides();
    recall_friction();
    each_node([&](std::size_t i) { scratch_.positions[i] = start_.positions[i]; });
  }
  place_held();
  const bool clear = !input_.contact || input_.contact->clear(scratch_.positions, context_.arena);
  if (!time_) return clear;
  // Rest, or free flight: whichever has less energy.
  const double resting = clear ? total_energy() : std::numeric_limits<double>::infinity();
  std::swap(scratch_.positions, scratch_.step);
  each_node([&](std::size_t i) { scratch_.positions[i] = flight(i); });
  place_held();
  if (!input_.contact) {
    if (!(total_energy() <= resting)) std::swap(scratch_.positions, scratch_.step);
    return true;
  }
  const bool reached =
      shorten_flight(clear ? std::span<const Vec3d>(scratch_.step) : start_.positions);
  if (clear && !(total_energy() <= resting)) std::swap(scratch_.positions, scratch_.step);
  return clear || reached;
}

solve::NewtonReport Equilibrium::predict() {
  constexpr double kAccuracy = 0.03;
  const bool multipliers = zonal_ && zonal_->method() == ZoneMethod::Multiplier;
  const bool touching =
      std::ranges::any_of(scratch_.slides, [](const Slide& slide) { return slide.held < 0; });
  if (time_ || (input_.contact && !has_only_bones()) || touching || multipliers) return {};
  if (model_.params.published) return {};
  if (sum_nodes([&](std::size_t i) { return square(way_of(i)); }) == 0) return {};
  each_node([&](std::size_t i) {
    scratch_.step[i] = way_of(i);
    scratch_.positions[i] = start_.positions[i];
  });
  evaluate();
  linearise(Definiteness::None);
  linear_.multiply(scratch_.step, load());
  each_node([&](std::size_t i) { scratch_.force[i] -= load()[i]; });
  if (zonal_) zonal_->expect(scratch_.step);
  without_zones_.residual = 1;  // what moves is no part of it yet
  move(1);
  const double alone = total_energy();
  const solve::KrylovReport solved = solve_linear(kAccuracy);
  move(1);
  if (solved.indefinite || solved.unfit || !(total_energy() < alone)) {
    move(-1);
    if (zonal_) begin_zones(zonal_->method(), start_.pressures);
  }
  return {.iterations = 1,
          .krylov_iterations = solved.iterations,
          .operator_applications = solved.operator_applications};
}

solve::Evaluation Equilibrium::evaluate() {
  elastic_ = elastic_force(model_, configuration(), scratch_.elastic_force, scratch_.elastic,
                           context_.arena);
  return evaluate_rest();
}

/// In as few passes over memory as can be: with a million tets they would take as long as those
/// over tets that few nodes which settled have changed.
solve::Evaluation Equilibrium::evaluate_rest() {
  const bool has_damping = damped();
  const double damping = has_damping ? damping_energy() : 0;
  each_node([&](std::size_t i) { scratch_.force[i] = scratch_.elastic_force[i]; });
  ZonalTerms zonal;
  if (zonal_) zonal = zonal_->evaluate(scratch_.positions, scratch_.force);
  contact::EnergyValue contact;
  if (input_.contact) {
    contact = input_.contact->evaluate(scratch_.positions, scratch_.force, context_.arena);
  }
  each_node([&](std::size_t i) {
    Vec3d sum = scratch_.force[i] + outer_force(i);
    if (time_) sum += inertia_force(i);
    if (has_damping) sum -= scratch_.drag[i];
    if (drag_ > 0 && model_.is_free_sheet(i)) sum -= drag_ * way_of(i);
    scratch_.force[i] = load()[i] = sum;
  });
  restraint_(load(), context_.arena);
  const NodeSums sums = deterministic_sum(
      context_.arena, model_.node_count(), [&](std::size_t begin, std::size_t end) {
        NodeSums part;
        for (std::size_t i = begin; i < end; ++i) {
          const Vec3d outer = outer_force(i);
          part.residual += square(load()[i]);
          part.reaction += square(scratch_.force[i] - load()[i]);
          part.weight += square(outer);
          part.outer_energy += outer_energy_of(i);
          if (!time_) continue;
          part.weight += square(inertia_force(i));
          part.inertia_energy += inertia_energy_of(i);
        }
        return part;
      });
  const double rounding =
      rounding_force_ * rounding_force_ * double(model_.node_count()) + rounding_of_inertia_;
  const double inertia = sums.inertia_energy + drag_energy();
  const double tolerance = model_.params.newton.tolerance;
  imbalance_ = std::sqrt(sums.residual) / (std::sqrt(sums.reaction) + std::sqrt(sums.weight) +
                                           std::sqrt(contact.force_squared) + spring_force() +
                                           model_.slack_force + std::sqrt(rounding) / tolerance);
  without_zones_ = {.energy = elastic_ + sums.outer_energy + inertia + damping + contact.energy,
                    .energy_scale = std::abs(elastic_) + std::abs(sums.outer_energy) + inertia +
                                    damping + contact.energy,
                    .residual = accuracy_ * std::max(imbalance_, volume_residual(zonal))};
  return with_zones(zonal);
}

std::optional<solve::Evaluation> Equilibrium::settle() {
  // More where a body lies on something, and there the worst of them first, few and then more:
  // nodes that settle wait for these as all others wait for them.
  constexpr double kFree[] = {1.0 / 200}, kTouching[] = {1.0 / 400, 1.0 / 80, 1.0 / 20};
  const std::span<const double> parts = input_.contact ? std::span<const double>(kTouching) : kFree;
  std::optional<solve::Evaluation> last;
  for (const double part : parts) {
    if (!can_settle() || settled_ >= kMostSettled) break;
    if (last && last->residual <= model_.params.newton.tolerance) break;
    if (const auto now = settle(part)) last = now;
  }
  if (last) ++settled_;
  return last;
}

std::optional<solve::Evaluation> Equilibrium::settle(double part) {
  if (!local_.choose(load(), part)) return std::nullopt;
  Configuration at = configuration();
  if (zonal_) at.pressures = zonal_->curving_pressures();
  const auto force = [&](std::size_t i) {
    const Vec3d sum = outer_force(i) + inertia_force(i);
    const auto rubs = friction_on(i);
    return rubs ? sum - rubs->gradient[0] : sum;
  };
  const auto energy = [&](std::size_t i) {
    const double sum = outer_energy_of(i) + inertia_energy_of(i);
    const auto rubs = friction_on(i);
    return rubs ? sum + rubs->energy : sum;
  };
  const auto stiffness = [&](std::size_t i) {
    const double inertia = model_.mass[i] * time_->rate * (time_->rate + mass_damping(model_, i));
    const Mat3d sum = Mat3d::diagonal({inertia, inertia, inertia});
    const auto rubs = friction_on(i);
    return rubs ? sum + rubs->hessian[0] : sum;
  };
  const double before = imbalance_;
  elastic_ += local_.search(at, {force, energy, stiffness}, scratch_.positions, scratch_.elastic,
                            scratch_.linear.stiffnesses);
  sum_corner_forces(model_, scratch_.elastic, local_.touched(), scratch_.elastic_force,
                    context_.arena);
  const solve::Evaluation now = evaluate_rest();
  if (imbalance_ < before) return now;
  local_.go_back(scratch_.positions);
  settled_ = kMostSettled;
  return evaluate();
}

std::optional<solve::Evaluation> Equilibrium::renewed() {
  if (!zonal_ || zonal_->method() == ZoneMethod::Multiplier) return std::nullopt;
  return with_zones(zonal_->renew(scratch_.force));
}

void Equilibrium::begin_zones(ZoneMethod method, std::span<const double> pressures) {
  zonal_->begin(start_.positions, pressures, input_.volumes, method);
}

solve::KrylovReport Equilibrium::solve(double tolerance) {
  solve::KrylovReport report;
  const auto attempt = [&](Definiteness fix) {
    linearise(fix);
    const solve::KrylovReport last = report;
    report = solve_linear(tolerance);
    report.iterations += last.iterations;
    report.operator_applications += last.operator_applications;
  };
  const auto failed = [&] { return report.indefinite || report.unfit; };
  if (!model_.params.always_definite) attempt(Definiteness::None);
  if (model_.params.always_definite || failed()) attempt(Definiteness::Clamp);
  if (failed()) attempt(Definiteness::Absolute);
  return report;
}

solve::KrylovReport Equilibrium::solve_cautiously(double tolerance) {
  linearise(Definiteness::Absolute);
  return solve_linear(tolerance);
}

double Equilibrium::slope() {
  return -solve::dot(context_.arena, flat(std::span<const Vec3d>(scratch_.force)),
                     flat(std::span<const Vec3d>(scratch_.step)));
}

void Equilibrium::move(double length) {
  solve::axpy(context_.arena, length, flat(std::span<const Vec3d>(scratch_.step)),
              flat(std::span<Vec3d>(scratch_.positions)));
}

double Equilibrium::longest_step() {
  if (!input_.contact || has_only_bones()) return std::numeric_limits<double>::infinity();
  return input_.contact->largest_step(scratch_.positions, scratch_.step, context_.arena);
}

void Equilibrium::progress(const solve::NewtonReport& report) {
  context_.status.newton_iterations = report.iterations;
  context_.status.krylov_iterations = report.krylov_iterations;
  context_.status.residual = whole(report.residual);
  context_.report();
}

void Equilibrium::linearise(Definiteness fix) {
  Configuration at = configuration();
  if (zonal_) at.pressures = zonal_->curving_pressures();
  const contact::ContactMatrix* touching = nullptr;
  if (input_.contact) {
    input_.contact->linearise(scratch_.positions, contact::Curvature::Definite, context_.arena);
    touching = &input_.contact->assemble(context_.arena);
  }
  linear_.linearise(at, fix, time_, touching);
}

solve::KrylovReport Equilibrium::solve_linear(double tolerance) {
  constexpr double kLoosest = 0.1, kExact = 1e-8;
  // In short steps, for which the diagonal is enough, an iteration is a fiftieth of a system.
  const bool cheap = time_ && linear_.applications() == 0;
  const double closer = cheap ? 0.01 : 0.1;
  const int few = cheap ? 24 : 12;
  const double enough =
      std::min(0.1 * model_.params.newton.tolerance / without_zones_.residual, kLoosest);
  solve::Accuracy accuracy(std::max(tolerance, enough), std::max(closer * tolerance, enough), few);
  if (model_.params.published) accuracy = kExact;
  solve::KrylovReport report;
  int earlier = 0;
  do {
    earlier += report.iterations;
    std::ranges::copy(scratch_.force, linear_.right_side().begin());
    report = zonal_ ? zonal_->solve(linear_, scratch_.force, accuracy, time_, scratch_.step)
                    : linear_.solve(scratch_.step, accuracy);
  } while (report.unfit && linear_.weaken());
  report.iterations += earlier;
  return report;
}

bool Equilibrium::renew(int round) {
  const bool dragged = drag_ > 0;
  drag_ = 0;
  // What is let go has held the rest down: only then is known what presses. At an impact the next
  // contacts change more.
  bool left = round == 0 && recalls_friction_ && release();
  const bool rubs = input_.contact && !left && !follows_friction_ && follow_friction();
  left |= release();
  const bool came = slides_on_colliders() && keep_out();
  if (rubs) stick();
  accuracy_ = finds_contacts() && (rubs || !follows_friction_) ? kRough : 1;
  return rubs || left || came || dragged || imbalance_ > model_.params.newton.tolerance;
}

bool Equilibrium::hold_back(bool guess) {
  constexpr double kDrag = 1e-2;
  drag_ = time_ ? 0 : kDrag * model_.sheet_stiffness;
  constexpr double kGuess = 1e-3;
  if (drag_ > 0) accuracy_ = guess ? std::min(1.0, model_.params.newton.tolerance / kGuess) : 1;
  return drag_ > 0;
}

bool Equilibrium::keep_out() {
  const auto inside = input_.contact->find_inside(scratch_.positions, context_.arena);
  if (inside.empty()) return false;
  add_slides(inside);
  std::ranges::fill(scratch_.step, Vec3d{0, 0, 0});
  for (const contact::ColliderContact& c : inside) {
    scratch_.step[c.point] = -c.distance * c.normal;
  }
  move(longest_step());
  return true;
}

bool Equilibrium::release() {
  const std::size_t before = scratch_.slides.size();
  std::erase_if(scratch_.slides, [&](const Slide& slide) {
    return slide.held < 0 && dot(slide.normal, scratch_.force[slide.node]) > 0;
  });
  restraint_.slides = scratch_.slides;
  return scratch_.slides.size() < before;
}

solve::Balance Equilibrium::finish() {
  for (Slide& slide : scratch_.slides) {
    // Iterations in half precision know normals of their own.
    if (slide.held >= 0) place(slide);
    slide.push = -dot(slide.normal, scratch_.force[slide.node]);
  }
  if (!time_) return {};
  keep_pushes();
  const solve::Balance balance{.damping_loss = damping_loss(), .hold_work = settle_holds()};
  each_node([&](std::size_t i) {
    const Vec3d& y = scratch_.positions[i];
    const Vec3d v = velocity_of_iterate(i);
    // A scheme that goes half way would let velocities of held nodes swing from step to step.
    scratch_.force[i] =
        model_.held[i] ? v : start_.velocities[i] + time_->reach * (v - start_.velocities[i]);
    scratch_.step[i] = start_.positions[i] + time_->reach * (y - start_.positions[i]);
  });
  for (const Slide& slide : scratch_.slides) {
    if (slide.held < 0 || time_->reach == 1) continue;
    const Vec3d v = time_->rate * (scratch_.positions[slide.node] - scratch_.origin[slide.node]);
    Vec3d& velocity = scratch_.force[slide.node];
    velocity += dot(slide.normal, v - velocity) * slide.normal;
  }
  std::swap(scratch_.positions, scratch_.step);
  return balance;
}

Configuration Equilibrium::configuration() const {
  return {.positions = scratch_.positions,
          .activations = input_.activations,
          .tightening = input_.tightening,
          .spring_targets = input_.spring_targets,
          .drag = drag_};
}

bool Equilibrium::can_settle() const {
  const bool pushes = input_.contact && (input_.contact->params().pairs || !slides_on_colliders());
  return time_ && !model_.params.published && !pushes && !has_bones() && !damped() &&
         model_.sheets.term_count() == 0 && model_.springs.count() == 0 && model_.sliding.empty() &&
         (!zonal_ || zonal_->method() == ZoneMethod::Exact);
}

std::optional<contact::Term> Equilibrium::friction_on(std::size_t i) const {
  if (!input_.contact) return std::nullopt;
  const std::span<const contact::FrictionContact> rubbing = input_.contact->rubbing();
  const auto node = [](const auto& c) { return std::size_t(c.points[0]); };
  const auto found = std::ranges::lower_bound(rubbing, i, {}, node);
  if (found == rubbing.end() || node(*found) != i) return std::nullopt;
  return friction_term(*found, start_.positions, scratch_.positions, input_.contact->slip());
}

double Equilibrium::spring_force() const {
  if (input_.spring_targets.empty()) return 0;
  const std::vector<Vec3d>& pulls = scratch_.elastic.pulls;
  return std::sqrt(
      solve::sum_of(context_.arena, pulls.size(), [&](std::size_t s) { return square(pulls[s]); }));
}

double Equilibrium::drag_energy() {
  if (drag_ == 0) return 0;
  return 0.5 * drag_ * sum_nodes([&](std::size_t i) {
           return model_.is_free_sheet(i) ? square(way_of(i)) : 0.0;
         });
}

void Equilibrium::place_held() {
  const double part = time_ ? 1 / time_->reach : 1;
  std::size_t next = 0;
  for (const Hold& hold : model_.holds) {
    for (const std::int32_t n : hold.nodes) {
      const Vec3d& from = start_.positions[n];
      scratch_.positions[n] = from + part * (input_.held_positions[next++] - from);
    }
  }
  for (std::size_t n = 0; n < model_.first_obstacle_node; ++n) {
    if (!model_.is_used(n)) scratch_.positions[n] = start_.positions[n];
  }
  for (std::size_t k = 0; k < input_.obstacles.size(); ++k) {
    const std::size_t n = model_.first_obstacle_node + k;
    const Vec3d& from = start_.positions[n];
    scratch_.positions[n] = from + part * (input_.obstacles[k] - from);
  }
  for (const Slide& slide : scratch_.slides) place(slide);
}

void Equilibrium::place(const Slide& slide) {
  const double part = time_ ? 1 / time_->reach : 1;
  const double from = dot(slide.normal, start_.positions[slide.node]);
  Vec3d& x = scratch_.positions[slide.node];
  x += (from + part * (slide.place - from) - dot(slide.normal, x)) * slide.normal;
}

Vec3d Equilibrium::flight(std::size_t i) const {
  return scratch_.target[i] + (1 / (time_->rate * time_->rate)) * input_.gravity;
}

Vec3d Equilibrium::outer_force(std::size_t i) const {
  const Vec3d weight = model_.mass[i] * input_.gravity;
  return input_.loads.empty() ? weight : weight + input_.loads[i];
}

double Equilibrium::outer_energy_of(std::size_t i) const {
  const Vec3d& zero = time_ ? start_.positions[i] : model_.rest_positions[i];
  return -dot(outer_force(i), scratch_.positions[i] - zero);
}

double Equilibrium::outer_energy() {
  return sum_nodes([&](std::size_t i) { return outer_energy_of(i); });
}

Vec3d Equilibrium::inertia_force(std::size_t i) const {
  const Vec3d& y = scratch_.positions[i];
  return -model_.mass[i] * (time_->rate * time_->rate * (y - scratch_.target[i]) +
                            mass_damping(model_, i) * time_->rate * (y - scratch_.origin[i]));
}

double Equilibrium::inertia_energy_of(std::size_t i) const {
  const Vec3d& y = scratch_.positions[i];
  return 0.5 * model_.mass[i] * time_->rate *
         (time_->rate * square(y - scratch_.target[i]) +
          mass_damping(model_, i) * square(y - scratch_.origin[i]));
}

double Equilibrium::inertia_energy() {
  return sum_nodes([&](std::size_t i) { return inertia_energy_of(i); });
}

Vec3d Equilibrium::velocity_of_iterate(std::size_t i) const {
  return time_->rate * (scratch_.positions[i] - scratch_.origin[i]);
}

void Equilibrium::find_drag(std::span<const Vec3d> from, double rate) {
  each_node([&](std::size_t i) { load()[i] = rate * (scratch_.positions[i] - from[i]); });
  solve::multiply(model_.pattern, scratch_.linear.damping, std::span<const Vec3d>(load()),
                  std::span(scratch_.drag), context_.arena);
}

double Equilibrium::damping_energy() {
  find_drag(scratch_.origin, time_->rate);
  return sum_nodes([&](std::size_t i) { return dot(load()[i], scratch_.drag[i]); }) /
         (2 * time_->rate);
}

double Equilibrium::damping_loss() {
  const double per_time = time_->reach / time_->dt;
  if (damped()) find_drag(start_.positions, per_time);
  return time_->dt * sum_nodes([&](std::size_t i) {
           const Vec3d v = per_time * (scratch_.positions[i] - start_.positions[i]);
           const double by_mass = mass_damping(model_, i) * model_.mass[i] * square(v);
           return damped() ? by_mass + dot(v, scratch_.drag[i]) : by_mass;
         });
}

double Equilibrium::settle_holds() {
  double work = 0;
  // Of a node, in those components that its hold has.
  const auto settle = [&](std::size_t n, std::size_t k, auto&& held) {
    const double m = model_.mass[n], rate = time_->rate;
    const Vec3d& y = scratch_.positions[n];
    const Vec3d inertia = m * rate * rate * (y - scratch_.target[n]);
    const Vec3d others = held(-scratch_.force[n] - inertia);
    const Vec3d way = held(y - start_.positions[n]);
    const Vec3d before = held(start_.velocities[n]), after = held(velocity_of_iterate(n));
    const Vec3d push =
        others + (time_->reach == 1 ? held(inertia) : (m / time_->dt) * (after - before));
    scratch_.pushes[k] += push;
    // With a history work is of second order too.
    work += time_->before != 0
                ? 0.5 * dot(push + held(start_.pushes[k]), way)
                : time_->reach * dot(others, way) + 0.5 * m * (square(after) - square(before));
  };
  std::ranges::fill(scratch_.pushes, Vec3d{0, 0, 0});
  std::size_t next = 0;
  for (const Hold& hold : model_.holds) {
    for (const std::int32_t n : hold.nodes) {
      settle(n, next++, [](const Vec3d& v) { return v; });
    }
  }
  for (const Slide& slide : scratch_.slides) {
    if (slide.held < 0) continue;
    settle(slide.node, slide.held,
           [&](const Vec3d& v) { return dot(slide.normal, v) * slide.normal; });
  }
  return work;
}

double Equilibrium::rounding_of_inertia() {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const double factor = kEpsilon * time_->rate * time_->rate;
  return sum_nodes([&](std::size_t i) {
    return factor * factor * model_.mass[i] * model_.mass[i] * square(start_.positions[i]);
  });
}

double Equilibrium::total_energy() {
  double sum = elastic_energy(model_, configuration(), scratch_.elastic, context_.arena) +
               outer_energy() + (time_ ? inertia_energy() : 0);
  if (damped()) sum += damping_energy();
  if (input_.contact) {
    sum += input_.contact->evaluate(scratch_.positions, context_.arena).energy;
  }
  return sum;
}

bool Equilibrium::shorten_flight(std::span<const Vec3d> from) {
  each_node([&](std::size_t i) { scratch_.force[i] = scratch_.positions[i] - from[i]; });
  const double part = input_.contact->largest_step(from, scratch_.force, context_.arena);
  if (part == 1) return true;
  each_node([&](std::size_t i) { scratch_.positions[i] = from[i] + part * scratch_.force[i]; });
  return false;
}

solve::Evaluation Equilibrium::with_zones(const ZonalTerms& zonal) const {
  return {.energy = without_zones_.energy + zonal.energy,
          .energy_scale = without_zones_.energy_scale + zonal.energy_scale,
          .residual = without_zones_.residual};
}

double Equilibrium::volume_residual(const ZonalTerms& zonal) const {
  if (!zonal_ || zonal_->method() == ZoneMethod::Multiplier) return 0;
  return zonal.violation * model_.params.newton.tolerance / model_.params.zones.tolerance;
}
}  // namespace isochor::tets
