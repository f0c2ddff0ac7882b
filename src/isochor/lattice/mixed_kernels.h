#pragma once

#include "isochor/lattice/mixed_tangents.h"
#include "isochor/lattice/operator_kernels.h"

/// The kernels of the mixed lattice. Batches are of kBatchCells cells, number e of cell k at
/// [e kBatchCells + k], tangents as materials::LawBatch lists them.
namespace isochor::lattice {

/// M and, where wanted, its gradient by F.
ISOCHOR_DECLARE_KERNEL(void measure_kernel(const mixed::Measure&, const double* F, double* value,
                                           double* gradient))
/// The frame of the SVD of F, and a tangent of zero in it.
ISOCHOR_DECLARE_KERNEL(void frame_kernel(const double* F, double* principal))
/// Adds the second derivatives of M times `pressure` to tangents whose frame is given; writes the
/// gradient in that frame.
ISOCHOR_DECLARE_KERNEL(void add_measure_kernel(const mixed::Measure&, const double* F,
                                               const double* pressure, double* principal,
                                               double* gradient))
/// Raises eigenvalues of the tangent plus kappa Q Q^T to `floor` where they are below it. Q, the
/// gradient in the tangent's frame, may be null.
ISOCHOR_DECLARE_KERNEL(void raise_principal_kernel(const double* gradient, const double* kappa,
                                                   const double* floor, double* principal))
ISOCHOR_DECLARE_KERNEL(void raise_dense_kernel(const double* gradient, const double* kappa,
                                               const double* floor, double* dense))
/// Adds gamma Q Q^T.
ISOCHOR_DECLARE_KERNEL(void augment_principal_kernel(const double* gradient, const double* gamma,
                                                     double* principal))
ISOCHOR_DECLARE_KERNEL(void augment_dense_kernel(const double* gradient, const double* gamma,
                                                 double* dense))

/// Adds A dx + B^T dp to `force` and sets `volume` to B dx.
ISOCHOR_DECLARE_KERNEL(void apply_mixed_kernel(const Model&, const mixed::Tangents&, GroupRange,
                                               const Vec3d* dx, const double* dp, Vec3d* force,
                                               double* volume))
/// Adds B^T dp to `force`.
ISOCHOR_DECLARE_KERNEL(void apply_gradient_kernel(const Model&, const mixed::Tangents&, GroupRange,
                                                  const double* dp, Vec3d* force))
/// Sets b_k^T D^-1 b_k of every cell, b_k being a row of B.
ISOCHOR_DECLARE_KERNEL(void schur_weight_kernel(const Model&, const mixed::Tangents&, GroupRange,
                                                const Vec3f* inverse_diagonal, double* weight))

/// Adds the energy of what resists hourglass modes to blocks, J, and its forces to nodes, N: `part`
/// of it.
ISOCHOR_DECLARE_KERNEL(void hourglass_kernel(const Model&, GroupRange, double part,
                                             const Vec3d* positions, double* energy, Vec3d* force))
/// Adds its stiffness at given positions times dx; not `exact`: a semi-definite part of it.
ISOCHOR_DECLARE_KERNEL(void apply_hourglass_kernel(const Model&, GroupRange, double part,
                                                   bool exact, const Vec3d* positions,
                                                   const Vec3d* dx, Vec3d* force))

/// Subtracts scale C p: compliance, and jumps within regions of a block.
ISOCHOR_DECLARE_KERNEL(void compliance_kernel(const mixed::GroupVolume&, double scale,
                                              const double* p, double* out))
/// z = S^-1 r, block by block.
ISOCHOR_DECLARE_KERNEL(void schur_kernel(const mixed::GroupVolume&, const mixed::GroupSchur&,
                                         const double* r, double* z))

}  // namespace isochor::lattice
