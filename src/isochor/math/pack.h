#pragma once

#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "isochor/math/half.h"
#include "isochor/math/isa.h"
#include "isochor/math/scalar.h"

/// N numbers side by side: kernels are templates on the number type and run on a pack as they run
/// on a double. Only *_kernel.cpp files include this header. They are compiled once per instruction
/// set, and the packs of each live in an inline namespace of its name, so that one program can
/// hold all of them. No operation mixes lanes; AVX2 and AVX-512 give equal bits.
namespace isochor {

/// The lanes of one register, and its bits.
template <class S, class Arch>
struct LaneOf<xsimd::batch<S, Arch>> {
  using type = S;
};
template <class S, class Arch>
struct BitPattern<xsimd::batch<S, Arch>> {
  using Bits = xsimd::batch<typename NumberFormat<S>::Bits, Arch>;
  static ISOCHOR_KERNEL Bits of(const xsimd::batch<S, Arch>& numbers) {
    return xsimd::bitwise_cast<Bits>(numbers);
  }
  static ISOCHOR_KERNEL xsimd::batch<S, Arch> number(const Bits& bits) {
    return xsimd::bitwise_cast<xsimd::batch<S, Arch>>(bits);
  }
};

inline namespace ISOCHOR_ISA {

namespace detail {

/// a b + c, a b - c and c - a b, rounded once where the processor can. xsimd 8 leaves AVX-512 out.
#if defined(__AVX512F__)
using Floats = xsimd::batch<float>;
using Doubles = xsimd::batch<double>;
ISOCHOR_KERNEL Floats fma(const Floats& a, const Floats& b, const Floats& c) {
  return _mm512_fmadd_ps(a, b, c);
}
ISOCHOR_KERNEL Doubles fma(const Doubles& a, const Doubles& b, const Doubles& c) {
  return _mm512_fmadd_pd(a, b, c);
}
ISOCHOR_KERNEL Floats fms(const Floats& a, const Floats& b, const Floats& c) {
  return _mm512_fmsub_ps(a, b, c);
}
ISOCHOR_KERNEL Doubles fms(const Doubles& a, const Doubles& b, const Doubles& c) {
  return _mm512_fmsub_pd(a, b, c);
}
ISOCHOR_KERNEL Floats fnma(const Floats& a, const Floats& b, const Floats& c) {
  return _mm512_fnmadd_ps(a, b, c);
}
ISOCHOR_KERNEL Doubles fnma(const Doubles& a, const Doubles& b, const Doubles& c) {
  return _mm512_fnmadd_pd(a, b, c);
}
#else
using xsimd::fma;
using xsimd::fms;
using xsimd::fnma;
#endif

/// One register of doubles from numbers stored in single precision.
ISOCHOR_KERNEL xsimd::batch<double> widened(const float* from) {
#if defined(__AVX512F__)
  return _mm512_cvtps_pd(_mm256_loadu_ps(from));
#elif defined(__AVX__)
  return _mm256_cvtps_pd(_mm_loadu_ps(from));
#else
  double wide[xsimd::batch<double>::size];
  for (std::size_t i = 0; i < xsimd::batch<double>::size; ++i) wide[i] = from[i];
  return xsimd::batch<double>::load_unaligned(wide);
#endif
}

/// One register of floats from numbers stored in half precision, and back.
ISOCHOR_KERNEL xsimd::batch<float> widened(const Half* from) {
#if defined(__AVX512F__)
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#elif defined(__F16C__)
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#else
  float wide[xsimd::batch<float>::size];
  for (std::size_t i = 0; i < xsimd::batch<float>::size; ++i) wide[i] = to_float(from[i]);
  return xsimd::batch<float>::load_unaligned(wide);
#endif
}
ISOCHOR_KERNEL void narrow(const xsimd::batch<float>& numbers, Half* to) {
#if defined(__AVX512F__)
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm512_cvtps_ph(numbers, _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm256_cvtps_ph(numbers, _MM_FROUND_TO_NEAREST_INT));
#else
  float wide[xsimd::batch<float>::size];
  numbers.store_unaligned(wide);
  for (std::size_t i = 0; i < xsimd::batch<float>::size; ++i) to[i] = to_half(wide[i]);
#endif
}

}  // namespace detail

/// What the comparison of two packs gives; select() takes it.
template <class S, int N>
struct Mask {
  static constexpr int kParts = N / static_cast<int>(xsimd::batch<S>::size);
  xsimd::batch_bool<S> part[kParts];

  friend ISOCHOR_KERNEL Mask operator!(Mask a) {
    for (auto& p : a.part) p = !p;
    return a;
  }
  friend ISOCHOR_KERNEL Mask operator&(Mask a, const Mask& b) {
    for (int i = 0; i < kParts; ++i) a.part[i] = a.part[i] & b.part[i];
    return a;
  }
  friend ISOCHOR_KERNEL Mask operator|(Mask a, const Mask& b) {
    for (int i = 0; i < kParts; ++i) a.part[i] = a.part[i] | b.part[i];
    return a;
  }
};

/// As many registers as N lanes take.
template <class S, int N>
struct Pack {
  using Batch = xsimd::batch<S>;
  static constexpr int kWidth = static_cast<int>(Batch::size);
  static constexpr int kParts = N / kWidth;
  static_assert(kParts * kWidth == N, "a pack is whole registers");
  Batch part[kParts];

  Pack() = default;
  // Register by register: GCC copies larger structs through memory, in pieces.
  ISOCHOR_KERNEL Pack(const Pack& other) { *this = other; }
  ISOCHOR_KERNEL Pack& operator=(const Pack& other) {  // NOLINT: of itself it changes nothing
    for (int i = 0; i < kParts; ++i) part[i] = other.part[i];
    return *this;
  }
  /// The same number in all lanes.
  template <class A>
  requires std::is_arithmetic_v<A> ISOCHOR_KERNEL explicit Pack(A value) {
    for (Batch& p : part) p = Batch(static_cast<S>(value));
  }
  /// N numbers from memory, of any alignment.
  static ISOCHOR_KERNEL Pack load(const S* from) {
    return zip([&](int i) { return Batch::load_unaligned(from + i * kWidth); });
  }
  /// The same from numbers of single precision.
  static ISOCHOR_KERNEL Pack load(const float* from) requires std::same_as<S, double> {
    return zip([&](int i) { return detail::widened(from + i * kWidth); });
  }
  /// The same from numbers of half precision.
  static ISOCHOR_KERNEL Pack load(const Half* from) requires std::same_as<S, float> {
    return zip([&](int i) { return detail::widened(from + i * kWidth); });
  }
  ISOCHOR_KERNEL void store(S* to) const {
    for (int i = 0; i < kParts; ++i) part[i].store_unaligned(to + i * kWidth);
  }
  ISOCHOR_KERNEL void store(Half* to) const requires std::same_as<S, float> {
    for (int i = 0; i < kParts; ++i) detail::narrow(part[i], to + i * kWidth);
  }

  friend ISOCHOR_KERNEL Pack operator+(const Pack& a, const Pack& b) {
    return zip([&](int i) { return a.part[i] + b.part[i]; });
  }
  friend ISOCHOR_KERNEL Pack operator-(const Pack& a, const Pack& b) {
    return zip([&](int i) { return a.part[i] - b.part[i]; });
  }
  friend ISOCHOR_KERNEL Pack operator*(const Pack& a, const Pack& b) {
    return zip([&](int i) { return a.part[i] * b.part[i]; });
  }
  friend ISOCHOR_KERNEL Pack operator/(const Pack& a, const Pack& b) {
    return zip([&](int i) { return a.part[i] / b.part[i]; });
  }
  /// Turns the sign bit; xsimd's AVX-512 subtracts from zero, which makes +0 of +0.
  friend ISOCHOR_KERNEL Pack operator-(const Pack& a) {
    return zip([&](int i) { return a.part[i] ^ Batch(S(-0.0)); });
  }
  friend ISOCHOR_KERNEL Pack muladd(const Pack& a, const Pack& b, const Pack& c) {
    return zip([&](int i) { return detail::fma(a.part[i], b.part[i], c.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack mulsub(const Pack& a, const Pack& b, const Pack& c) {
    return zip([&](int i) { return detail::fms(a.part[i], b.part[i], c.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack negmuladd(const Pack& a, const Pack& b, const Pack& c) {
    return zip([&](int i) { return detail::fnma(a.part[i], b.part[i], c.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack sqrt(const Pack& a) {
    return zip([&](int i) { return xsimd::sqrt(a.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack first_inverse_sqrt(const Pack& a) {
    return zip([&](int i) { return first_inverse_sqrt(a.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack times_power_of_two(const Pack& a, const Pack& k) {
    return zip([&](int i) { return times_power_of_two(a.part[i], k.part[i]); });
  }
  friend ISOCHOR_KERNEL SplitNumber<Pack> split_exponent(const Pack& a) {
    SplitNumber<Pack> r;
    for (int i = 0; i < kParts; ++i) {
      const SplitNumber<Batch> s = split_exponent(a.part[i]);
      r.exponent.part[i] = s.exponent;
      r.mantissa.part[i] = s.mantissa;
    }
    return r;
  }
  friend ISOCHOR_KERNEL Pack abs(const Pack& a) {
    return zip([&](int i) { return xsimd::abs(a.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack min(const Pack& a, const Pack& b) {
    return zip([&](int i) { return xsimd::min(a.part[i], b.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack max(const Pack& a, const Pack& b) {
    return zip([&](int i) { return xsimd::max(a.part[i], b.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack select(const Mask<S, N>& condition, const Pack& a, const Pack& b) {
    return zip([&](int i) { return xsimd::select(condition.part[i], a.part[i], b.part[i]); });
  }

  friend ISOCHOR_KERNEL Mask<S, N> operator<(const Pack& a, const Pack& b) {
    return compare([&](int i) { return a.part[i] < b.part[i]; });
  }
  friend ISOCHOR_KERNEL Mask<S, N> operator>(const Pack& a, const Pack& b) { return b < a; }
  friend ISOCHOR_KERNEL Mask<S, N> operator<=(const Pack& a, const Pack& b) {
    return compare([&](int i) { return a.part[i] <= b.part[i]; });
  }
  friend ISOCHOR_KERNEL Mask<S, N> operator>=(const Pack& a, const Pack& b) { return b <= a; }

 private:
  template <class F>
  static ISOCHOR_KERNEL Pack zip(F&& f) {
    Pack r;
    for (int i = 0; i < kParts; ++i) r.part[i] = f(i);
    return r;
  }
  template <class F>
  static ISOCHOR_KERNEL Mask<S, N> compare(F&& f) {
    Mask<S, N> r;
    for (int i = 0; i < kParts; ++i) r.part[i] = f(i);
    return r;
  }
};

}  // namespace ISOCHOR_ISA

template <class S, int N>
struct LaneOf<Pack<S, N>> {
  using type = S;
};

}  // namespace isochor
