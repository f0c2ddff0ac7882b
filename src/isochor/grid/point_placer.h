#pragma once

#include "isochor/grid/body_surface.h"
#include "isochor/grid/cell_box.h"
#include "isochor/grid/cut_cell.h"
#include "isochor/grid/surface_cells.h"

namespace isochor::grid {

/// Finds four points for what is in a cell. Rotations are tried in rounds. In a round those with
/// all points in the cell are looked at from the stiffest against hourglass motions on, until all
/// points are in the body. The first round is that of the points of a whole cell, stretched without
/// turning to the moments of this one: it does in most cells, and no rotation is much stiffer. The
/// others are of a fixed sequence that covers all rotations evenly.
///
/// Where the surface is clean the winding number is asked for one point of four; triangles between
/// it and the others tell theirs. One per thread.
class PointPlacer {
 public:
  PointPlacer(const BodySurface& body, const CellBox& box);

  /// `moments` are in cells, from the low corner of the cell at `at`, which `touches` touch; of
  /// next to no volume it makes points of a whole cell that weigh nothing.
  CutCell place(std::int32_t cell, const Index3& at, std::span<const Touch> touches,
                const geometry::Moments& moments, MomentSource source);

 private:
  struct Candidate {
    geometry::FourPoints points;
    double stiffness;
  };
  void look_at_round(const geometry::Spread& spread, int round);
  void find_triangles(std::span<const Touch> touches);
  bool is_inside(const Vec3d& point) const { return body_.is_inside(low_ + box_.spacing * point); }
  bool in_body(const geometry::FourPoints& points, MomentSource source) const;
  bool is_inside_like(const Vec3d& known, const Vec3d& point) const;

  const BodySurface& body_;
  const CellBox& box_;
  std::vector<Mat3d> rotations_;
  Vec3d low_{0, 0, 0};                                ///< corner of the cell
  std::vector<geometry::TriangleCorners> triangles_;  ///< that enter it, in cells from its corner
  std::vector<Candidate> candidates_;                 ///< of a round, stiffest first
};

}  // namespace isochor::grid
