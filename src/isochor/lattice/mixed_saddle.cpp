#include "isochor/lattice/mixed_saddle.h"

#include <algorithm>
#include <cmath>

#include "isochor/lattice/holds.h"

namespace isochor::lattice::mixed {
namespace {

/// A step may shrink no cell to less than this part of its volume ratio,
constexpr double kMostCrushed = 0.1;
/// unless it lowers that ratio by no more than this.
constexpr double kMostFolded = 0.25;
/// Penalty of the merit function in multiples of mu.
constexpr double kPenalty = 5;

double square(const Vec3d& v) { return dot(v, v); }

}  // namespace

Saddle::Saddle(const Model& model, const State& start, const StepInput& input, Motion* motion,
               Scratch& scratch, Context& context)
    : model_(model),
      start_(start),
      input_(input),
      motion_(motion),
      reach_(motion ? motion->inertia.time().reach : 1),
      scratch_(scratch),
      context_(context),
      // Symmetric QMR needs a symmetric matrix.
      volume_weight_(motion && model.params.variant == Variant::Best ? motion->history.weight()
                                                                     : 1),
      system_(model, scratch.slides, scratch.linear, context.arena,
              motion ? &motion->inertia : nullptr, volume_weight_, input.contacts),
      contacts_(input.contacts),
      rounding_force_(rounding_force(model.base, start.positions)) {}

SurfaceConfiguration Saddle::surface_configuration() const {
  return {.positions = scratch_.positions,
          .activations = input_.activations,
          .demands = input_.surfaces,
          .mixed = &model_,
          .cell_pressure = scratch_.pressure,
          .linear = small_gaps_};
}

bool Saddle::surfaces_move() {
  constexpr double kStrain = 0.05;
  return add_surface_forces(model_.base, surface_configuration(), {}, {}, scratch_.linear.surfaces,
                            context_.arena)
             .strain > kStrain;
}

Configuration Saddle::configuration() const {
  return {scratch_.positions, scratch_.pressure, input_.activations,
          motion_ ? motion_->history.softness() : std::span<const double>()};
}

Vec3d Saddle::outer_force(std::size_t i) const {
  const Vec3d weight = model_.base.mass[i] * input_.gravity;
  return input_.loads.empty() ? weight : weight + input_.loads[i];
}

const Iterate& Saddle::evaluate() {
  if (motion_) motion_->history.retarget(start_, scratch_.positions);
  return evaluate_along();
}

const Iterate& Saddle::evaluate_along() {
  const Evaluation elastic = mixed::evaluate(model_, configuration(), scratch_.force,
                                             scratch_.volume, scratch_.blocks, context_.arena);
  const lattice::Model& base = model_.base;
  each_node([&](std::size_t i) { scratch_.force[i] += outer_force(i); });
  const double springs = spring_pulls(base.springs, scratch_.positions, input_.spring_targets,
                                      scratch_.pull, context_.arena);
  add_pulls(base.springs, scratch_.pull, 1, scratch_.force, context_.arena);
  const SurfaceForces surfaces =
      add_surface_forces(base, surface_configuration(), scratch_.force, scratch_.volume,
                         scratch_.linear.surfaces, context_.arena);
  surface_square_ = surfaces.square;
  if (contacts_) {
    touching_ = contacts_->evaluate(scratch_.positions);
    contacts_->add_forces(scratch_.force);
  }
  // From the rest shape, or from where a body that moves is: of the size of what changes.
  const std::span<const Vec3d> zero = motion_ ? start_.positions : base.rest_positions;
  const double outer = pressure_energy_ - sum_nodes([&](std::size_t i) {
                         return dot(outer_force(i), scratch_.positions[i] - zero[i]);
                       });
  now_.energy = elastic.energy + springs + surfaces.energy + touching_.energy + outer;
  now_.scale = elastic.scale + springs + std::abs(surfaces.energy) + std::abs(outer);
  if (std::isfinite(touching_.energy)) now_.scale += touching_.energy;
  if (motion_) {
    const double inertia = motion_->inertia.add_force(scratch_.positions, scratch_.force);
    const double past = motion_->history.take_target(scratch_.pressure, scratch_.volume);
    now_.energy += inertia - past;
    now_.scale += inertia + std::abs(past);
  }
  now_.least_j = elastic.least_j;
  load_residual();
  judge();
  return now_;
}

void Saddle::load_residual() {
  const std::span<double> load = scratch_.load;
  const auto f = positions_of(model_, load);
  const auto g = pressures_of(model_, load);
  each_node([&](std::size_t i) { f[i] = scratch_.force[i]; });
  parallel_for(context_.arena, g.size(), solve::kVectorGrain,
               [&](std::size_t i) { g[i] = -volume_weight_ * scratch_.volume[i]; });
  system_.keep_free(load);
}

void Saddle::judge() {
  const lattice::Model& base = model_.base;
  const std::span<const double> load = scratch_.load;
  const auto f = positions_of(model_, load);
  const double left = sum_nodes([&](std::size_t i) { return square(f[i]); });
  const double reaction =
      sum_nodes([&](std::size_t i) { return square(scratch_.force[i] - f[i]); });
  double weight = sum_nodes([&](std::size_t i) { return square(outer_force(i)); });
  for (const Vec3d& pull : scratch_.pull) weight += square(pull);
  weight += surface_square_ + touching_.force_squared;
  double lost = rounding_force_ * rounding_force_ * double(base.node_count());
  if (motion_) {
    weight += motion_->inertia.square_of_inertia(scratch_.positions);
    lost += motion_->inertia.square_of_rounding();
  }
  const double rounding = std::sqrt(lost) / model_.params.tolerance;
  const double force = std::sqrt(left) / (std::sqrt(reaction) + std::sqrt(weight) + rounding);
  const auto [error, whole] = volume_errors();
  now_.volume_residual = std::sqrt(error / whole);
  now_.residual = std::max(force, weighed(now_.volume_residual));
}

double Saddle::weighed(double error) const {
  if (!motion_) return error;
  const double weight = motion_->history.weight();
  const double lost = weight * motion_->history.rounding();
  return weight * error / std::max(1.0, lost / model_.params.tolerance);
}

std::pair<double, double> Saddle::volume_errors() {
  const std::span<const double> load = scratch_.load;
  const auto g = pressures_of(model_, load);
  const double unit = 1 / (model_.alpha * volume_weight_);
  const auto over_cells = [&](auto&& f) {
    return sum(model_.volumes.size(), [&](std::size_t group) {
      const GroupVolume& v = model_.volumes[group];
      const GroupModuli& m = model_.base.moduli[group];
      double total = 0;
      for (int i = 0; i < kGroupCells; ++i) {
        const int c = i / kGroupBlocks, b = i % kGroupBlocks;
        const double W = v.volume[c][b];
        if (W > 0) total += f(g[group * kGroupCells + std::size_t(i)] * unit, W, m.mu[c][b]);
      }
      return total;
    });
  };
  now_.penalty =
      over_cells([](double e, double W, double mu) { return kPenalty * mu * e * e / W; });
  return {over_cells([](double e, double W, double) { return e * e / W; }),
          over_cells([](double, double W, double) { return W; })};
}

void Saddle::linearise(Fix fix) {
  system_.linearise(configuration(), fix);
  linearise_surfaces(
      model_.base, surface_configuration(),
      fix == Fix::None ? materials::Definiteness::None : materials::Definiteness::Clamp,
      scratch_.linear.surfaces, context_.arena);
  if (contacts_) {
    contacts_->linearise(fix == Fix::None ? contact::Curvature::Exact
                                          : contact::Curvature::Definite);
  }
  system_.prepare(configuration());
}

solve::KrylovReport Saddle::run_krylov(int most) {
  const auto apply = [&](std::span<const double> p, std::span<double> q) { system_.apply(p, q); };
  const auto stop = [&] { return bool(context_.cancelled); };
  const solve::KrylovReport linear =
      published()
          ? solve::symmetric_qmr(
                context_.arena, apply,
                [&](std::span<const double> r, std::span<double> z) {
                  solve::copy(context_.arena, r, z);
                },
                stop, scratch_.load, scratch_.step, forcing_, model_.params.max_qmr, scratch_.qmr)
          : solve::gmres(
                context_.arena, apply,
                [&](std::span<const double> r, std::span<double> z) { system_.precondition(r, z); },
                stop, scratch_.load, scratch_.step, forcing_, most, scratch_.krylov);
  ++report_.iterations;
  report_.krylov_iterations += linear.iterations;
  report_.operator_applications +=
      linear.operator_applications + (published() ? 0 : linear.iterations * system_.applications());
  return linear;
}

void Saddle::move(double positions, double pressures) {
  const std::span<const double> step = scratch_.step;
  const auto dx = positions_of(model_, step);
  const auto dp = pressures_of(model_, step);
  if (positions != 0) {
    pressure_energy_ -=
        pressure_work(model_.base, input_.surfaces.pressures, scratch_.positions, dx, positions,
                      scratch_.linear.surfaces.energy, context_.arena);
  }
  each_node([&](std::size_t i) { scratch_.positions[i] += positions * dx[i]; });
  parallel_for(context_.arena, dp.size(), solve::kVectorGrain,
               [&](std::size_t i) { scratch_.pressure[i] += pressures * model_.alpha * dp[i]; });
}

bool Saddle::is_sound(double least_before) const {
  const double least =
      std::min(kMostCrushed * std::min(1.0, least_before), least_before - kMostFolded);
  return now_.is_finite() && now_.least_j > least;
}

void Saddle::copy_start() {
  std::copy(start_.positions.begin(), start_.positions.end(), scratch_.positions.begin());
  std::copy(start_.pressure.begin(), start_.pressure.end(), scratch_.pressure.begin());
  pressure_energy_ = 0;
}

}  // namespace isochor::lattice::mixed
