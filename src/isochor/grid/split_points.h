#pragma once

#include <array>

#include "isochor/grid/cell_pieces.h"

namespace isochor::grid {

/// The points of a box of cells at which not all pieces around share one node. Everywhere else they
/// do. Pieces share a node if they are connected: both reach the same place of the face between
/// their cells, or both are bounded by the same triangle.
class SplitPoints {
 public:
  SplitPoints(const BodySurface& body, const CellBox& box, const SurfaceCells& touched,
              std::span<const CellState> states, const CellPieces& pieces, ThreadArena& arena);

  /// A name for the node of a piece at one of its cell's corners, in [0, name_count): the number of
  /// the point, or one of those that come after all points.
  std::int32_t node_name(const Index3& cell, int piece, int corner) const;
  std::size_t name_count() const { return name_count_; }

 private:
  struct Split {
    std::int64_t point;
    /// Where the sets of the pieces in each cell around the point begin, in sets_. Cell o lies at
    /// the point + o - (1, 1, 1), with bits of o as coordinates.
    std::array<std::int32_t, 8> starts;
    std::int32_t set_count;
    std::int32_t first_name = 0;  ///< of set 1
  };
  struct Chunk {
    std::vector<Split> splits;
    std::vector<std::uint8_t> sets;
  };
  class Joiner;

  const CellBox& box_;
  std::vector<Split> splits_;       ///< by point
  std::vector<std::uint8_t> sets_;  ///< per piece around a split point
  std::vector<bool> is_split_;      ///< per point
  std::size_t name_count_;
};

}  // namespace isochor::grid
