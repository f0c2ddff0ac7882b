#include "isochor/materials/law_batch.h"

#include "isochor/materials/registry.h"
#include "isochor/math/dispatch.h"

namespace isochor::materials {

ISOCHOR_DECLARE_KERNEL(void evaluate_kernel(int law, const LawBatch<float>&))
ISOCHOR_DECLARE_KERNEL(void evaluate_kernel(int law, const LawBatch<double>&))

int tangent_numbers(int law) { return is_isotropic(law) ? 30 : DenseTangent<double>::kSize; }

bool has_whole_tangent(int law) {
  bool has = false;
  with_law(law, [&]<class Law>(Law) { has = kByInvariants<Law>; });
  return has;
}

void evaluate(int law, const LawBatch<float>& batch, Isa isa) {
  ISOCHOR_CALL_KERNEL(isa, evaluate_kernel(law, batch));
}
void evaluate(int law, const LawBatch<double>& batch, Isa isa) {
  ISOCHOR_CALL_KERNEL(isa, evaluate_kernel(law, batch));
}

}  // namespace isochor::materials
