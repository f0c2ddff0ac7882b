#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "isochor/grid/cell_box.h"

/// Checks that hold for every lattice, and small bodies that several tests use.
namespace isochor::grid {

/// Blocks, nodes and fields agree with each other; each node is used, and where it says it is.
inline void expect_sound(const Lattice& lattice) {
  std::set<std::int32_t> used;
  std::size_t cells = 0;
  const Block* last = nullptr;
  for (const Block& block : lattice.blocks) {
    EXPECT_NE(block.active, 0) << "an empty block";
    if (last) {
      const bool same_place = block.coordinate == last->coordinate;
      EXPECT_EQ(block.copy, same_place ? last->copy + 1 : 0);
      EXPECT_TRUE(same_place ||
                  std::lexicographical_compare(last->coordinate.rbegin(), last->coordinate.rend(),
                                               block.coordinate.rbegin(), block.coordinate.rend()));
    }
    last = &block;
    std::set<int> expected;
    for (int lane = 0; lane < 8; ++lane) {
      if (!block.has(lane)) continue;
      ++cells;
      for (int c = 0; c < 8; ++c) {
        const std::int32_t node = block.nodes[block_node(lane, c)];
        ASSERT_GE(node, 0);
        ASSERT_LT(std::size_t(node), lattice.rest_positions.size());
        const Index3 at = shifted(cell_coordinate(block, lane), c);
        const Vec3d place =
            lattice.origin + lattice.spacing * Vec3d{double(at[0]), double(at[1]), double(at[2])};
        EXPECT_EQ(norm(lattice.rest_positions[node] - place), 0);
        used.insert(node);
        expected.insert(block_node(lane, c));
      }
    }
    for (int n = 0; n < 27; ++n) {
      EXPECT_EQ(block.nodes[n] == kNoNode, !expected.contains(n)) << n;
    }
  }
  EXPECT_EQ(used.size(), lattice.rest_positions.size()) << "a node that no cell uses";
  EXPECT_EQ(lattice.labels.size(), cells);
  EXPECT_EQ(lattice.fractions.size(), cells);
  const auto cell_nodes = lattice.cell_nodes();
  EXPECT_EQ(std::set(cell_nodes.begin(), cell_nodes.end()).size(), cells) << "a cell twice";
  for (std::size_t i = 0; i < cells; ++i) {
    EXPECT_GE(lattice.fractions[i], 0);
    EXPECT_LE(lattice.fractions[i], 1);
    if (lattice.labels[i] == CellLabel::Boundary) continue;
    EXPECT_EQ(lattice.fractions[i], lattice.labels[i] == CellLabel::Interior) << i;
  }
  for (const std::int32_t cell : lattice.vertex_cells) {
    ASSERT_GE(cell, 0);
    ASSERT_LT(std::size_t(cell), cells);
  }
}

inline void expect_same_cells(const Lattice& a, const Lattice& b) {
  EXPECT_EQ(a.size, b.size);
  EXPECT_EQ(a.rest_positions.size(), b.rest_positions.size());
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    EXPECT_EQ(a.blocks[i].nodes, b.blocks[i].nodes);
    EXPECT_EQ(a.blocks[i].coordinate, b.blocks[i].coordinate);
    EXPECT_EQ(a.blocks[i].copy, b.blocks[i].copy);
    EXPECT_EQ(a.blocks[i].active, b.blocks[i].active);
  }
  EXPECT_EQ(a.labels, b.labels);
}

inline void expect_same(const Lattice& a, const Lattice& b) {
  expect_same_cells(a, b);
  EXPECT_EQ(a.fractions, b.fractions);
  EXPECT_EQ(a.vertex_cells, b.vertex_cells);
  EXPECT_EQ(a.pieces.size(), b.pieces.size());
}

