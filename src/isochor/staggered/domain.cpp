#include "isochor/staggered/domain.h"

#include <algorithm>

#include "isochor/base/error.h"

namespace isochor::staggered {

template <int D>
Domain<D>::Domain(const Index<D>& cells_per_axis, const Spacing<D>& cell_size, Cell fill)
    : size(cells_per_axis), spacing(cell_size) {
  std::size_t count = 1;
  for (const std::int32_t n : size) count *= std::size_t(std::max(n, 0));
  cells.assign(count, fill);
}

template <int D>
void check(const Domain<D>& domain, const std::string& place) {
  std::size_t count = 1;
  for (int k = 0; k < D; ++k) {
    count *= std::size_t(std::max(domain.size[k], 0));
    if (!(domain.spacing[k] > 0)) {
      throw Error(Fault::Input, place, "a cell of the grid has no extent along an axis",
                  "give a positive spacing for every axis");
    }
  }
  if (count != domain.cells.size()) {
    throw Error(Fault::Input, place,
                "the grid has " + std::to_string(domain.cells.size()) + " labels for " +
                    std::to_string(count) + " cells",
                "give one label per cell");
  }
  if (!domain.fraction.empty() && domain.fraction.size() != count) {
    throw Error(Fault::Input, place,
                "the grid has " + std::to_string(domain.fraction.size()) + " fractions for " +
                    std::to_string(count) + " cells",
                "give one fraction per cell, or none");
  }
  if (std::ranges::find(domain.cells, Cell::Interior) == domain.cells.end()) {
    throw Error(Fault::Input, place, "no cell of the grid is interior: nothing can move",
                "make the cells smaller, or hold less of the body");
  }
}

template struct Domain<2>;
template struct Domain<3>;
template void check(const Domain<2>&, const std::string&);
template void check(const Domain<3>&, const std::string&);

}  // namespace isochor::staggered
