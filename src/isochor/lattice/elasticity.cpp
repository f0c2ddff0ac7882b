#include "isochor/lattice/elasticity.h"

namespace isochor::lattice {

double integrated_energy(const Model& model, const Configuration& at,
                         std::span<double> block_energy, ThreadArena& arena) {
  return model.params.quadrature == Quadrature::Gauss
             ? gauss::elastic_energy(model, at, block_energy, arena)
             : elastic_energy(model, at, block_energy, arena);
}

double integrated_force(const Model& model, const Configuration& at, std::span<Vec3d> force,
                        std::span<double> block_energy, ThreadArena& arena) {
  return model.params.quadrature == Quadrature::Gauss
             ? gauss::elastic_force(model, at, force, block_energy, arena)
             : elastic_force(model, at, force, block_energy, arena);
}

Stiffness::Stiffness(const Model& model, Tangents& one_point)
    : model_(model), one_point_(one_point) {
  if (model.params.quadrature == Quadrature::Gauss) gauss_.emplace(model);
}

void Stiffness::linearise(const Configuration& at, materials::Definiteness fix,
                          ThreadArena& arena) {
  if (gauss_) {
    gauss::linearise(model_, at, fix, *gauss_, arena);
  } else {
    lattice::linearise(model_, at, fix, one_point_, arena);
  }
}

void Stiffness::apply(std::span<const Vec3d> displacements, std::span<Vec3d> out,
                      ThreadArena& arena) const {
  if (gauss_) {
    gauss::apply_stiffness(model_, *gauss_, displacements, out, arena);
  } else {
    apply_stiffness(model_, one_point_, displacements, out, arena);
  }
}

void Stiffness::diagonal(std::span<Vec3f> diagonal, ThreadArena& arena) const {
  if (gauss_) {
    gauss::stiffness_diagonal(model_, *gauss_, diagonal, arena);
  } else {
    stiffness_diagonal(model_, one_point_, diagonal, arena);
  }
}

}  // namespace isochor::lattice
