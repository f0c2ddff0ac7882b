#pragma once

#include <algorithm>

#include "isochor/lattice/mixed_kernels.h"
#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"

namespace isochor::lattice {

/// Points that go through a law together, as many as a batch has: F at the centres of cells or at
/// points of their own. With a measure M the law is Psi0 + p M.
class LawPoints {
 public:
  /// `axes` are those of the law in the points, null where no law has directions.
  LawPoints(const GroupAxes* axes, int first_block, Isa isa)
      : axes_(axes), first_block_(first_block), isa_(isa) {}

  CellBatch& batch() { return batch_; }
  const CellBatch& batch() const { return batch_; }
  double* pressure() { return pressure_; }
  const double* pressure() const { return pressure_; }
  double* value() { return value_; }
  const double* value() const { return value_; }
  const double* gradient() const { return &gradient_[0][0]; }

  /// Numbers of the tangent, as materials::LawBatch lists them: dense where there are axes.
  double* tangent() { return axes_ ? dense_ : principal_; }
  int numbers() const { return axes_ ? kDense : kPrincipal; }
  /// The same, always dense.
  const double* dense_tangent() {
    if (!axes_) ISOCHOR_CALL_KERNEL(isa_, densify_kernel(principal_, dense_));
    return dense_;
  }

  double ratio(int i) const {
    Mat3d F;
    for (int e = 0; e < 9; ++e) F(e % 3, e / 3) = batch_.F[e][i];
    return determinant(F);
  }

  /// Gets ready once F is there.
  void turn() {
    if (!axes_) return;
    ISOCHOR_CALL_KERNEL(isa_,
                        turn_deformation_kernel(*axes_, first_block_, &batch_.F[0][0], turned_F_));
    for (int i = 0; i < kBatchCells; ++i) {
      fibres_[i] = axes_->fibres[i / kBatchBlocks][first_block_ + i % kBatchBlocks];
    }
  }

  /// How active the material is that is visited next.
  void activate(double activation) {
    for (int i = 0; axes_ && i < kBatchCells; ++i) {
      activation_[i] =
          activation * axes_->activation[i / kBatchBlocks][first_block_ + i % kBatchBlocks];
    }
  }

  /// Energy and, where wanted, stress of Psi0.
  void respond(const Material& material, bool stress, CellBatch& out) {
    materials::LawBatch<double> law = law_batch(material);
    law.energy = out.energy;
    if (stress) law.stress = &out.stress[0][0];
    materials::evaluate(material.law, law, isa_);
    if (stress && !materials::is_isotropic(material.law)) {
      ISOCHOR_CALL_KERNEL(isa_, turn_stress_kernel(*axes_, first_block_, law.stress));
    }
  }

  /// Energy and stress of Psi0 + p M, and M.
  void respond(const Material& material, const mixed::Measure& measure, CellBatch& out,
               double* value) {
    respond(material, true, out);
    measure_volume(measure, value);
    for (int i = 0; i < kBatchCells; ++i) out.energy[i] += pressure_[i] * value[i];
    for (int e = 0; e < 9; ++e) {
      for (int i = 0; i < kBatchCells; ++i) out.stress[e][i] += pressure_[i] * gradient_[e][i];
    }
  }

  /// M, and its gradient by F.
  void measure_volume(const mixed::Measure& measure, double* value) {
    ISOCHOR_CALL_KERNEL(isa_, measure_kernel(measure, &batch_.F[0][0], value, &gradient_[0][0]));
  }

  /// The tangent of Psi0.
  void linearise(const Material& material, materials::Definiteness fix) {
    const bool isotropic = materials::is_isotropic(material.law);
    materials::LawBatch<double> law = law_batch(material);
    law.fix = fix;
    law.tangent = isotropic ? principal_ : dense_;
    materials::evaluate(material.law, law, isa_);
    if (!axes_) return;
    if (isotropic) {
      ISOCHOR_CALL_KERNEL(isa_, densify_kernel(principal_, dense_));
    } else {
      ISOCHOR_CALL_KERNEL(isa_, turn_tangent_kernel(*axes_, first_block_, dense_));
    }
  }

  /// The tangent of Psi0 + p M with the fix, and the gradient of M: by F beside a dense tangent, in
  /// the frame of a principal one.
  void linearise(const Material& material, const mixed::Measure& measure, mixed::Fix fix) {
    linearise(material, materials::Definiteness::None);
    if (fix == mixed::Fix::Published) return linearise_published(measure);
    add_measure(measure, pressure_, tangent());
    if (fix == mixed::Fix::Thresholded) raise(&gradient_[0][0], 0);
  }

  /// The tangent of p M alone.
  void linearise(const mixed::Measure& measure) {
    if (axes_) {
      std::fill_n(dense_, kDense * kBatchCells, 0.0);
    } else {
      ISOCHOR_CALL_KERNEL(isa_, frame_kernel(&batch_.F[0][0], principal_));
    }
    add_measure(measure, pressure_, tangent());
  }

