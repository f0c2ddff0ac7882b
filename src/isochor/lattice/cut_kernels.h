#pragma once

#include "isochor/lattice/kernel_data.h"
#include "isochor/lattice/tangents.h"
#include "isochor/math/dispatch.h"

/// The kernels of cells with points of their own. Numbers of points are in batches as laws want
/// them: number e of point q in lane l at [e kBatchCells + kGroupBlocks q + l].
namespace isochor::lattice {

static_assert(kBatchCells == kCutPoints * kGroupBlocks);

/// F at all points.
ISOCHOR_DECLARE_KERNEL(void deform_points_kernel(const CutGroup&, const Vec3d* positions,
                                                 double* F))
/// Adds the forces of stresses at all points.
ISOCHOR_DECLARE_KERNEL(void point_force_kernel(const CutGroup&, const double* stress, Vec3d* force))
/// The stiffness of cells, given dense tangents at their points.
ISOCHOR_DECLARE_KERNEL(void assemble_kernel(const CutGroup&, const double* dense, CutMatrix&))
/// The derivative of `scale` times the integral of M by positions, given that of M by F.
ISOCHOR_DECLARE_KERNEL(void assemble_gradient_kernel(const CutGroup&, const double* gradient,
                                                     double scale, CutGradient&))

/// Adds K displacements.
ISOCHOR_DECLARE_KERNEL(void apply_cut_kernel(const CutGroup&, const CutMatrix&, const Vec3d* dx,
                                             Vec3d* out))
ISOCHOR_DECLARE_KERNEL(void apply_cut_kernel(const CutGroup&, const CutMatrix&, const Vec3f* dx,
                                             Vec3f* out))
/// Adds b dp, and sets `change` to b . dx.
ISOCHOR_DECLARE_KERNEL(void add_cut_gradient_kernel(const CutGroup&, const CutGradient&,
                                                    const double* dp, Vec3d* out))
ISOCHOR_DECLARE_KERNEL(void cut_change_kernel(const CutGroup&, const CutGradient&, const Vec3d* dx,
                                              double* change))

}  // namespace isochor::lattice
