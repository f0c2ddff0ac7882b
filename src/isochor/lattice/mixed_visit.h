#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "isochor/lattice/mixed_kernels.h"
#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"

/// How the cells of the mixed lattice go through their laws and measures, half a group at a time.
/// Only mixed_operator.cpp includes this.
namespace isochor::lattice::mixed {

/// Cycles want eigenvalues of at least this part of mu.
inline constexpr double kFloor = 0.05;
/// kappa* of the definiteness fix in multiples of mu: Poisson's ratio 0.35 [Patterson12 sec 5].
inline constexpr double kThreshold = 7.0 / 3;

inline constexpr int kPrincipal = 30, kDense = materials::DenseTangent<double>::kSize;

/// Where the cells of a batch are among pressures.
struct Place {
  std::size_t group;
  int first_block;
  std::size_t pressure(int i) const {
    return group * kGroupCells +
           std::size_t(i / kBatchBlocks * kGroupBlocks + first_block + i % kBatchBlocks);
  }
  /// block * 8 + lane.
  std::size_t cell(int i) const {
    return 8 * (group * kGroupBlocks + std::size_t(first_block + i % kBatchBlocks)) +
           std::size_t(i / kBatchBlocks);
  }
};

/// The cells of half a group while their laws and measures are visited.
class Visit {
 public:
  Visit(const lattice::Model& model, std::span<const Measure> measures, const Place& place,
        double stabilise, std::span<const double> activations, Isa isa)
      : model_(model),
        measures_(measures),
        group_(model.groups[place.group]),
        blocks_(model.blocks.data() + place.group * kGroupBlocks + place.first_block),
        half_{group_, model.moduli[place.group], place.first_block, stabilise},
        activations_(activations),
        isa_(isa) {}

  void deform(std::span<const Vec3d> positions) {
    positions_ = positions.data();
    ISOCHOR_CALL_KERNEL(isa_, deform_kernel(half_, positions_, batch_));
    prepare();
  }

  /// About given F; nothing but linearise_definite() may then be called.
  void deform(const Place& place, std::span<const Mat3d> gradients) {
    for (int i = 0; i < kBatchCells; ++i) {
      const int lane = i / kBatchBlocks, member = half_.first_block + i % kBatchBlocks;
      const Mat3d& F = gradients[place.cell(i)];
      for (int e = 0; e < 9; ++e) batch_.F[e][i] = F(e % 3, e / 3);
      batch_.mu[i] = half_.moduli.mu[lane][member];
      batch_.lambda[i] = half_.moduli.lambda[lane][member];
    }
    prepare();
  }

  CellBatch& batch() { return batch_; }
  double* pressure() { return pressure_; }
  const double* value() const { return value_; }
  const Block& block(int b) const { return blocks_[b]; }

  double ratio(int i) const {
    Mat3d F;
    for (int e = 0; e < 9; ++e) F(e % 3, e / 3) = batch_.F[e][i];
    return determinant(F);
  }

  /// M of all cells.
  void measure_volume() {
    for_each_material([&](const Material&, const Measure& measure, const bool* chosen) {
      double* to = chosen ? other_.energy : value_;
      ISOCHOR_CALL_KERNEL(isa_, measure_kernel(measure, &batch_.F[0][0], to, nullptr));
      choose(chosen, 1, to, value_);
    });
  }

  /// M, and energy and stress of Psi0 + p M.
  void respond() {
    for_each_material([&](const Material& material, const Measure& measure, const bool* chosen) {
      CellBatch& out = chosen ? other_ : batch_;
      materials::LawBatch<double> law = law_batch(material);
      law.energy = out.energy;
      law.stress = &out.stress[0][0];
      materials::evaluate(material.law, law, isa_);
      if (!materials::is_isotropic(material.law)) {
        ISOCHOR_CALL_KERNEL(isa_, turn_stress_kernel(axes(), half_.first_block, law.stress));
      }
      double* value = chosen ? other_value_ : value_;
      ISOCHOR_CALL_KERNEL(isa_, measure_kernel(measure, &batch_.F[0][0], value, &gradient_[0][0]));
      for (int i = 0; i < kBatchCells; ++i) out.energy[i] += pressure_[i] * value[i];
      for (int e = 0; e < 9; ++e) {
        for (int i = 0; i < kBatchCells; ++i) out.stress[e][i] += pressure_[i] * gradient_[e][i];
      }
      choose(chosen, 1, value, value_);
      choose(chosen, 1, out.energy, batch_.energy);
      choose(chosen, 9, &out.stress[0][0], &batch_.stress[0][0]);
    });
  }

