#pragma once

#include "isochor/math/mat3.h"

namespace isochor::reproduce {

/// The stress differential of corotated elasticity as warped stiffness has it (Mueller and Gross
/// 2004), which forgets that R turns with F: dP = R {mu [D + D^T] + lambda tr(D) I}, D = R^T dF
/// [McAdams11 sec 5]. Known to be bad: a comparator.
Mat3d warped_stiffness_differential(const Mat3d& F, const Mat3d& dF, double mu, double lambda);

}  // namespace isochor::reproduce
