#pragma once

#include <span>
#include <vector>

#include "isochor/lattice/model.h"
#include "isochor/math/half.h"

namespace isochor::lattice {

/// Beyond this a stiffness is as good as infinite; products with it stay within single precision.
inline constexpr double kStiffest = 1e30;  ///< N/m

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

/// The stiffness of cells with points of their own, N/m: the upper triangle, by columns, of a
/// symmetric matrix on the differences of corners 1 to 7 to corner 0. So nothing acts on a cell
/// that is only shifted, whatever rounding does, and a quarter of the numbers is saved.
struct alignas(64) CutMatrix {
  static constexpr int kSize = 231;
  static constexpr int index(int r, int c) { return c * (c + 1) / 2 + r; }  ///< r <= c
  float entry[kSize][kGroupBlocks];
};

/// The gradient of a cell's volume measure on the same differences, N/Pa or with a unit of its own.
struct alignas(64) CutGradient {
  float entry[21][kGroupBlocks];
};

struct Tangents : TangentsOf<GroupTangent> {
  Tangents() = default;
  explicit Tangents(const Model& model) : TangentsOf(model), cut(model.matrix_count) {}

  std::vector<CutMatrix> cut;  ///< at CutGroup::matrix
};
/// Those of cells with points of their own stay as they are: in half precision a matrix that lets a
/// cell turn freely would not.
struct HalfTangents : TangentsOf<HalfGroupTangent> {
  using TangentsOf::TangentsOf;
  std::span<const CutMatrix> cut;
};

}  // namespace isochor::lattice
