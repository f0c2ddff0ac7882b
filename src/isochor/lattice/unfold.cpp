#include "isochor/lattice/unfold.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "isochor/lattice/element_kernel.h"

namespace isochor::lattice {
namespace {

std::array<std::int32_t, 8> corners_of(const Model& model, std::int32_t cell) {
  std::array<std::int32_t, 8> nodes;
  for (int c = 0; c < 8; ++c) nodes[c] = model.corner(cell, c);
  return nodes;
}

bool is_folded(const std::array<std::int32_t, 8>& nodes, std::span<const Vec3d> x) {
  for (int c = 0; c < 8; ++c) {
    Mat3d edges;
    for (int a = 0; a < 3; ++a) {
      const Vec3d along = x[nodes[c ^ (1 << a)]] - x[nodes[c]];
      edges.column[a] = c >> a & 1 ? -along : along;
    }
    if (determinant(edges) < 0) return true;
  }
  return false;
}

/// Per node: it is free, and some cell has it, but none that is not folded.
std::vector<char> find_lost(const Model& model, std::span<const Vec3d> positions) {
  std::vector<char> lost(model.node_count(), false), known(model.node_count(), false);
  for (const std::int32_t cell : model.cells) {
    const auto nodes = corners_of(model, cell);
    std::vector<char>& seen = is_folded(nodes, positions) ? lost : known;
    for (const std::int32_t n : nodes) seen[n] = true;
  }
  for (std::size_t n = 0; n < lost.size(); ++n) {
    lost[n] = lost[n] && !known[n] && model.freedom[n] == Freedom::Free;
  }
  return lost;
}

}  // namespace

std::size_t count_folded(const Model& model, std::span<const Vec3d> positions, ThreadArena& arena) {
  std::atomic<bool> any = false;
  parallel_for(arena, model.cells.size(), 1024, [&](std::size_t i) {
    if (is_folded(corners_of(model, model.cells[i]), positions)) any = true;
  });
  if (!any) return 0;
  return std::size_t(std::ranges::count(find_lost(model, positions), char{true}));
}

void unfold(const Model& model, std::span<Vec3d> positions) {
  std::vector<char> lost = find_lost(model, positions);
  struct Sum {
    Mat3d gradient = Mat3d::zero();
    Vec3d position{0, 0, 0};
    int gradients = 0, positions = 0;
  };
  std::vector<Sum> sums(model.node_count());
  // How cells that are not folded deform, at their nodes.
  for (const std::int32_t cell : model.cells) {
    const auto nodes = corners_of(model, cell);
    if (is_folded(nodes, positions)) continue;
    Vec3d x[8];
    for (int c = 0; c < 8; ++c) x[c] = positions[nodes[c]];
    const Mat3d F = deformation_gradient(x, 1 / model.blocks[cell / 8].h);
    for (const std::int32_t n : nodes) {
      sums[n].gradient += F;
      ++sums[n].gradients;
    }
  }
  // Outwards: a node follows those of its cells that are known, in their mean deformation.
  for (bool moved = true; moved;) {
    moved = false;
    for (const std::int32_t cell : model.cells) {
      const auto nodes = corners_of(model, cell);
      Mat3d F = Mat3d::zero();
      int known = 0;
      for (const std::int32_t n : nodes) {
        if (lost[n] || sums[n].gradients == 0) continue;
        F += sums[n].gradient * (1.0 / sums[n].gradients);
        ++known;
      }
      if (known == 0) continue;
      F = F * (1.0 / known);
      for (const std::int32_t n : nodes) {
        if (!lost[n]) continue;
        for (const std::int32_t from : nodes) {
          if (lost[from] || sums[from].gradients == 0) continue;
          sums[n].position +=
              positions[from] + F * (model.rest_positions[n] - model.rest_positions[from]);
          ++sums[n].positions;
        }
        sums[n].gradient += F;
        ++sums[n].gradients;
      }
    }
    for (std::size_t n = 0; n < lost.size(); ++n) {
      Sum& sum = sums[n];
      if (!lost[n] || sum.positions == 0) continue;
      positions[n] = sum.position * (1.0 / sum.positions);
      lost[n] = false;
      moved = true;
    }
  }
}

}  // namespace isochor::lattice
