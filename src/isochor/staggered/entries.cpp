#include "isochor/staggered/entries.h"

#include <algorithm>
#include <cmath>

#include "isochor/math/isa.h"
#include "isochor/math/mat3.h"
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

/// The spin of a cell is H^-1 g, see spins_kernel.cpp, and takes 2 g . H^-1 g off the matrix. In
/// the plane it has one entry, the last of three.
template <int D>
void for_each_spin_entry(const Level<D>& level, const View<D, double>& view,
                         const std::function<void(std::size_t, std::size_t, double)>& f) {
  const Layout<D>& layout = level.layout;
  const auto flag = [&](const Index<D>& at, int bit) {
    return level.weights.flags[layout.place(at)] >> (kActive + bit) & 1;
  };
  const auto weight = [&](int kind, const Index<D>& at) {
    return double(level.weights.bytes[kind * layout.length + layout.place(at)]) / kFullWeight;
  };
  struct Face {
    std::size_t place;
    Vec3d g;
  };
  std::vector<Face> faces;
  for (const auto& row : layout.rows) {
    for (std::int32_t x = row.begin; x < row.end; ++x) {
      const Index<D> cell = layout.coordinate(row, x);
      if (!flag(cell, D)) continue;
      faces.clear();
      Mat3d H{};
      for (int i = 0; i < D; ++i) {
        const auto feels = [&](const Index<D>& at, const Vec3d& g) {
          if (!flag(at, i)) return;
          const std::size_t place = i * layout.length + layout.place(at);
          const auto known = std::ranges::find(faces, place, &Face::place);
          if (known == faces.end()) {
            faces.push_back({place, g});
          } else {
            known->g += g;
          }
        };
        Vec3d R{};
        for (int k = 0; k < D; ++k)
          R[k] = view.turns[(D * i + k) * view.length + layout.place(cell)];
        for (int j = 0; j < D; ++j) {
          // (R [e_a]x)_ij for all a.
          Vec3d turned{};
          turned[(j + 2) % 3] = R[(j + 1) % 3];
          turned[(j + 1) % 3] = -R[(j + 2) % 3];
          const auto term = [&](double w, const Index<D>& below) {
            for (int a = 0; a < 3; ++a) {
              for (int b = 0; b < 3; ++b) H(a, b) += w * turned[a] * turned[b];
            }
            const Vec3d g = (w / level.spacing[j]) * turned;
            feels(below, -g);
            feels(moved<D>(below, j, 1), g);
          };
          if (i == j) {
            term(weight(stretch_kind<D>(i), cell), cell);
            continue;
          }
          for (int c = 0; c < 4; ++c) {
            const Index<D> edge = moved<D>(moved<D>(cell, i, c & 1), j, c >> 1);
            term(0.25 * weight(shear_kind<D>(i, j), edge), moved<D>(edge, j, -1));
          }
        }
      }
      if (!(trace(H) > 0)) continue;
      const double more = kLeastSpin<D> * std::abs(6 * weight(0, cell) - trace(H));
      for (int a = 0; a < 3; ++a) H(a, a) += a < 3 - kPairs<D> ? 1 : more;
      const double by = 1 / determinant(H);
      const Vec3d columns[3] = {by * cross(H.column[1], H.column[2]),
                                by * cross(H.column[2], H.column[0]),
                                by * cross(H.column[0], H.column[1])};
      for (const Face& a : faces) {
        const Vec3d spin{dot(columns[0], a.g), dot(columns[1], a.g), dot(columns[2], a.g)};
        for (const Face& b : faces) f(b.place, a.place, 2 * dot(spin, b.g));
      }
    }
  }
}

template void for_each_entry(const Level<2>&, const View<2, double>&,
                             const std::function<void(std::size_t, std::size_t, double)>&);
template void for_each_entry(const Level<3>&, const View<3, double>&,
                             const std::function<void(std::size_t, std::size_t, double)>&);

template void for_each_spin_entry(const Level<2>&, const View<2, double>&,
                                  const std::function<void(std::size_t, std::size_t, double)>&);
template void for_each_spin_entry(const Level<3>&, const View<3, double>&,
                                  const std::function<void(std::size_t, std::size_t, double)>&);

}  // namespace isochor::staggered
