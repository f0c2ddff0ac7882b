#pragma once

#include "isochor/math/pack.h"
#include "isochor/staggered/passes.h"

/// How packs read the fields of a level: from neighbours in a row, or from cells anywhere.
namespace isochor::staggered {
inline namespace ISOCHOR_ISA {

template <class S>
inline constexpr int kLanes = static_cast<int>(xsimd::batch<S>::size);
template <class S>
using Lanes = Pack<S, kLanes<S>>;

/// As many small integers as there are lanes, by any way of getting them.
template <class S, class F>
ISOCHOR_KERNEL Lanes<S> from_each(F&& f) {
  S numbers[kLanes<S>];
  for (int i = 0; i < kLanes<S>; ++i) numbers[i] = static_cast<S>(f(i));
  return Lanes<S>::load(numbers);
}

#if defined(__AVX512F__)
using Integers = __m512i;
ISOCHOR_KERNEL Lanes<float> to_lanes(Integers i) {
  Lanes<float> r;
  r.part[0] = _mm512_cvtepi32_ps(i);
  return r;
}
ISOCHOR_KERNEL Integers widened(const std::uint8_t* from) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
ISOCHOR_KERNEL Integers widened(const std::uint16_t* from) {
  return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
ISOCHOR_KERNEL Integers low_bit(Integers i, int shift) {
  return _mm512_and_epi32(_mm512_srl_epi32(i, _mm_cvtsi32_si128(shift)), _mm512_set1_epi32(1));
}
ISOCHOR_KERNEL Integers low_byte(Integers i) { return _mm512_and_epi32(i, _mm512_set1_epi32(255)); }
ISOCHOR_KERNEL Integers sum(Integers a, int b) { return _mm512_add_epi32(a, _mm512_set1_epi32(b)); }
ISOCHOR_KERNEL Integers product(Integers a, int b) {
  return _mm512_mullo_epi32(a, _mm512_set1_epi32(b));
}
ISOCHOR_KERNEL Integers gathered(const std::uint8_t* from, Integers at) {
  return low_byte(_mm512_i32gather_epi32(at, from, 1));
}
ISOCHOR_KERNEL Lanes<float> gathered(const float* from, Integers at) {
  Lanes<float> r;
  r.part[0] = _mm512_i32gather_ps(at, from, 4);
  return r;
}
ISOCHOR_KERNEL Integers load_integers(const std::int32_t* from) { return _mm512_loadu_si512(from); }
/// The lanes of which a bit is set, zero in others whatever they hold.
ISOCHOR_KERNEL Lanes<float> only(unsigned bits, const Lanes<float>& a) {
  Lanes<float> r;
  r.part[0] = _mm512_maskz_mov_ps(static_cast<__mmask16>(bits), a.part[0]);
  return r;
}
#elif defined(__AVX2__)
using Integers = __m256i;
ISOCHOR_KERNEL Lanes<float> to_lanes(Integers i) {
  Lanes<float> r;
  r.part[0] = _mm256_cvtepi32_ps(i);
  return r;
}
ISOCHOR_KERNEL Integers widened(const std::uint8_t* from) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
}
ISOCHOR_KERNEL Integers widened(const std::uint16_t* from) {
  return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
ISOCHOR_KERNEL Integers low_bit(Integers i, int shift) {
  return _mm256_and_si256(_mm256_srl_epi32(i, _mm_cvtsi32_si128(shift)), _mm256_set1_epi32(1));
}
ISOCHOR_KERNEL Integers low_byte(Integers i) { return _mm256_and_si256(i, _mm256_set1_epi32(255)); }
ISOCHOR_KERNEL Integers sum(Integers a, int b) { return _mm256_add_epi32(a, _mm256_set1_epi32(b)); }
ISOCHOR_KERNEL Integers product(Integers a, int b) {
  return _mm256_mullo_epi32(a, _mm256_set1_epi32(b));
}
ISOCHOR_KERNEL Integers gathered(const std::uint8_t* from, Integers at) {
  return low_byte(_mm256_i32gather_epi32(reinterpret_cast<const int*>(from), at, 1));
}
ISOCHOR_KERNEL Lanes<float> gathered(const float* from, Integers at) {
  Lanes<float> r;
  r.part[0] = _mm256_i32gather_ps(from, at, 4);
  return r;
}
ISOCHOR_KERNEL Integers load_integers(const std::int32_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
ISOCHOR_KERNEL Lanes<float> only(unsigned bits, const Lanes<float>& a) {
  const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i set = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits)), lane);
  Lanes<float> r;
  r.part[0] = _mm256_and_ps(a.part[0], _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, lane)));
  return r;
}
#else
struct Integers {
  std::int32_t e[kLanes<float>];
};
template <class F>
ISOCHOR_KERNEL Integers each_integer(F&& f) {
  Integers r;
  for (int i = 0; i < kLanes<float>; ++i) r.e[i] = static_cast<std::int32_t>(f(i));
  return r;
}
ISOCHOR_KERNEL Lanes<float> to_lanes(const Integers& a) {
  return from_each<float>([&](int i) { return a.e[i]; });
}
template <class Small>
ISOCHOR_KERNEL Integers widened(const Small* from) {
  return each_integer([&](int i) { return from[i]; });
}
ISOCHOR_KERNEL Integers low_bit(const Integers& a, int shift) {
  return each_integer([&](int i) { return a.e[i] >> shift & 1; });
}
ISOCHOR_KERNEL Integers sum(const Integers& a, int b) {
  return each_integer([&](int i) { return a.e[i] + b; });
}
ISOCHOR_KERNEL Integers product(const Integers& a, int b) {
  return each_integer([&](int i) { return a.e[i] * b; });
}
ISOCHOR_KERNEL Integers gathered(const std::uint8_t* from, const Integers& at) {
  return each_integer([&](int i) { return from[at.e[i]]; });
}
ISOCHOR_KERNEL Lanes<float> gathered(const float* from, const Integers& at) {
  return from_each<float>([&](int i) { return from[at.e[i]]; });
}
ISOCHOR_KERNEL Integers load_integers(const std::int32_t* from) {
  return each_integer([&](int i) { return from[i]; });
}
ISOCHOR_KERNEL Lanes<float> only(unsigned bits, const Lanes<float>& a) {
  float numbers[kLanes<float>];
  a.store(numbers);
  return from_each<float>([&](int i) { return bits >> i & 1 ? numbers[i] : 0.0f; });
}
#endif

