#pragma once

#include <optional>

#include "isochor/lattice/gauss_operator.h"

/// Elasticity by the quadrature that Params::quadrature names: what solvers and diagnostics call.
namespace isochor::lattice {

/// As elastic_energy of operator.h.
double integrated_energy(const Model& model, const Configuration& at,
                         std::span<double> block_energy, ThreadArena& arena);

/// As elastic_force of operator.h.
double integrated_force(const Model& model, const Configuration& at, std::span<Vec3d> force,
                        std::span<double> block_energy, ThreadArena& arena);

/// The stiffness matrix about an iterate. With one point per cell its numbers lie in `one_point`;
/// those of Gauss quadrature, which is a reference, are its own memory.
class Stiffness {
 public:
  Stiffness(const Model& model, Tangents& one_point);

  void linearise(const Configuration& at, materials::Definiteness fix, ThreadArena& arena);
  void apply(std::span<const Vec3d> displacements, std::span<Vec3d> out, ThreadArena& arena) const;
  void diagonal(std::span<Vec3f> diagonal, ThreadArena& arena) const;

 private:
  const Model& model_;
  Tangents& one_point_;
  std::optional<gauss::Tangents> gauss_;
};

}  // namespace isochor::lattice
