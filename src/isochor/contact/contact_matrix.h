#pragma once

#include "isochor/contact/term.h"
#include "isochor/solve/block_rows.h"

namespace isochor::contact {

/// The sum of the second derivatives of terms, as a sparse matrix over the points that have any:
/// what a method adds to its own. Symmetric; definite where the terms are.
class ContactMatrix {
 public:
  /// Takes memory only where there are more terms than ever before. The same bits for any number of
  /// threads.
  void assemble(std::span<const Term> terms, ThreadArena& arena);

  /// Those with a row, ascending.
  std::span<const std::int32_t> points() const { return points_; }
  /// Per row, N/m.
  std::span<const Mat3d> diagonal() const { return diagonal_; }
  bool empty() const { return points_.empty(); }

  /// q += A p, in single or double precision.
  template <class S>
  void add_product(std::span<const Vec3<S>> p, std::span<Vec3<S>> q, ThreadArena& arena) const {
    parallel_for(arena, points_.size(), kRowsAtOnce, [&](std::size_t row) {
      const Vec3d sum = row_times(row, [&](std::int32_t point) {
        const Vec3<S>& x = p[point];
        return Vec3d{double(x[0]), double(x[1]), double(x[2])};
      });
      q[points_[row]] += Vec3<S>{S(sum[0]), S(sum[1]), S(sum[2])};
    });
  }

  /// Row of A times p, p(point) being a Vec3d.
  template <class P>
  Vec3d row_times(std::size_t row, P&& p) const {
    Vec3d sum{0, 0, 0};
    for (std::int32_t k = pattern_.first[row]; k < pattern_.first[row + 1]; ++k) {
      sum += blocks_[k] * p(pattern_.columns[k]);
    }
    return sum;
  }

 private:
  static constexpr std::size_t kRowsAtOnce = 64;

  /// A block of a term, on its way into the matrix.
  struct Entry {
    std::int32_t row, column;  ///< points
    std::int32_t term, block;
  };
  std::vector<Entry> entries_;
  std::vector<std::int32_t> points_;
  std::vector<Mat3d> diagonal_;
  solve::BlockPattern pattern_;  ///< rows as of points_; columns are points
  solve::Blocks<double> blocks_;
};

}  // namespace isochor::contact