  void add_forces(Vec3d* force) const {
    ISOCHOR_CALL_KERNEL(isa_, force_kernel(half_, positions_, batch_, force));
  }

  void linearise(Fix fix, double alpha, Tangents& tangents) {
    for_each_material([&](const Material& material, const Measure& measure, const bool* chosen) {
      linearise_material(material, measure, fix);
      const double scale = 0.25 * alpha * group_.h * group_.h;
      if (group_.dense) {
        store(chosen, tangents.system.dense[group_.tangent]);
        store_gradient(scale, chosen, tangents.dense[group_.tangent]);
        raise(nullptr, kFloor);
        store(chosen, tangents.definite.dense[group_.tangent]);
      } else {
        store(chosen, tangents.system.principal[group_.tangent]);
        store_gradient(scale, chosen, tangents.principal[group_.tangent]);
        raise(nullptr, kFloor);
        store(chosen, tangents.definite.principal[group_.tangent]);
      }
    });
  }

  void linearise_definite(lattice::Tangents& tangents) {
    for_each_material([&](const Material& material, const Measure& measure, const bool* chosen) {
      linearise_material(material, measure, Fix::None);
      raise(nullptr, kFloor);
      if (group_.dense) {
        store(chosen, tangents.dense[group_.tangent]);
      } else {
        store(chosen, tangents.principal[group_.tangent]);
      }
    });
  }

 private:
  const GroupAxes& axes() const { return model_.axes[group_.tangent]; }
  int numbers() const { return group_.dense ? kDense : kPrincipal; }
  double* tangent() { return group_.dense ? dense_ : principal_; }

  void prepare() {
    // Laws need not make sense of what stands in cells that are not there.
    for (int i = 0; !group_.whole && i < kBatchCells; ++i) {
      if (blocks_[i % kBatchBlocks].active >> (i / kBatchBlocks) & 1) continue;
      for (int e = 0; e < 9; ++e) batch_.F[e][i] = e % 4 == 0;
    }
    if (!group_.dense) return;
    ISOCHOR_CALL_KERNEL(
        isa_, turn_deformation_kernel(axes(), half_.first_block, &batch_.F[0][0], turned_F_));
    const double activation = activations_.empty() ? 0 : activations_[group_.body];
    for (int i = 0; i < kBatchCells; ++i) {
      activation_[i] =
          activation * axes().activation[i / kBatchBlocks][half_.first_block + i % kBatchBlocks];
    }
  }

  materials::LawBatch<double> law_batch(const Material& material) {
    materials::LawBatch<double> law{
        .count = kBatchCells, .F = &batch_.F[0][0], .mu = batch_.mu, .lambda = batch_.lambda};
    std::copy(material.shape.begin(), material.shape.end(), law.common.shape);
    if (!materials::is_isotropic(material.law)) {
      law.F = turned_F_;
      law.activation = activation_;
    }
    return law;
  }

  /// Calls f(material, its measure, which cells have it); where one material is all there is, the
  /// choice is null.
  template <class F>
  void for_each_material(F&& f) {
    const bool several = std::popcount(group_.materials) > 1;
    for (int m = 0; group_.materials >> m != 0; ++m) {
      if (!(group_.materials >> m & 1)) continue;
      const std::size_t number = std::size_t(model_.bodies[group_.body].first_material + m);
      bool chosen[kBatchCells];
      for (int i = 0; several && i < kBatchCells; ++i) {
        chosen[i] = blocks_[i % kBatchBlocks].material[i / kBatchBlocks] == m;
      }
      f(model_.materials[number], measures_[number], several ? chosen : nullptr);
    }
  }

  /// Copies what the chosen cells have; without a choice it is there already.
  static void choose(const bool* chosen, int count, const double* from, double* to) {
    for (int e = 0; chosen && e < count; ++e) {
      for (int i = 0; i < kBatchCells; ++i) {
        if (chosen[i]) to[e * kBatchCells + i] = from[e * kBatchCells + i];
      }
    }
  }

  /// Fills the tangent of Psi0 + p M with the fix, and the gradient of M in its frame.
  void linearise_material(const Material& material, const Measure& measure, Fix fix) {
    const bool isotropic = materials::is_isotropic(material.law);
    materials::LawBatch<double> law = law_batch(material);
    law.fix = materials::Definiteness::None;
    law.tangent = isotropic ? principal_ : dense_;
    materials::evaluate(material.law, law, isa_);
    if (!group_.dense) {
      if (fix == Fix::Published) return linearise_published(measure);
      add_measure(measure, pressure_, principal_);
    } else {
      if (isotropic) {
        ISOCHOR_CALL_KERNEL(isa_, densify_kernel(principal_, dense_));
      } else {
        ISOCHOR_CALL_KERNEL(isa_, turn_tangent_kernel(axes(), half_.first_block, dense_));
      }
      if (fix == Fix::Published) return linearise_published(measure);
      add_measure(measure, pressure_, dense_);
    }
    if (fix == Fix::Thresholded) raise(&gradient_[0][0], 0);
  }

