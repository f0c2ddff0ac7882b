#pragma once

#include "isochor/math/isa.h"
#include "isochor/base/platform.h"
#include "isochor/staggered/stencil.h"

/// Rows of the operator for kernels: everything is inlined into loops along x, which the compiler
/// turns into packs.
namespace isochor::staggered {
inline namespace ISOCHOR_ISA {

/// The cells around those of one row: where they are, what they weigh, which terms meet there.
template <int D, class T>
struct Around {
  const View<D, T>& view;
  std::int64_t start[5][5];  ///< of rows up to two away along z and y

  ISOCHOR_KERNEL Around(const View<D, T>& v, std::int64_t row) : view(v) {
    for (int z = 0; z < 5; ++z) {
      for (int y = 0; y < 5; ++y) {
        const bool reached = D > 2 ? (z - 2) * (z - 2) + (y - 2) * (y - 2) <= 4 : z == 2;
        start[z][y] = reached ? v.base[row + (y - 2) + (z - 2) * v.across] : 0;
      }
    }
  }
  ISOCHOR_KERNEL std::int64_t place(const Shift& s, std::int64_t x) const {
    return start[s.d[2] + 2][s.d[1] + 2] + s.d[0] + x;
  }
  ISOCHOR_KERNEL T number(const T* field, int component, const Shift& s, std::int64_t x) const {
    return field[component * view.length + place(s, x)];
  }
  ISOCHOR_KERNEL T weight(int kind, const Shift& s, std::int64_t x) const {
    return T(view.weights[kind * view.length + place(s, x)]) * T(1.0 / kFullWeight);
  }
  /// One where a bit of the flags is set, else zero.
  ISOCHOR_KERNEL T flag(int bit, const Shift& s, std::int64_t x) const {
    return T(view.flags[place(s, x)] >> bit & 1);
  }

  ISOCHOR_KERNEL T stretch(const T* u, int i, const Shift& s, std::int64_t x) const {
    return (number(u, i, s.plus(i, 1), x) - number(u, i, s, x)) * view.k.per_h[i];
  }
  /// Normal stress in a cell, over mu. The pressure counts wherever the stretch does.
  ISOCHOR_KERNEL T normal_stress(const T* u, int i, const Shift& s, std::int64_t x) const {
    const T a = weight(stretch_kind<D>(i), s, x), full = weight(0, s, x);
    return T(2) * a * stretch(u, i, s, x) - (a > T(0) ? full : T(0)) * number(u, D, s, x);
  }
  /// Shear stress at the lower edge of a cell, over mu.
  ISOCHOR_KERNEL T shear_stress(const T* u, int i, int j, const Shift& s, std::int64_t x) const {
    const T u_ij = (number(u, i, s, x) - number(u, i, s.plus(j, -1), x)) * view.k.per_h[j];
    const T u_ji = (number(u, j, s, x) - number(u, j, s.plus(i, -1), x)) * view.k.per_h[i];
    return weight(shear_kind<D>(i, j), s, x) * (u_ij + u_ji);
  }
  /// Row of the displacement at the lower face along i [Zhu10 (11)].
  ISOCHOR_KERNEL T force(const T* u, int i, const Shift& s, std::int64_t x) const {
    const Shift below = s.plus(i, -1);
    T sum = (normal_stress(u, i, s, x) - normal_stress(u, i, below, x)) * view.k.per_h[i];
    for (int j = 0; j < D; ++j) {
      if (j == i) continue;
      const T gained = shear_stress(u, i, j, s.plus(j, 1), x) - shear_stress(u, i, j, s, x);
      sum = sum + gained * view.k.per_h[j];
    }
    const T mass = T(0.5) * (weight(0, s, x) + weight(0, below, x));
    return sum - view.k.inertia * mass * number(u, i, s, x);
  }
  /// What a pressure has on the diagonal: where a stretch is left out, its traction stands for it.
  ISOCHOR_KERNEL T pressure_diagonal(const Shift& s, std::int64_t x) const {
    T dropped(0);
    for (int i = 0; i < D; ++i) {
      dropped = dropped + (weight(stretch_kind<D>(i), s, x) > T(0) ? T(0) : T(0.5));
    }
    return weight(0, s, x) * (view.k.compressibility + dropped);
  }
  /// Row of the pressure.
  ISOCHOR_KERNEL T dilation(const T* u, const Shift& s, std::int64_t x) const {
    const T full = weight(0, s, x);
    T sum = pressure_diagonal(s, x) * number(u, D, s, x);
    for (int i = 0; i < D; ++i) {
      const T counted = weight(stretch_kind<D>(i), s, x) > T(0) ? full : T(0);
      sum = sum + counted * stretch(u, i, s, x);
    }
    return sum;
  }
};

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
