#pragma once

#include <optional>

#include "isochor/lattice/cut_kernels.h"
#include "isochor/lattice/law_points.h"

namespace isochor::lattice {

/// Points of cells while their law is visited there.
class PointVisit : public LawPoints {
 public:
  PointVisit(const Model& model, const CutGroup& group, std::span<const double> activations,
             Isa isa)
      : LawPoints(group.axes >= 0 ? &model.cut_axes[group.axes] : nullptr, 0, isa),
        group_(group),
        material_(model.materials[group.material]) {
    activate(activations.empty() ? 0 : activations[group.material]);
    for (int i = 0; i < kBatchCells; ++i) {
      batch().mu[i] = group.mu[i % kGroupBlocks];
      batch().lambda[i] = group.lambda[i % kGroupBlocks];
    }
  }

  void deform(std::span<const Vec3d> positions) {
    ISOCHOR_CALL_KERNEL(isa(), deform_points_kernel(group_, positions.data(), &batch().F[0][0]));
    turn();
  }
  /// About given F, at block * 8 + lane, all over a cell.
  void deform(std::span<const Mat3d> gradients) {
    for (int i = 0; i < kBatchCells; ++i) {
      const Mat3d& F = gradients[group_.cell[i % kGroupBlocks]];
      for (int e = 0; e < 9; ++e) batch().F[e][i] = F(e % 3, e / 3);
    }
    turn();
  }

  const CutGroup& group() const { return group_; }
  const Material& material() const { return material_; }

  /// What the points of a cell have on average.
  double mean(const double* of_points, int lane) const {
    double sum = 0;
    for (int q = 0; q < kCutPoints; ++q) sum += of_points[kGroupBlocks * q + lane];
    return sum / kCutPoints;
  }

  void add_forces(Vec3d* force) const {
    ISOCHOR_CALL_KERNEL(isa(), point_force_kernel(group_, &batch().stress[0][0], force));
  }
  void assemble(CutMatrix& matrix) {
    ISOCHOR_CALL_KERNEL(isa(), assemble_kernel(group_, dense_tangent(), matrix));
  }

 private:
  const CutGroup& group_;
  const Material& material_;
};

/// Cells with points of their own while their law is visited there, and at the point of their
/// fibres where these have one.
class CutVisit : public PointVisit {
 public:
  CutVisit(const Model& model, const CutGroup& group, std::span<const double> activations, Isa isa)
      : PointVisit(model, group, activations, isa) {
    if (group.fibres >= 0) {
      fibres_.emplace(model, model.fibre_groups[group.fibres], activations, isa);
    }
  }

  /// By positions of nodes or by given F.
  template <class T>
  void deform(std::span<const T> at) {
    PointVisit::deform(at);
    if (fibres_) fibres_->deform(at);
  }

  void respond(bool stress) {
    LawPoints::respond(material(), stress, batch());
    respond_fibres(stress);
  }
  void linearise(materials::Definiteness fix) {
    LawPoints::linearise(material(), fix);
    if (fibres_) fibres_->LawPoints::linearise(material(), fix);
  }

  /// Means over a cell, once it responded.
  double energy_of(int lane) const {
    return mean(batch().energy, lane) + (fibres_ ? mean(fibres_->batch().energy, lane) : 0.0);
  }
  double stress_of(int entry, int lane) const {
    return mean(batch().stress[entry], lane) +
           (fibres_ ? mean(fibres_->batch().stress[entry], lane) : 0.0);
  }

  void add_forces(Vec3d* force) const {
    PointVisit::add_forces(force);
    if (fibres_) fibres_->add_forces(force);
  }
  void assemble(CutMatrix& matrix) {
    PointVisit::assemble(matrix);
    if (!fibres_) return;
    CutMatrix part;
    fibres_->assemble(part);
    add(part, matrix);
  }

 protected:
  void respond_fibres(bool stress) {
    if (fibres_) fibres_->LawPoints::respond(material(), stress, fibres_->batch());
  }
  PointVisit* fibres() { return fibres_ ? &*fibres_ : nullptr; }

  static void add(const CutMatrix& part, CutMatrix& to) {
    for (int e = 0; e < CutMatrix::kSize; ++e) {
      for (int lane = 0; lane < kGroupBlocks; ++lane) to.entry[e][lane] += part.entry[e][lane];
    }
  }

 private:
  std::optional<PointVisit> fibres_;
};

/// Adds the diagonal of a matrix on differences to corner 0 to that of all corners.
template <class S>
void add_diagonal(const CutGroup& group, const CutMatrix& matrix, Vec3<S>* diagonal) {
  for (int lane = 0; lane < kGroupBlocks; ++lane) {
    for (int a = 0; a < 3; ++a) {
      S first = 0;  // the sum of all entries along the axis
      for (int c = 0; c < 7; ++c) {
        for (int b = 0; b < c; ++b) {
          first += 2 * S(matrix.entry[CutMatrix::index(3 * b + a, 3 * c + a)][lane]);
        }
        const S own = matrix.entry[CutMatrix::index(3 * c + a, 3 * c + a)][lane];
        diagonal[group.nodes[1 + c][lane] / 3][a] += own;
        first += own;
      }
      diagonal[group.nodes[0][lane] / 3][a] += first;
    }
  }
}

/// Calls f(group) for the cells of a tile with points of their own.
template <class F>
void for_each_cut(const Model& model, std::size_t tile, F&& f) {
  for (std::int32_t g = model.first_cut[tile]; g < model.first_cut[tile + 1]; ++g) {
    f(model.cut_groups[g]);
  }
}

}  // namespace isochor::lattice
