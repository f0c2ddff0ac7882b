#pragma once

#include <span>

#include "isochor/lattice/state.h"
#include "isochor/math/isa.h"

/// The lattice's energy and its derivatives, on all cells, by groups of blocks, tiles and colours:
/// the same bits for any number of threads, and for AVX2 and AVX-512 alike. Positions, forces and
/// displacements are per node of the model.
namespace isochor::lattice {

/// What elasticity depends on.
struct Configuration {
  template <class Positions>
  Configuration(const Positions& x, std::span<const double> a = {})  // NOLINT: positions alone do
      : positions(x), activations(a) {}

  std::span<const Vec3d> positions;     ///< per node, m
  std::span<const double> activations;  ///< as in StepInput
  /// Added to F of every cell, at block * 8 + lane; none: zero. Positions are then displacements
  /// from a state of which no more than F is known [McAdams11 alg 3].
  std::span<const Mat3d> offsets = {};
  double stabilise = 1;  ///< part of the stabilisation
};

/// Elastic energy, J. Per-block parts are left in `block_energy`.
double elastic_energy(const Model& model, const Configuration& at, std::span<double> block_energy,
                      ThreadArena& arena, Isa isa = best_isa());

/// The elastic force on every node, held ones included, N. Returns the energy, which the same
/// decompositions give for free.
double elastic_force(const Model& model, const Configuration& at, std::span<Vec3d> force,
                     std::span<double> block_energy, ThreadArena& arena, Isa isa = best_isa());

/// F and the first Piola-Kirchhoff stress of every cell, without the stabilisation: at block * 8 +
/// lane. At the centre, or on average where a cell has points of its own.
struct CellStress {
  Mat3d F, P;
};
void cell_stresses(const Model& model, const Configuration& at, std::span<CellStress> stresses,
                   ThreadArena& arena, Isa isa = best_isa());

/// Writes the tangent of every cell: visits the law, so that applying never does. Evaluated in
/// double, kept in float.
void linearise(const Model& model, const Configuration& at, materials::Definiteness fix,
               Tangents& tangents, ThreadArena& arena, Isa isa = best_isa());

/// The same about given deformation gradients, at block * 8 + lane, and with a part of the
/// stabilisation: what coarser models want.
void linearise(const Model& model, std::span<const Mat3d> gradients,
               std::span<const double> activations, double stabilise, materials::Definiteness fix,
               Tangents& tangents, ThreadArena& arena, Isa isa = best_isa());

/// Writes tangents in half precision.
void halve(const Tangents& tangents, HalfTangents& halves, ThreadArena& arena,
           Isa isa = best_isa());

/// out = K displacements: minus the force differential [McAdams11 (9)], on all nodes. In double for
/// solvers, in float for preconditioners, to which tangents in half precision are enough.
void apply_stiffness(const Model& model, const Tangents& tangents,
                     std::span<const Vec3d> displacements, std::span<Vec3d> out, ThreadArena& arena,
                     Isa isa = best_isa());
void apply_stiffness(const Model& model, const Tangents& tangents,
                     std::span<const Vec3f> displacements, std::span<Vec3f> out, ThreadArena& arena,
                     Isa isa = best_isa());

void apply_stiffness(const Model& model, const HalfTangents& tangents,
                     std::span<const Vec3f> displacements, std::span<Vec3f> out, ThreadArena& arena,
                     Isa isa = best_isa());

/// The diagonal of K [McAdams11 sec 9.1].
void stiffness_diagonal(const Model& model, const Tangents& tangents, std::span<Vec3d> diagonal,
                        ThreadArena& arena, Isa isa = best_isa());
void stiffness_diagonal(const Model& model, const Tangents& tangents, std::span<Vec3f> diagonal,
                        ThreadArena& arena, Isa isa = best_isa());

}  // namespace isochor::lattice
