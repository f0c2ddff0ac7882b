#include "isochor/tets/ring_rows.h"

#include "isochor/math/dispatch.h"

namespace isochor::tets {

ISOCHOR_DECLARE_KERNEL(void round_numbers_kernel(const float*, float, std::size_t, Half*))
ISOCHOR_DECLARE_KERNEL(void widen_numbers_kernel(const Half*, std::size_t, float*))
ISOCHOR_DECLARE_KERNEL(void sum_pushes_kernel(const RingRows&, const float*, std::size_t,
                                              std::size_t, float*))
ISOCHOR_DECLARE_KERNEL(void sum_along_kernel(const RingRows&, const float*, std::size_t,
                                             std::size_t, float*))

void round_numbers(const float* from, float factor, std::size_t count, Half* to) {
  ISOCHOR_CALL_KERNEL(best_isa(), round_numbers_kernel(from, factor, count, to));
}

void widen_numbers(const Half* from, std::size_t count, float* to) {
  ISOCHOR_CALL_KERNEL(best_isa(), widen_numbers_kernel(from, count, to));
}

void sum_pushes(const RingRows& rows, const float* numbers, std::size_t begin, std::size_t end,
                float* out) {
  ISOCHOR_CALL_KERNEL(best_isa(), sum_pushes_kernel(rows, numbers, begin, end, out));
}

void sum_along(const RingRows& rows, const float* vectors, std::size_t begin, std::size_t end,
               float* out) {
  ISOCHOR_CALL_KERNEL(best_isa(), sum_along_kernel(rows, vectors, begin, end, out));
}

}  // namespace isochor::tets
