#pragma once

#include <vector>

#include "isochor/lattice/model.h"

namespace isochor::lattice {

/// The tangents of a group of blocks, cell after cell: what linearising writes and applying reads.
/// Those of a law times h/16, so that a kernel multiplies plain sums of edges, N/m; after them that
/// of the stabilisation, mu h/16. Single precision: a search direction needs no more.
template <int Numbers>
struct alignas(64) GroupTangent {
  float number[8][Numbers + 1][kGroupBlocks];
};
/// Of laws without directions of their own: the rotations as quaternions of length sqrt(2), four
/// numbers each, then the twelve of the tangent as materials::LawBatch lists them. Applying waits
/// for memory more than for arithmetic.
using PrincipalGroupTangent = GroupTangent<20>;
/// As materials::LawBatch lists them.
using DenseGroupTangent = GroupTangent<materials::DenseTangent<float>::kSize>;

/// One tangent per group, in the form that its laws ask for.
struct Tangents {
  explicit Tangents(const Model& model)
      : principal(model.groups.size() - model.axes.size()), dense(model.axes.size()) {}

  std::vector<PrincipalGroupTangent> principal;
  std::vector<DenseGroupTangent> dense;
};

}  // namespace isochor::lattice
