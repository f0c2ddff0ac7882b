#pragma once

#include <span>

#include "isochor/solve/envelope.h"
#include "isochor/staggered/passes.h"

namespace isochor::staggered {

template <int D>
struct Level;

/// The unknowns of a level in the order of elimination: front by front through the body, each
/// pressure behind the faces of its cell. Thin parts have narrow fronts, and cost little.
template <int D>
struct EliminationOrder {
  EliminationOrder() = default;
  /// `wide`: rows reach two cells far, as those of corotated elasticity do.
  EliminationOrder(const Level<D>& level, bool wide);

  std::vector<std::uint32_t> places;  ///< among the fields of the level, in order
  std::vector<std::int32_t> first;    ///< per row the first column that can be other than zero
  std::size_t entries() const;        ///< of the factor
};

/// The matrix of a small level as A = L D L^T, within its envelope. No rows are exchanged: faces
/// have negative pivots and pressures that come behind theirs positive ones, whatever the
/// compressibility. A body that is held all around and incompressible leaves its mean pressure
/// open: a pivot that is nothing but rounding counts as none, and its unknown stays zero.
/// Made in double, kept in single precision as the levels are.
template <int D>
class Coarsest {
 public:
  Coarsest() = default;
  /// `spin`: cells of a view with rotations turn on as faces move.
  Coarsest(const Level<D>& level, const View<D, double>& view, bool spin,
           EliminationOrder<D> order);

  /// u = A^-1 b; both are fields of the level. `work` has size() numbers.
  void solve(const float* b, float* u, std::span<double> work) const;
  std::size_t size() const { return order_.places.size(); }
  std::size_t bytes() const;

 private:
  std::vector<double> assemble(const Level<D>& level, const View<D, double>& view, bool spin) const;
  void factorise(std::vector<double>& entries);
  solve::Envelope envelope() const { return {size(), order_.first.data(), start_.data()}; }
  /// Where column 0 of a row would be.
  std::ptrdiff_t row(std::size_t i) const { return start_[i] - order_.first[i]; }

  EliminationOrder<D> order_;
  std::vector<std::ptrdiff_t> start_;  ///< of rows among the factors
  std::vector<float> factors_;         ///< L by rows, without its diagonal
  std::vector<double> by_pivot_;       ///< inverses of D
};

}  // namespace isochor::staggered
