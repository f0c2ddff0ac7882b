#pragma once

#include <vector>

#include "isochor/base/context.h"
#include "isochor/lattice/mixed_state.h"
#include "reproduce/row.h"

namespace isochor::reproduce {

/// A model at an equilibrium.
struct Posed {
  lattice::mixed::Model model;
  lattice::mixed::State state;
  bool arrived = true;
};

/// An arm of cut cells, its forearm turned by a radian about the elbow, bones held.
Posed flexed_arm(int cells, double poisson, Context& context);

/// Rows of "patterson/iterations" about bodies that do not follow their lattice, with cut cells: a
/// ball, a thin shell and a flexed arm.
std::vector<Row> embedded_iterations(Context& context);

}  // namespace isochor::reproduce
