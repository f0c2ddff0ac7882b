#pragma once

namespace isochor::solve {

/// Where the energy of a step in time went to and came from. Energies of the two states make up the
/// rest of it, and what the integrator itself loses.
struct Balance {
  double damping_loss = 0;  ///< J
  double hold_work = 0;     ///< done by holds on their nodes, J
};

}  // namespace isochor::solve
