#pragma once

#include <bit>
#include <cmath>
#include <span>

#include "isochor/lattice/coarsest.h"

namespace isochor::lattice {

/// Trilinear interpolation from the nodes of a coarse lattice to those of a fine one, both ways
/// round, so that either is a sum with the same bits for any number of threads.
struct Transfer {
  /// A node and 1, 1/2, 1/4 or 1/8, in four bytes: transfers wait for memory.
  class Term {
   public:
    Term() = default;
    Term(std::int32_t node, float weight)
        : packed_(std::uint32_t(node) << 2 | std::uint32_t(-std::ilogb(weight))) {}
    std::int32_t node() const { return std::int32_t(packed_ >> 2); }
    float weight() const { return std::bit_cast<float>((127 - (packed_ & 3)) << 23); }

   private:
    std::uint32_t packed_ = 0;
  };
  struct Rows {
    std::vector<std::int32_t> first{0};  ///< row i: terms [first[i], first[i + 1])
    std::vector<Term> terms;
    std::span<const Term> of(std::size_t i) const {
      return {terms.data() + first[i], terms.data() + first[i + 1]};
    }
  };
  Rows to_fine;    ///< per fine node its coarse ones
  Rows to_coarse;  ///< per coarse node its fine ones

  /// What each coarse node of a fine one counts for it: a fine node lies on one, or in the middle
  /// of two, four or eight.
  float part(std::size_t fine) const {
    return 1 / float(to_fine.first[fine + 1] - to_fine.first[fine]);
  }
};

/// A coarser model: cells twice as large, parameters averaged over children, no holds.
struct CoarseLevel {
  Model model;
  Transfer transfer;  ///< from and to the next finer level
  /// Per coarse cell, in the order of Model::cells, its children among those of the finer model.
  std::vector<std::int32_t> first_child;
  std::vector<std::int32_t> children;
  BlockMatrix springs;  ///< what those of the finest model do here
};

/// What the published cycle wants to know of a level's nodes.
struct PublishedLevel {
  /// Corners of constrained cells, which are those with a constrained child.
  std::vector<std::uint8_t> held;
  std::vector<float> damping;  ///< of Jacobi's method
};

/// Coarser and coarser versions of a model. Constant.
struct Hierarchy {
  std::vector<CoarseLevel> levels;  ///< the finest of them first
  DirectPlan direct;  ///< of the last level, or of the model itself; empty: too large for that
  /// Where that cycle is wanted, or nonlinear ones; of the model itself first.
  std::vector<PublishedLevel> published;
};

/// Coarsens until a level is small enough for a direct solve, or does not get any smaller. What is
/// small is decided by the cost of a factorisation: thin parts lose their bending stiffness when
/// they are coarsened too far, and are cheap to factorise before that.
Hierarchy build_hierarchy(const std::vector<BodySpec>& bodies, const Model& model);

/// The springs of a model as seen from its coarser one: a point rides on coarse nodes as it rides
/// on fine ones, since what is trilinear in a coarse cell is so in its children. The paper's factor
/// 1/8 per level [McAdams11 sec 8] is that of stiffness per volume; forces have none.
std::vector<solve::Spring> coarsened(std::span<const solve::Spring> fine, const Transfer& transfer);

std::size_t bytes_allocated(const Hierarchy& hierarchy);

}  // namespace isochor::lattice
