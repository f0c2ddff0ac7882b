#include "isochor/staggered/terms.h"

#include <algorithm>
#include <limits>

namespace isochor::staggered {
namespace {

/// The cells around the lower edge of a cell.
template <int D>
std::array<Index<D>, 4> around_edge(const Index<D>& cell, int i, int j) {
  return {cell, moved<D>(cell, i, -1), moved<D>(cell, j, -1),
          moved<D>(moved<D>(cell, i, -1), j, -1)};
}

/// How much of an edge is material; walls count as such.
template <int D>
double edge_fraction(const Shape<D>& shape, const Index<D>& cell, int i, int j) {
  double sum = 0;
  for (const Index<D>& at : around_edge<D>(cell, i, j)) {
    const Cell label = shape.domain.at(at);
    if (label == Cell::Exterior) return 0;
    sum += 0.25 * (label == Cell::Dirichlet ? 1 : shape.fraction_at(at));
  }
  return sum;
}

/// Of a shear without what is known of walls. On a coarse level it is not less than `kLeast` of
/// what its cells are filled with, so that nothing hangs loose.
template <int D>
double plain_shear(const Shape<D>& shape, const Index<D>& cell, int i, int j) {
  constexpr double kLeast = 1.0 / 16;
  const double fraction = edge_fraction(shape, cell, i, j);
  const std::vector<float>& known = shape.shear[pair_of(i, j)];
  if (fraction == 0 || known.empty()) return fraction;
  return std::max(double(known[shape.domain.index(cell)]), kLeast * fraction);
}

/// Cells of the fine level in line along an axis through a coarse cell, and on through those that
/// the wall beside it has taken. One after the other they are as soft as all of them together, and
/// a line that ends at a free face bears nothing.
template <int D>
double line_weight(const Shape<D>& fine, const Domain<D>& coarse, const Index<D>& cell, int axis,
                   const Index<D>& first) {
  double softness = 0;
  const auto add = [&](const Index<D>& at) {
    const double weight = stretch_weight(fine, at, axis);
    softness += weight > 0 ? 1 / weight : std::numeric_limits<double>::infinity();
  };
  const auto add_taken = [&](Index<D> at, int by) {
    if (coarse.at(moved<D>(cell, axis, by)) != Cell::Dirichlet) return;
    for (int step = 0; step < 2; ++step) {
      at = moved<D>(at, axis, by);
      if (fine.domain.at(at) == Cell::Dirichlet) return;
      add(at);
    }
  };
  const Index<D> second = moved<D>(first, axis, 1);
  add(first);
  add(second);
  add_taken(first, -1);
  add_taken(second, 1);
  return 2 / softness;
}

template <int D>
double coarse_stretch(const Shape<D>& fine, const Domain<D>& coarse, const Index<D>& cell,
                      int axis) {
  double sum = 0;
  for (int c = 0; c < 1 << D; ++c) {
    if (c >> axis & 1) continue;
    Index<D> first = cell;
    for (int k = 0; k < D; ++k) first[k] = 2 * cell[k] + (c >> k & 1);
    sum += line_weight(fine, coarse, cell, axis, first);
  }
  return sum / (1 << (D - 1));
}

/// Means of the edges around, as displacements are restricted. What is inside a wall counts as
/// material: where that stands is known otherwise.
template <int D>
double coarse_shear(const Shape<D>& fine, const Index<D>& cell, int i, int j) {
  double sum = 0;
  const auto add = [&](const Index<D>& edge, double weight) {
    const auto cells = around_edge<D>(edge, i, j);
    const bool wall = std::ranges::all_of(
        cells, [&](const Index<D>& at) { return fine.domain.at(at) == Cell::Dirichlet; });
    sum += weight * (wall ? 1 : plain_shear(fine, edge, i, j));
  };
  for (int a = -1; a <= 1; ++a) {
    for (int b = -1; b <= 1; ++b) {
      Index<D> edge = cell;
      for (std::int32_t& k : edge) k *= 2;
      edge[i] += a;
      edge[j] += b;
      const double weight = (a == 0 ? 0.5 : 0.25) * (b == 0 ? 0.5 : 0.25);
      if constexpr (D == 2) {
        add(edge, weight);
      } else {
        add(edge, 0.5 * weight);
        add(moved<D>(edge, 3 - i - j, 1), 0.5 * weight);
      }
    }
  }
  return sum;
}

}  // namespace

template <int D>
double stretch_weight(const Shape<D>& shape, const Index<D>& cell, int axis) {
  const Domain<D>& domain = shape.domain;
  if (domain.at(cell) != Cell::Interior) return 0;
  for (const int by : {-1, 1}) {
    if (domain.at(moved<D>(cell, axis, by)) == Cell::Exterior) return 0;
  }
  const std::vector<float>& known = shape.stretch[axis];
  return known.empty() ? shape.fraction_at(cell) : double(known[domain.index(cell)]);
}

template <int D>
double shear_weight(const Shape<D>& shape, const Index<D>& cell, int i, int j) {
  const auto cells = around_edge<D>(cell, i, j);
  int interior = 0;
  bool fixed[4];
  for (int k = 0; k < 4; ++k) {
    const Cell label = shape.domain.at(cells[k]);
    if (label == Cell::Exterior) return 0;
    fixed[k] = label == Cell::Dirichlet;
    if (!fixed[k]) ++interior;
  }
  if (interior == 0) return 0;
  const double weight = plain_shear(shape, cell, i, j);
  // A flat wall has two Dirichlet cells on one side; its normal is i or j.
  if (interior != 2 || fixed[0] == fixed[3]) return weight;
  const int normal = fixed[0] == fixed[1] ? j : i, along = normal == i ? j : i;
  const double wall =
      0.5 * (shape.wall_at(cell, normal) + shape.wall_at(moved<D>(cell, along, -1), normal));
  const double h = shape.domain.spacing[normal];
  return weight * h / (0.5 * h + wall + 0.5 * shape.finest[normal]);
}

template <int D>
void find_terms(const Shape<D>& fine, Shape<D>& coarse) {
  const Domain<D>& domain = coarse.domain;
  for (auto& field : coarse.stretch) field.resize(domain.cells.size());
  for (auto& field : coarse.shear) field.resize(domain.cells.size());
  domain.for_each([&](const Index<D>& at) {
    const std::size_t n = domain.index(at);
    for (int i = 0; i < D; ++i) {
      if (domain.cells[n] == Cell::Interior) {
        coarse.stretch[i][n] = float(coarse_stretch(fine, domain, at, i));
      }
      for (int j = i + 1; j < D; ++j) {
        if (edge_fraction(coarse, at, i, j) == 0) continue;
        coarse.shear[pair_of(i, j)][n] = float(coarse_shear(fine, at, i, j));
      }
    }
  });
}

template double stretch_weight(const Shape<2>&, const Index<2>&, int);
template double stretch_weight(const Shape<3>&, const Index<3>&, int);
template double shear_weight(const Shape<2>&, const Index<2>&, int, int);
template double shear_weight(const Shape<3>&, const Index<3>&, int, int);
template void find_terms(const Shape<2>&, Shape<2>&);
template void find_terms(const Shape<3>&, Shape<3>&);

}  // namespace isochor::staggered
