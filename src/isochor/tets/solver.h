#pragma once

#include <span>

#include "isochor/base/context.h"
#include "isochor/contact/contact_energy.h"
#include "isochor/contact/sliding_bones.h"
#include "isochor/solve/balance.h"
#include "isochor/tets/local_search.h"
#include "isochor/tets/zonal_system.h"

namespace isochor::tets {

/// All that a checkpoint holds. Of a static model, positions alone.
struct State {
  std::vector<Vec3d> positions;   ///< per node, m
  std::vector<Vec3d> velocities;  ///< per node, m/s
  /// What they were before the last step, where an integrator asks for it.
  std::vector<Vec3d> last_positions, last_velocities;
  double last_dt = 0;  ///< length of the last step, s; 0: there was none
  /// What holds pushed their nodes with in the last step, N, in the order of
  /// StepInput::held_positions, then of the nodes of Model::sliding.
  std::vector<Vec3d> pushes;
  std::vector<double> pressures;  ///< per zone, Pa; positive where it is compressed
  /// Per node, what a collider on which it slides pushed it with along the normal where the last
  /// step ended, N: what friction goes by until forces of this one are known. Empty: static.
  std::vector<double> contact_pushes;
  double contact_change = 1;  ///< of these in the last step, all together, of their sum
};

/// At rest, with all that the model's integrator asks for.
State make_state(const Model& model);

/// The world at the end of a step; activations and targets of springs where the integrator
/// evaluates forces.
struct StepInput {
  Vec3d gravity{0, 0, 0};  ///< m/s^2
  /// Positions of held nodes, in the order of Model::holds and of the nodes within each, m.
  std::span<const Vec3d> held_positions;
  std::span<const Vec3d> obstacles;     ///< the same of the nodes of Model::obstacles
  std::span<const double> activations;  ///< per Model::materials, 0 to 1; none: no muscle acts
  std::span<const Vec3d> loads;         ///< per node, beside gravity, N; none: all zero
  /// Per spring, m; none: springs do not act. Where a step may be cut (Conserving), also those of
  /// its begin; none: they stay.
  std::span<const Vec3d> spring_targets, first_spring_targets;
  /// Nodes in contact, and those of holds that slide (slides_of_holds), ascending: each stays in
  /// its place along the normal, in contact unless it would have to be pulled there.
  std::span<const Slide> slides;
  /// Barriers and friction, for the surface of the model, with colliders placed at the end of the
  /// step; none: nothing touches. Nothing may cross in the state; then nothing ever does. Without
  /// barriers of colliders, nodes that come into one slide on it from then on.
  contact::ContactEnergy* contact = nullptr;
  /// Bones that flesh slides over, with their motions in the step; none: there are none. Their
  /// springs are those of `contact`, without which nothing slides.
  contact::SlidingBones* bones = nullptr;
  std::span<const double> volumes;     ///< wanted of zones over those at rest; none: all one
  std::span<const double> tightening;  ///< of sheets, as in shells::SheetConfiguration
  double dt = 0;                       ///< s; 0: the step seeks static equilibrium
};

/// Memory of a step. Nothing in it outlives a step: filling it with NaN changes no result.
struct Scratch {
  explicit Scratch(const Model& model);
  void poison();
  std::size_t bytes() const;

  std::vector<Vec3d> positions;      ///< the iterate
  std::vector<Vec3d> elastic_force;  ///< of tets, sheets and springs, N
  std::vector<Vec3d> force, step;
  std::vector<Vec3d> origin, target;   ///< of a step in time, as in solve::TimeStep
  std::vector<Vec3d> pushes;           ///< as State's
  std::vector<double> contact_pushes;  ///< the same
  double contact_change = 1;
  std::vector<Vec3d> drag;  ///< what damping by stiffness pulls with, N
  ElasticMemory elastic;
  std::vector<Slide> slides;                      ///< those that push, by node
  std::vector<contact::FrictionContact> rubbing;  ///< of these
  LinearMemory linear;
  ZonalMemory zonal;
  LocalMemory local;
};

struct StepReport : solve::NewtonReport {
  solve::Balance balance;
};

/// Moves the state to static equilibrium under the input, with no velocity; or, where the input has
/// a duration, through that time by the model's integrator. Transactional: unless the report says
/// converged, the state is unchanged, bit for bit. Allocates nothing. Zones that cannot have their
/// volumes end with those that are least wrong: the report then says so as a fallback. Where what
/// is held, or a collider, moves through a body in one step, the report says stalled: cut the step.
StepReport advance(const Model& model, State& state, const StepInput& input, Scratch& scratch,
                   Context& context);

/// Memory that a model, its auxiliary lattice, a state and a scratch hold, bytes.
std::size_t bytes_allocated(const Model& model, const State& state, const Scratch& scratch);

}  // namespace isochor::tets
