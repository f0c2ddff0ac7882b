#pragma once

#include "isochor/math/pack.h"

/// Vectors of three numbers in half precision, for *_kernel.cpp files.
namespace isochor::tets {
inline namespace ISOCHOR_ISA {

using Four = float __attribute__((vector_size(16)));

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

/// All four are written.
ISOCHOR_KERNEL void store_four(Four from, Half* to) {
#if defined(__F16C__)
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_cvtps_ph(from, _MM_FROUND_TO_NEAREST_INT));
#else
  for (int i = 0; i < 4; ++i) to[i] = to_half(from[i]);
#endif
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::tets
