#include <type_traits>

#include "isochor/staggered/patches_kernel.h"
#include "isochor/staggered/turned_rows_kernel.h"

namespace isochor::staggered {
inline namespace ISOCHOR_ISA {
namespace {

/// Faces beside a cell whose displacements its pressure pushes at where it is turned: of component
/// i, at the lower or upper end along i, in the cell before or behind along j.
template <int D>
inline constexpr int kBeside = 4 * D*(D - 1);
template <int D>
inline constexpr int kTurnedUnknowns = kCellUnknowns<D> + kBeside<D>;

struct Beside {
  int i, j, end, by;
};
/// The one of a number from 0 to kBeside.
template <int D>
constexpr Beside beside(int n) {
  const int i = n / (4 * (D - 1)), rest = n / 4 % (D - 1);
  return {i, rest + (rest >= i), n & 1, n & 2 ? 1 : -1};
}

/// Faces of the cell and its pressure are solved for together, as in linear elasticity; faces
/// beside it follow its pressure as if all around them stood still.
template <int D>
void solve_cells(const TurnedBandPass<D>& pass, const BandCell* cells, float* changes) {
  using V = Lanes<float>;
  constexpr int kWidth = kLanes<float>;
  const TurnedAround<D, float, Anywhere<D>> at{pass.view, {pass.view, cells}};
  const auto resists = [&](int i, const Shift& s) { return at.number(pass.view.diagonals, i, s); };
  // No division by what is not there.
  const auto inverse = [](const V& a) {
    return select(V(0) < a, V(1) / select(V(0) < a, a, V(1)), V(0));
  };
  const V w = at.weight(0, {});
  V by_pressure[2 * D];  // what each face feels of the pressure
  V outside[kBeside<D>];
#pragma GCC unroll 4
  for (int i = 0; i < D; ++i) {
    const V normal = at.coupling(i, {}) * at.turn(i, i, {}) * at.per_h(i);
    by_pressure[2 * i] = -normal;
    by_pressure[2 * i + 1] = normal;
  }
#pragma GCC unroll 32
  for (int n = 0; n < kBeside<D>; ++n) {
    const Beside b = beside<D>(n);
    const Shift edge = Shift{}.plus(b.i, b.end).plus(b.j, b.by > 0);
    const V part =
        V(0.25 * b.by) * w * at.has_edge(b.i, b.j, edge) * at.turn(b.i, b.j, {}) * at.per_h(b.j);
    by_pressure[2 * b.i + b.end] = by_pressure[2 * b.i + b.end] - part;
    outside[n] = part;
  }

  V softness = w * at.stiffness({});
  V rest = at.number(pass.b, D, {}) - at.template dilation<Part::Differential>(pass.u, {});
  V own[2 * D], by_own[2 * D];  // changes without the pressure's, and per unit of it
#pragma GCC unroll 4
  for (int i = 0; i < D; ++i) {
    const Shift above = Shift{}.plus(i, 1);
    softness = softness + at.leak(i, {}) + at.leak(i, above);
    const V lower = resists(i, {}), upper = resists(i, above);
    const V exist = select(V(0) < lower * upper, V(1), V(0));
    const V between = exist * V(2) * at.weight(stretch_kind<D>(i), {}) * at.per_h(i) * at.per_h(i);
    // Minus the inverse of ((-lower, between), (between, -upper)); each alone where one is given.
    const V by_determinant = inverse(lower * upper - between * between);
    const V a = select(V(0) < exist, by_determinant * upper, inverse(lower)),
            d = select(V(0) < exist, by_determinant * lower, inverse(upper)),
            c = by_determinant * between;
    const auto residual = [&](const Shift& face) {
      return at.number(pass.b, i, face) - at.template force<Part::Differential>(pass.u, i, face);
    };
    const V r0 = residual({}), r1 = residual(above);
    const V g0 = by_pressure[2 * i], g1 = by_pressure[2 * i + 1];
    own[2 * i] = -(a * r0 + c * r1);
    own[2 * i + 1] = -(c * r0 + d * r1);
    by_own[2 * i] = a * g0 + c * g1;
    by_own[2 * i + 1] = c * g0 + d * g1;
    rest = rest - (g0 * own[2 * i] + g1 * own[2 * i + 1]);
    softness = softness + g0 * by_own[2 * i] + g1 * by_own[2 * i + 1];
  }
  V by_outside[kBeside<D>];
#pragma GCC unroll 32
  for (int n = 0; n < kBeside<D>; ++n) {
    const Beside b = beside<D>(n);
    by_outside[n] = outside[n] * inverse(resists(b.i, Shift{}.plus(b.i, b.end).plus(b.j, b.by)));
    softness = softness + outside[n] * by_outside[n];
  }
  const V pressure = rest * inverse(softness);
#pragma GCC unroll 8
  for (int f = 0; f < 2 * D; ++f) (own[f] + by_own[f] * pressure).store(changes + f * kWidth);
  pressure.store(changes + 2 * D * kWidth);
#pragma GCC unroll 32
  for (int n = 0; n < kBeside<D>; ++n) {
    (by_outside[n] * pressure).store(changes + (kCellUnknowns<D> + n) * kWidth);
  }
}

template <int D>
void change_cell(const TurnedBandPass<D>& pass, const BandCell& cell, const float* change) {
  constexpr int kWidth = kLanes<float>;
  const std::int64_t rows[3] = {0, 1, pass.view.across};
  const auto number = [&](int component, const Shift& s) -> float& {
    const std::int64_t row = cell.row + s.d[1] * rows[1] + s.d[2] * rows[2];
    return pass.u[component * pass.view.length + pass.view.base[row] + cell.x + s.d[0]];
  };
  for (int i = 0; i < D; ++i) {
    number(i, {}) += change[2 * i * kWidth];
    number(i, Shift{}.plus(i, 1)) += change[(2 * i + 1) * kWidth];
  }
  number(D, {}) += change[2 * D * kWidth];
  for (int n = 0; n < kBeside<D>; ++n) {
    const Beside b = beside<D>(n);
    const float by = change[(kCellUnknowns<D> + n) * kWidth];
    if (by != 0) number(b.i, Shift{}.plus(b.i, b.end).plus(b.j, b.by)) += by;
  }
}

}  // namespace

template <class Pass>
void turned_patches_kernel(const Pass& pass, const RowRange& range) {
  constexpr int D = std::extent_v<decltype(pass.view.k.per_h)>;
  smooth_patches<kTurnedUnknowns<D>>(
      pass, range,
      [&](const BandCell* cells, float* changes) { solve_cells(pass, cells, changes); },
      [&](const BandCell& cell, const float* change) { change_cell(pass, cell, change); });
}

template void turned_patches_kernel(const TurnedBandPass<2>&, const RowRange&);
template void turned_patches_kernel(const TurnedBandPass<3>&, const RowRange&);

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