/// Lanes are cells of one row, from x on.
template <int D, class S>
struct AlongRow {
  using Value = Lanes<S>;
  std::int64_t start[5][5];  ///< of rows up to two away along z and y
  std::int64_t x = 0;

  ISOCHOR_KERNEL AlongRow(const View<D, S>& view, std::int64_t row) {
    for (int z = 0; z < 5; ++z) {
      for (int y = 0; y < 5; ++y) {
        const bool reached = D > 2 ? (z - 2) * (z - 2) + (y - 2) * (y - 2) <= 4 : z == 2;
        start[z][y] = reached ? view.base[row + (y - 2) + (z - 2) * view.across] : 0;
      }
    }
  }
  ISOCHOR_KERNEL std::int64_t place(const Shift& s) const {
    return start[s.d[2] + 2][s.d[1] + 2] + s.d[0] + x;
  }
  ISOCHOR_KERNEL Value number(const S* field, const Shift& s) const {
    return Value::load(field + place(s));
  }
  ISOCHOR_KERNEL Value byte(const std::uint8_t* field, const Shift& s) const {
    const std::uint8_t* from = field + place(s);
    if constexpr (sizeof(S) == 4) return to_lanes(widened(from));
    return from_each<S>([&](int i) { return from[i]; });
  }
  ISOCHOR_KERNEL Value bit(const std::uint16_t* field, int shift, const Shift& s) const {
    const std::uint16_t* from = field + place(s);
    if constexpr (sizeof(S) == 4) return to_lanes(low_bit(widened(from), shift));
    return from_each<S>([&](int i) { return from[i] >> shift & 1; });
  }
};

/// Lanes are cells anywhere, at places that are told.
template <int D>
struct Anywhere {
  using Value = Lanes<float>;
  Integers start[4][4];  ///< of rows from one before theirs to two behind, along z and y

  ISOCHOR_KERNEL Anywhere(const View<D, float>& view, const BandCell* cells) {
    for (int z = 0; z < 4; ++z) {
      for (int y = 0; y < 4; ++y) {
        const bool reached = D > 2 ? (z < 3 && y < 3) || z + y == 4 : z == 1;
        const std::int64_t row = reached ? (y - 1) + (z - 1) * view.across : 0;
        std::int32_t places[kLanes<float>];
        for (int i = 0; i < kLanes<float>; ++i) {
          places[i] = std::int32_t(view.base[cells[i].row + row] + cells[i].x);
        }
        start[z][y] = load_integers(places);
      }
    }
  }
  ISOCHOR_KERNEL Value number(const float* field, const Shift& s) const {
    return gathered(field + s.d[0], start[s.d[2] + 1][s.d[1] + 1]);
  }
  ISOCHOR_KERNEL Value byte(const std::uint8_t* field, const Shift& s) const {
    return to_lanes(gathered(field + s.d[0], start[s.d[2] + 1][s.d[1] + 1]));
  }
};

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
