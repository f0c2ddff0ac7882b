#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/geometry/surface_mesh.h"

/// The hexahedral lattice around a body. Cells come in 2x2x2 blocks; a block names its 27 nodes
/// explicitly, and after the build nobody computes a neighbour from coordinates. A cell is
/// (coordinate, copy): two cells may share a place without being connected.
namespace isochor::grid {

inline constexpr std::int32_t kNoNode = -1;

/// Corner c of a cell lies at (c & 1, c >> 1 & 1, c >> 2 & 1): x fastest. The same rule orders the
/// eight cells (lanes) of a block.
struct Block {
  std::array<std::int32_t, 27> nodes;      ///< (i, j, k) at i + 3 j + 9 k; kNoNode where unused
  std::array<std::int32_t, 3> coordinate;  ///< of the block; its first cell is at twice this
  std::int32_t copy = 0;
  std::uint8_t active = 0;  ///< bit per lane: the cell belongs to the body

  bool has(int lane) const { return active >> lane & 1; }
};

/// Position in Block::nodes of corner `corner` of cell `lane`.
constexpr int block_node(int lane, int corner) {
  const int i = (lane & 1) + (corner & 1);
  const int j = (lane >> 1 & 1) + (corner >> 1 & 1);
  const int k = (lane >> 2 & 1) + (corner >> 2 & 1);
  return i + 3 * j + 9 * k;
}

struct Lattice {
  Vec3d origin;                        ///< corner of cell (0, 0, 0), m
  double spacing = 0;                  ///< edge of a cell, m
  std::array<std::int32_t, 3> size{};  ///< cells per axis of the box that holds the body
  std::vector<Block> blocks;           ///< by coordinate, x fastest
  std::vector<Vec3d> rest_positions;   ///< per node, m

  std::size_t cell_count() const;
  /// Calls f(block index, lane) for each cell of the body, in the order of all cell fields.
  template <class F>
  void for_each_cell(F&& f) const {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (int lane = 0; lane < 8; ++lane) {
        if (blocks[b].has(lane)) f(b, lane);
      }
    }
  }
};

/// Every cell that the surface passes through or encloses. `place` names the body in errors: no
/// volume inside, or more cells than can be indexed.
Lattice build_lattice(const geometry::SurfaceMesh& surface, double spacing,
                      const std::string& place, ThreadArena& arena);

/// Points that ride on a lattice: eight nodes and the position within their cell.
struct Embedding {
  struct Point {
    std::array<std::int32_t, 8> nodes;
    Vec3d local;  ///< 0 to 1 per axis
  };
  std::vector<Point> points;

  /// The trilinear interpolation of a nodal quantity at each point.
  void interpolate(std::span<const Vec3d> nodal, std::span<Vec3d> at_points) const;
  void interpolate(std::span<const double> nodal, std::span<double> at_points) const;
};

/// Ties points to the cells that hold them, a point outside to the nearest cell, whose map is then
/// continued beyond it.
Embedding embed(const Lattice& lattice, std::span<const Vec3d> points);

}  // namespace isochor::grid
