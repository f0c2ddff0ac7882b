#pragma once

#include "isochor/math/pack.h"

/// Vectors of three numbers in half precision, for *_kernel.cpp files.
namespace isochor::tets {
inline namespace ISOCHOR_ISA {

using Four = float __attribute__((vector_size(16)));
using Eight = float __attribute__((vector_size(32)));

/// The fourth is the next number in memory, and counts for nothing.
ISOCHOR_KERNEL Four four(const Half* from) {
#if defined(__AVX512VL__)
  return _mm_maskz_cvtph_ps(0xf, _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
#elif defined(__F16C__)
  return _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
#else
  return Four{to_float(from[0]), to_float(from[1]), to_float(from[2]), 0};
#endif
}

ISOCHOR_KERNEL Four four(const float* from) {
  Four v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

/// Eight are written.
ISOCHOR_KERNEL void store_eight(const Eight& from, Half* to) {
#if defined(__F16C__)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm256_cvtps_ph(from, _MM_FROUND_TO_NEAREST_INT));
#else
  for (int i = 0; i < 8; ++i) to[i] = to_half(from[i]);
#endif
}

/// All four are written.
ISOCHOR_KERNEL void store_four(Four from, Half* to) {
#if defined(__F16C__)
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_cvtps_ph(from, _MM_FROUND_TO_NEAREST_INT));
#else
  for (int i = 0; i < 4; ++i) to[i] = to_half(from[i]);
#endif
}

/// A sum of blocks in half precision times vectors: of each column by itself first, so that all
/// instructions add in one order. Of a block 16 numbers are read and nine count; a vector has four,
/// the last of which is finite.
class BlockSum {
 public:
#if defined(__AVX512F__)
  ISOCHOR_KERNEL void add(const Half* block, const float* p) {
    const __m512i lanes = _mm512_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3);
    const __m512 nine =
        _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)));
    sums_ += nine * _mm512_permutexvar_ps(lanes, _mm512_castps128_ps512(four(p)));
  }
  /// The fourth number means nothing.
  ISOCHOR_KERNEL Four sum() const {
    const __m512i second = _mm512_setr_epi32(3, 4, 5, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m512i third = _mm512_setr_epi32(6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    return _mm512_castps512_ps128(sums_) +
           _mm512_castps512_ps128(_mm512_permutexvar_ps(second, sums_)) +
           _mm512_castps512_ps128(_mm512_permutexvar_ps(third, sums_));
  }

 private:
  __m512 sums_{};
#else
  ISOCHOR_KERNEL void add(const Half* block, const float* p) {
    for (int c = 0; c < 3; ++c) columns_[c] += four(block + 3 * c) * p[c];
  }
  ISOCHOR_KERNEL Four sum() const { return columns_[0] + columns_[1] + columns_[2]; }

 private:
  Four columns_[3]{};
#endif
};

}  // namespace ISOCHOR_ISA
}  // namespace isochor::tets
