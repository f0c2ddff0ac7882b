#pragma once

#include <span>
#include <string>

#include "isochor/grid/lattice.h"
#include "isochor/staggered/domain.h"

namespace isochor::staggered {

/// What is left of cells of which less is filled, padding among them: enough to hold them together.
inline constexpr float kLeastFraction = 1.0f / 64;

/// The cells of a lattice around a surface, which begin at its origin. `held` says per cell of the
/// lattice, in its order, which are Dirichlet; empty: none. `fractions`: cells count as much as is
/// in them, for which the lattice should have a layer of padding; else all are full, and padding
/// only makes the cage larger [Zhu10 fig 17]. Cells with material that share a place cannot be told
/// apart here, and are an error: build the lattice with separate = false. Padding that shares its
/// place, in a narrow gap, is one cell with what is there.
Domain<3> make_domain(const grid::Lattice& lattice, std::span<const std::uint8_t> held,
                      bool fractions, const std::string& place);

}  // namespace isochor::staggered