  /// Raises eigenvalues of the tangent plus kappa* Q Q^T to `floor` mu. Q, its gradient, may be
  /// null; then only the chosen cells count, all of them without a choice.
  void raise(const double* gradient, double floor, const bool* chosen = nullptr) {
    double kappa[kBatchCells], lowest[kBatchCells];
    for (int i = 0; i < kBatchCells; ++i) {
      kappa[i] = mixed::kThreshold * batch_.mu[i];
      lowest[i] = chosen && !chosen[i] ? 0 : floor * batch_.mu[i];
    }
    if (axes_) {
      ISOCHOR_CALL_KERNEL(isa_, raise_dense_kernel(gradient, kappa, lowest, dense_));
    } else {
      ISOCHOR_CALL_KERNEL(isa_, raise_principal_kernel(gradient, kappa, lowest, principal_));
    }
  }

  /// What cycles have in place of the tangent that linearise() left without a fix: gamma Q Q^T is
  /// added, and eigenvalues are raised to `floor` mu in the chosen cells.
  void augment(double floor, const bool* chosen = nullptr) {
    double gamma[kBatchCells];
    for (int i = 0; i < kBatchCells; ++i) gamma[i] = mixed::kAugmentation * batch_.mu[i];
    if (axes_) {
      ISOCHOR_CALL_KERNEL(isa_, augment_dense_kernel(&gradient_[0][0], gamma, dense_));
    } else {
      ISOCHOR_CALL_KERNEL(isa_, augment_principal_kernel(&gradient_[0][0], gamma, principal_));
    }
    raise(nullptr, floor, chosen);
  }

 protected:
  Isa isa() const { return isa_; }

 private:
  static constexpr int kPrincipal = 30, kDense = materials::DenseTangent<double>::kSize;

  materials::LawBatch<double> law_batch(const Material& material) {
    materials::LawBatch<double> law{
        .count = kBatchCells, .F = &batch_.F[0][0], .mu = batch_.mu, .lambda = batch_.lambda};
    std::copy(material.shape.begin(), material.shape.end(), law.common.shape);
    if (!materials::is_isotropic(material.law)) {
      law.F = turned_F_;
      law.activation = activation_;
      law.fibres = fibres_;
    }
    return law;
  }

  /// Adds `pressure` times the second derivatives of M.
  void add_measure(const mixed::Measure& measure, const double* pressure, double* to) {
    if (!axes_) {
      ISOCHOR_CALL_KERNEL(
          isa_, add_measure_kernel(measure, &batch_.F[0][0], pressure, to, &gradient_[0][0]));
      return;
    }
    ISOCHOR_CALL_KERNEL(isa_, frame_kernel(&batch_.F[0][0], principal_));
    ISOCHOR_CALL_KERNEL(
        isa_, add_measure_kernel(measure, &batch_.F[0][0], pressure, principal_, &gradient_[0][0]));
    ISOCHOR_CALL_KERNEL(isa_, densify_kernel(principal_, spare_));
    for (int i = 0; i < kDense * kBatchCells; ++i) to[i] += spare_[i];
    measure_volume(measure, value_);
  }

  /// T(p) plus what makes T(kappa* M) + kappa* Q Q^T semi-definite.
  void linearise_published(const mixed::Measure& measure) {
    const int size = numbers() * kBatchCells;
    const int first = axes_ ? 0 : 18 * kBatchCells;
    double* const t = tangent();
    double about[kBatchCells];
    ISOCHOR_CALL_KERNEL(isa_, measure_kernel(measure, &batch_.F[0][0], about, nullptr));
    for (int i = 0; i < kBatchCells; ++i) about[i] *= mixed::kThreshold * batch_.mu[i];
    std::copy_n(t, size, exact_);
    add_measure(measure, about, t);
    std::copy_n(t, size, unfixed_);
    raise(&gradient_[0][0], 0);
    for (int i = first; i < size; ++i) exact_[i] += t[i] - unfixed_[i];
    std::copy_n(exact_, size, t);
    add_measure(measure, pressure_, t);
  }

  const GroupAxes* axes_;
  int first_block_;
  Isa isa_;
  // Left as they are until a kernel fills them.
  CellBatch batch_;
  double pressure_[kBatchCells], value_[kBatchCells];
  double activation_[kBatchCells], fibres_[kBatchCells];
  double gradient_[9][kBatchCells], turned_F_[9 * kBatchCells];
  double principal_[kPrincipal * kBatchCells], dense_[kDense * kBatchCells];
  double spare_[kDense * kBatchCells], exact_[kDense * kBatchCells], unfixed_[kDense * kBatchCells];
};

}  // namespace isochor::lattice
