#include "isochor/lattice/coarse_springs.h"

#include <map>
#include <utility>

namespace isochor::lattice {

std::size_t BlockMatrix::bytes() const {
  return (nodes.capacity() + first.capacity()) * sizeof(std::int32_t) +
         entries.capacity() * sizeof(Entry);
}

BlockMatrix spring_matrix(std::span<const Spring> springs) {
  std::map<std::pair<std::int32_t, std::int32_t>, Mat3d> blocks;
  for (const Spring& spring : springs) {
    for (const SpringTerm& a : spring.terms) {
      for (const SpringTerm& b : spring.terms) {
        Mat3d& block = blocks.try_emplace({a.index, b.index}, Mat3d::zero()).first->second;
        block += spring.stiffness * (a.weight * b.weight);
      }
    }
  }
  BlockMatrix A;
  for (const auto& [pair, block] : blocks) {
    if (A.nodes.empty() || A.nodes.back() != pair.first) {
      A.nodes.push_back(pair.first);
      A.first.push_back(A.first.back());
    }
    BlockMatrix::Entry entry{.node = pair.second, .block = {}};
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
