#pragma once

#include "reproduce/convergence.h"

namespace isochor::reproduce {

/// A tube, compressed to nine tenths and twisted by half a radian per metre, Poisson's ratio 0.5,
/// whose ends are free to grow along their radii. It takes a motion in closed form (a controllable
/// one: Rivlin 1949),
///     r^2 = a^2 + (R^2 - A^2) / stretch,  theta = Theta + twist X,  x = stretch X,
/// with the inner radius a by which both surfaces are free of traction. Its walls cut the cells of
/// the lattice anyhow; only the planes of its ends lie on nodes.
ConvergenceCase twisted_tube();

}  // namespace isochor::reproduce
