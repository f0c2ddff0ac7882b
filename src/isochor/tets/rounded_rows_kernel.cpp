#include "isochor/tets/rounded_rows.h"

namespace isochor::tets {
inline namespace ISOCHOR_ISA {

/// Columns of blocks as vectors of four: what the fourth is, the next number in memory, is left
/// out at the end.
void rounded_rows_kernel(const RoundedRows& rows, std::size_t begin, std::size_t end) {
  using Four = double __attribute__((vector_size(32)));
  using FourSingle = float __attribute__((vector_size(16)));
  const auto add = [](const float* column, double factor, Four& to) {
    FourSingle v;
    __builtin_memcpy(&v, column, sizeof v);
    to += __builtin_convertvector(v, Four) * factor;
  };
  for (std::size_t i = begin; i < end; ++i) {
    Four a{}, b{}, c{};
    for (std::int32_t k = rows.pattern.first[i]; k < rows.pattern.first[i + 1]; ++k) {
      const float* block = rows.blocks[k].column[0].e;
      const Vec3d& x = rows.x[rows.pattern.columns[k]];
      add(block, x[0], a);
      add(block + 3, x[1], b);
      add(block + 6, x[2], c);
    }
    const Four sum = a + b + c;
    rows.y[i] = {sum[0], sum[1], sum[2]};
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::tets
