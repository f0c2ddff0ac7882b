#pragma once

#include <cstdint>
#include <span>

#include "isochor/geometry/four_points.h"

/// Quadrature in the cells that the surface passes through.
namespace isochor::grid {

/// Where the moments of the material in a cell come from.
enum class MomentSource : std::uint8_t {
  Clipped,  ///< exact, from clipped triangles
  Sampled,  ///< along lines, where the surface is open, crosses or overlaps itself
};

/// Where the points of a cell are.
enum class PointPlaces : std::uint8_t {
  InBody,  ///< all in the body
  InCell,  ///< all in the cell, not all in the body
  Shrunk,  ///< pulled towards the centroid to be in the cell: no longer exact for degree two
};

/// The material in a cell as four points of equal weight [Patterson12 sec 3.1]. With their fraction
/// they integrate polynomials of degree two over it as the material itself does.
struct CutCell {
  std::int32_t cell;  ///< in the order of Lattice::for_each_cell
  MomentSource source = MomentSource::Clipped;
  PointPlaces places = PointPlaces::InBody;
  double fraction = 0;          ///< of the cell that its material fills
  geometry::FourPoints points;  ///< in the cell, from 0 to 1
};

/// The points of cells that are full: every other Gauss point.
geometry::FourPoints full_cell_points();

/// How many cells there are of each kind.
struct CutCounts {
  std::size_t clipped = 0, sampled = 0;
  std::size_t in_body = 0, in_cell = 0, shrunk = 0;
};
CutCounts count(std::span<const CutCell> cells);

}  // namespace isochor::grid
