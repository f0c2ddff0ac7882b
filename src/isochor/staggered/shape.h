#pragma once

#include "isochor/staggered/domain.h"

namespace isochor::staggered {

/// Which of the pairs of axes.
constexpr int pair_of(int i, int j) { return i + j - 1; }

/// What a level knows of the body. Coarse cells are larger than what they stand for, and coarse
/// walls are not where the fine ones are. Numbers per cell say by how much, so that the coarse
/// operator is as stiff as the fine one; without them corrections overshoot at walls and fall short
/// at free boundaries.
template <int D>
struct Shape {
  Domain<D> domain;
  Spacing<D> finest{};  ///< spacing of the finest level, m
  /// Per cell the part of it that is interior on the finest level. Empty: interior cells are full.
  std::vector<float> fraction;
  /// Per axis and cell: where its lower face along the axis is between interior and Dirichlet, how
  /// far behind that face the Dirichlet cells of the finest level begin, m. Empty: right there.
  std::array<std::vector<float>, D> wall;
  /// What terms count, see terms.h: stretches by axis and cell with the distance of walls, shears
  /// by pair of axes and lower edge without it. Empty: as labels and fractions say.
  std::array<std::vector<float>, D> stretch;
  std::array<std::vector<float>, D*(D - 1) / 2> shear;

  double fraction_at(const Index<D>& cell) const {
    if (domain.at(cell) != Cell::Interior) return 0;
    return fraction.empty() ? 1.0 : double(fraction[domain.index(cell)]);
  }
  /// Of the lower face along an axis of a cell.
  double wall_at(const Index<D>& cell, int axis) const {
    if (wall[axis].empty() || !domain.contains(cell)) return 0;
    return double(wall[axis][domain.index(cell)]);
  }
};

template <int D>
Shape<D> finest_shape(Domain<D> domain);

/// Cells of twice the size: Dirichlet where any child is, else interior where any child is
/// [Zhu10 sec 6]. `measured` fills in all else, which the paper does not have.
template <int D>
Shape<D> coarsened(const Shape<D>& fine, bool measured);

/// Per fine cell, bit k for its lower face along k and bit D for its pressure: whether what it gets
/// from the coarse level comes from where walls or the outside have moved [Zhu10 fig 8].
template <int D>
std::vector<std::uint8_t> relocated(const Domain<D>& fine, const Domain<D>& coarse);

}  // namespace isochor::staggered
