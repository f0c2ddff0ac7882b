#pragma once

#include <vector>

#include "isochor/lattice/model.h"
#include "isochor/math/half.h"

namespace isochor::lattice {

/// The tangents of a group of blocks, cell after cell: what linearising writes and applying reads.
/// Those of a law times h/16, so that a kernel multiplies plain sums of edges, N/m; after them that
/// of the stabilisation, mu h/16. Single precision: a search direction needs no more.
template <int Numbers>
struct alignas(64) GroupTangent {
  static constexpr int kNumbers = Numbers;
  float number[8][Numbers + 1][kGroupBlocks];
};
/// Of laws without directions of their own: the rotations as quaternions of length sqrt(2), four
/// numbers each, then the twelve of the tangent as materials::LawBatch lists them. Applying waits
/// for memory more than for arithmetic.
inline constexpr int kPrincipalNumbers = 20;
using PrincipalGroupTangent = GroupTangent<kPrincipalNumbers>;
/// As materials::LawBatch lists them.
inline constexpr int kDenseNumbers = materials::DenseTangent<float>::kSize;
using DenseGroupTangent = GroupTangent<kDenseNumbers>;

/// The same in half precision, which is enough for a preconditioner and half to read. All but
/// quaternions are in multiples of `unit`, N/m, a power of two.
template <int Numbers>
struct alignas(64) HalfGroupTangent {
  static constexpr int kNumbers = Numbers;
  Half number[8][Numbers + 1][kGroupBlocks];
  float unit;
};

/// One tangent per group, in the form that its laws ask for.
template <template <int> class Group>
struct TangentsOf {
  TangentsOf() = default;
  explicit TangentsOf(const Model& model)
      : principal(model.groups.size() - model.axes.size()), dense(model.axes.size()) {}

  std::vector<Group<kPrincipalNumbers>> principal;
  std::vector<Group<kDenseNumbers>> dense;
};
using Tangents = TangentsOf<GroupTangent>;
using HalfTangents = TangentsOf<HalfGroupTangent>;

}  // namespace isochor::lattice
