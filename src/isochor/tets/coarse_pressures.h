#pragma once

#include <span>

#include "isochor/base/function_ref.h"
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
  /// allow: what pairs of contacts do is left out. read(first, to) gives entries of Model::pattern
  /// from `first` on: how the volume of the one-ring that each names changes with the node of its
  /// row. There is room for as many more as whole sixteens of numbers take.
  using ReadPushes = FunctionRef<void(std::int32_t, std::span<Vec3f>)>;
  void prepare(ReadPushes read, std::span<const double> inverse_mass,
               std::span<const double> diagonal, double diagonal_part,
               std::span<const contact::Row> contacts, ThreadArena& arena);

  /// z = D^-1 r + P (P^T A P)^-1 P^T r, with D the diagonal.
  void precondition(std::span<const double> r, std::span<const double> diagonal,
                    std::span<double> z, ThreadArena& arena);

 private:
  /// Where a node is at rest: a cell of the lattice, and how far along each of its edges. As little
  /// as can be, as an iteration reads it twice.
  struct Place {
    std::int32_t cell = -1;  ///< none: a node without tets
    float along[3];
  };
  /// A node, by cells.
  struct Member {
    std::int32_t node;
    float along[3];
  };
  /// Values of functions at the eight corners of a cell.
  using Corners = std::array<double, 8>;
  static Corners weights(const float (&along)[3]);
  /// Where the push of a node is kept for a coarse function.
  struct Use {
    std::int32_t node, place;
  };

  void number(const Model& model);
  void list_nodes();
  void find_uses(const Model& model);
  /// Per function the sum over nodes of its value times f(node, value), through those of cells.
  template <class F>
  void sum_functions(F&& f, std::span<double> sums, ThreadArena& arena);

  const Model& model_;
  std::vector<Place> places_;                         ///< per node
  std::vector<std::array<std::int32_t, 8>> corners_;  ///< per cell, functions
  std::vector<std::int32_t> first_member_;            ///< per cell
  std::vector<Member> members_;
  /// Per function, cells that it is a corner of: eight times the cell, plus the corner.
  std::vector<std::int32_t> first_cell_, cells_;
  std::vector<Corners> cell_sums_;
  std::vector<std::int32_t> first_column_{0}, columns_;  ///< per node, functions that push it
  /// Per node, entry of its row of the pattern and corner there: which of its columns that is.
  std::vector<std::int32_t> first_slot_{0};
  std::vector<std::uint16_t> slots_;
  std::vector<Vec3d> slopes_;  ///< as columns_: grad P, N per Pa
  std::vector<std::int32_t> first_use_{0};
  std::vector<Use> uses_;  ///< per function
  solve::EnvelopeCholesky cholesky_;
  std::vector<double> sums_;
};

}  // namespace isochor::tets
