#include "isochor/math/flush_denormals.h"
#include "isochor/math/pack.h"
#include "isochor/math/svd.h"
#include "isochor/math/svd_batch.h"

namespace isochor {
namespace {

/// N matrices side by side; `entry` is how far apart two entries of a matrix lie.
template <class S, int N>
ISOCHOR_KERNEL void decompose(const S* matrices, S* U, S* sigma, S* V, std::size_t entry) {
  using P = Pack<S, N>;
  Mat3<P> A;
  for (int e = 0; e < 9; ++e) A(e % 3, e / 3) = P::load(matrices + e * entry);
  const Svd<P> f = svd(A);
  for (int e = 0; e < 9; ++e) {
    f.U(e % 3, e / 3).store(U + e * entry);
    f.V(e % 3, e / 3).store(V + e * entry);
  }
  for (int i = 0; i < 3; ++i) f.sigma[i].store(sigma + i * entry);
}

template <class S>
void decompose_all(const SvdBatch<S>& b) {
  // Two registers per number: one decomposition is a chain of dependent operations, and a second
  // one fills its gaps.
  constexpr int kLanes = 2 * static_cast<int>(xsimd::batch<S>::size);
  const FlushDenormals flush;
  std::size_t k = 0;
  for (; k + kLanes <= b.count; k += kLanes) {
    decompose<S, kLanes>(b.matrices + k, b.U + k, b.sigma + k, b.V + k, b.count);
  }
  // The last, incomplete pack goes through memory of its own.
  const std::size_t rest = b.count - k;
  if (rest == 0) return;
  S matrices[9 * kLanes] = {}, U[9 * kLanes], sigma[3 * kLanes], V[9 * kLanes];
  for (int e = 0; e < 9; ++e) {
    for (std::size_t i = 0; i < rest; ++i)
      matrices[e * kLanes + i] = b.matrices[e * b.count + k + i];
  }
  decompose<S, kLanes>(matrices, U, sigma, V, kLanes);
  for (std::size_t i = 0; i < rest; ++i) {
    for (int e = 0; e < 9; ++e) {
      b.U[e * b.count + k + i] = U[e * kLanes + i];
      b.V[e * b.count + k + i] = V[e * kLanes + i];
    }
    for (int e = 0; e < 3; ++e) b.sigma[e * b.count + k + i] = sigma[e * kLanes + i];
  }
}

}  // namespace

inline namespace ISOCHOR_ISA {

void svd_batch_kernel(const SvdBatch<float>& batch) { decompose_all(batch); }
void svd_batch_kernel(const SvdBatch<double>& batch) { decompose_all(batch); }

}  // namespace ISOCHOR_ISA
}  // namespace isochor
