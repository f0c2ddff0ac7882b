#include <algorithm>

#include "isochor/tets/half_vectors.h"
#include "isochor/tets/rounded_rows.h"

namespace isochor::tets {
inline namespace ISOCHOR_ISA {

void round_rows_kernel(const RoundingView& rows, std::size_t begin, std::size_t end) {
  constexpr float kMost =
      6e4f;  // of half precision; nothing comes near but what is far from definite
  constexpr int kTogether = 16;  // blocks
  using Pack16 = Pack<float, 16>;
  float scaled[9 * kTogether] = {};
  Half rounded[9 * kTogether];
  for (std::size_t i = begin; i < end; ++i) {
    const std::int32_t last = rows.pattern.first[i + 1];
    for (std::int32_t k = rows.pattern.first[i]; k < last; k += kTogether) {
      const int count = std::min(kTogether, last - k);
      for (int b = 0; b < count; ++b) {
        const double* const block = rows.blocks + 9 * std::ptrdiff_t(k + b);
        const float factor = rows.by_scale[i] * rows.by_scale[rows.pattern.columns[k + b]];
        for (int e = 0; e < 9; ++e) {
          scaled[9 * b + e] = std::clamp(float(block[e]) * factor, -kMost, kMost);
        }
      }
      for (int e = 0; e < 9 * count; e += 16) {
        Pack16::load(scaled + e).store(rounded + e);
      }
      std::copy_n(rounded, 9 * count, rows.entries + 9 * std::ptrdiff_t(k));
    }
  }
}

void rounded_rows_kernel(const RoundedView& rows, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    Four a{}, b{}, c{};
    for (std::int32_t k = rows.pattern.first[i]; k < rows.pattern.first[i + 1]; ++k) {
      const Half* const block = rows.entries + 9 * std::ptrdiff_t(k);
      const float* const x = rows.x + 4 * std::ptrdiff_t(rows.pattern.columns[k]);
      a += four(block) * x[0];
      b += four(block + 3) * x[1];
      c += four(block + 6) * x[2];
    }
    const Four sum = (a + b + c) * rows.scale[i];
    rows.y[i] = {double(sum[0]), double(sum[1]), double(sum[2])};
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::tets
