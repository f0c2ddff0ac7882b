#pragma once

#include "isochor/lattice/solver.h"

namespace isochor::lattice {

/// What mass and damping add to the potential that a step minimises [McAdams11 sec 6], about the
/// positions y where forces are evaluated:
///     rate^2/2 |y - target|_M^2 + rate/2 (y - origin) . C (y - origin),  target = origin +
///     v_origin / rate,  C = a M + b K,
/// with Rayleigh's coefficients a and b of each body. K is the stiffness of cells as they are at
/// rest, but turned as each of them will be where velocities are measured: definite, constant
/// within the step, and blind to rotations, of which the tangent of a stressed cell would take
/// energy. Springs have no damping.
class Inertia {
 public:
  /// `stabilise` is the part of the stabilisation that the cells have.
  Inertia(const Model& model, const solve::TimeStep& time, MotionMemory& memory, ThreadArena& arena,
          double stabilise = 1);

  /// Gets ready for a step from a state.
  void begin(const State& state);

  const solve::TimeStep& time() const { return time_; }

  /// J; leaves what damping pulls with for add_force.
  double energy(std::span<const Vec3d> y);
  /// Adds minus its gradient, and returns the energy.
  double add_force(std::span<const Vec3d> y, std::span<Vec3d> force);
  /// Sum over nodes of the squares of what it takes to accelerate them, N^2.
  double square_of_inertia(std::span<const Vec3d> y) const;
  /// The same of what rounding leaves of it.
  double square_of_rounding() const { return square_of_rounding_; }

  /// out += its second derivative times v.
  void apply(std::span<const Vec3d> v, std::span<Vec3d> out);
  void add_diagonal(std::span<Vec3f> diagonal);
  /// What a preconditioner adds to the diagonal of K so that it becomes, but for a factor per body,
  /// the whole matrix: damping has nearly the matrix K as well. N/m per node.
  std::span<const float> shift() const { return memory_.shift; }
  /// That factor.
  double stiffening(const BodyRange& body) const { return 1 + time_.rate * body.stiffness_damping; }

  /// Two guesses: every node moves freely under gravity; every body moves so as a whole, without
  /// changing its shape, where no hold keeps it, and otherwise stays.
  void free_flight(const Vec3d& gravity, std::span<Vec3d> y) const;
  void rigid_flight(const State& state, const Vec3d& gravity, std::span<Vec3d> y) const;

  /// What a search for equilibrium found.
  struct Found {
    std::span<Vec3d> positions;          ///< y; finish() leaves those of the end
    std::span<Vec3d> force;              ///< all forces on all nodes; then nothing of use
    std::span<const SlideFrame> slides;  ///< per Model::sliding
  };
  /// Where a step ended and what it took. Leaves velocities and pushes of the end in its memory.
  Balance finish(const State& state, const StepInput& input, const Found& found);

 private:
  template <class F>
  void each_node(F&& f) const;
  template <class F>
  double sum_nodes(F&& f) const;
  void linearise_damping(const State& state);
  /// image = K v; nothing without such damping.
  void multiply_damping(std::span<const Vec3d> v);
  double settle_holds(const State& state, const Found& found);
  void carry_on(const State& state, const StepInput& input, const Found& found);
  Vec3d damping_pull(std::size_t node, const BodyRange& body, const Vec3d& velocity) const;

  const Model& model_;
  solve::TimeStep time_;
  MotionMemory& memory_;
  ThreadArena& arena_;
  const double stabilise_;
  double square_of_rounding_ = 0;
};

}  // namespace isochor::lattice
