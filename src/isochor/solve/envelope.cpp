#include "isochor/solve/envelope.h"

#include "isochor/math/dispatch.h"

namespace isochor::solve {

ISOCHOR_DECLARE_KERNEL(void factorise_kernel(const Envelope&, double* entries,
                                             const double* diagonal, const Pivots&,
                                             double* by_pivot))
ISOCHOR_DECLARE_KERNEL(void forward_kernel(const Envelope&, const float* factors, double* x))
ISOCHOR_DECLARE_KERNEL(void backward_kernel(const Envelope&, const float* factors,
                                            const double* by_pivot, double* x))

void factorise_envelope(const Envelope& envelope, double* entries, const double* diagonal,
                        const Pivots& pivots, double* by_pivot) {
  ISOCHOR_CALL_KERNEL(best_isa(), factorise_kernel(envelope, entries, diagonal, pivots, by_pivot));
}

void forward_envelope(const Envelope& envelope, const float* factors, double* x) {
  ISOCHOR_CALL_KERNEL(best_isa(), forward_kernel(envelope, factors, x));
}

void backward_envelope(const Envelope& envelope, const float* factors, const double* by_pivot,
                       double* x) {
  ISOCHOR_CALL_KERNEL(best_isa(), backward_kernel(envelope, factors, by_pivot, x));
}

}  // namespace isochor::solve
