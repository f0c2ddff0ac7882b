#pragma once

#include "isochor/staggered/corotated.h"

namespace isochor::staggered {

/// A step in time [Zhu10 sec 8]: backward Euler with damping in proportion to stiffness.
struct TimeStep {
  double dt = 0;       ///< s
  double density = 0;  ///< kg/m^3
  double damping = 0;  ///< s: the stress of a velocity is this times that of a displacement

  /// What a model for such steps is built with, Material::inertia.
  double inertia() const { return density / (dt * (dt + damping)); }
};

/// What survives a step: displacements with pressures, and velocities, as fields of the finest
/// level.
template <int D>
struct Motion {
  explicit Motion(const Model<D>& model) : u(model.unknowns()), v(model.unknowns()) {}
  std::vector<double> u;  ///< m, and p; given displacements are those at the end of the next step
  std::vector<double> v;  ///< m/s
};

/// Memory of steps.
template <int D>
struct MotionMemory {
  MotionMemory(const Model<D>& model, int restart)
      : solver(model, restart), b(model.unknowns()), next(b), image(b) {}
  SolverMemory<D> solver;
  std::vector<double> b, next, image;
};

/// One step under a load, as add_body_force and add_traction make it; `given` are displacements at
/// its end where there are any (set_given), or empty: they stay. The tolerance is against load and
/// inertia together. Unless converged, the motion is unchanged.
template <int D>
SolveReport advance(const Model<D>& model, const TimeStep& step, std::span<const double> load,
                    std::span<const double> given, double tolerance, int most, Motion<D>& motion,
                    MotionMemory<D>& memory, Context& context);

/// Memory of corotated steps beside that of their solves.
template <int D>
struct StepWork {
  explicit StepWork(const Model<D>& model) : b(model.unknowns()), next(b), image(b) {}
  std::vector<double> b, next, image;
};

/// The same of corotated elasticity. Damping resists how forces change.
template <int D>
SolveReport advance_corotated(const Model<D>& model, const TimeStep& step,
                              std::span<const double> load, std::span<const double> given,
                              double tolerance, int most, Motion<D>& motion, StepWork<D>& work,
                              CorotatedMemory<D>& memory, Context& context);

}  // namespace isochor::staggered
