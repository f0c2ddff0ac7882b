#pragma once

#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"
#include "isochor/materials/tangent_numbers.h"
#include "isochor/math/flush_denormals.h"
#include "isochor/math/pack.h"

/// The kernel behind law_batch.h. Every precision has a source of its own, so that none takes long
/// to compile.
namespace isochor::materials {
inline namespace ISOCHOR_ISA {
namespace detail {

/// One pack; `stride` is how far apart two numbers of an item lie.
template <class Law, class S, int N>
void evaluate_pack(const LawBatch<S>& b, std::size_t stride) {
  using P = Pack<S, N>;
  Mat3<P> F;
  for (int e = 0; e < 9; ++e) F(e % 3, e / 3) = P::load(b.F + e * stride);
  Parameters<P> p{P::load(b.mu), P::load(b.lambda),
                  b.activation ? P::load(b.activation) : P(b.common.activation),
                  b.fibres ? P::load(b.fibres) : P(b.common.fibres)};
  for (int i = 0; i < kMaxShape; ++i) p.shape[i] = P(b.common.shape[i]);
  if (b.energy || b.stress) {
    const Response<P> r = Law::respond(F, p);
    if (b.energy) r.energy.store(b.energy);
    for (int e = 0; b.stress && e < 9; ++e) r.stress(e % 3, e / 3).store(b.stress + e * stride);
  }
  const auto store = [&](int e, const P& number) { number.store(b.tangent + e * stride); };
  if (!b.tangent) return;
  if constexpr (kByInvariants<Law>) {
    if (b.whole) return for_each_number(Law::linearise_whole(F, p), store);
  }
  typename Law::template Tangent<P> t = Law::linearise(F, p);
  if (!b.whole) make_definite(t, b.fix);
  for_each_number(t, store);
}

/// The last, incomplete pack goes through memory of its own, filled up with F = 0.
template <class Law, class S, int N>
void evaluate_rest(const LawBatch<S>& b, std::size_t begin) {
  constexpr int kNumbers = 64;
  const std::size_t rest = b.count - begin;
  S in[13 * N] = {}, out[kNumbers * N];
  LawBatch<S> own = b;
  own.F = in;
  own.mu = in + 9 * N;
  own.lambda = in + 10 * N;
  if (b.activation) own.activation = in + 11 * N;
  if (b.fibres) own.fibres = in + 12 * N;
  for (std::size_t i = 0; i < rest; ++i) {
    for (int e = 0; e < 9; ++e) in[e * N + i] = b.F[e * b.count + begin + i];
    in[9 * N + i] = b.mu[begin + i];
    in[10 * N + i] = b.lambda[begin + i];
    if (b.activation) in[11 * N + i] = b.activation[begin + i];
    if (b.fibres) in[12 * N + i] = b.fibres[begin + i];
  }
  const auto fetch = [&](S* LawBatch<S>::*result, int numbers) {
    if (!(b.*result)) return;
    own.energy = own.stress = own.tangent = nullptr;
    own.*result = out;
    evaluate_pack<Law, S, N>(own, N);
    for (int e = 0; e < numbers; ++e) {
      for (std::size_t i = 0; i < rest; ++i) (b.*result)[e * b.count + begin + i] = out[e * N + i];
    }
  };
  fetch(&LawBatch<S>::energy, 1);
  fetch(&LawBatch<S>::stress, 9);
  fetch(&LawBatch<S>::tangent, kIsotropic<Law> && !b.whole ? 30 : DenseTangent<S>::kSize);
}

template <class S>
void evaluate_all(int law, const LawBatch<S>& b) {
  constexpr int kLanes = static_cast<int>(xsimd::batch<S>::size);
  const FlushDenormals flush;
  with_law(law, [&]<class Law>(Law) {
    std::size_t k = 0;
    for (; k + kLanes <= b.count; k += kLanes) {
      LawBatch<S> part = b;
      part.F += k;
      part.mu += k;
      part.lambda += k;
      if (b.activation) part.activation += k;
      if (b.fibres) part.fibres += k;
      if (b.energy) part.energy += k;
      if (b.stress) part.stress += k;
      if (b.tangent) part.tangent += k;
      evaluate_pack<Law, S, kLanes>(part, b.count);
    }
    if (k < b.count) evaluate_rest<Law, S, kLanes>(b, k);
  });
}

}  // namespace detail
}  // namespace ISOCHOR_ISA
}  // namespace isochor::materials
