#include "isochor/lattice/cell_law.h"

#include <algorithm>

#include "isochor/lattice/mixed_tangents.h"
#include "isochor/materials/dense_law.h"
#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"
#include "isochor/materials/tangent_numbers.h"
#include "isochor/materials/volume_laws.h"

namespace isochor::lattice {
namespace {

using materials::DenseTangent;
using materials::PrincipalTangent;

/// As many as the widest registers hold: none goes through a detour.
constexpr int kLanes = 8;
Mat3d matrix_at(const double* numbers, int lane) {
  Mat3d A;
  for (int e = 0; e < 9; ++e) A(e % 3, e / 3) = numbers[e * kLanes + lane];
  return A;
}

/// to += scale times the whole matrix.
void add_dense(const PrincipalTangent<double>& t, double scale, DenseTangent<double>& to) {
  const DenseTangent<double> all = materials::densified(t);
  for (int e = 0; e < to.kSize; ++e) to.entry[e] += scale * all.entry[e];
}

materials::Parameters<double> parameters_of(const mixed::Measure& measure) {
  materials::Parameters<double> p{};
  p.shape[0] = measure.penalty;
  return p;
}

materials::Response<double> measured(const mixed::Measure& measure, const Mat3d& F) {
  materials::Response<double> r;
  materials::with_measure(measure.kind,
                          [&]<class M>(M) { r = M::respond(F, parameters_of(measure)); });
  return r;
}

void add_curvature(const mixed::Measure& measure, const Mat3d& F, double pressure,
                   DenseTangent<double>& to) {
  materials::with_measure(measure.kind, [&]<class M>(M) {
    if constexpr (!std::is_same_v<M, materials::LinearVolume>) {
      add_dense(M::linearise(F, parameters_of(measure)), pressure, to);
    }
  });
}

}  // namespace

struct CellLaw::Batch {
  double F[9 * kLanes], mu[kLanes], lambda[kLanes];
  materials::LawBatch<double> law;
};

CellLaw::CellLaw(const Model& model, std::int32_t cell, std::span<const double> activations,
                 const mixed::Model* mixed, double pressure)
    : material_(
          model
              .materials[model.bodies[model.groups[cell / (8 * kGroupBlocks)].body].first_material +
                         model.blocks[cell / 8].material[cell % 8]]),
      pressure_(pressure),
      mu_(model.mu(cell)),
      lambda_(model.lambda(cell)),
      has_axes_(!materials::is_isotropic(material_.law)) {
  if (mixed) measure_ = &mixed->measures[&material_ - model.materials.data()];
  if (!has_axes_) return;
  const BlockGroup& group = model.groups[cell / (8 * kGroupBlocks)];
  const GroupAxes& axes = model.axes[group.tangent];
  const int lane = cell % 8, member = cell / 8 % kGroupBlocks;
  for (int e = 0; e < 9; ++e) axes_(e % 3, e / 3) = axes.Q[e][lane][member];
  fibres_ = axes.fibres[lane][member];
  if (!activations.empty()) {
    activation_ = axes.activation[lane][member] *
                  activations[std::size_t(&material_ - model.materials.data())];
  }
}

CellLaw::Batch CellLaw::batch_of(std::span<const Mat3d> F) const {
  Batch b;
  for (int i = 0; i < kLanes; ++i) {
    const Mat3d& given = F[std::min(std::size_t(i), F.size() - 1)];
    const Mat3d own = has_axes_ ? given * axes_ : given;
    for (int e = 0; e < 9; ++e) b.F[e * kLanes + i] = own(e % 3, e / 3);
    b.mu[i] = mu_;
    b.lambda[i] = lambda_;
  }
  b.law = {.count = kLanes};
  b.law.common.activation = activation_;
  b.law.common.fibres = fibres_;
  std::copy(material_.shape.begin(), material_.shape.end(), b.law.common.shape);
  return b;
}

void CellLaw::respond(std::span<const Mat3d> F, std::span<Response> out) const {
  Batch b = batch_of(F);
  double energy[kLanes], stress[9 * kLanes];
  b.law.F = b.F;
  b.law.mu = b.mu;
  b.law.lambda = b.lambda;
  b.law.energy = energy;
  b.law.stress = stress;
  materials::evaluate(material_.law, b.law);
  for (int i = 0; i < int(F.size()); ++i) {
    Response& r = out[i];
    r.energy = energy[i];
    r.stress = matrix_at(stress, i);
    if (has_axes_) r.stress = times_transpose(r.stress, axes_);
    if (!measure_) continue;
    const materials::Response<double> m = measured(*measure_, F[i]);
    r.volume = m.energy;
    r.gradient = m.stress;
    r.energy += pressure_ * m.energy;
    r.stress += m.stress * pressure_;
  }
}

void CellLaw::linearise(std::span<const Mat3d> F, materials::Definiteness fix,
                        std::span<Tangent> out) const {
  Batch b = batch_of(F);
  double numbers[Tangent::kSize * kLanes];
  b.law.F = b.F;
  b.law.mu = b.mu;
  b.law.lambda = b.lambda;
  b.law.tangent = numbers;
  b.law.fix = measure_ ? materials::Definiteness::None : fix;
  materials::evaluate(material_.law, b.law);
  for (int i = 0; i < int(F.size()); ++i) {
    Tangent& t = out[i];
    if (has_axes_) {
      for (int e = 0; e < t.kSize; ++e) t.entry[e] = numbers[e * kLanes + i];
      t = materials::turned(t, axes_);
    } else {
      t = materials::densified(
          materials::principal_from<double>([&](int e) { return numbers[e * kLanes + i]; }));
    }
    if (!measure_) continue;
    add_curvature(*measure_, F[i], pressure_, t);
    if (fix == materials::Definiteness::None) continue;
    const Mat3d Q = measured(*measure_, F[i]).stress;
    const auto add_volume = [&](double kappa) {
      for (int c = 0; c < 9; ++c) {
        for (int r = 0; r <= c; ++r) t(r, c) += kappa * Q(r % 3, r / 3) * Q(c % 3, c / 3);
      }
    };
    add_volume(mixed::kThreshold * mu_);
    make_definite(t, materials::Definiteness::Clamp);
    add_volume(-mixed::kThreshold * mu_);
  }
}

}  // namespace isochor::lattice
