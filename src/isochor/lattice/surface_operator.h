#pragma once

#include "isochor/lattice/held_surface.h"
#include "isochor/lattice/surface_memory.h"

/// What loaded and held surfaces add to the forces, to the matrix and to the energy of a model,
/// tile by tile as elasticity does: the same bits for any number of threads. Everything here does
/// nothing in a model without such surfaces.
namespace isochor::lattice {

/// What surfaces depend on.
struct SurfaceConfiguration {
  std::span<const Vec3d> positions;     ///< per node, m
  std::span<const double> activations;  ///< per Model::materials; none: no muscle is active
  SurfaceDemands demands;
  const mixed::Model* mixed = nullptr;      ///< where cells have pressures,
  std::span<const double> cell_pressure{};  ///< as it says, Pa
  bool linear = false;                      ///< gaps count as small: HeldCell::add_forces
};

struct SurfaceForces {
  double energy = 0;  ///< of holds, J; pressures have none: pressure_work
  double square = 0;  ///< sum of the squares of forces on the corners of cells, N^2
  double strain = 0;  ///< the largest that a gap makes of a cell
};
/// Adds forces to nodes, and to `volume` what mixed::evaluate leaves there; both may be empty.
SurfaceForces add_surface_forces(const Model& model, const SurfaceConfiguration& at,
                                 std::span<Vec3d> force, std::span<double> volume,
                                 SurfaceMemory& memory, ThreadArena& arena);

/// Fills the matrices. Without pressures in cells, where conjugate gradients are the solver, what
/// follower pressures contribute is the symmetric part; with a fix, nothing.
void linearise_surfaces(const Model& model, const SurfaceConfiguration& at,
                        materials::Definiteness fix, SurfaceMemory& memory, ThreadArena& arena);

/// Adds the products of the matrices; dp and `volume` empty where cells have no pressures.
void apply_surfaces(const Model& model, const SurfaceMemory& memory, std::span<const Vec3d> dx,
                    std::span<const double> dp, std::span<Vec3d> force, std::span<double> volume,
                    ThreadArena& arena);

/// What each held surface pushes its body with, about Surfaces' center where the hold has it now.
struct SurfacePush {
  Vec3d force{0, 0, 0};   ///< N
  Vec3d moment{0, 0, 0};  ///< N m
};
std::vector<SurfacePush> surface_pushes(const Model& model, const SurfaceConfiguration& at);

}  // namespace isochor::lattice