  /// Adds `pressure` times the second derivatives of M.
  void add_measure(const Measure& measure, const double* pressure, double* to) {
    if (!group_.dense) {
      ISOCHOR_CALL_KERNEL(
          isa_, add_measure_kernel(measure, &batch_.F[0][0], pressure, to, &gradient_[0][0]));
      return;
    }
    ISOCHOR_CALL_KERNEL(isa_, frame_kernel(&batch_.F[0][0], principal_));
    ISOCHOR_CALL_KERNEL(
        isa_, add_measure_kernel(measure, &batch_.F[0][0], pressure, principal_, &gradient_[0][0]));
    ISOCHOR_CALL_KERNEL(isa_, densify_kernel(principal_, spare_));
    for (int i = 0; i < kDense * kBatchCells; ++i) to[i] += spare_[i];
    ISOCHOR_CALL_KERNEL(isa_, measure_kernel(measure, &batch_.F[0][0], value_, &gradient_[0][0]));
  }

  /// T(p) plus what makes T(kappa* M) + kappa* Q Q^T semi-definite.
  void linearise_published(const Measure& measure) {
    const int size = numbers() * kBatchCells;
    const int first = group_.dense ? 0 : 18 * kBatchCells;
    double* const t = tangent();
    double about[kBatchCells];
    ISOCHOR_CALL_KERNEL(isa_, measure_kernel(measure, &batch_.F[0][0], about, nullptr));
    for (int i = 0; i < kBatchCells; ++i) about[i] *= kThreshold * batch_.mu[i];
    std::copy_n(t, size, exact_);
    add_measure(measure, about, t);
    std::copy_n(t, size, unfixed_);
    raise(&gradient_[0][0], 0);
    for (int i = first; i < size; ++i) exact_[i] += t[i] - unfixed_[i];
    std::copy_n(exact_, size, t);
    add_measure(measure, pressure_, t);
  }

  void raise(const double* gradient, double floor) {
    double kappa[kBatchCells], lowest[kBatchCells];
    for (int i = 0; i < kBatchCells; ++i) {
      kappa[i] = kThreshold * batch_.mu[i];
      lowest[i] = floor * batch_.mu[i];
    }
    if (group_.dense) {
      ISOCHOR_CALL_KERNEL(isa_, raise_dense_kernel(gradient, kappa, lowest, dense_));
    } else {
      ISOCHOR_CALL_KERNEL(isa_, raise_principal_kernel(gradient, kappa, lowest, principal_));
    }
  }

  template <class GroupTangent>
  void store(const bool* chosen, GroupTangent& to) {
    ISOCHOR_CALL_KERNEL(isa_, store_tangent_kernel(half_, tangent(), chosen, to));
  }

  template <int Numbers>
  void store_gradient(double scale, const bool* chosen, GroupGradient<Numbers>& to) const {
    for (int c = 0; c < 8; ++c) {
      for (int e = 0; e < Numbers; ++e) {
        for (int b = 0; b < kBatchBlocks; ++b) {
          const int i = kBatchBlocks * c + b;
          if (chosen && !chosen[i]) continue;
          const double fill = half_.moduli.fill[c][half_.first_block + b];
          to.number[c][e][half_.first_block + b] =
              static_cast<float>(scale * fill * gradient_[e][i]);
        }
      }
    }
  }

  const lattice::Model& model_;
  std::span<const Measure> measures_;
  const BlockGroup& group_;
  const Block* blocks_;
  HalfGroup half_;
  std::span<const double> activations_;
  const Vec3d* positions_ = nullptr;
  Isa isa_;
  // Left as they are until a kernel fills them.
  CellBatch batch_, other_;
  double pressure_[kBatchCells], value_[kBatchCells], other_value_[kBatchCells];
  double activation_[kBatchCells];
  double gradient_[9][kBatchCells], turned_F_[9 * kBatchCells];
  double principal_[kPrincipal * kBatchCells], dense_[kDense * kBatchCells];
  double spare_[kDense * kBatchCells], exact_[kDense * kBatchCells], unfixed_[kDense * kBatchCells];
};

}  // namespace isochor::lattice::mixed
