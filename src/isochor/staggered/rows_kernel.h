#pragma once

#include "isochor/staggered/lanes_kernel.h"

namespace isochor::staggered {
inline namespace ISOCHOR_ISA {

/// Rows of the operator around cells of which `Cells` (AlongRow, Anywhere) knows the neighbours.
template <int D, class S, class Cells>
struct Around {
  using V = typename Cells::Value;
  const View<D, S>& view;
  Cells cells;

  ISOCHOR_KERNEL V number(const S* field, int component, const Shift& s) const {
    return cells.number(field + component * view.length, s);
  }
  ISOCHOR_KERNEL V weight(int kind, const Shift& s) const {
    return V(1.0 / kFullWeight) * cells.byte(view.weights + kind * view.length, s);
  }
  ISOCHOR_KERNEL V per_h(int axis) const { return V(view.k.per_h[axis]); }

  ISOCHOR_KERNEL V stretch(const S* u, int i, const Shift& s) const {
    return (number(u, i, s.plus(i, 1)) - number(u, i, s)) * per_h(i);
  }
  /// What a pressure counts against a stretch: wherever that counts at all.
  ISOCHOR_KERNEL V coupling(int i, const Shift& s) const {
    return select(V(0) < weight(stretch_kind<D>(i), s), weight(0, s), V(0));
  }
  /// Normal stress in a cell, over mu.
  ISOCHOR_KERNEL V normal_stress(const S* u, int i, const Shift& s) const {
    const V a = weight(stretch_kind<D>(i), s);
    return V(2) * a * stretch(u, i, s) - coupling(i, s) * number(u, D, s);
  }
  /// Shear stress at the lower edge of a cell, over mu.
  ISOCHOR_KERNEL V shear_stress(const S* u, int i, int j, const Shift& s) const {
    const V u_ij = (number(u, i, s) - number(u, i, s.plus(j, -1))) * per_h(j);
    const V u_ji = (number(u, j, s) - number(u, j, s.plus(i, -1))) * per_h(i);
    // The same bits from both sides of the edge.
    return weight(shear_kind<D>(i, j), s) * (i < j ? u_ij + u_ji : u_ji + u_ij);
  }
  /// Row of the displacement at the lower face along i [Zhu10 (11)].
  ISOCHOR_KERNEL V force(const S* u, int i, const Shift& s) const {
    const Shift below = s.plus(i, -1);
    V sum = (normal_stress(u, i, s) - normal_stress(u, i, below)) * per_h(i);
#pragma GCC unroll 8
    for (int j = 0; j < D; ++j) {
      if (j == i) continue;
      sum = sum + (shear_stress(u, i, j, s.plus(j, 1)) - shear_stress(u, i, j, s)) * per_h(j);
    }
    const V mass = V(0.5) * (weight(0, s) + weight(0, below));
    return sum - V(view.k.inertia) * mass * number(u, i, s);
  }
  /// Row of the pressure. Where a stretch is left out, its traction stands for it.
  ISOCHOR_KERNEL V dilation(const S* u, const Shift& s) const {
    V diagonal(view.k.compressibility), sum(0);
#pragma GCC unroll 8
    for (int i = 0; i < D; ++i) {
      diagonal = diagonal + select(V(0) < weight(stretch_kind<D>(i), s), V(0), V(0.5));
      sum = sum + coupling(i, s) * stretch(u, i, s);
    }
    return sum + weight(0, s) * diagonal * number(u, D, s);
  }
};

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
