#pragma once

#include <span>

#include "isochor/grid/lattice.h"

namespace isochor::grid {

/// A value and its derivatives by x, y, xy, z, xz, yz, xyz, lengths in cells: bit a of the place
/// stands for one derivative along axis a.
template <class T>
using Jet = std::array<T, 8>;

/// Derivatives of nodal quantities, as linear combinations of what connected nodes have.
///
/// Where a node has all its 26 neighbours they are central differences. Elsewhere a polynomial with
/// all terms of second order and xyz is fitted through the node to those around it, nearer ones
/// counting more: first the neighbours and the nodes two steps away along the axes, and if these
/// do not determine it, all within two cells. What no node determines (the bending of a single
/// layer of cells) is left out. So derivatives are exact for quadratic fields, and for affine ones
/// always.
class NodalJets {
 public:
  /// For the given nodes; repetitions do not matter.
  NodalJets(const Lattice& lattice, std::span<const std::int32_t> nodes);

  std::size_t size() const { return nodes_.size(); }
  /// Where the jet of a node is; the node must be among the given ones.
  std::size_t index(std::int32_t node) const { return index_[node]; }

  /// The nodes other than its own that a jet depends on, and what the difference of each to the
  /// own value contributes to the eight derivatives.
  std::span<const std::int32_t> members(std::size_t jet) const {
    return std::span(members_).subspan(starts_[jet], starts_[jet + 1] - starts_[jet]);
  }
  std::span<const Jet<double>> weights(std::size_t jet) const {
    return stencils_[stencil_of_[jet]];
  }

  /// Fills one jet per node that was asked for.
  template <class T>
  void evaluate(std::span<const T> nodal, std::span<Jet<T>> jets) const {
    for (std::size_t j = 0; j < size(); ++j) {
      const auto members = this->members(j);
      const auto weights = this->weights(j);
      const T own = nodal[nodes_[j]];
      Jet<T>& jet = jets[j];
      jet.fill(T{});
      for (std::size_t m = 0; m < members.size(); ++m) {
        const T difference = nodal[members[m]] - own;
        for (int d = 1; d < 8; ++d) jet[d] += weights[m][d] * difference;
      }
      jet[0] = own;
    }
  }

  std::size_t memory() const;  ///< bytes

 private:
  class Builder;

  std::vector<std::int32_t> index_;  ///< per node of the lattice; -1 where not asked for
  std::vector<std::int32_t> nodes_;  ///< per jet
  std::vector<std::size_t> starts_{0};
  std::vector<std::int32_t> members_;
  std::vector<std::int32_t> stencil_of_;            ///< per jet
  std::vector<std::vector<Jet<double>>> stencils_;  ///< one per arrangement of nodes
};

}  // namespace isochor::grid
