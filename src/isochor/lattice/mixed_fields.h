#pragma once

#include "isochor/lattice/fields.h"
#include "isochor/lattice/mixed_state.h"

namespace isochor::lattice::mixed {

/// As lattice::cell_fields: Cauchy stress (dPsi0/dF + p dM/dF) F^T / J. The pressure there is
/// -tr(sigma) / 3, positive in compression, not the unknown p.
CellFields cell_fields(const Model& model, const Configuration& at, ThreadArena& arena);

/// What cells have stored, with the pressures that their own volumes ask for: those of a state that
/// moves are of another time, and have a part in them that damping has. J.
double stored_energy(const Model& model, const Configuration& at, ThreadArena& arena);

/// That energy, and the forces of cells on all nodes.
struct Elasticity {
  double energy = 0;         ///< J
  std::vector<Vec3d> force;  ///< N
};
Elasticity elasticity(const Model& model, const Configuration& at, ThreadArena& arena);

}  // namespace isochor::lattice::mixed
