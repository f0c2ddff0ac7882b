#include "isochor/staggered/shape.h"

#include "isochor/staggered/terms.h"

namespace isochor::staggered {
namespace {

template <int D>
Index<D> child(const Index<D>& cell, int corner) {
  Index<D> at = cell;
  for (int k = 0; k < D; ++k) at[k] = 2 * at[k] + (corner >> k & 1);
  return at;
}

template <int D>
Cell coarse_label(const Domain<D>& fine, const Index<D>& cell) {
  Cell label = Cell::Exterior;
  for (int c = 0; c < 1 << D; ++c) {
    switch (fine.at(child<D>(cell, c))) {
      case Cell::Dirichlet:
        return Cell::Dirichlet;
      case Cell::Interior:
        label = Cell::Interior;
        break;
      case Cell::Exterior:
        break;
    }
  }
  return label;
}

/// How far behind the face of a Dirichlet cell its finest Dirichlet cells begin, as a mean over the
/// columns of children that enter it there. `upward`: the cell is the one above the face.
template <int D>
double wall_distance(const Shape<D>& fine, const Index<D>& cell, int axis, bool upward) {
  const double h = fine.domain.spacing[axis];
  double sum = 0;
  int columns = 0;
  for (int c = 0; c < 1 << D; ++c) {
    if ((c >> axis & 1) == int(upward)) continue;  // the child at the face
    Index<D> at = child<D>(cell, c);
    double way = 0;
    int steps = 0;
    for (; steps < 2 && fine.domain.at(at) == Cell::Interior; ++steps) {
      at = moved<D>(at, axis, upward ? 1 : -1);
      way += h;
    }
    if (fine.domain.at(at) == Cell::Exterior) continue;
    // The lower face of the child itself, or of the one above it.
    if (steps < 2) way += fine.wall_at(upward ? at : moved<D>(at, axis, 1), axis);
    sum += way;
    ++columns;
  }
  return columns > 0 ? sum / columns : 0;
}

/// Of the lower face along an axis of a coarse cell: given where fine unknowns touch its middle, or
/// unknown where none does.
template <int D>
bool has_moved(const Domain<D>& fine, const Domain<D>& coarse, const Index<D>& cell, int axis) {
  const Cell own = coarse.at(cell), other = coarse.at(moved<D>(cell, axis, -1));
  const bool given = own == Cell::Dirichlet || other == Cell::Dirichlet;
  if (!given && (own != Cell::Interior || other != Cell::Interior)) return false;
  bool unknown = false;
  for (int c = 0; c < 1 << D; ++c) {
    if (c >> axis & 1) continue;
    const Index<D> at = child<D>(cell, c);
    unknown = unknown ||
              (fine.at(at) == Cell::Interior && fine.at(moved<D>(at, axis, -1)) == Cell::Interior);
  }
  return given == unknown;
}

}  // namespace

template <int D>
Shape<D> finest_shape(Domain<D> domain) {
  Shape<D> shape;
  shape.finest = domain.spacing;
  shape.fraction = std::move(domain.fraction);
  shape.domain = std::move(domain);
  return shape;
}

template <int D>
Shape<D> coarsened(const Shape<D>& fine, bool measured) {
  Shape<D> coarse;
  coarse.finest = fine.finest;
  Index<D> size = fine.domain.size;
  Spacing<D> spacing = fine.domain.spacing;
  for (int k = 0; k < D; ++k) {
    size[k] = (size[k] + 1) / 2;
    spacing[k] *= 2;
  }
  Domain<D>& domain = coarse.domain = Domain<D>(size, spacing);
  domain.for_each(
      [&](const Index<D>& at) { domain.cells[domain.index(at)] = coarse_label(fine.domain, at); });
  if (!measured) return coarse;

  coarse.fraction.resize(domain.cells.size());
  for (auto& wall : coarse.wall) wall.resize(domain.cells.size());
  domain.for_each([&](const Index<D>& at) {
    const std::size_t n = domain.index(at);
    const Cell label = domain.cells[n];
    double sum = 0;
    for (int c = 0; c < 1 << D; ++c) sum += fine.fraction_at(child<D>(at, c));
    coarse.fraction[n] = float(sum / (1 << D));
    for (int k = 0; k < D; ++k) {
      const Index<D> below = moved<D>(at, k, -1);
      const Cell other = domain.at(below);
      if (label == Cell::Dirichlet && other == Cell::Interior) {
        coarse.wall[k][n] = float(wall_distance(fine, at, k, true));
      } else if (label == Cell::Interior && other == Cell::Dirichlet) {
        coarse.wall[k][n] = float(wall_distance(fine, below, k, false));
      }
    }
  });
  find_terms(fine, coarse);
  return coarse;
}

template <int D>
std::vector<std::uint8_t> relocated(const Domain<D>& fine, const Domain<D>& coarse) {
  std::vector<std::uint8_t> marks(fine.cells.size());
  fine.for_each([&](const Index<D>& at) {
    if (fine.at(at) != Cell::Interior) return;
    std::uint8_t& mark = marks[fine.index(at)];
    Index<D> parent = at;
    for (std::int32_t& a : parent) a /= 2;
    if (coarse.at(parent) == Cell::Dirichlet) mark |= std::uint8_t(1 << D);
    for (int k = 0; k < D; ++k) {
      if (fine.at(moved<D>(at, k, -1)) != Cell::Interior) continue;
      for (int c = 0; c < 1 << D; ++c) {
        Index<D> from = parent;
        for (int axis = 0; axis < D; ++axis) {
          if (!(c >> axis & 1)) continue;
          from[axis] += at[axis] & 1 ? 1 : axis == k ? 0 : -1;
        }
        if (has_moved(fine, coarse, from, k)) mark |= std::uint8_t(1 << k);
      }
    }
  });
  return marks;
}

template Shape<2> finest_shape(Domain<2>);
template Shape<3> finest_shape(Domain<3>);
template Shape<2> coarsened(const Shape<2>&, bool);
template Shape<3> coarsened(const Shape<3>&, bool);
template std::vector<std::uint8_t> relocated(const Domain<2>&, const Domain<2>&);
template std::vector<std::uint8_t> relocated(const Domain<3>&, const Domain<3>&);

}  // namespace isochor::staggered
