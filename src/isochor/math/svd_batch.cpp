#include "isochor/math/svd_batch.h"

#include "isochor/math/dispatch.h"

namespace isochor {

ISOCHOR_DECLARE_KERNEL(void svd_batch_kernel(const SvdBatch<float>&))
ISOCHOR_DECLARE_KERNEL(void svd_batch_kernel(const SvdBatch<double>&))

void svd_batch(const SvdBatch<float>& batch, Isa isa) {
  ISOCHOR_CALL_KERNEL(isa, svd_batch_kernel(batch));
}
void svd_batch(const SvdBatch<double>& batch, Isa isa) {
  ISOCHOR_CALL_KERNEL(isa, svd_batch_kernel(batch));
}

}  // namespace isochor
