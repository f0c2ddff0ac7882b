#pragma once

#include <span>

#include "isochor/lattice/state.h"

/// The lattice's energy and its derivatives, on all cells, by blocks and colours: the same bits for
/// any number of threads. Positions, forces and displacements are per node of the model.
namespace isochor::lattice {

/// Elastic energy, J. Per-block parts are left in `block_energy`.
double elastic_energy(const Model& model, std::span<const Vec3d> positions,
                      std::span<double> block_energy, ThreadArena& arena);

/// The elastic force on every node, held ones included, N. Returns the energy, which the same
/// decompositions give for free.
double elastic_force(const Model& model, std::span<const Vec3d> positions, std::span<Vec3d> force,
                     std::span<double> block_energy, ThreadArena& arena);

/// Writes the tangent of every cell: visits the law, so that applying never does. With
/// `definite` it is projected to be positive semi-definite.
void linearise(const Model& model, std::span<const Vec3d> positions, bool definite,
               std::span<BlockTangent> tangents, ThreadArena& arena);

/// out = K displacements: minus the force differential [McAdams11 (9)], on all nodes.
void apply_stiffness(const Model& model, std::span<const BlockTangent> tangents,
                     std::span<const Vec3d> displacements, std::span<Vec3d> out,
                     ThreadArena& arena);

/// The diagonal of K [McAdams11 sec 9.1].
void stiffness_diagonal(const Model& model, std::span<const BlockTangent> tangents,
                        std::span<Vec3d> diagonal, ThreadArena& arena);

}  // namespace isochor::lattice
