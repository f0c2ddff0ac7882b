#include "isochor/lattice/differential_kernel.h"

namespace isochor::lattice {
inline namespace ISOCHOR_ISA {

void apply_kernel(const Model& model, const Tangents& tangents, GroupRange range,
                  const Vec3<double>* displacements, Vec3<double>* out) {
  detail::apply_groups(model, tangents, range, displacements, out);
}
void diagonal_kernel(const Model& model, const Tangents& tangents, GroupRange range,
                     Vec3<double>* diagonal) {
  detail::add_diagonals(model, tangents, range, diagonal);
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::lattice
