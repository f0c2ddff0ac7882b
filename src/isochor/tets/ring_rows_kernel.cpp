#include "isochor/tets/half_vectors.h"
#include "isochor/tets/ring_rows.h"

namespace isochor::tets {
inline namespace ISOCHOR_ISA {

void round_numbers_kernel(const float* from, float factor, std::size_t count, Half* to) {
  using Sixteen = Pack<float, 16>;
  for (std::size_t i = 0; i < count; i += 16)
    (Sixteen::load(from + i) * Sixteen(factor)).store(to + i);
}

void widen_numbers_kernel(const Half* from, std::size_t count, float* to) {
  using Sixteen = Pack<float, 16>;
  for (std::size_t i = 0; i < count; i += 16) Sixteen::load(from + i).store(to + i);
}

void sum_pushes_kernel(const RingRows& rows, const float* numbers, std::size_t begin,
                       std::size_t end, float* out) {
  const std::int32_t* const columns = rows.pattern.columns.data();
  for (std::size_t i = begin; i < end; ++i) {
    Four even{}, odd{};  // so that one sum need not wait for the other
    std::int32_t k = rows.pattern.first[i];
    const std::int32_t last = rows.pattern.first[i + 1];
    for (; k + 2 <= last; k += 2) {
      const Half* const entry = rows.entries + 3 * std::ptrdiff_t(k);
      even += four(entry) * numbers[columns[k]];
      odd += four(entry + 3) * numbers[columns[k + 1]];
    }
    if (k < last) even += four(rows.entries + 3 * std::ptrdiff_t(k)) * numbers[columns[k]];
    const Four sum = even + odd;
    for (int a = 0; a < 3; ++a) out[4 * i + a] = sum[a];
    out[4 * i + 3] = 0;
  }
}

void sum_along_kernel(const RingRows& rows, const float* vectors, std::size_t begin,
                      std::size_t end, float* out) {
  const std::int32_t* const columns = rows.pattern.columns.data();
  for (std::size_t i = begin; i < end; ++i) {
    Four even{}, odd{};
    std::int32_t k = rows.pattern.first[i];
    const std::int32_t last = rows.pattern.first[i + 1];
    for (; k + 2 <= last; k += 2) {
      const Half* const entry = rows.entries + 3 * std::ptrdiff_t(k);
      even += four(entry) * four(vectors + 4 * std::ptrdiff_t(columns[k]));
      odd += four(entry + 3) * four(vectors + 4 * std::ptrdiff_t(columns[k + 1]));
    }
    if (k < last) {
      even += four(rows.entries + 3 * std::ptrdiff_t(k)) *
              four(vectors + 4 * std::ptrdiff_t(columns[k]));
    }
    const Four sum = even + odd;
    out[i] = sum[0] + sum[1] + sum[2];
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::tets
