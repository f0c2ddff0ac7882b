#include "isochor/solve/envelope.h"

#include "isochor/math/dispatch.h"

namespace isochor::solve {

ISOCHOR_DECLARE_KERNEL(void factorise_kernel(const Envelope&, double* entries,
                                             const double* diagonal, const Pivots&,
                                             double* by_pivot))
ISOCHOR_DECLARE_KERNEL(void solve_kernel(const Envelope&, const float* factors,
                                         const double* by_pivot, double* x))

void factorise_envelope(const Envelope& envelope, double* entries, const double* diagonal,
                        const Pivots& pivots, double* by_pivot) {
  ISOCHOR_CALL_KERNEL(best_isa(), factorise_kernel(envelope, entries, diagonal, pivots, by_pivot));
}

void solve_envelope(const Envelope& envelope, const float* factors, const double* by_pivot,
                    double* x) {
  ISOCHOR_CALL_KERNEL(best_isa(), solve_kernel(envelope, factors, by_pivot, x));
}

}  // namespace isochor::solve
