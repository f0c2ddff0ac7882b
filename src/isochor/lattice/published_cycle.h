#pragma once

#include "isochor/lattice/hierarchy.h"

/// The V-cycle as McAdams et al. print it [McAdams11 alg 2]. It is Multigrid with Cycle::Published:
/// damped Jacobi in place of Chebyshev's polynomials, one visit of each level, the whole
/// stabilisation on all of them, and constrained cells in place of anchors.
namespace isochor::lattice {

/// Damping of Jacobi's method inside a body, and near its boundary, near soft constraints and for
/// high Poisson's ratios, for which the paper gives 0.3 to 0.4.
inline constexpr float kDampingInside = 0.8f, kDampingNear = 0.35f;

/// Which nodes of each level are held, and how they are damped. A coarse cell is constrained where
/// one of its children is; a fine cell where all its corners are held. A layer of held nodes counts
/// as the face of constrained cells outside. In terms of nodes both say: a coarse node is held
/// where a held node of the finer level is interpolated from it.
std::vector<PublishedLevel> plan_published(const Model& model, const Hierarchy& hierarchy);

}  // namespace isochor::lattice
