#pragma once

#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "isochor/math/isa.h"
#include "isochor/math/scalar.h"

/// N numbers side by side: kernels are templates on the number type and run on a pack as they run
/// on a double. Only *_kernel.cpp files include this header. They are compiled once per instruction
/// set, and the packs of each live in an inline namespace of its name, so that one program can
/// hold all of them. No operation mixes lanes; AVX2 and AVX-512 give equal bits.
namespace isochor {
inline namespace ISOCHOR_ISA {

namespace detail {

/// a b + c, rounded once where the processor can. xsimd 8 leaves AVX-512 out.
template <class B>
ISOCHOR_KERNEL B fused(const B& a, const B& b, const B& c) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<typename B::value_type, float>) {
    return _mm512_fmadd_ps(a, b, c);
  } else {
    return _mm512_fmadd_pd(a, b, c);
  }
#else
  return xsimd::fma(a, b, c);
#endif
}

/// As in first_inverse_sqrt: bits as integers, halved, subtracted, and numbers again.
template <class B>
ISOCHOR_KERNEL B halved_exponent(const B& x) {
  constexpr auto kMagic = kInverseSqrtMagic<typename B::value_type>;
  using I = xsimd::batch<std::remove_const_t<decltype(kMagic)>>;
  return xsimd::bitwise_cast<B>(I(kMagic) - (xsimd::bitwise_cast<I>(x) >> 1));
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
  /// The same number in all lanes.
  template <class A>
  requires std::is_arithmetic_v<A> ISOCHOR_KERNEL explicit Pack(A value) {
    for (Batch& p : part) p = Batch(static_cast<S>(value));
  }
  /// N numbers from memory, of any alignment.
  static ISOCHOR_KERNEL Pack load(const S* from) {
    return zip([&](int i) { return Batch::load_unaligned(from + i * kWidth); });
  }
  ISOCHOR_KERNEL void store(S* to) const {
    for (int i = 0; i < kParts; ++i) part[i].store_unaligned(to + i * kWidth);
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
  friend ISOCHOR_KERNEL Pack operator-(const Pack& a) {
    return zip([&](int i) { return -a.part[i]; });
  }
  friend ISOCHOR_KERNEL Pack muladd(const Pack& a, const Pack& b, const Pack& c) {
    return zip([&](int i) { return detail::fused(a.part[i], b.part[i], c.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack sqrt(const Pack& a) {
    return zip([&](int i) { return xsimd::sqrt(a.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack expm1(const Pack& a) {
    return zip([&](int i) { return xsimd::expm1(a.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack log1p(const Pack& a) {
    return zip([&](int i) { return xsimd::log1p(a.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack first_inverse_sqrt(const Pack& a) {
    return zip([&](int i) { return detail::halved_exponent(a.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack abs(const Pack& a) {
    return zip([&](int i) { return xsimd::abs(a.part[i]); });
  }
  friend ISOCHOR_KERNEL Pack min(const Pack& a, const Pack& b) { return select(a < b, a, b); }
  friend ISOCHOR_KERNEL Pack max(const Pack& a, const Pack& b) { return select(a > b, a, b); }
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
