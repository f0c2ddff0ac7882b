#pragma once

#include "isochor/lattice/mixed_model.h"
#include "isochor/materials/tangent.h"

namespace isochor::lattice {

/// What a cell is made of, for terms that look at single cells: Psi(F), or Psi0(F) + p M(F) of the
/// mixed lattice, up to eight deformations at a time.
class CellLaw {
 public:
  /// `mixed`, with the pressure of the cell, or null.
  CellLaw(const Model& model, std::int32_t cell, std::span<const double> activations,
          const mixed::Model* mixed, double pressure);

  struct Response {
    double energy = 0;             ///< J/m^3
    Mat3d stress = Mat3d::zero();  ///< first Piola-Kirchhoff, Pa
    double volume = 0;             ///< M, and its gradient
    Mat3d gradient = Mat3d::zero();
  };
  void respond(std::span<const Mat3d> F, std::span<Response> out) const;

  using Tangent = materials::DenseTangent<double>;
  /// With a fix, semi-definite; of the mixed lattice after kappa* Q Q^T is added, which is then
  /// taken away again.
  void linearise(std::span<const Mat3d> F, materials::Definiteness fix,
                 std::span<Tangent> out) const;

 private:
  struct Batch;
  Batch batch_of(std::span<const Mat3d> F) const;

  const Material& material_;
  const mixed::Measure* measure_ = nullptr;
  double pressure_, mu_, lambda_, activation_ = 0, fibres_ = 1;
  bool has_axes_;
  Mat3d axes_ = Mat3d::identity();
};

}  // namespace isochor::lattice
