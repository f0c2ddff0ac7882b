#pragma once

#include "isochor/staggered/turns.h"

/// What is measured in a state: stresses, energies, and what holds carry. One cell at a time.
namespace isochor::staggered {

/// Of a cell, over the shear modulus.
template <int D>
struct CellState {
  std::array<double, D * D> F;       ///< its mean deformation gradient, by rows
  std::array<double, D * D> stress;  ///< its mean first Piola-Kirchhoff stress
  double energy = 0;                 ///< per volume
};

template <int D>
class Stresses {
 public:
  /// `turns` where the law is corotated: its rotations of forces. All must outlive this.
  Stresses(const Model<D>& model, std::span<const double> u, const Turns<D>* turns);

  /// Of an interior cell of the domain.
  CellState<D> cell(const Index<D>& cell) const;
  /// What the stresses push a face of the domain with, per volume of a cell.
  double force(const Index<D>& cell, int axis) const;
  /// The root of the mean square of all stresses over the spacing: what forces are small against.
  double scale(ThreadArena& arena) const;

 private:
  double number(const Index<D>& at, int k) const;
  double weight(int kind, const Index<D>& at) const;
  double turn(const Index<D>& at, int i, int j) const;
  double slope(const Index<D>& at, int i, int j) const;
  double normal(const Index<D>& at, int i) const;
  double shear(const Index<D>& at, int i, int j) const;

  const Model<D>& model_;
  const Level<D>& level_;
  const Layout<D>& layout_;
  std::span<const double> u_;
  const Turns<D>* turns_;
  std::vector<double> upright_;  ///< as the rotations of cells that do not turn
};

}  // namespace isochor::staggered
