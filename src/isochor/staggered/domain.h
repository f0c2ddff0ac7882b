#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// Where a body is: boxes of labelled cells, in two or three dimensions.
namespace isochor::staggered {

/// Of a cell; a type of its own, so that functions can tell D by it.
template <int D>
struct Index : std::array<std::int32_t, D> {};
template <int D>
using Spacing = std::array<double, D>;

/// [Zhu10 sec 5.1]
enum class Cell : std::uint8_t {
  Exterior,   ///< nothing: faces towards it are free, or carry a traction
  Interior,   ///< material
  Dirichlet,  ///< material that moves as prescribed: all of its faces are given
};

/// A box of cells, x fastest. What lies outside of it is exterior.
template <int D>
struct Domain {
  Index<D> size{};
  Spacing<D> spacing{};  ///< m; axes may differ
  std::vector<Cell> cells;
  /// Per cell how much of it is filled, from 0 to 1; only that of interior cells counts. Empty: all
  /// are full, and the body ends where the cells do. Cells with nothing in them around a body let
  /// its outline run anywhere: then no term of the energy is left out.
  std::vector<float> fraction;

  Domain() = default;
  Domain(const Index<D>& cells_per_axis, const Spacing<D>& cell_size, Cell fill = Cell::Exterior);

  std::size_t index(const Index<D>& at) const {
    std::size_t i = 0;
    for (int k = D - 1; k >= 0; --k) i = i * std::size_t(size[k]) + std::size_t(at[k]);
    return i;
  }
  bool contains(const Index<D>& at) const {
    for (int k = 0; k < D; ++k) {
      if (at[k] < 0 || at[k] >= size[k]) return false;
    }
    return true;
  }
  Cell at(const Index<D>& cell) const {
    return contains(cell) ? cells[index(cell)] : Cell::Exterior;
  }

  /// Calls f(cell) for every cell of the box, x fastest.
  template <class F>
  void for_each(F&& f) const {
    Index<D> at{};
    for (std::size_t n = 0; n < cells.size(); ++n) {
      f(at);
      for (int k = 0; k < D && ++at[k] == size[k]; ++k) at[k] = 0;
    }
  }
};

/// Throws Error where a box cannot be simulated: no interior cell, spacings that are not positive,
/// or sizes that do not belong together. `place` names the body.
template <int D>
void check(const Domain<D>& domain, const std::string& place);

template <int D>
Index<D> moved(Index<D> at, int axis, int by) {
  at[axis] += by;
  return at;
}

}  // namespace isochor::staggered
