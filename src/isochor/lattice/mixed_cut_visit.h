#pragma once

#include <optional>

#include "isochor/geometry/mirrored_points.h"
#include "isochor/lattice/cut_visit.h"
#include "isochor/lattice/mixed_operator.h"
#include "isochor/lattice/mixed_visit.h"
#include "isochor/materials/volume_laws.h"

namespace isochor::lattice::mixed {

/// The images of the points of cells in their centroids, while volume is measured there.
class ImageVisit {
 public:
  ImageVisit(const lattice::Model& model, const CutGroup& group, const Configuration& at, Isa isa)
      : group_(mirrored(group)), points_(model, group_, at.activations, isa) {
    points_.deform(at.positions);
  }

  PointVisit& points() { return points_; }
  const PointVisit& points() const { return points_; }

  /// Adds the forces of p M, once it was measured.
  void add_forces(Vec3d* force) {
    CellBatch& batch = points_.batch();
    for (int e = 0; e < 9; ++e) {
      for (int i = 0; i < kBatchCells; ++i) {
        batch.stress[e][i] = points_.pressure()[i] * points_.gradient()[e * kBatchCells + i];
      }
    }
    points_.add_forces(force);
  }

 private:
  static CutGroup mirrored(const CutGroup& given) {
    CutGroup group = given;
    for (int lane = 0; lane < kGroupBlocks; ++lane) {
      geometry::FourPoints points;
      for (int i = 0; i < 3 * kCutPoints; ++i)
        points[i / 3][i % 3] = group.point[i / 3][i % 3][lane];
      points = geometry::mirrored(points);
      for (int i = 0; i < 3 * kCutPoints; ++i)
        group.point[i / 3][i % 3][lane] = points[i / 3][i % 3];
    }
    return group;
  }

