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

/// Solves the cells of a range of patches, colour after colour, each with all around it as it
/// stands. Patches that are next to each other must not run at a time.
ISOCHOR_DECLARE_KERNEL(template <class Pass>
                       void smooth_patches_kernel(const Pass&, const RowRange&))

/// The same for corotated elasticity with the rotations of the view. A sweep of the interior is the
/// displacements, the residual of pressures, their potentials, and what these distribute.
ISOCHOR_DECLARE_KERNEL(template <class Pass>
                       void turned_residual_kernel(const Pass&, const RowRange&))
ISOCHOR_DECLARE_KERNEL(template <class Pass>
                       void turn_displacements_kernel(const Pass&, const RowRange&))
ISOCHOR_DECLARE_KERNEL(template <class Pass>
                       void turn_potentials_kernel(const Pass&, const RowRange&))
ISOCHOR_DECLARE_KERNEL(template <class Pass>
                       void turn_distribute_kernel(const Pass&, const RowRange&))
ISOCHOR_DECLARE_KERNEL(template <class Pass>
                       void turned_patches_kernel(const Pass&, const RowRange&))
/// r = b - A(u), the whole force of corotated elasticity with the rotations of the view.
ISOCHOR_DECLARE_KERNEL(template <class Pass>
                       void turned_balance_kernel(const Pass&, const RowRange&))

/// The spins of cells that leave the least energy, and then the right-hand side with what they take
/// off. Both together make the differential of the force of one with frozen rotations.
ISOCHOR_DECLARE_KERNEL(template <class Pass> void find_spins_kernel(const Pass&, const RowRange&))
ISOCHOR_DECLARE_KERNEL(template <class Pass> void apply_spins_kernel(const Pass&, const RowRange&))

/// A part of a smoothing step of a whole level, on one thread.
ISOCHOR_DECLARE_KERNEL(template <class Pass> void published_smooth_kernel(const Pass&))

}  // namespace isochor::staggered
