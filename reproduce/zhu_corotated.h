#pragma once

#include "reproduce/experiment.h"

namespace isochor::reproduce {

/// The rows of zhu/convergence on corotated elasticity.
std::vector<Row> zhu_corotated(bool full, Context& context);

}  // namespace isochor::reproduce
