#pragma once

#include <span>

#include "isochor/staggered/passes.h"

namespace isochor::staggered {

template <int D>
struct Level;
struct Material;

/// The matrix of a small level as dense triangular factors. The system is indefinite, so rows are
/// exchanged. A body that is held all around and incompressible leaves its mean pressure open: a
/// pivot that is nothing but rounding counts as none, and its unknown stays zero.
template <int D>
class Coarsest {
 public:
  Coarsest() = default;
  Coarsest(const Level<D>& level, const Material& material);

  /// u = A^-1 b; both are fields of the level. `work` has size() numbers.
  void solve(const float* b, float* u, std::span<double> work) const;
  std::size_t size() const { return places_.size(); }
  std::size_t bytes() const;

 private:
  std::vector<std::uint32_t> places_;  ///< of the unknowns among the fields of the level
  std::vector<std::uint32_t> order_;   ///< of rows after exchanges
  std::vector<double> factors_;        ///< by rows: lower with unit diagonal, upper inverted there
};

}  // namespace isochor::staggered
