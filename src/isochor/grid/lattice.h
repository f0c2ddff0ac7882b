#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/geometry/surface_mesh.h"
#include "isochor/grid/cut_cell.h"

/// The hexahedral lattice around a body. Cells come in 2x2x2 blocks; a block names its 27 nodes
/// explicitly, and after the build nobody computes a neighbour from coordinates. A cell is
/// (coordinate, copy): two cells may share a place without being connected.
namespace isochor::grid {

using Index3 = std::array<std::int32_t, 3>;

inline constexpr std::int32_t kNoNode = -1;

/// Corner c of a cell lies at (c & 1, c >> 1 & 1, c >> 2 & 1): x fastest. The same rule orders the
/// eight cells (lanes) of a block.
struct Block {
  std::array<std::int32_t, 27> nodes;  ///< (i, j, k) at i + 3 j + 9 k; kNoNode where unused
  Index3 coordinate;                   ///< of the block; its first cell is at twice this
  std::int32_t copy = 0;               ///< among the blocks with this coordinate
  std::uint8_t active = 0;             ///< bit per lane: the cell belongs to the body

  bool has(int lane) const { return active >> lane & 1; }
};

/// Position in Block::nodes of corner `corner` of cell `lane`.
constexpr int block_node(int lane, int corner) {
  const int i = (lane & 1) + (corner & 1);
  const int j = (lane >> 1 & 1) + (corner >> 1 & 1);
  const int k = (lane >> 2 & 1) + (corner >> 2 & 1);
  return i + 3 * j + 9 * k;
}

/// The coordinate of a cell, or of a cell's corner.
constexpr Index3 shifted(const Index3& at, int corner) {
  return {at[0] + (corner & 1), at[1] + (corner >> 1 & 1), at[2] + (corner >> 2 & 1)};
}
inline Index3 cell_coordinate(const Block& block, int lane) {
  const Index3& b = block.coordinate;
  return shifted({2 * b[0], 2 * b[1], 2 * b[2]}, lane);
}

enum class CellLabel : std::uint8_t {
  Interior,  ///< inside the body
  Boundary,  ///< the surface passes through it
  Exterior,  ///< padding: no material in it
};

/// A triangle of the surface in a place that several cells share, and the cell that holds it.
struct SurfacePiece {
  std::array<Vec3d, 3> corners;
  std::int32_t cell;
};

/// Cells that were left out because next to nothing is in them.
struct DroppedCells {
  std::size_t count = 0;
  double volume = 0;  ///< of the material in them, m^3
};

struct Lattice {
  Vec3d origin;                       ///< corner of cell (0, 0, 0), m
  double spacing = 0;                 ///< edge of a cell, m
  Index3 size{};                      ///< cells per axis of the box that holds the body
  std::vector<Block> blocks;          ///< by coordinate, x fastest, then by copy
  std::vector<Vec3d> rest_positions;  ///< per node, m
  std::vector<CellLabel> labels;      ///< per cell, in the order of for_each_cell
  std::vector<float> fractions;       ///< per cell: the part of it that its material fills
  /// Per vertex of the surface the number of the cell that it rides on: among cells that share a
  /// place, the one with this piece of the surface.
  std::vector<std::int32_t> vertex_cells;
  std::vector<SurfacePiece> pieces;  ///< by cell; tell apart cells that share a place
  /// By cell: those at the surface, where LatticeOptions::quadrature asks for them.
  std::vector<CutCell> cut_cells;
  DroppedCells dropped;

  std::size_t cell_count() const { return labels.size(); }
  std::size_t memory() const;  ///< bytes

  /// Calls f(block index, lane) for each cell of the body, in the order of all cell fields.
  template <class F>
  void for_each_cell(F&& f) const {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (int lane = 0; lane < 8; ++lane) {
        if (blocks[b].has(lane)) f(b, lane);
      }
    }
  }
  /// Per cell the nodes at its corners.
  std::vector<std::array<std::int32_t, 8>> cell_nodes() const;
};

struct LatticeOptions {
  double spacing = 0;  ///< edge of a cell, m
  /// Layers of exterior cells around the body. They carry the surface deeper inside the lattice,
  /// where its nodes know more of the motion (Zhu et al. 2010, fig. 17).
  int padding = 0;
  /// Each cell that the surface passes through is looked into along this many lines squared per
  /// axis, 1 to 16: they measure fractions and find out what is connected inside.
  int subdivision = 4;
  bool separate = true;     ///< one cell per piece of material; off: one per place
  bool quadrature = false;  ///< four points for the material in each cell at the surface
  /// Cells of which less than this is filled are left out where the lattice holds together without
  /// them; vertices of the surface there ride on a neighbour, a little outside of it. 0: none.
  double least_fraction = 0;
};

/// Every cell that the surface passes through or encloses. Where the body inside a cell falls into
/// pieces (fingers that touch, lips), the cell comes once per piece; cells share nodes where their
/// material is connected, so that a gap may be much narrower than a cell. Pieces closer than a
/// millionth of a cell count as touching. Sheets without volume give no cells of their own.
/// `place` names the body in errors: no volume inside, or more cells than can be indexed. The
/// same for any number of threads.
Lattice build_lattice(const geometry::SurfaceMesh& surface, const LatticeOptions& options,
                      const std::string& place, ThreadArena& arena);
inline Lattice build_lattice(const geometry::SurfaceMesh& surface, double spacing,
                             const std::string& place, ThreadArena& arena) {
  return build_lattice(surface, LatticeOptions{.spacing = spacing}, place, arena);
}

/// Cells that hang together by their nodes.
struct Parts {
  std::int32_t count = 0;
  std::vector<std::int32_t> of_node;  ///< per node
};
/// A part without a held node floats: whoever builds a scene from a mesh wants to know.
Parts find_parts(const Lattice& lattice);

}  // namespace isochor::grid
