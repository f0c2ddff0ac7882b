#pragma once

#include "isochor/contact/contact_matrix.h"
#include "isochor/lattice/multigrid.h"
#include "isochor/tets/auxiliary.h"
#include "isochor/tets/elasticity.h"
#include "isochor/tets/restraint.h"

namespace isochor::tets {

/// What the preconditioner works with. Part of Scratch. The matrix is in single precision, as all
/// of it: a preconditioner needs no more.
struct PreconditionerMemory {
  explicit PreconditionerMemory(const Model& model);

  solve::Blocks<float> matrix;
  std::vector<Mat3<float>> inverse_diagonal;  ///< blocks; zero where nothing may move
  std::vector<Vec3f> x, b, d, image;
  double largest_eigenvalue = 0;
  // Of the auxiliary lattice; empty without one.
  std::vector<Mat3d> gradients;  ///< per cell, at block * 8 + lane
  std::vector<Vec3d> still;      ///< zeros
  lattice::Tangents tangents;
  lattice::MultigridMemory multigrid;
  std::vector<Vec3f> diagonal;
  std::vector<float> shift;
  std::vector<Vec3d> residual, correction;

  void poison();
  std::size_t bytes() const;
};

/// Chebyshev's smoother with the diagonal blocks, one cycle on the auxiliary lattice, and the
/// smoother again: symmetric, and definite where the matrix is.
class LatticePreconditioner {
 public:
  LatticePreconditioner(const Model& model, const Restraint& restraint,
                        PreconditionerMemory& memory, ThreadArena& arena)
      : model_(model),
        restraint_(restraint),
        memory_(memory),
        arena_(arena),
        multigrid_(model.auxiliary->lattice, {}, memory.multigrid, arena) {}

  /// Gets ready for a matrix, plus that of contacts, if any. `stiffening`: what damping by
  /// stiffness multiplies tangents by.
  void prepare(const solve::Blocks<double>& matrix, const contact::ContactMatrix* contact,
               double stiffening);

  /// Then makes the tangents of the lattice, always definite, from the tets' deformation. It takes
  /// inertia, of which the matrix has so many times the mass, and contacts for springs to the
  /// ground: too stiff along surfaces, never too soft.
  void linearise(std::span<const Vec3d> positions, double inertia);

  /// Tets that lock resist motions that a cell of the lattice hardly feels: the lattice is then too
  /// soft, and the cycle not definite. From here on a smaller part of its corrections is taken;
  /// false where none is left.
  bool weaken();

  /// z = M^-1 r.
  void apply(std::span<const Vec3d> r, std::span<Vec3d> z);

  /// Products with the matrix of the tets per application.
  static constexpr int kApplications = 4;

 private:
  static constexpr int kDegree = 2;

  void multiply(std::span<const Vec3f> v, std::span<Vec3f> out);
  /// What inertia and contacts add to the diagonal of the lattice; empty: nothing.
  std::span<float> find_shift(double inertia);
  void smooth(bool from_zero);
  void correct();

  const Model& model_;
  const Restraint& restraint_;
  PreconditionerMemory& memory_;
  ThreadArena& arena_;
  const contact::ContactMatrix* contact_ = nullptr;
  double stiffening_ = 1;
  double share_ = 1;  ///< of the lattice's corrections that is taken
  lattice::Multigrid multigrid_;
};

}  // namespace isochor::tets
