#pragma once

#include <span>
#include <vector>

#include "isochor/lattice/operator.h"

/// The functions of operator.h with eight Gauss points per cell in place of one point and a
/// stabilisation: the usual trilinear hexahedron, which has no hourglass modes. It visits the law
/// eight times as often and is there to be compared with; Params::stabilise has no meaning here.
/// In double, for every law, the same bits for any number of threads.
namespace isochor::lattice::gauss {

/// dP/dF at the eight points of every cell, as materials::LawBatch lays it out.
struct Tangents {
  explicit Tangents(const Model& model);

  std::vector<std::size_t> first;  ///< per block: where its first cell's numbers begin
  std::vector<double> numbers;
};

/// Elastic energy, J. Per-block parts are left in `block_energy`.
double elastic_energy(const Model& model, const Configuration& at, std::span<double> block_energy,
                      ThreadArena& arena);

/// The elastic force on every node, N; returns the energy.
double elastic_force(const Model& model, const Configuration& at, std::span<Vec3d> force,
                     std::span<double> block_energy, ThreadArena& arena);

void linearise(const Model& model, const Configuration& at, materials::Definiteness fix,
               Tangents& tangents, ThreadArena& arena);

/// out = K displacements, on all nodes.
void apply_stiffness(const Model& model, const Tangents& tangents,
                     std::span<const Vec3d> displacements, std::span<Vec3d> out,
                     ThreadArena& arena);

/// The diagonal of K.
void stiffness_diagonal(const Model& model, const Tangents& tangents, std::span<Vec3f> diagonal,
                        ThreadArena& arena);

}  // namespace isochor::lattice::gauss
