#include "isochor/staggered/entries.h"

#include <algorithm>

#include "isochor/math/isa.h"
#include "isochor/staggered/kernels.h"

namespace isochor::staggered {

/// Columns of the matrix are what its operator makes of unit vectors. As rows reach one cell far,
/// every third cell along each axis can have one at a time.
template <int D>
void for_each_entry(const Level<D>& level, const View<D, double>& view,
                    const std::function<void(std::size_t, std::size_t, double)>& f) {
  const Layout<D>& layout = level.layout;
  std::vector<Index<D>> cells;
  for (const auto& row : layout.rows) {
    for (std::int32_t x = row.begin; x < row.end; ++x) cells.push_back(layout.coordinate(row, x));
  }
  const auto active = [&](std::size_t place, int component) {
    return level.weights.flags[place] >> (kActive + component) & 1;
  };
  std::vector<double> unit((D + 1) * layout.length), zero(unit.size()), image(unit.size());
  const ResidualPass<D, double> pass{view, unit.data(), zero.data(), image.data()};
  const RowRange all{0, std::int64_t(layout.rows.size())};
  for (int colour = 0; colour < (D == 3 ? 27 : 9); ++colour) {
    // The cell of this colour in reach of another.
    const auto coloured = [&](Index<D> cell) {
      for (int k = 0, rest = colour; k < D; ++k, rest /= 3) {
        cell[k] += (rest % 3 - cell[k] % 3 + 4) % 3 - 1;
      }
      return cell;
    };
    for (int component = 0; component <= D; ++component) {
      std::ranges::fill(unit, 0);
      for (const Index<D>& at : cells) {
        const std::size_t place = layout.place(at);
        if (coloured(at) == at && active(place, component)) {
          unit[component * layout.length + place] = -1;
        }
      }
      if (view.turns) {
        ISOCHOR_CALL_KERNEL(best_isa(), turned_residual_kernel(pass, all));
      } else {
        ISOCHOR_CALL_KERNEL(best_isa(), residual_kernel(pass, all));
      }
      for (const Index<D>& at : cells) {
        const std::size_t place = layout.place(at), from = layout.place(coloured(at));
        if (!active(from, component)) continue;
        for (int k = 0; k <= D; ++k) {
          const std::size_t row = k * layout.length + place;
          if (active(place, k) && image[row] != 0) {
            f(row, component * layout.length + from, image[row]);
          }
        }
      }
    }
  }
}

template void for_each_entry(const Level<2>&, const View<2, double>&,
                             const std::function<void(std::size_t, std::size_t, double)>&);
template void for_each_entry(const Level<3>&, const View<3, double>&,
                             const std::function<void(std::size_t, std::size_t, double)>&);

}  // namespace isochor::staggered
