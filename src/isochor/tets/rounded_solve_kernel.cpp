#include "isochor/tets/half_vectors.h"
#include "isochor/tets/rounded_solve.h"

namespace isochor::tets {
inline namespace ISOCHOR_ISA {
namespace {

void store(const Four& v, float* to) {
  const Four three{v[0], v[1], v[2], 0};
  __builtin_memcpy(to, &three, sizeof three);
}

double dot3(const Four& a, const Four& b) {
  const Four product = a * b;
  return double(product[0]) + double(product[1]) + double(product[2]);
}

}  // namespace

void rounded_product_kernel(const RoundedIteration& it, std::size_t begin, std::size_t end,
                            double& sum) {
  sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    BlockSum blocks;
    const std::int32_t last = it.held[i] ? it.pattern.first[i] : it.pattern.first[i + 1];
    for (std::int32_t k = it.pattern.first[i]; k < last; ++k) {
      blocks.add(it.entries + 9 * std::ptrdiff_t(k),
                 it.p + 4 * std::ptrdiff_t(it.pattern.columns[k]));
    }
    const Four row = blocks.sum();
    store(row, it.image + 4 * i);
    sum += dot3(row, four(it.p + 4 * i));
  }
}

void rounded_advance_kernel(const RoundedIteration& it, float length, std::size_t begin,
                            std::size_t end, RoundedSums& sums) {
  sums = {};
  for (std::size_t i = begin; i < end; ++i) {
    const Four x = four(it.x + 4 * i) + length * four(it.p + 4 * i);
    const Four r = four(it.r + 4 * i) - length * four(it.image + 4 * i);
    const float* const inverse = it.inverse + 9 * i;
    const Four z = four(inverse) * r[0] + four(inverse + 3) * r[1] + four(inverse + 6) * r[2];
    store(x, it.x + 4 * i);
    store(r, it.r + 4 * i);
    store(z, it.image + 4 * i);
    const double scale = it.scale[i];
    sums += {dot3(r, z), scale * scale * dot3(r, r)};
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::tets
