#include "isochor/tets/linear_system.h"

#include <algorithm>
#include <limits>

#include "isochor/solve/sums.h"

namespace isochor::tets {

LinearMemory::LinearMemory(const Model& model)
    : stiffnesses(model.tets.size()),
      sheet_terms(model.sheets.term_count()),
      matrix(model.pattern.columns.size()),
      damping(model.moves() && model.stiffness_damping() > 0 ? matrix.size() : 0),
      rounded(model.moves() ? RoundedRows(model.pattern) : RoundedRows()),
      rounded_solve(model.moves() ? model.node_count() : 0),
      inertia(model.moves() ? model.node_count() : 0),
      inverse_diagonal(model.auxiliary && !model.moves() ? 0 : model.node_count()),
      preconditioner(model),
      krylov(3 * model.node_count()) {}

void LinearMemory::poison() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (auto* v : {&krylov.r, &krylov.p, &krylov.image}) std::fill(v->begin(), v->end(), nan);
  for (auto* v : {&matrix, &damping, &inverse_diagonal}) {
    std::fill(v->begin(), v->end(), Mat3d::diagonal({nan, nan, nan}));
  }
  std::ranges::fill(inertia, nan);
  for (auto& t : stiffnesses) std::fill_n(t.entry, t.kSize, float(nan));
  rounded.poison();
  rounded_solve.poison();
  preconditioner.poison();
}

double mass_damping(const Model& model, std::size_t node) {
  if (model.bodies.size() == 1) return model.bodies[0].mass_damping;
  const auto after =
      std::upper_bound(model.bodies.begin(), model.bodies.end(), std::int32_t(node),
                       [](std::int32_t n, const BodyRange& b) { return n < b.first_node; });
  return after[-1].mass_damping;
}

LinearSystem::LinearSystem(const Model& model, const Restraint& restraint, LinearMemory& memory,
                           Context& context)
    : model_(model), restraint_(restraint), memory_(memory), context_(context) {
  if (model.auxiliary) lattice_.emplace(model, restraint, memory.preconditioner, context.arena);
}

void LinearSystem::linearise(const Configuration& at, materials::Definiteness fix,
                             const std::optional<solve::TimeStep>& time,
                             const contact::ContactMatrix* contact) {
  contact_ = contact && !contact->empty() ? contact : nullptr;
  tets::linearise(model_, at, fix, memory_.stiffnesses, context_.arena);
  const bool damped = time && !memory_.damping.empty();
  if (time) find_inertia(*time);
  if (time && !damped && assemble_short_step()) return;
  assemble(model_, memory_.stiffnesses, memory_.matrix, context_.arena);
  add_sheet_stiffness(model_, at, fix, memory_.sheet_terms, memory_.matrix, context_.arena);
  add_spring_stiffness(model_, at, memory_.matrix, context_.arena);
  if (time) {
    parallel_for(context_.arena, model_.node_count(), solve::kVectorGrain, [&](std::size_t i) {
      const double m = memory_.inertia[i];
      memory_.matrix[model_.diagonal_place(i)] += Mat3d::diagonal({m, m, m});
    });
  }
  if (damped) {
    parallel_for(context_.arena, memory_.matrix.size(), solve::kVectorGrain,
                 [&](std::size_t k) { memory_.matrix[k] += memory_.damping[k] * time->rate; });
  }
  short_step_ = time && inertia_rules();
  // With inertia on its diagonal the matrix is well conditioned, so that rounding does no harm;
  // unless springs are much stiffer than the rest.
  rounded_ = short_step_ && model_.springs.count() == 0;
  if (rounded_) memory_.rounded.round(model_.pattern, memory_.matrix, context_.arena);
  by_lattice_ = lattice_ && !short_step_;
  if (by_lattice_) {
    lattice_->prepare(memory_.matrix, contact_,
                      damped ? 1 + time->rate * model_.stiffness_damping() : 1);
    // A lattice is a rough likeness anyway, and need not follow every iterate; it has to have the
    // contacts there are.
    constexpr int kUses = 3;
    if (contact_ || lattice_uses_ % kUses == 0) {
      lattice_->linearise(at.positions, time ? time->rate * time->rate : 0);
    }
    ++lattice_uses_;
  } else {
    parallel_for(context_.arena, model_.node_count(), solve::kVectorGrain, [&](std::size_t i) {
      memory_.inverse_diagonal[i] = memory_.matrix[model_.diagonal_place(i)];
    });
    invert_diagonal();
  }
}