  const CutGroup group_;
  PointVisit points_;
};

/// Cells with points of their own while their law and measure are visited there. Where the measure
/// is one of the mean volume, m(Jbar) [Patterson12 (6)], points measure J - 1 and have the pressure
/// p m'(Jbar). Where the mean is that of eight points, the law is still visited at four.
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
    if (model.params.mean_points == MeanPoints::Eight) images_.emplace(model.base, group, at, isa);
    if (by_mean_) measure_mean();
  }

  /// Energies and stresses of Psi0 + p M.
  void respond() {
    set_pressures(images_ ? 0.5 : 1, pressure());
    LawPoints::respond(material(), point_measure(), batch(), value());
    respond_fibres(true);
    measure_images();
  }
  void add_forces(Vec3d* force) {
    CutVisit::add_forces(force);
    if (!images_) return;
    set_pressures(0.5, images_->points().pressure());
    images_->add_forces(force);
  }
  /// M of all cells.
  void measure_volume() {
    LawPoints::measure_volume(point_measure(), value());
    measure_images();
  }

  /// The mean measure of a cell once it was measured or responded, and its mean energy, J/m^3.
  double measure_of(int lane) const {
    return by_mean_ ? of_mean_[lane].value : mean_of_points(lane);
  }
  double energy_of(int lane) const {
    const double energy = CutVisit::energy_of(lane);
    if (!by_mean_ && !images_) return energy;
    return energy + cell_pressure_[lane] * measure_of(lane) -
           pressure()[lane] * mean(value(), lane);
  }

  void linearise(Fix fix, Tangents& tangents) {
    const std::int32_t matrix = group().matrix;
    set_pressures(1, pressure());
    LawPoints::linearise(material(), point_measure(), fix);
    if (fibres()) {
      fibres()->LawPoints::linearise(material(), materials::Definiteness::None);
      if (fix != Fix::None) fibres()->raise(nullptr, cycle_floor(false));
    }
    assemble(tangents.system.cut[matrix]);
    const double floor = cycle_floor(fix == Fix::None);
    raise(nullptr, floor);
    if (fibres()) fibres()->raise(nullptr, floor);
    assemble(tangents.cycle.cut[matrix]);
    assemble_gradient(*this, tangents.cut[matrix]);
    if (images_) move_to_images(tangents);
    if (by_mean_) curve(fix, tangents);
    augment_cells(tangents);
  }

 private:
  /// M at the points.
  Measure point_measure() const {
    return by_mean_ ? Measure{materials::VolumeMeasure::J, 0} : measure_;
  }

  /// The pressures of points, of which each has a part.
  void set_pressures(double part, double* of_points) const {
    for (int i = 0; i < kBatchCells; ++i) {
      const int lane = i % kGroupBlocks;
      of_points[i] = part * cell_pressure_[lane] * (by_mean_ ? of_mean_[lane].slope : 1);
    }
  }

  void measure_images() {
    if (!images_) return;
    PointVisit& points = images_->points();
    points.measure_volume(point_measure(), points.value());
  }
  double mean_of_points(int lane) const {
    const double own = mean(value(), lane);
    return images_ ? 0.5 * (own + mean(images_->points().value(), lane)) : own;
  }

  void measure_mean() {
    materials::Parameters<double> penalty{};
    penalty.shape[0] = measure_.penalty;
    measure_volume();
    for (int lane = 0; lane < kGroupBlocks; ++lane) {
      const double change = mean_of_points(lane);
      of_mean_[lane] = measure_.kind == materials::VolumeMeasure::LogJ
                           ? materials::LogVolume::of(change, penalty)
                           : materials::RatioVolume::of(change, penalty);
    }
  }

  /// The derivative of alpha times the integral of M by positions, as if `points` were all.
  void assemble_gradient(PointVisit& points, CutGradient& out) const {
    points.LawPoints::measure_volume(point_measure(), points.value());
    ISOCHOR_CALL_KERNEL(
        isa(), assemble_gradient_kernel(points.group(), points.gradient(), model_.alpha, out));
  }

  /// Gives half of the measure from the points to their images. What is made definite stays as it
  /// is: the two halves differ by little, and each alone would have to be made so.
  void move_to_images(Tangents& tangents) {
    const std::int32_t matrix = group().matrix;
    PointVisit& images = images_->points();
    set_pressures(-0.5, pressure());
    set_pressures(0.5, images.pressure());
    CutMatrix part;
    for (PointVisit* points : {static_cast<PointVisit*>(this), &images}) {
      points->LawPoints::linearise(point_measure());
      points->assemble(part);
      add(part, tangents.system.cut[matrix]);
    }
    CutGradient of_images;
    assemble_gradient(images, of_images);
    for (int e = 0; e < 21 * kGroupBlocks; ++e) {
      float& entry = (&tangents.cut[matrix].entry[0][0])[e];
      entry = 0.5F * (entry + (&of_images.entry[0][0])[e]);
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
      if (factor > 0) add_square(factor, b, lane, tangents.cycle.cut[matrix]);
      if (factor > 0 || fix == Fix::None) add_square(factor, b, lane, tangents.system.cut[matrix]);
      for (int e = 0; e < 21; ++e) b.entry[e][lane] *= static_cast<float>(slope);
    }
  }

  /// gamma / W b b^T for cycles: of the cell's mean, as a pressure sees it. Added up over points it
  /// would be far stiffer, as each of them would be kept from changing its volume.
  void augment_cells(Tangents& tangents) {
    const std::int32_t matrix = group().matrix;
    for (int lane = 0; lane < kGroupBlocks; ++lane) {
      if (group().volume[lane] == 0) continue;
      const double gamma =
          kAugmentation * group().mu[lane] / (group().volume[lane] * model_.alpha * model_.alpha);
      add_square(gamma, tangents.cut[matrix], lane, tangents.cycle.cut[matrix]);
    }
  }

  static void add_square(double factor, const CutGradient& b, int lane, CutMatrix& to) {
    for (int c = 0; c < 21; ++c) {
      for (int r = 0; r <= c; ++r) {
        to.entry[CutMatrix::index(r, c)][lane] +=
            static_cast<float>(factor * b.entry[r][lane] * b.entry[c][lane]);
      }
    }
  }

  const Model& model_;
  const Measure& measure_;
  const bool by_mean_;
  std::optional<ImageVisit> images_;
  double cell_pressure_[kGroupBlocks];
  materials::Smooth<double> of_mean_[kGroupBlocks];
};

}  // namespace isochor::lattice::mixed
