#pragma once

#include <span>

#include "isochor/solve/block_rows.h"

namespace isochor::tets {

/// y = A x with blocks in single precision, multiplied and added up in double: half as many bytes
/// as in double, which is what products with matrices that are in no cache wait for. `blocks` has
/// one more than the pattern, whose numbers count for nothing.
struct RoundedRows {
  const solve::BlockPattern& pattern;
  const solve::Blocks<float>& blocks;
  std::span<const Vec3d> x;
  std::span<Vec3d> y;
};

}  // namespace isochor::tets