void LinearSystem::linearise_damping(const Configuration& start) {
  tets::linearise(model_, start, materials::Definiteness::Clamp, memory_.stiffnesses,
                  context_.arena);
  for (const BodyRange& body : model_.bodies) {
    parallel_for(context_.arena, body.tet_count, solve::kRowGrain, [&](std::size_t t) {
      auto& stiffness = memory_.stiffnesses[body.first_tet + t];
      for (float& entry : stiffness.entry) entry *= float(body.stiffness_damping);
    });
  }
  assemble(model_, memory_.stiffnesses, memory_.damping, context_.arena);
}

std::span<Vec3d> LinearSystem::right_side() { return vectors(std::span(memory_.krylov.r)); }

solve::KrylovReport LinearSystem::solve(std::span<Vec3d> u, const solve::Accuracy& accuracy) {
  if (!rounded_) return solve(u, accuracy, [](std::span<const Vec3d>, std::span<Vec3d>) {});
  restraint_(right_side(), context_.arena);
  return memory_.rounded_solve.solve(
      model_, memory_.rounded, memory_.inverse_diagonal, restraint_, contact_, right_side(), u,
      accuracy, model_.params.newton.max_krylov_iterations,
      [&] { return bool(context_.cancelled); }, context_.arena);
}

void LinearSystem::multiply(std::span<const Vec3d> p, std::span<Vec3d> q) {
  solve::multiply(model_.pattern, memory_.matrix, p, q, context_.arena);
  if (contact_) contact_->add_product(p, q, context_.arena);
  restraint_(q, context_.arena);
}

void LinearSystem::precondition(std::span<const Vec3d> r, std::span<Vec3d> z) {
  if (by_lattice_) {
    lattice_->apply(r, z);
  } else {
    parallel_for(context_.arena, r.size(), solve::kVectorGrain,
                 [&](std::size_t i) { z[i] = memory_.inverse_diagonal[i] * r[i]; });
  }
  restraint_(z, context_.arena);
}

void LinearSystem::find_inertia(const solve::TimeStep& time) {
  parallel_for(context_.arena, model_.node_count(), solve::kVectorGrain, [&](std::size_t i) {
    memory_.inertia[i] = model_.mass[i] * time.rate * (time.rate + mass_damping(model_, i));
  });
}

/// Steps are so short that the diagonal is enough where traces of the matrix are no more than this
/// times those of inertia, added up: the condition of the matrix, scaled by its diagonal, is about
/// twice the ratio of its stiffness to inertia, whatever the resolution. Getting a lattice ready
/// costs as much as tens of iterations with the diagonal. A mean: a few light nodes at the surface
/// make a few iterations more.
constexpr double kShort = 100;

bool LinearSystem::inertia_rules() const {
  return solve::sum_of(context_.arena, model_.node_count(), [&](std::size_t i) {
           if (model_.held[i]) return 0.0;
           return trace(memory_.matrix[model_.diagonal_place(i)]) - 3 * kShort * memory_.inertia[i];
         }) <= 0;
}

/// Where inertia rules and there are but tets: the matrix in half precision alone, which saves
/// writing one of doubles and reading it again. False where that was not to be.
bool LinearSystem::assemble_short_step() {
  const bool more = model_.sheets.term_count() > 0 || model_.springs.count() > 0;
  if (long_step_ || more || !model_.zones.names.empty()) return false;
  const bool massive = std::ranges::all_of(memory_.inertia, [](double m) { return m > 0; });
  short_step_ =
      massive && memory_.rounded.assemble(model_, memory_.stiffnesses, memory_.inertia, kShort,
                                          memory_.inverse_diagonal, context_.arena) <= 0;
  rounded_ = short_step_;
  long_step_ = !short_step_;
  if (!short_step_) return false;
  by_lattice_ = false;
  invert_diagonal();
  return true;
}

/// Of what stands in its place.
void LinearSystem::invert_diagonal() {
  std::vector<Mat3d>& diagonal = memory_.inverse_diagonal;
  for (std::size_t row = 0; contact_ && row < contact_->points().size(); ++row) {
    diagonal[contact_->points()[row]] += contact_->diagonal()[row];
  }
  parallel_for(context_.arena, diagonal.size(), solve::kVectorGrain,
               [&](std::size_t i) { diagonal[i] = inverse_or_zero(diagonal[i]); });
}

solve::KrylovReport solve_linear(const Model& model, const Configuration& at,
                                 std::span<const Vec3d> b, std::span<Vec3d> u, double tolerance,
                                 LinearMemory& memory, Context& context) {
  const Restraint restraint{model, {}};
  LinearSystem linear(model, restraint, memory, context);
  linear.linearise(at, materials::Definiteness::Clamp, std::nullopt);
  std::ranges::copy(b, linear.right_side().begin());
  return linear.solve(u, tolerance);
}

}  // namespace isochor::tets
