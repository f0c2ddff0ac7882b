#include "reproduce/variants/zhu_differential.h"

#include "isochor/math/svd.h"

namespace isochor::reproduce {

Mat3d zhu_differential(const Mat3d& F, const Mat3d& dF, double mu, double lambda) {
  const Svd<double> f = svd(F);
  const Mat3d R = times_transpose(f.U, f.V);
  return 2 * mu * dF + lambda * contract(R, dF) * R;
}

}  // namespace isochor::reproduce
