#pragma once

#include <bit>
#include <span>

#include "isochor/lattice/law_points.h"

namespace isochor::lattice {

/// The cells of half a group while their laws are visited at their centres.
class CellVisit : public LawPoints {
 public:
  CellVisit(const Model& model, std::size_t group, int first_block, double stabilise,
            std::span<const double> activations, Isa isa)
      : LawPoints(model.groups[group].dense ? &model.axes[model.groups[group].tangent] : nullptr,
                  first_block, isa),
        model_(model),
        group_(model.groups[group]),
        first_block_(group * kGroupBlocks + std::size_t(first_block)),
        blocks_(model.blocks.data() + first_block_),
        half_{group_, model.moduli[group], first_block, stabilise},
        activations_(activations) {}

  void deform(std::span<const Vec3d> positions, std::span<const Mat3d> offsets = {}) {
    positions_ = positions.data();
    ISOCHOR_CALL_KERNEL(isa(), deform_kernel(half_, positions_, batch()));
    for (int i = 0; !offsets.empty() && i < kBatchCells; ++i) {
      for (int e = 0; e < 9; ++e) batch().F[e][i] += offsets[place(i)](e % 3, e / 3);
    }
    prepare();
  }

  /// About given F, at block * 8 + lane; nothing but linearising makes sense then.
  void deform(std::span<const Mat3d> gradients) {
    for (int i = 0; i < kBatchCells; ++i) {
      const int lane = i / kBatchBlocks, member = half_.first_block + i % kBatchBlocks;
      const Mat3d& F = gradients[place(i)];
      for (int e = 0; e < 9; ++e) batch().F[e][i] = F(e % 3, e / 3);
      batch().mu[i] = half_.moduli.mu[lane][member];
      batch().lambda[i] = half_.moduli.lambda[lane][member];
    }
    prepare();
  }

  const BlockGroup& group() const { return group_; }
  /// Of a cell of the batch: block * 8 + lane.
  std::size_t place(int i) const {
    return 8 * (first_block_ + std::size_t(i % kBatchBlocks)) + std::size_t(i / kBatchBlocks);
  }
  bool is_there(int i) const { return blocks_[i % kBatchBlocks].active >> (i / kBatchBlocks) & 1; }
  /// The part of a cell that its centre stands for.
  double weight(int i) const {
    return half_.moduli.weight[i / kBatchBlocks][half_.first_block + i % kBatchBlocks];
  }

  /// Fills the energies of the batch, and its stresses where they are wanted.
  void respond(bool stress) {
    for_each_material([&](std::size_t material, const bool* chosen) {
      CellBatch& out = chosen ? other_ : batch();
      LawPoints::respond(model_.materials[material], stress, out);
      choose(chosen, out, stress);
    });
  }

  /// Energy of block b, J.
  double block_energy(int b) const {
    const double h = group_.h;
    double density = 0;
    for (int c = 0; c < 8; ++c) {
      const int i = kBatchBlocks * c + b;
      density += batch().weight[i] * batch().energy[i];
    }
    return h * h * h * density + batch().spread_energy[b];
  }

  void add_forces(Vec3d* force) const {
    ISOCHOR_CALL_KERNEL(isa(), force_kernel(half_, positions_, batch(), force));
  }

  void linearise(materials::Definiteness fix, Tangents& tangents) {
    for_each_material([&](std::size_t material, const bool* chosen) {
      LawPoints::linearise(model_.materials[material], fix);
      store(chosen, tangents);
    });
  }

 protected:
  /// Calls f(number of a material, which cells have it); where one is all there is, the choice is
  /// null. All cells are evaluated.
  template <class F>
  void for_each_material(F&& f) {
    const bool several = std::popcount(group_.materials) > 1;
    for (int m = 0; group_.materials >> m != 0; ++m) {
      if (!(group_.materials >> m & 1)) continue;
      bool chosen[kBatchCells];
      for (int i = 0; several && i < kBatchCells; ++i) {
        chosen[i] = blocks_[i % kBatchBlocks].material[i / kBatchBlocks] == m;
      }
      const auto number = std::size_t(model_.bodies[group_.body].first_material + m);
      activate(activations_.empty() ? 0 : activations_[number]);
      f(number, several ? chosen : nullptr);
    }
  }

  CellBatch& other() { return other_; }
  const HalfGroup& half() const { return half_; }
  void set_stabilise(double part) { half_.stabilise = part; }
  const Material& material(std::size_t number) const { return model_.materials[number]; }

  /// Takes over what the chosen cells have; without a choice it is there already.
  void choose(const bool* chosen, const CellBatch& from, bool stress) {
    for (int i = 0; chosen && i < kBatchCells; ++i) {
      if (!chosen[i]) continue;
      batch().energy[i] = from.energy[i];
      for (int e = 0; stress && e < 9; ++e) batch().stress[e][i] = from.stress[e][i];
    }
  }

  /// Writes the tangents of the chosen cells.
  void store(const bool* chosen, Tangents& tangents) {
    if (group_.dense) {
      ISOCHOR_CALL_KERNEL(
          isa(), store_tangent_kernel(half_, tangent(), chosen, tangents.dense[group_.tangent]));
    } else {
      ISOCHOR_CALL_KERNEL(isa(), store_tangent_kernel(half_, tangent(), chosen,
                                                      tangents.principal[group_.tangent]));
    }
  }

 private:
  /// Laws need not make sense of what stands in cells whose centre does not count.
  void prepare() {
    for (int i = 0; !group_.whole && i < kBatchCells; ++i) {
      if (weight(i) > 0) continue;
      for (int e = 0; e < 9; ++e) batch().F[e][i] = e % 4 == 0;
    }
    turn();
  }

  const Model& model_;
  const BlockGroup& group_;
  std::size_t first_block_;
  const Block* blocks_;
  HalfGroup half_;
  std::span<const double> activations_;
  const Vec3d* positions_ = nullptr;
  CellBatch other_;
};

}  // namespace isochor::lattice
