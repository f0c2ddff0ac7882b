#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "isochor/lattice/fas_memory.h"
#include "isochor/lattice/multigrid_memory.h"
#include "isochor/lattice/surface_memory.h"
#include "isochor/solve/conjugate_gradient.h"

namespace isochor::lattice {

/// All that a checkpoint holds. Of a static model, positions alone.
struct State {
  std::vector<Vec3d> positions;   ///< per node, m
  std::vector<Vec3d> velocities;  ///< per node, m/s
  /// What they were before the last step, where an integrator asks for it.
  std::vector<Vec3d> last_positions, last_velocities;
  double last_dt = 0;  ///< length of the last step, s; 0: there was none
  /// What holds pushed their nodes with in the last step, N, in the order of
  /// StepInput::held_positions.
  std::vector<Vec3d> pushes;
};

/// At rest, with all that the model's integrator asks for.
State make_state(const Model& model);

/// What a step in time works with beside the memory of an equilibrium. Empty in a static model.
struct MotionMemory {
  explicit MotionMemory(const Model& model)
      : origin(model.moves() ? model.node_count() : 0),
        target(origin.size()),
        velocities(origin.size()),
        image(model.has_stiffness_damping() ? origin.size() : 0),
        diagonal(image.size()),
        shift(origin.size()),
        pushes(model.moves() ? model.held_count() : 0) {
    if (image.empty()) return;
    rotations.resize(8 * model.blocks.size());
    damping.emplace(model);
  }

  void poison();
  std::size_t bytes() const;

  std::vector<Vec3d> origin;        ///< as in solve::TimeStep
  std::vector<Vec3d> target;        ///< where nodes would be without forces
  std::vector<Vec3d> velocities;    ///< at the end of the step
  std::vector<Vec3d> image;         ///< of the damping tangents
  std::vector<Vec3f> diagonal;      ///< of the same
  std::vector<float> shift;         ///< what inertia adds to a preconditioner's diagonal, N/m
  std::vector<Vec3d> pushes;        ///< as State's
  std::vector<Mat3d> rotations;     ///< how cells are turned, at block * 8 + lane
  std::optional<Tangents> damping;  ///< of cells so turned
};

/// What a step over dt found becomes the state: `positions` and, in time, what Inertia left.
void accept(const Model& model, double dt, std::vector<Vec3d>& positions, MotionMemory& motion,
            State& state);

/// Memory of a step. Nothing in it outlives a step: filling it with NaN changes no result.
struct Scratch {
  explicit Scratch(const Model& model)
      : positions(model.node_count()),
        force(model.node_count()),
        step(model.node_count()),
        diagonal(model.node_count()),
        tangents(model),
        block_energy(model.blocks.size()),
        pull(model.springs.count()),
        slides(model.sliding.size()),
        surfaces(model),
        multigrid(model),
        fas(model),
        motion(model),
        krylov(3 * model.node_count()),
        load(model.params.cycle == Cycle::Published ? model.node_count() : 0) {}

  /// Fills all memory with NaN; only tests do so.
  void poison();

  std::vector<Vec3d> positions;  ///< the iterate
  std::vector<Vec3d> force;      ///< internal and external, held nodes included
  std::vector<Vec3d> step;       ///< the Newton direction
  std::vector<Vec3f> diagonal;   ///< of the stiffness matrix
  Tangents tangents;
  std::vector<double> block_energy;
  std::vector<Vec3d> pull;         ///< per spring
  std::vector<SlideFrame> slides;  ///< per Model::sliding
  SurfaceMemory surfaces;
  MultigridMemory multigrid;
  FasMemory fas;
  MotionMemory motion;
  solve::KrylovScratch krylov;
  std::vector<Vec3d> load;  ///< of a linear system that cycles alone solve
};

/// Memory that a state holds, or a model, its state and its scratch, bytes.
std::size_t bytes_allocated(const State& state);
std::size_t bytes_allocated(const Model& model, const State& state, const Scratch& scratch);

}  // namespace isochor::lattice
