#pragma once

#include "isochor/math/half.h"
#include "isochor/solve/block_rows.h"

namespace isochor::tets {

/// Slopes of one-rings in half precision, three numbers for each entry of a pattern, in units: what
/// an iteration for pressures reads most of.
struct RingRows {
  const solve::BlockPattern& pattern;
  const Half* entries = nullptr;
};

/// What kernels may read behind the last entry.
inline constexpr std::size_t kMoreHalves = 16;

/// Rounds numbers times a factor. Sixteen at a time, here and back: as many as that are read and
/// written in place of what is left of them at the end.
void round_numbers(const float* from, float factor, std::size_t count, Half* to);
/// And back.
void widen_numbers(const Half* from, std::size_t count, float* to);
/// Per row the sum of entries times a number a node, as vectors of four numbers, the last of which
/// is nothing; and the sum of entries along such vectors.
void sum_pushes(const RingRows& rows, const float* numbers, std::size_t begin, std::size_t end,
                float* out);
void sum_along(const RingRows& rows, const float* vectors, std::size_t begin, std::size_t end,
               float* out);

}  // namespace isochor::tets
