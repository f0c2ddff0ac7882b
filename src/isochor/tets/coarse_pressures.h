#pragma once

#include <span>

#include "isochor/contact/row.h"
#include "isochor/solve/envelope_cholesky.h"
#include "isochor/tets/model.h"

namespace isochor::tets {

/// Smooth pressures of one-rings, those that a diagonal preconditioner is slow with: trilinear
/// functions on a lattice around each body at rest, several nodes apart. Solved directly. The same
/// bits for any number of threads. Allocates nothing after it is made.
class CoarsePressures {
 public:
  explicit CoarsePressures(const Model& model);

  /// How many there are; none in a small model.
  std::size_t size() const { return cholesky_.size(); }

  /// P^T A P for A = -div M^-1 grad plus a diagonal, among motions that contacts with colliders
  /// allow: what pairs of contacts do is left out. `push` is as in OneRings, per entry of
  /// Model::pattern.
  void prepare(std::span<const Vec3f> push, std::span<const double> inverse_mass,
               std::span<const double> diagonal, double diagonal_part,
               std::span<const contact::Row> contacts, ThreadArena& arena);

  /// z += P (P^T A P)^-1 P^T r.
  void add_correction(std::span<const double> r, std::span<double> z, ThreadArena& arena);

 private:
  struct Term {
    std::int32_t index;
    float weight;
  };
  /// Lists of terms, one after the other.
  struct Lists {
    std::vector<std::int32_t> first{0};
    std::vector<Term> terms;
    std::span<const Term> of(std::size_t i) const {
      return std::span(terms).subspan(first[i], first[i + 1] - first[i]);
    }
  };
  /// Where the push of a node is kept for a coarse function.
  struct Use {
    std::int32_t node, place;
  };

  void number(const Model& model);
  void find_uses(const Model& model);

  const Model& model_;
  Lists of_node_;      ///< P by rows: coarse functions and their values
  Lists of_function_;  ///< by columns
  std::vector<std::int32_t> first_column_{0}, columns_;  ///< per node, functions that push it
  /// Per node, entry of its row of the pattern and term there: which of its columns that is.
  std::vector<std::int32_t> first_slot_{0};
  std::vector<std::uint16_t> slots_;
  std::vector<Vec3d> slopes_;  ///< as columns_: grad P, N per Pa
  std::vector<std::int32_t> first_use_{0};
  std::vector<Use> uses_;  ///< per function
  solve::EnvelopeCholesky cholesky_;
  std::vector<double> sums_;
};

}  // namespace isochor::tets
