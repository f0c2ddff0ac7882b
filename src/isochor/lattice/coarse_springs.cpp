#include "isochor/lattice/coarse_springs.h"

#include <algorithm>
#include <map>
#include <utility>

namespace isochor::lattice {

std::size_t BlockMatrix::bytes() const {
  return (nodes.capacity() + first.capacity()) * sizeof(std::int32_t) +
         entries.capacity() * sizeof(Entry);
}

namespace {

/// What springs on the same nodes do to them together, all blocks in the order of nodes.
using Sums = std::map<std::vector<std::int32_t>, std::vector<Mat3d>>;

/// On coarse levels most springs of a patch have the same nodes.
Sums sums_of(std::span<const solve::Spring> springs) {
  Sums sums;
  std::vector<std::int32_t> nodes;
  for (const solve::Spring& spring : springs) {
    nodes.clear();
    for (const solve::SpringTerm& term : spring.terms) nodes.push_back(term.index);
    std::vector<Mat3d>& blocks = sums[nodes];
    blocks.resize(nodes.size() * nodes.size(), Mat3d::zero());
    auto block = blocks.begin();
    for (const solve::SpringTerm& a : spring.terms) {
      for (const solve::SpringTerm& b : spring.terms) {
        *block++ += spring.stiffness * (a.weight * b.weight);
      }
    }
  }
  return sums;
}

}  // namespace

BlockMatrix spring_matrix(std::span<const solve::Spring> springs) {
  struct Part {
    std::int32_t row, column;
    const Mat3d* block;
  };
  std::vector<Part> parts;
  const Sums sums = sums_of(springs);
  for (const auto& [nodes, blocks] : sums) {
    const Mat3d* block = blocks.data();
    for (const std::int32_t row : nodes) {
      for (const std::int32_t column : nodes) parts.push_back({row, column, block++});
    }
  }
  std::ranges::stable_sort(parts, {},
                           [](const Part& part) { return std::pair(part.row, part.column); });
  BlockMatrix A;
  for (std::size_t k = 0; k < parts.size();) {
    const auto [row, column, first] = parts[k];
    Mat3d block = *first;
    for (++k; k < parts.size() && parts[k].row == row && parts[k].column == column; ++k) {
      block += *parts[k].block;
    }
    if (A.nodes.empty() || A.nodes.back() != row) {
      A.nodes.push_back(row);
      A.first.push_back(A.first.back());
    }
    BlockMatrix::Entry entry{.node = column, .block = {}};
    for (int e = 0; e < 9; ++e) entry.block(e % 3, e / 3) = static_cast<float>(block(e % 3, e / 3));
    A.entries.push_back(entry);
    ++A.first.back();
  }
  return A;
}

void add_product(const BlockMatrix& A, std::span<const Vec3f> v, std::span<Vec3f> out,
                 ThreadArena& arena) {
  parallel_for(arena, A.nodes.size(), 64, [&](std::size_t r) {
    Vec3f sum{0, 0, 0};
    for (std::int32_t e = A.first[r]; e < A.first[r + 1]; ++e) {
      sum += A.entries[e].block * v[A.entries[e].node];
    }
    out[A.nodes[r]] += sum;
  });
}

void add_diagonal(const BlockMatrix& A, std::span<Vec3f> diagonal) {
  for (std::size_t r = 0; r < A.nodes.size(); ++r) {
    for (std::int32_t e = A.first[r]; e < A.first[r + 1]; ++e) {
      if (A.entries[e].node != A.nodes[r]) continue;
      for (int a = 0; a < 3; ++a) diagonal[A.nodes[r]][a] += A.entries[e].block(a, a);
    }
  }
}

}  // namespace isochor::lattice
