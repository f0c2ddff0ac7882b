#include "tests/math/elementary_kernel.h"

#include "isochor/math/elementary.h"
#include "isochor/math/pack.h"

namespace isochor {
namespace {

template <class S, class F>
void map(const ElementaryBatch<S>& b, F&& f) {
  constexpr int kLanes = 2 * static_cast<int>(xsimd::batch<S>::size);
  using P = Pack<S, kLanes>;
  for (std::size_t k = 0; k < b.count; k += kLanes) f(P::load(b.in + k)).store(b.out + k);
}

template <class S>
void evaluate(const ElementaryBatch<S>& b) {
  switch (b.f) {
    case Elementary::Exp:
      return map(b, [](const auto& x) { return exp(x); });
    case Elementary::Expm1:
      return map(b, [](const auto& x) { return expm1(x); });
    case Elementary::Log:
      return map(b, [](const auto& x) { return log(x); });
    case Elementary::Log1p:
      return map(b, [](const auto& x) { return log1p(x); });
  }
}

}  // namespace

inline namespace ISOCHOR_ISA {

void elementary_kernel(const ElementaryBatch<float>& batch) { evaluate(batch); }
void elementary_kernel(const ElementaryBatch<double>& batch) { evaluate(batch); }

}  // namespace ISOCHOR_ISA
}  // namespace isochor
