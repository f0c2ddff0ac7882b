#pragma once

#include <vector>

#include "isochor/base/context.h"
#include "reproduce/row.h"

namespace isochor::reproduce {

/// Rows of "patterson/iterations" about bodies that do not follow their lattice, with cut cells: a
/// ball, a thin shell and a flexed arm.
std::vector<Row> embedded_iterations(Context& context);

}  // namespace isochor::reproduce
