#pragma once

#include "isochor/staggered/rows_kernel.h"

/// Rows of corotated elasticity [Zhu10 (13), (14)]. With F = 1 + grad u, the rotation R of each
/// cell frozen and p = -(lambda/mu) tr(R^T F - 1), the energy over mu is, cell by cell with its
/// weight w,
///   sum_i (F_ii - R_ii)^2 + sum_(i != j) mean over four edges of (F_ij - R_ij)^2
///   - p tr(R^T F - 1) - (mu/lambda) p^2 / 2,
/// where F_ij off the diagonal lives on edges and counts a quarter for each cell around. Where R is
/// the rotation of the cell's mean F it is the one of least energy, so that nothing else changes
/// with u to first order: what is left is the true force.
///
/// A term at a free boundary has no stress: F_ij = R_ij (1 + p/2) there, which leaves R_ij^2 p / 2
/// in the row of the pressure, as in linear elasticity. Where cells are turned by about 90 degrees,
/// tr(R^T F) consists of means over edges, which do not see a pressure that alternates from cell to
/// cell; what holds it is a diffusion of pressures between neighbours along each axis, in
/// proportion to how far that axis is turned. It is zero without rotation, and moves volume only.
namespace isochor::staggered {
inline namespace ISOCHOR_ISA {

/// Of this diffusion. 1/8 would complete differences over two cells to those over one exactly along
/// an axis, and would be twice too much along the diagonal of a cell.
inline constexpr double kPressureDiffusion = 1.0 / 16;

/// `Whole`: the force itself, of F and R. Else its differential, of changes of u and p.
enum class Part { Differential, Whole };

template <int D, class S, class Cells>
struct TurnedAround : Around<D, S, Cells> {
  using Base = Around<D, S, Cells>;
  using V = typename Base::V;

  ISOCHOR_KERNEL V turn(int i, int j, const Shift& s) const {
    return this->number(this->view.turns, D * i + j, s);
  }
  ISOCHOR_KERNEL V pressure(const S* u, const Shift& s) const { return this->number(u, D, s); }
  /// One where the stresses of the lower edge of a cell are not left out.
  ISOCHOR_KERNEL V has_edge(int i, int j, const Shift& s) const {
    return select(V(0) < this->weight(shear_kind<D>(i, j), s), V(1), V(0));
  }
  /// u_i,j at the lower edge of a cell.
  ISOCHOR_KERNEL V slope(const S* u, int i, int j, const Shift& s) const {
    return (this->number(u, i, s) - this->number(u, i, s.plus(j, -1))) * this->per_h(j);
  }

  template <Part part>
  ISOCHOR_KERNEL V normal_stress(const S* u, int i, const Shift& s) const {
    const V R = turn(i, i, s);
    V F = this->stretch(u, i, s);
    if constexpr (part == Part::Whole) F = F + (V(1) - R);
    return V(2) * this->weight(stretch_kind<D>(i), s) * F -
           this->coupling(i, s) * R * pressure(u, s);
  }
  /// P_ij at the lower edge of a cell; i and j differ.
  template <Part part>
  ISOCHOR_KERNEL V shear_stress(const S* u, int i, int j, const Shift& s) const {
    const Shift around[4] = {s, s.plus(i, -1), s.plus(j, -1), s.plus(i, -1).plus(j, -1)};
    const V F = slope(u, i, j, s);
    V sum(0);
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
      const V w = this->weight(0, around[c]), R = turn(i, j, around[c]);
      V stress = w * R * pressure(u, around[c]);
      if constexpr (part == Part::Whole) {
        // What is held is as stiff as a full cell, and has no pressure.
        stress = stress - V(2) * select(V(0) < w, w, V(1)) * (F - R);
      }
      sum = sum - stress;
    }
    const V mean = V(0.25) * sum;
    if constexpr (part == Part::Whole) return has_edge(i, j, s) * mean;
    return V(2) * this->weight(shear_kind<D>(i, j), s) * F + has_edge(i, j, s) * mean;
  }

  /// Row of the displacement at the lower face along i.
  template <Part part>
  ISOCHOR_KERNEL V force(const S* u, int i, const Shift& s) const {
    const Shift below = s.plus(i, -1);
    V sum = (normal_stress<part>(u, i, s) - normal_stress<part>(u, i, below)) * this->per_h(i);
#pragma GCC unroll 4
    for (int j = 0; j < D; ++j) {
      if (j == i) continue;
      const V above = shear_stress<part>(u, i, j, s.plus(j, 1));
      sum = sum + (above - shear_stress<part>(u, i, j, s)) * this->per_h(j);
    }
    const V mass = V(0.5) * (this->weight(0, s) + this->weight(0, below));
    return sum - V(this->view.k.inertia) * mass * this->number(u, i, s);
  }

  /// How much of the pressures of the two cells at a lower face runs from one to the other.
  ISOCHOR_KERNEL V leak(int j, const Shift& s) const {
    const Shift below = s.plus(j, -1);
    const V a = turn(j, j, s), b = turn(j, j, below);
    return V(0.5 * kPressureDiffusion) * min(this->weight(0, s), this->weight(0, below)) *
           (V(2) - a * a - b * b);
  }
  /// What a pressure resists its own change with, without what leaks, over the weight of its cell.
  ISOCHOR_KERNEL V stiffness(const Shift& s) const {
    V diagonal(this->view.k.compressibility);
#pragma GCC unroll 4
    for (int i = 0; i < D; ++i) {
      const V R = turn(i, i, s);
      const V missing = select(V(0) < this->weight(stretch_kind<D>(i), s), V(0), V(0.5));
      diagonal = diagonal + missing * R * R;
#pragma GCC unroll 4
      for (int j = 0; j < D; ++j) {
        if (j == i) continue;
        V edges(0);
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) {
          edges = edges + has_edge(i, j, s.plus(i, c & 1).plus(j, c >> 1));
        }
        const V Rij = turn(i, j, s);
        diagonal = diagonal + V(0.125) * (V(4) - edges) * Rij * Rij;
      }
    }
    return diagonal;
  }
  /// Row of the pressure.
  template <Part part>
  ISOCHOR_KERNEL V dilation(const S* u, const Shift& s) const {
    V sum(0), turned(0), leaking(0);
#pragma GCC unroll 4
    for (int i = 0; i < D; ++i) {
      const V R = turn(i, i, s);
      V F = this->stretch(u, i, s);
      if constexpr (part == Part::Whole) F = F + (V(1) - R);
      sum = sum + this->coupling(i, s) * R * F;
#pragma GCC unroll 4
      for (int j = 0; j < D; ++j) {
        if (j == i) continue;
        const V Rij = turn(i, j, s);
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) {
          const Shift edge = s.plus(i, c & 1).plus(j, c >> 1);
          V Fij = slope(u, i, j, edge);
          if constexpr (part == Part::Whole) Fij = Fij - Rij;
          turned = turned + has_edge(i, j, edge) * Rij * Fij;
        }
      }
      const V own = pressure(u, s), up = pressure(u, s.plus(i, 1)),
              down = pressure(u, s.plus(i, -1));
      leaking = leaking + leak(i, s.plus(i, 1)) * (own - up) + leak(i, s) * (own - down);
    }
    const V w = this->weight(0, s);
    return sum + w * (V(0.25) * turned + stiffness(s) * pressure(u, s)) + leaking;
  }
};

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
