#pragma once

#include "isochor/lattice/cell_visit.h"

namespace isochor::lattice::mixed {

/// The part of mu that cycles raise lower eigenvalues of tangents to. Where cells are pressed
/// together rotations have negative ones, and yet the body is stable, as cells do not turn one by
/// one. Raised to zero, surfaces that come close to wrinkling would be several times too stiff, and
/// the more so the finer the cells are; much lower, cycles of bodies that are unstable would blow
/// up what rounding leaves. A system with a fix has no negative ones, and neither have its cycles.
inline constexpr double cycle_floor(bool exact) { return exact ? -0.8 : 0.05; }

/// The cells of half a group while their laws and measures are visited at their centres.
class Visit : public CellVisit {
 public:
  Visit(const lattice::Model& model, std::span<const Measure> measures, std::size_t group,
        int first_block, double stabilise, std::span<const double> activations, Isa isa)
      : CellVisit(model, group, first_block, stabilise, activations, isa),
        measures_(measures),
        first_pressure_(group * kGroupCells + std::size_t(first_block)) {}

  /// Where a cell of the batch is among pressures.
  std::size_t pressure_at(int i) const {
    return first_pressure_ + std::size_t(i / kBatchBlocks * kGroupBlocks + i % kBatchBlocks);
  }

  /// M of all cells.
  void measure_volume() {
    for_each_material([&](std::size_t material, const bool* chosen) {
      double* to = chosen ? other_value_ : value();
      LawPoints::measure_volume(measures_[material], to);
      choose_values(chosen);
    });
  }

  /// M, and energy and stress of Psi0 + p M.
  void respond() {
    for_each_material([&](std::size_t number, const bool* chosen) {
      CellBatch& out = chosen ? other() : batch();
      LawPoints::respond(material(number), measures_[number], out, chosen ? other_value_ : value());
      choose(chosen, out, true);
      choose_values(chosen);
    });
  }

  /// `cycle_spread`: the part of the stabilisation that cycles of multigrid have.
  void linearise(Fix fix, double alpha, double cycle_spread, Tangents& tangents) {
    const double scale = 0.25 * alpha * group().h * group().h;
    const double spread = half().stabilise;
    for_each_material([&](std::size_t number, const bool* chosen) {
      LawPoints::linearise(material(number), measures_[number], fix);
      store(chosen, tangents.system);
      if (group().dense) {
        store_gradient(scale, chosen, tangents.dense[group().tangent]);
      } else {
        store_gradient(scale, chosen, tangents.principal[group().tangent]);
      }
      augment(cycle_floor(fix == Fix::None), chosen);
      set_stabilise(cycle_spread);
      store(chosen, tangents.cycle);
      set_stabilise(spread);
    });
  }

  /// For cycles alone; `exact` as in cycle_floor().
  void linearise_coarse(bool exact, lattice::Tangents& tangents) {
    for_each_material([&](std::size_t number, const bool* chosen) {
      LawPoints::linearise(material(number), measures_[number], Fix::None);
      augment(cycle_floor(exact), chosen);
      store(chosen, tangents);
    });
  }

 private:
  void choose_values(const bool* chosen) {
    for (int i = 0; chosen && i < kBatchCells; ++i) {
      if (chosen[i]) value()[i] = other_value_[i];
    }
  }

  template <int Numbers>
  void store_gradient(double scale, const bool* chosen, GroupGradient<Numbers>& to) const {
    for (int e = 0; e < Numbers; ++e) {
      for (int i = 0; i < kBatchCells; ++i) {
        if (chosen && !chosen[i]) continue;
        to.number[i / kBatchBlocks][e][half().first_block + i % kBatchBlocks] =
            static_cast<float>(scale * weight(i) * gradient()[e * kBatchCells + i]);
      }
    }
  }

  std::span<const Measure> measures_;
  std::size_t first_pressure_;
  double other_value_[kBatchCells];
};

}  // namespace isochor::lattice::mixed
