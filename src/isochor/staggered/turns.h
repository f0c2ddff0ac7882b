#pragma once

#include "isochor/base/parallel.h"
#include "isochor/staggered/model.h"

namespace isochor::staggered {

/// How the cells of a body are turned, for corotated elasticity [Zhu10 sec 7]: the rotations that
/// forces are made with, and those that cycles have on their levels, which may be older.
template <int D>
struct Turns {
  /// Nothing is turned.
  explicit Turns(const Model<D>& model);

  std::vector<double> finest;              ///< D D fields, as View::turns
  std::vector<std::vector<float>> cycles;  ///< per level
  Coarsest<D> coarsest;                    ///< factorised with them
  bool spin = false;                       ///< cells turn on as cycles move their faces

  std::size_t bytes() const;
};

/// The rotation that is nearest to the mean of each cell's deformation gradient, in all cells that
/// the terms of unknowns reach. Where a free boundary leaves no gradient, that of neighbours
/// counts, or how the cell was turned before.
template <int D>
void find_turns(const Model<D>& model, std::span<const double> u, Turns<D>& turns,
                ThreadArena& arena);

/// Gives cycles the rotations that forces have: coarse cells turn as their children do. With `spin`
/// cells turn on as faces move, as they do in the force; else rotations are frozen [Zhu10 sec 7].
template <int D>
void turn_cycles(const Model<D>& model, bool spin, Turns<D>& turns, ThreadArena& arena);

}  // namespace isochor::staggered
