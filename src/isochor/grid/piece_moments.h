#pragma once

#include <optional>

#include "isochor/grid/cell_contents.h"
#include "isochor/grid/cut_cell.h"

namespace isochor::grid {

/// The material of one piece in a cell, in cells from its low corner.
struct PieceMeasure {
  geometry::Moments moments;
  MomentSource source = MomentSource::Clipped;

  float fraction() const { return static_cast<float>(moments.volume); }
};

/// Measures the pieces of one cell after another; one per thread.
///
/// Triangles are clipped to the cell, which is exact where the surface is clean. That is asked of
/// each cell for itself: the winding number is 0 or 1 along all lines through it, no triangles in
/// it cross, volumes by the three axes agree, and so do, roughly, volumes by lines. Where not, the
/// material is what many lines see between crossings.
class PieceMoments {
 public:
  PieceMoments(const BodySurface& body, const CellBox& box) : body_(body), box_(box) {}

  /// Of the cell that `contents` looks at: `of_touch` names the piece that each triangle bounds,
  /// `by_lines` is the fraction of each piece as the lines of `contents` see it. Appends to
  /// `measures`.
  void measure(const Index3& at, const CellContents& contents,
               std::span<const std::uint8_t> of_touch, std::span<const float> by_lines,
               std::vector<PieceMeasure>& measures);

 private:
  bool clip(const CellContents& contents, std::span<const std::uint8_t> of_touch,
            std::span<const float> by_lines, std::span<PieceMeasure> pieces);
  bool triangles_cross(const CellContents& contents);
  void sample(const Index3& at, std::span<const Touch> touches,
              std::span<const std::uint8_t> of_touch, std::span<PieceMeasure> pieces);

  const BodySurface& body_;
  const CellBox& box_;
  std::vector<geometry::CubeMoments> sums_;  ///< per piece
  std::vector<geometry::Bounds> boxes_;      ///< per entering touch
  std::vector<std::size_t> entering_;        ///< touches, by the low end of their boxes in x
  std::optional<CellContents> fine_;         ///< made when first needed
};

}  // namespace isochor::grid
