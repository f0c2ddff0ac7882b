#pragma once

#include "isochor/math/dispatch.h"
#include "isochor/staggered/passes.h"

/// The kernels of a level, for a range of its rows each. They write in these rows only, and read
/// nothing that they write elsewhere: the same bits in any order and on any number of threads.
namespace isochor::staggered {

ISOCHOR_DECLARE_KERNEL(template <class Pass> void residual_kernel(const Pass&, const RowRange&))

/// The components first; leaves the residual of the pressures in r. Then these.
ISOCHOR_DECLARE_KERNEL(template <class Pass>
                       void distribute_displacements_kernel(const Pass&, const RowRange&))
ISOCHOR_DECLARE_KERNEL(template <class Pass>
                       void distribute_pressures_kernel(const Pass&, const RowRange&))

/// Means of residuals into the right-hand side of the coarse level [Zhu10 sec 6].
ISOCHOR_DECLARE_KERNEL(template <class Pass> void restrict_kernel(const Pass&, const RowRange&))
/// Adds what is interpolated from the coarse level.
ISOCHOR_DECLARE_KERNEL(template <class Pass> void prolong_kernel(const Pass&, const RowRange&))

/// Solves each cell of a range with all around it as it stands.
ISOCHOR_DECLARE_KERNEL(template <class Pass> void solve_cells_kernel(const Pass&, const RowRange&))
/// Adds the changes. No two cells of one colour have an unknown in common.
ISOCHOR_DECLARE_KERNEL(template <class Pass> void change_cells_kernel(const Pass&, const RowRange&))

}  // namespace isochor::staggered
