#pragma once

#include <cstddef>

#include "isochor/math/isa.h"

namespace isochor {

/// Many decompositions at once. Structure of arrays, matrices by columns: entry (i, j) of matrix k
/// is at [(3 j + i) count + k], singular value i at [i count + k]. The caller owns all memory.
template <class S>
struct SvdBatch {
  std::size_t count = 0;
  const S* matrices = nullptr;
  S* U = nullptr;
  S* sigma = nullptr;
  S* V = nullptr;
};

/// Decomposes all of them as svd() does, with the packs of an instruction set that this processor
/// must have. AVX2 and AVX-512 give equal bits.
void svd_batch(const SvdBatch<float>& batch, Isa isa = best_isa());
void svd_batch(const SvdBatch<double>& batch, Isa isa = best_isa());

}  // namespace isochor