/// How many cells there are in each place.
inline std::map<Index3, int> places_of(const Lattice& lattice) {
  std::map<Index3, int> places;
  lattice.for_each_cell(
      [&](std::size_t b, int lane) { ++places[cell_coordinate(lattice.blocks[b], lane)]; });
  return places;
}

/// The nodes of the cells that hold vertices for which f is true.
template <class F>
std::set<std::int32_t> nodes_under(const Lattice& lattice, const geometry::SurfaceMesh& surface,
                                   F&& f) {
  const auto cell_nodes = lattice.cell_nodes();
  std::set<std::int32_t> nodes;
  for (std::size_t v = 0; v < surface.positions.size(); ++v) {
    if (!f(surface.positions[v])) continue;
    const auto& corners = cell_nodes[lattice.vertex_cells[v]];
    nodes.insert(corners.begin(), corners.end());
  }
  return nodes;
}

inline std::size_t shared_count(const std::set<std::int32_t>& a, const std::set<std::int32_t>& b) {
  std::size_t count = 0;
  for (const std::int32_t n : a) count += b.contains(n);
  return count;
}

/// The surface of those boxes of a grid with given lines for which filled(i, j, k) is true.
template <class F>
geometry::SurfaceMesh grid_surface(const std::array<std::vector<double>, 3>& lines, F&& filled) {
  geometry::SurfaceMesh mesh;
  std::map<Index3, std::int32_t> index;
  const auto vertex = [&](const Index3& at) {
    const auto [entry, fresh] =
        index.try_emplace(at, static_cast<std::int32_t>(mesh.positions.size()));
    if (fresh) mesh.positions.push_back({lines[0][at[0]], lines[1][at[1]], lines[2][at[2]]});
    return entry->second;
  };
  const Index3 n{int(lines[0].size()) - 1, int(lines[1].size()) - 1, int(lines[2].size()) - 1};
  const auto is_filled = [&](const Index3& at) {
    for (int a = 0; a < 3; ++a) {
      if (at[a] < 0 || at[a] >= n[a]) return false;
    }
    return filled(at[0], at[1], at[2]);
  };
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i) {
        for (int face = 0; face < 6; ++face) {
          const int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
          const bool high = face % 2;
          const Index3 at{i, j, k};
          Index3 beyond = at;
          beyond[axis] += high ? 1 : -1;
          if (!is_filled(at) || is_filled(beyond)) continue;
          constexpr int kRound[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
          std::array<std::int32_t, 4> quad;
          for (int c = 0; c < 4; ++c) {
            Index3 corner = at;
            corner[axis] += high;
            corner[u] += kRound[c][0];
            corner[v] += kRound[c][1];
            quad[high ? c : 3 - c] = vertex(corner);
          }
          mesh.add_face(quad);
        }
      }
    }
  }
  return mesh;
}

/// From `from` to `to` in equal steps of about `edge`.
inline void add_lines(std::vector<double>& lines, double from, double to, double edge) {
  const int count = std::max(1, int(std::lround((to - from) / edge)));
  if (lines.empty()) lines.push_back(from);
  for (int i = 1; i <= count; ++i) lines.push_back(from + (to - from) * i / count);
}

/// Two fingers along z, `left` and 1 wide in x, on a palm that ends at z = 0: from z = -1 to 3. The
/// first begins at x = 0, `gap` is between them.
inline geometry::SurfaceMesh two_fingers(double left, double gap, double edge) {
  std::array<std::vector<double>, 3> lines;
  add_lines(lines[0], 0, left, edge);
  const int slot = int(lines[0].size()) - 1;
  add_lines(lines[0], left, left + gap, 1e9);
  add_lines(lines[0], left + gap, left + gap + 1, edge);
  add_lines(lines[1], 0, 1, edge);
  add_lines(lines[2], -1, 0, edge);
  const int palm = int(lines[2].size()) - 1;
  add_lines(lines[2], 0, 3, edge);
  return grid_surface(lines, [&](int i, int, int k) { return i != slot || k < palm; });
}

}  // namespace isochor::grid
