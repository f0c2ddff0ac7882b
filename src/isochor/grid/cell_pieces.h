#pragma once

#include "isochor/grid/piece_moments.h"
#include "isochor/grid/surface_cells.h"

namespace isochor::grid {

inline constexpr std::uint8_t kNoPiece = 255;

/// A piece that fills less of its cell than this is a sliver. Slivers are connected with what the
/// surface connects them with this many cells around: concave bodies without gaps keep one cell
/// per place.
inline bool is_sliver(float fraction) { return fraction < 1.0f / 16; }
inline constexpr double kSliverReach = 0.25;

/// The pieces of material in the cells that a surface touches. Records are those of SurfaceCells.
struct CellPieces {
  std::size_t lines = 0;               ///< through each face of a cell
  std::vector<std::uint8_t> of_touch;  ///< per touch: the piece it bounds, or kNoPiece
  /// Per record, face (x-, x+, y-, ...) and line: the piece that reaches the face there, or
  /// kNoPiece. Lines through opposite faces come in the same order.
  std::vector<std::uint8_t> at_faces;
  std::vector<std::size_t> starts{0};  ///< per record: the first of its pieces among all
  std::vector<PieceMeasure> measures;  ///< per piece

  int count(std::size_t record) const {
    return static_cast<int>(starts[record + 1] - starts[record]);
  }
  std::span<const std::uint8_t> at_face(std::size_t record, int face) const {
    return std::span(at_faces).subspan((6 * record + face) * lines, lines);
  }
};

/// Cuts the material in every cell into connected pieces; without `separate` there is one in each.
/// A cell inside the body is one piece, one outside none.
///
/// A piece of material that does not fill its cell is bounded by triangles. Triangles that hang
/// together by edges inside the cell bound the same piece, so that a cell with one such patch holds
/// one piece. Which patches bound a piece together is seen along lines through the cell,
/// `subdivision` squared per axis, which meet in samples: between two crossings a line is in
/// material or is not, and both ends of such a stretch belong to one piece. A patch that no line
/// meets is looked at from the samples. So gaps and sheets may be much thinner than the distance of
/// lines. Whether samples are inside is asked once per set of samples with no triangle between.
CellPieces cut_cells(const BodySurface& body, const CellBox& box, const SurfaceCells& touched,
                     std::span<const CellState> states, int subdivision, bool separate,
                     ThreadArena& arena);

}  // namespace isochor::grid
