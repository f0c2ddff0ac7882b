#include "reproduce/variants/warped_stiffness.h"

#include "isochor/math/svd.h"

namespace isochor::reproduce {

Mat3d warped_stiffness_differential(const Mat3d& F, const Mat3d& dF, double mu, double lambda) {
  const Svd<double> f = svd(F);
  const Mat3d R = times_transpose(f.U, f.V);
  const Mat3d D = transpose_times(R, dF);
  const double pressure = lambda * trace(D);
  return R * (mu * (D + transpose(D)) + Mat3d::diagonal({pressure, pressure, pressure}));
}

}  // namespace isochor::reproduce
