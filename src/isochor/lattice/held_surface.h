#pragma once

#include "isochor/lattice/cell_law.h"
#include "isochor/lattice/surface_loads.h"

/// Surfaces that are held wherever they cut through cells. With the gap g = x - target on the
/// surface, volume V of the material in a cell and F at each of its n points, a cell with held
/// surface gets the energy
///     V/n sum (Psi(F - G/V) - Psi(F)) + beta/2 integral of |g|^2 dA,   G = integral of g N^T dA.
/// It begins with -P : G, the work of the traction that holds the surface: Nitsche's method, whose
/// consistency and symmetry terms come as one. The next term is the penalty that it needs where a
/// law is evaluated once per cell, with no constant to choose: together with the cell's own V
/// Psi(F) it is an energy of the law, bounded as that is, definite where that is, however little of
/// the cell is filled (Ten Eyck and Lew 2006 do so between elements). beta then only has to see
/// gaps without a mean. A hold that slides has the component of g that it holds.
namespace isochor::lattice {

/// A cell with held surface, at some positions.
class HeldCell {
 public:
  /// Beside the cell: what the step asks for, and x of its corners now and at rest.
  HeldCell(const Surfaces& surfaces, const SurfaceCell& cell,
           std::span<const SurfaceMotion> motions, const CellVectors& x, const CellVectors& rest);

  struct Energy {
    double energy = 0;  ///< J
    double volume = 0;  ///< derivative by the pressure of the cell, m^3
  };
  /// Adds forces to corners. `linear`: as if the gap were small, which is what a first guess wants
  /// after a hold has moved by much.
  Energy add_forces(const CellLaw& law, bool linear, CellVectors& force) const;

  /// Adds what its part k pushes the corners with: its tractions, and an even share of the forces
  /// by which the cell is told of gaps; they have no sum, but a moment.
  void add_push(const CellLaw& law, std::int32_t k, CellVectors& force) const;

  /// Adds second derivatives; `volume` are those by positions and by the pressure of the cell.
  void add_tangent(const CellLaw& law, materials::Definiteness fix, bool linear, CellMatrix& K,
                   double (&volume)[24]) const;

  /// G / V, which is a strain.
  const Mat3d& strain_of_gap() const { return lifted_; }

 private:
  static constexpr int kMostPoints = 4;
  using Gradients = std::array<Mat3d, 2 * kMostPoints>;
  using Responses = std::array<CellLaw::Response, 2 * kMostPoints>;

  /// F of all points, then F - G / V of all of them.
  Gradients gradients(bool linear) const;
  Responses respond(const CellLaw& law, bool linear) const;
  /// The mean of the stress of F - G / V.
  Mat3d held_stress(const Responses& responses) const;
  std::size_t evaluations() const { return 2 * std::size_t(cell_.points); }
  /// The derivative of F of a point, or of F - G / V there, by displacement `column` of the cell.
  Mat3d derivative(int point, int column, bool lifted) const;
  void add_penalty(std::int32_t k, CellVectors& force) const;

  const Surfaces& surfaces_;
  const SurfaceCell& cell_;
  std::array<Mat3d, kMostHolds> components_;  ///< what each part holds
  CellVectors gaps_[kMostHolds];              ///< of corners, per part: held components
  Mat3d F_[kMostPoints], lifted_;
};

}  // namespace isochor::lattice
