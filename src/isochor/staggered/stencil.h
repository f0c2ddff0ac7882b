#pragma once

#include "isochor/staggered/weights.h"

/// What the kernels of a level work on, and the rows of its operator.
///
/// Displacements u and a pressure p = -(lambda/mu) div u [Zhu10 (4)] solve, divided by mu,
///   row of u_i:  d_j (u_i,j + u_j,i) - d_i p - c u_i = f_i / mu,
///   row of p:    div u + (mu/lambda) p = 0.               [Zhu10 (5)]
/// Differences are the gradient of an energy of weighted terms (weights.h), so that the matrix is
/// symmetric whatever the boundary [Zhu10 (11), sec 5.3].
namespace isochor::staggered {

/// Numbers of the material on a level.
template <int D, class T>
struct Coefficients {
  T per_h[D];           ///< 1 / spacing, 1/m
  T compressibility;    ///< mu / lambda; zero: incompressible
  T inertia;            ///< c = rho / (mu dt^2) or what a time step makes of it, 1/m^2
  T relaxation = T(1);  ///< of the distributive smoother
};

/// A level as kernels see it. Fields are D components and a pressure, `length` numbers each.
template <int D, class T>
struct View {
  const std::int64_t* base;
  const typename Layout<D>::Row* rows;
  std::int64_t across;  ///< rows of the box between two that are neighbours along z
  std::int64_t length;
  const std::uint8_t* weights;
  const std::uint16_t* flags;
  Coefficients<D, T> k;
  /// Of corotated elasticity: how cells are turned, entry (i, j) of the rotation in field D i + j;
  /// zero where there is no material. Null: linear elasticity.
  const T* turns = nullptr;
  const float* diagonals = nullptr;  ///< with turns: what a face resists its own motion with, 1/m^2
};

/// A few cells away, per axis.
struct Shift {
  int d[3] = {0, 0, 0};
  constexpr Shift plus(int axis, int by) const {
    Shift s = *this;
    s.d[axis] += by;
    return s;
  }
};

}  // namespace isochor::staggered
