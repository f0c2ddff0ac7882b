#pragma once

#include "isochor/lattice/inertia.h"
#include "isochor/lattice/mixed_operator.h"

namespace isochor::lattice::mixed {

struct State;

/// What pressures in balance with given M of all cells have stored, M W C^+ W M / 2, J: of a block
/// that cannot change its volume, jumps alone count. `weights` is a factor per body; none: 1.
double volume_energy(const Model& model, std::span<const double> measures,
                     std::span<const double> weights, ThreadArena& arena);

/// What VolumeHistory works with. Empty in a static model.
struct VolumeMemory {
  explicit VolumeMemory(const Model& model);

  std::vector<double> past;      ///< M before the step, as solve::TimeStep::origin has it
  std::vector<double> target;    ///< t
  std::vector<double> end;       ///< M at the end of the step
  std::vector<Vec3d> positions;  ///< at the end of the step
  std::vector<double> softness;  ///< per body, 1 / (1 + beta)
};

/// What time adds to the law of volumes, M = C p / W at rest. The pressure p acts where forces are
/// evaluated, at y, but volumes are kept at the end x of a step: held half way alone, they swing
/// from step to step, and velocities with them more and more. Damping is that of Kelvin and Voigt,
/// by the rate of M, which is blind to rotations. With beta = rate b,
///     M(x) + beta (M(x) - M_past) = C p / W               where y is the end,
///     ((M(x) + M_past) + beta (M(x) - M_past)) / 2 = C p / W   where it is half way,
/// both of which are written  M(y) - t = softness C p / W.  Half way t depends on y; Newton's
/// method takes it as known in each of its steps, which leaves it linear convergence, by about half
/// the angle by which cells turn in a step.
class VolumeHistory {
 public:
  VolumeHistory(const Model& model, const Inertia& inertia, VolumeMemory& memory,
                ThreadArena& arena);

  /// Gets ready for a step from a state.
  void begin(const State& state);
  /// Finds t for positions y.
  void retarget(const State& start, std::span<const Vec3d> y);

  std::span<const double> softness() const { return memory_.softness; }
  /// What an error of volume weighs, relative to one in a static step. In short steps a small one
  /// takes a large pressure to mend: 1 + rho h^2 rate^2 / mu, the largest of all bodies.
  double weight() const { return weight_; }
  /// What rounding of positions leaves of M.
  double rounding() const { return rounding_; }
  /// Whether t depends on y.
  bool moves() const { return inertia_.time().reach != 1; }

  /// Takes alpha W t from what evaluate() left; returns what that takes from the energy, J.
  double take_target(std::span<const double> pressure, std::span<double> volume) const;
  /// What the damping of volumes took in a step that ended, J.
  double damping_loss(const State& start, std::span<const Vec3d> end);

 private:
  template <class F>
  void each_cell(F&& f) const;
  void take_what_blocks_cannot_have(std::size_t group);
  double weight_of(const BodyRange& body) const;
  double largest_rounding(std::span<const Vec3d> positions) const;

  const Model& model_;
  const Inertia& inertia_;
  VolumeMemory& memory_;
  ThreadArena& arena_;
  double weight_ = 1, rounding_ = 0;
};

/// What a step in time has beside the forces of a static one.
struct Motion {
  /// Ready for a step of dt seconds from a state.
  Motion(const Model& model, const State& state, double dt, MotionMemory& motion,
         VolumeMemory& volumes, ThreadArena& arena);

  Inertia inertia;
  VolumeHistory history;
};

}  // namespace isochor::lattice::mixed
