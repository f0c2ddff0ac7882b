#pragma once

#include <span>

#include "isochor/lattice/state.h"

/// The lattice's energy and its derivatives, on all cells, by blocks and colours: the same bits for
/// any number of threads. Positions, forces and displacements are per node of the model.
namespace isochor::lattice {

/// What elasticity depends on.
struct Configuration {
  template <class Positions>
  Configuration(const Positions& x, std::span<const double> a = {})  // NOLINT: positions alone do
      : positions(x), activations(a) {}

  std::span<const Vec3d> positions;     ///< per node, m
  std::span<const double> activations;  ///< per body, 0 to 1; none: no muscle is active
};

/// Elastic energy, J. Per-block parts are left in `block_energy`.
double elastic_energy(const Model& model, const Configuration& at, std::span<double> block_energy,
                      ThreadArena& arena);

/// The elastic force on every node, held ones included, N. Returns the energy, which the same
/// decompositions give for free.
double elastic_force(const Model& model, const Configuration& at, std::span<Vec3d> force,
                     std::span<double> block_energy, ThreadArena& arena);

/// F and the first Piola-Kirchhoff stress of every cell, without the stabilisation: at block * 8 +
/// lane.
struct CellStress {
  Mat3d F, P;
};
void cell_stresses(const Model& model, const Configuration& at, std::span<CellStress> stresses,
                   ThreadArena& arena);

/// Writes the tangent of every cell: visits the law, so that applying never does.
void linearise(const Model& model, const Configuration& at, materials::Definiteness fix,
               Tangents& tangents, ThreadArena& arena);

/// out = K displacements: minus the force differential [McAdams11 (9)], on all nodes.
void apply_stiffness(const Model& model, const Tangents& tangents,
                     std::span<const Vec3d> displacements, std::span<Vec3d> out,
                     ThreadArena& arena);

/// The diagonal of K [McAdams11 sec 9.1].
void stiffness_diagonal(const Model& model, const Tangents& tangents, std::span<Vec3d> diagonal,
                        ThreadArena& arena);

}  // namespace isochor::lattice
