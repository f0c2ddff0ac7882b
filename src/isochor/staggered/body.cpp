#include "isochor/staggered/body.h"

#include <algorithm>

#include "isochor/base/error.h"

namespace isochor::staggered {

Domain<3> make_domain(const grid::Lattice& lattice, std::span<const std::uint8_t> held,
                      bool fractions, const std::string& place_name) {
  if (!held.empty() && held.size() != lattice.cell_count()) {
    throw Error(Fault::Input, place_name,
                std::to_string(held.size()) + " cells are said to be held or not, of " +
                    std::to_string(lattice.cell_count()),
                "give one mark per cell, or none");
  }
  Domain<3> domain({lattice.size[0], lattice.size[1], lattice.size[2]},
                   {lattice.spacing, lattice.spacing, lattice.spacing});
  if (fractions) domain.fraction.resize(domain.cells.size());
  std::vector<std::uint8_t> material(domain.cells.size());
  std::size_t n = 0;
  lattice.for_each_cell([&](std::size_t block, int lane) {
    const grid::Index3 at = grid::cell_coordinate(lattice.blocks[block], lane);
    const std::size_t place = domain.index({at[0], at[1], at[2]});
    const bool padding = lattice.labels[n] == grid::CellLabel::Exterior;
    if (!padding && material[place]) {
      throw Error(Fault::Input, place_name,
                  "two cells share a place, which the staggered grid cannot tell apart",
                  "use one cell per place, smaller cells, or another method");
    }
    Cell& label = domain.cells[place];
    const Cell own = !held.empty() && held[n] ? Cell::Dirichlet : Cell::Interior;
    if (!padding || label == Cell::Exterior) label = own;
    if (padding && own == Cell::Dirichlet && !material[place]) label = own;
    if (!padding) material[place] = 1;
    if (fractions) {
      float& fraction = domain.fraction[place];
      fraction = std::max(fraction, std::clamp(lattice.fractions[n], kLeastFraction, 1.0f));
    }
    ++n;
  });
  return domain;
}

}  // namespace isochor::staggered
