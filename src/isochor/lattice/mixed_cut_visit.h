#pragma once

#include "isochor/lattice/cut_visit.h"
#include "isochor/lattice/mixed_operator.h"
#include "isochor/lattice/mixed_visit.h"
#include "isochor/materials/volume_laws.h"

namespace isochor::lattice::mixed {

/// Cells with points of their own while their law and measure are visited there. Where the measure
/// is one of the mean volume, m(Jbar) [Patterson12 (6)], points measure J - 1 and have the pressure
/// p m'(Jbar).
class MixedCutVisit : public CutVisit {
 public:
  MixedCutVisit(const Model& model, const CutGroup& group, const Configuration& at, Isa isa)
      : CutVisit(model.base, group, at.activations, isa),
        model_(model),
        measure_(model.measures[group.material]),
        by_mean_(model.params.mean == Mean::OfVolume &&
                 (measure_.kind == materials::VolumeMeasure::LogJ ||
                  measure_.kind == materials::VolumeMeasure::J)) {
    deform(at.positions);
    for (int lane = 0; lane < kGroupBlocks; ++lane) {
      cell_pressure_[lane] = at.pressure[Model::pressure_at(group.cell[lane])];
    }
    if (by_mean_) measure_mean();
    for (int i = 0; i < kBatchCells; ++i) {
      const int lane = i % kGroupBlocks;
      pressure()[i] = cell_pressure_[lane] * (by_mean_ ? of_mean_[lane].slope : 1);
    }
  }

  /// Energies and stresses of Psi0 + p M.
  void respond() { LawPoints::respond(material(), point_measure(), batch(), value()); }
  /// M of all cells.
  void measure_volume() { LawPoints::measure_volume(point_measure(), value()); }

  /// The mean measure of a cell once it was measured or responded, and its mean energy, J/m^3.
  double measure_of(int lane) const {
    return by_mean_ ? of_mean_[lane].value : mean(value(), lane);
  }
  double energy_of(int lane) const {
    const double energy = mean(batch().energy, lane);
    if (!by_mean_) return energy;
    return energy + cell_pressure_[lane] * of_mean_[lane].value -
           pressure()[lane] * mean(value(), lane);
  }

  void linearise(Fix fix, Tangents& tangents) {
    const std::int32_t matrix = group().matrix;
    LawPoints::linearise(material(), point_measure(), fix);
    assemble(tangents.system.cut[matrix]);
    raise(nullptr, kFloor);
    assemble(tangents.definite.cut[matrix]);
    measure_volume();
    CutGradient& gradient_of_cell = tangents.cut[matrix];
    ISOCHOR_CALL_KERNEL(
        isa(), assemble_gradient_kernel(group(), gradient(), model_.alpha, gradient_of_cell));
    if (by_mean_) curve(fix, tangents);
  }

 private:
  /// M at the points.
  Measure point_measure() const {
    return by_mean_ ? Measure{materials::VolumeMeasure::J, 0} : measure_;
  }

  void measure_mean() {
    materials::Parameters<double> penalty{};
    penalty.shape[0] = measure_.penalty;
    LawPoints::measure_volume(point_measure(), value());
    for (int lane = 0; lane < kGroupBlocks; ++lane) {
      const double change = mean(value(), lane);
      of_mean_[lane] = measure_.kind == materials::VolumeMeasure::LogJ
                           ? materials::LogVolume::of(change, penalty)
                           : materials::RatioVolume::of(change, penalty);
    }
  }

  /// Adds p m'' / W b b^T to the matrices, b being the gradient of the volume, which becomes that
  /// of m. To the definite matrix, and with a fix, only where that is not negative.
  void curve(Fix fix, Tangents& tangents) {
    const std::int32_t matrix = group().matrix;
    CutGradient& b = tangents.cut[matrix];
    for (int lane = 0; lane < kGroupBlocks; ++lane) {
      if (group().volume[lane] == 0) continue;
      const auto& [m, slope, curvature] = of_mean_[lane];
      const double factor =
          cell_pressure_[lane] * curvature / (group().volume[lane] * model_.alpha * model_.alpha);
      for (int c = 0; c < 21; ++c) {
        for (int r = 0; r <= c; ++r) {
          const auto part = static_cast<float>(factor * b.entry[r][lane] * b.entry[c][lane]);
          const int at = CutMatrix::index(r, c);
          if (factor > 0) tangents.definite.cut[matrix].entry[at][lane] += part;
          if (factor > 0 || fix == Fix::None) tangents.system.cut[matrix].entry[at][lane] += part;
        }
      }
      for (int e = 0; e < 21; ++e) b.entry[e][lane] *= static_cast<float>(slope);
    }
  }

  const Model& model_;
  const Measure& measure_;
  const bool by_mean_;
  double cell_pressure_[kGroupBlocks];
  materials::Smooth<double> of_mean_[kGroupBlocks];
};

}  // namespace isochor::lattice::mixed
