#pragma once

#include "isochor/math/mat3.h"

namespace isochor::reproduce {

/// The stress differential that Zhu's iteration on a system with frozen rotations amounts to:
/// P = 2 mu (F - R) + lambda tr(R^T F - I) R [Zhu10 (13)] with R held fast, so that
/// dP = R {2 mu D + lambda tr(D) I}, D = R^T dF [McAdams11 sec 5]. A comparator.
Mat3d zhu_differential(const Mat3d& F, const Mat3d& dF, double mu, double lambda);

}  // namespace isochor::reproduce
