#pragma once

#include <optional>

#include "isochor/base/context.h"
#include "isochor/contact/contact_matrix.h"
#include "isochor/solve/conjugate_gradient.h"
#include "isochor/solve/time_integration.h"
#include "isochor/tets/preconditioner.h"
#include "isochor/tets/rounded_solve.h"

namespace isochor::tets {

/// Memory of a linear system. Part of Scratch.
struct LinearMemory {
  explicit LinearMemory(const Model& model);
  void poison();

  Stiffnesses stiffnesses;
  std::vector<contact::Term> sheet_terms;
  solve::Blocks<double> matrix;         ///< unless steps are short and it has nothing but tets
  solve::Blocks<double> damping;        ///< where there is one by stiffness
  RoundedRows rounded;                  ///< the matrix again, for short steps
  RoundedSolve rounded_solve;           ///< where the operator has nothing besides
  std::vector<double> inertia;          ///< per node, N/m
  std::vector<Mat3d> inverse_diagonal;  ///< where the diagonal is, or may be, the preconditioner
  PreconditionerMemory preconditioner;
  solve::KrylovScratch krylov;
};

/// Rayleigh's damping of a node by the mass, 1/s.
double mass_damping(const Model& model, std::size_t node);

/// K u = b about an iterate, among the motions that a restraint leaves: linearised once, solved for
/// any number of right-hand sides.
class LinearSystem {
 public:
  LinearSystem(const Model& model, const Restraint& restraint, LinearMemory& memory,
               Context& context);

  /// Assembles the stiffness, with inertia where there is a step in time, and gets preconditioning
  /// ready. `contact`, which must outlive the solves, is added to the matrix.
  void linearise(const Configuration& at, materials::Definiteness fix,
                 const std::optional<solve::TimeStep>& time,
                 const contact::ContactMatrix* contact = nullptr);

  /// The stiffness at the start of a step times each body's damping, N s/m: what damps by
  /// stiffness. Part of the matrix from then on.
  void linearise_damping(const Configuration& start);

  /// Where a right-hand side is put; solve takes away what may not move.
  std::span<Vec3d> right_side();

  /// u by conjugate gradients, from zero. `more(p, q)` adds to q what the operator has besides K.
  template <class More>
  solve::KrylovReport solve(std::span<Vec3d> u, const solve::Accuracy& accuracy, More&& more);
  solve::KrylovReport solve(std::span<Vec3d> u, const solve::Accuracy& accuracy);

  /// q = K p, and what is like K^-1 r: both without what may not move.
  void multiply(std::span<const Vec3d> p, std::span<Vec3d> q);
  void precondition(std::span<const Vec3d> r, std::span<Vec3d> z);

  /// Where the preconditioner was found unfit: changes it; whether there is anything to change.
  bool weaken() { return by_lattice_ && lattice_->weaken(); }

  const Restraint& restraint() const { return restraint_; }
  /// Products with K in one application of the preconditioner.
  int applications() const { return by_lattice_ ? LatticePreconditioner::kApplications : 0; }

 private:
  void find_inertia(const solve::TimeStep& time);
  bool assemble_short_step();
  void invert_diagonal();
  bool inertia_rules() const;

  const Model& model_;
  const Restraint& restraint_;
  LinearMemory& memory_;
  Context& context_;
  const contact::ContactMatrix* contact_ = nullptr;
  std::optional<LatticePreconditioner> lattice_;
  bool by_lattice_ = false;  ///< else the diagonal is enough
  bool short_step_ = false;  ///< inertia rules
  bool rounded_ = false;     ///< products are with the rounded matrix
  bool long_step_ = false;   ///< it was seen not to
  int lattice_uses_ = 0;
};

/// Solves K u = b about positions x among the motions that the model leaves free: one linear
/// system, as Newton's method has them, without inertia.
solve::KrylovReport solve_linear(const Model& model, const Configuration& at,
                                 std::span<const Vec3d> b, std::span<Vec3d> u, double tolerance,
                                 LinearMemory& memory, Context& context);

/// A nodal vector as Krylov methods see it, and the reverse.
inline std::span<double> flat(std::span<Vec3d> v) { return {&v.data()->e[0], 3 * v.size()}; }
inline std::span<const double> flat(std::span<const Vec3d> v) {
  return {&v.data()->e[0], 3 * v.size()};
}
inline std::span<const Vec3d> vectors(std::span<const double> v) {
  return {reinterpret_cast<const Vec3d*>(v.data()), v.size() / 3};
}
inline std::span<Vec3d> vectors(std::span<double> v) {
  return {reinterpret_cast<Vec3d*>(v.data()), v.size() / 3};
}

template <class More>
solve::KrylovReport LinearSystem::solve(std::span<Vec3d> u, const solve::Accuracy& accuracy,
                                        More&& more) {
  restraint_(right_side(), context_.arena);
  solve::KrylovReport report = solve::conjugate_gradient(
      context_.arena,
      [&](std::span<const double> p, std::span<double> q) {
        if (rounded_) {
          memory_.rounded.multiply(model_.pattern, vectors(p), vectors(q), context_.arena);
        } else {
          solve::multiply(model_.pattern, memory_.matrix, vectors(p), vectors(q), context_.arena);
        }
        if (contact_) contact_->add_product(vectors(p), vectors(q), context_.arena);
        more(vectors(p), vectors(q));
        restraint_(vectors(q), context_.arena);
      },
      [&](std::span<const double> r, std::span<double> z) { precondition(vectors(r), vectors(z)); },
      [&] { return bool(context_.cancelled); }, memory_.krylov.r, flat(u), accuracy,
      model_.params.newton.max_krylov_iterations, memory_.krylov);
  report.operator_applications += report.iterations * applications();
  return report;
}

}  // namespace isochor::tets
