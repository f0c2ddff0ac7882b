#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/lattice/mixed_solver.h"

/// The body of experiments with pressures: a block of cubic cells along x, both ends held.
namespace isochor::reproduce {

/// mu = 1 Pa; Poisson's ratio up to exactly 0.5. Its height along z is 1 m.
lattice::BodySpec make_block(std::array<int, 3> cells, std::string_view law, double poisson,
                             Context& context);

/// How a motion of the far end was followed.
struct FollowedMotion {
  bool arrived = false;
  double reached = 0;  ///< t of the last equilibrium
  int solves = 0, iterations = 0, cuts = 0, fallbacks = 0;
};
/// What holds ask for on the way.
struct Holding {
  std::vector<Vec3d> positions;   ///< of held nodes, as lattice::StepInput wants them
  std::vector<Vec3d> directions;  ///< per hold, where they slide
};
/// In steps of `first_step`, halved where they fail, down to `shortest`, for t from 0 to 1.
FollowedMotion follow(const lattice::mixed::Model& model,
                      const std::function<Holding(double)>& holding, double first_step,
                      lattice::mixed::State& state, lattice::mixed::Scratch& scratch,
                      Context& context, double shortest = 1.0 / 64);
/// Of the far end along x, in steps of a quarter: far_end(rest position, t).
FollowedMotion follow(const lattice::mixed::Model& model,
                      const std::function<Vec3d(const Vec3d&, double)>& far_end,
                      lattice::mixed::State& state, lattice::mixed::Scratch& scratch,
                      Context& context, double shortest = 1.0 / 64);

}  // namespace isochor::reproduce
