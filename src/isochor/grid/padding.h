#pragma once

#include "isochor/grid/lattice.h"

namespace isochor::grid {

/// The lattice with one more layer of exterior cells around it: every node that it had is then
/// surrounded by cells. Where two parts of the body are apart, each gets a layer of its own, so
/// that the padding ties nothing together; only at the bottom of a gap, where they meet anyway,
/// does it belong to both.
Lattice padded(const Lattice& lattice);

}  // namespace isochor::grid
