#include "isochor/materials/law_batch_kernel.h"

namespace isochor::materials {
inline namespace ISOCHOR_ISA {

void evaluate_kernel(int law, const LawBatch<float>& batch) { detail::evaluate_all(law, batch); }

}  // namespace ISOCHOR_ISA
}  // namespace isochor::materials
