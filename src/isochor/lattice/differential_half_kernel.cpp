#include <algorithm>
#include <cmath>

#include "isochor/lattice/differential_kernel.h"

namespace isochor::lattice {
namespace {

using P = Pack<float, kGroupBlocks>;

/// The largest number that a tangent keeps stays this far below the largest of half precision.
constexpr float kLargest = 32768;

/// Numbers from `first` on are in units.
template <int Numbers>
void halve(const GroupTangent<Numbers>& from, int first, HalfGroupTangent<Numbers>& to) {
  P largest(0);
  for (const auto& cell : from.number) {
    for (int e = first; e <= Numbers; ++e) largest = max(largest, abs(P::load(cell[e])));
  }
  float most[kGroupBlocks];
  largest.store(most);
  int exponent = 0;
  std::frexp(*std::max_element(most, most + kGroupBlocks) / kLargest, &exponent);
  to.unit = std::ldexp(1.0f, exponent);
  const P units(std::ldexp(1.0f, -exponent));
  for (int c = 0; c < 8; ++c) {
    for (int e = 0; e <= Numbers; ++e) {
      const P number = P::load(from.number[c][e]);
      (e < first ? number : number * units).store(to.number[c][e]);
    }
  }
}

}  // namespace

inline namespace ISOCHOR_ISA {

void halve_kernel(const PrincipalGroupTangent& from, HalfGroupTangent<kPrincipalNumbers>& to) {
  halve(from, 8, to);
}
void halve_kernel(const DenseGroupTangent& from, HalfGroupTangent<kDenseNumbers>& to) {
  halve(from, 0, to);
}

void apply_kernel(const Model& model, const HalfTangents& tangents, GroupRange range,
                  const Vec3<float>* displacements, Vec3<float>* out) {
  detail::apply_groups(model, tangents, range, displacements, out);
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::lattice
