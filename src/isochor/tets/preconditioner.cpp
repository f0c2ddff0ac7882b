#include "isochor/tets/preconditioner.h"

#include <algorithm>
#include <limits>

#include "isochor/solve/chebyshev.h"
#include "isochor/solve/largest_eigenvalue.h"

namespace isochor::tets {
namespace {

Mat3<float> to_float(const Mat3d& A) {
  Mat3<float> out;
  for (int e = 0; e < 9; ++e) out(e % 3, e / 3) = float(A(e % 3, e / 3));
  return out;
}

/// Inverse diagonal blocks where there are contacts.
void add_contact_diagonal(const Model& model, const solve::Blocks<double>& matrix,
                          const contact::ContactMatrix& contact,
                          std::span<Mat3<float>> inverse_diagonal) {
  for (std::size_t row = 0; row < contact.points().size(); ++row) {
    const std::int32_t i = contact.points()[row];
    if (model.held[i]) continue;
    const Mat3d sum = matrix[model.diagonal_place(i)] + contact.diagonal()[row];
    inverse_diagonal[i] = to_float(inverse_or_zero(sum));
  }
}

}  // namespace

Mat3d inverse_or_zero(const Mat3d& A) {
  const Vec3d r0 = cross(A.column[1], A.column[2]), r1 = cross(A.column[2], A.column[0]),
              r2 = cross(A.column[0], A.column[1]);
  const double det = dot(A.column[0], r0);
  const bool definite = A(0, 0) > 0 && A(0, 0) * A(1, 1) > A(0, 1) * A(1, 0) && det > 0;
  return definite ? transpose(Mat3d{{r0, r1, r2}}) * (1 / det) : Mat3d::zero();
}

PreconditionerMemory::PreconditionerMemory(const Model& model)
    : multigrid(model.auxiliary ? model.auxiliary->lattice : lattice::Model{}) {
  if (!model.auxiliary) return;
  const std::size_t nodes = model.node_count();
  const lattice::Model& lattice = model.auxiliary->lattice;
  matrix.resize(model.pattern.columns.size());
  inverse_diagonal.resize(nodes);
  for (auto* v : {&x, &b, &d, &image}) v->resize(nodes);
  gradients.resize(8 * lattice.blocks.size());
  still.assign(lattice.node_count(), Vec3d{0, 0, 0});
  tangents = lattice::Tangents(lattice);
  diagonal.resize(lattice.node_count());
  shift.resize(lattice.node_count());
  residual.resize(lattice.node_count());
  correction.resize(lattice.node_count());
}

void PreconditionerMemory::poison() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (auto* v : {&x, &b, &d, &image, &diagonal}) {
    std::fill(v->begin(), v->end(), Vec3f{nan, nan, nan});
  }
  for (auto* v : {&residual, &correction}) std::fill(v->begin(), v->end(), Vec3d{nan, nan, nan});
  for (auto* v : {&matrix, &inverse_diagonal}) {
    std::fill(v->begin(), v->end(), Mat3<float>::diagonal({nan, nan, nan}));
  }
  std::fill(shift.begin(), shift.end(), nan);
  multigrid.poison();
}

std::size_t PreconditionerMemory::bytes() const {
  const auto sum = [](const auto&... v) {
    return (... + (v.capacity() * sizeof(typename std::remove_cvref_t<decltype(v)>::value_type)));
  };
  return multigrid.bytes() + sum(matrix, inverse_diagonal, x, b, d, image, gradients, still,
                                 tangents.principal, tangents.dense, diagonal, shift, residual,
                                 correction);
}

void LatticePreconditioner::linearise(std::span<const Vec3d> positions, double inertia) {
  const Auxiliary& auxiliary = *model_.auxiliary;
  const lattice::Model& lattice = auxiliary.lattice;
  const auto& [first, terms] = auxiliary.cell_tets;
  std::fill(memory_.gradients.begin(), memory_.gradients.end(), Mat3d::identity());
  parallel_for(arena_, lattice.cells.size(), 64, [&](std::size_t c) {
    if (first[c] == first[c + 1]) return;
    Mat3d F = Mat3d::zero();
    for (std::int32_t k = first[c]; k < first[c + 1]; ++k) {
      F += deformation_gradient(model_, terms[k].index, positions) * double(terms[k].weight);
    }
    memory_.gradients[lattice.cells[c]] = F;
  });
  lattice::linearise(lattice, memory_.gradients, {}, 1, materials::Definiteness::Clamp,
                     memory_.tangents, arena_);
  lattice::Configuration at(memory_.still);
  at.offsets = memory_.gradients;
  multigrid_.linearise(at);

  const std::span<float> shift = find_shift(inertia);
  lattice::stiffness_diagonal(lattice, memory_.tangents, std::span(memory_.diagonal), arena_);
  solve::add_spring_diagonal(lattice.springs, memory_.diagonal, arena_);
  for (std::size_t i = 0; i < shift.size(); ++i) {
    memory_.diagonal[i] += Vec3f{shift[i], shift[i], shift[i]};
  }
  multigrid_.prepare(memory_.tangents, memory_.diagonal, shift);
}

std::span<float> LatticePreconditioner::find_shift(double inertia) {
  const Auxiliary& auxiliary = *model_.auxiliary;
  if (inertia == 0 && !contact_) return {};
  const std::span<float> shift = memory_.shift;
  for (std::size_t i = 0; i < shift.size(); ++i) {
    shift[i] = float(inertia * auxiliary.mass[i] / stiffening_);
  }
  if (!contact_) return shift;
  for (std::size_t row = 0; row < contact_->points().size(); ++row) {
    const std::int32_t node = contact_->points()[row];
    const float stiffness = float(trace(contact_->diagonal()[row]) / stiffening_);
    for (std::int32_t t = auxiliary.to_tets.first[node]; t < auxiliary.to_tets.first[node + 1];
         ++t) {
      shift[auxiliary.to_tets.terms[t].index] += auxiliary.to_tets.terms[t].weight * stiffness;
    }
  }
  return shift;
}

void LatticePreconditioner::prepare(const solve::Blocks<double>& matrix,
                                    const contact::ContactMatrix* contact, double stiffening) {
  contact_ = contact;
  stiffening_ = stiffening;
  parallel_for(arena_, model_.node_count(), solve::kRowGrain, [&](std::size_t i) {
    for (std::int32_t k = model_.pattern.first[i]; k < model_.pattern.first[i + 1]; ++k) {
      memory_.matrix[k] = to_float(matrix[k]);
      if (model_.pattern.columns[k] != std::int32_t(i)) continue;
      memory_.inverse_diagonal[i] =
          model_.held[i] ? Mat3<float>::zero() : to_float(inverse_or_zero(matrix[k]));
    }
  });
  if (contact_) add_contact_diagonal(model_, matrix, *contact_, memory_.inverse_diagonal);
  PreconditionerMemory& m = memory_;
  m.largest_eigenvalue = solve::largest_eigenvalue(
      {.z = m.x, .r = m.b, .p = m.d, .image = m.image}, arena_,
      [&] {
        parallel_for(arena_, m.x.size(), solve::kRowGrain,
                     [&](std::size_t i) { m.x[i] = m.inverse_diagonal[i] * m.b[i]; });
      },
      [&] { multiply(m.d, m.image); }, [&](std::span<Vec3f> v) { restraint_(v, arena_); });
}

bool LatticePreconditioner::weaken() {
  constexpr double kFactor = 1.0 / 16, kLeast = 1e-3;
  if (share_ == 0) return false;
  share_ *= kFactor;
  if (share_ < kLeast) share_ = 0;
  return true;
}

void LatticePreconditioner::multiply(std::span<const Vec3f> v, std::span<Vec3f> out) {
  solve::multiply(model_.pattern, memory_.matrix, v, out, arena_);
  if (contact_) contact_->add_product(v, out, arena_);
  restraint_(out, arena_);
}

void LatticePreconditioner::smooth(bool from_zero) {
  PreconditionerMemory& m = memory_;
  solve::chebyshev_smooth(m.largest_eigenvalue, kDegree, [&](double length, bool first) {
    const bool zero = from_zero && first;
    if (!zero) multiply(m.x, m.image);
    parallel_for(arena_, m.x.size(), solve::kRowGrain, [&](std::size_t i) {
      const Vec3f left = zero ? m.b[i] : m.b[i] - m.image[i];
      const Vec3f push = float(length) * (m.inverse_diagonal[i] * left);
      m.x[i] = zero ? push : m.x[i] + push;
    });
    restraint_(std::span(m.x), arena_);
  });
}

void LatticePreconditioner::correct() {
  PreconditionerMemory& m = memory_;
  const Auxiliary& auxiliary = *model_.auxiliary;
  multiply(m.x, m.image);
  parallel_for(arena_, m.residual.size(), solve::kRowGrain, [&](std::size_t i) {
    Vec3d sum{0, 0, 0};
    for (std::int32_t t = auxiliary.to_lattice.first[i]; t < auxiliary.to_lattice.first[i + 1];
         ++t) {
      const auto& [node, weight] = auxiliary.to_lattice.terms[t];
      const Vec3f left = weight * (m.b[node] - m.image[node]);
      sum += Vec3d{left[0], left[1], left[2]};
    }
    m.residual[i] = sum;
  });
  multigrid_.apply(m.residual, m.correction);
  parallel_for(arena_, m.x.size(), solve::kRowGrain, [&](std::size_t i) {
    if (model_.held[i]) return;
    Vec3d sum{0, 0, 0};
    for (std::int32_t t = auxiliary.to_tets.first[i]; t < auxiliary.to_tets.first[i + 1]; ++t) {
      sum += double(auxiliary.to_tets.terms[t].weight) *
             m.correction[auxiliary.to_tets.terms[t].index];
    }
    sum *= share_ / stiffening_;
    m.x[i] += Vec3f{float(sum[0]), float(sum[1]), float(sum[2])};
  });
  restraint_(std::span(m.x), arena_);
}

void LatticePreconditioner::apply(std::span<const Vec3d> r, std::span<Vec3d> z) {
  PreconditionerMemory& m = memory_;
  parallel_for(arena_, r.size(), solve::kRowGrain, [&](std::size_t i) {
    m.b[i] = {float(r[i][0]), float(r[i][1]), float(r[i][2])};
  });
  restraint_(std::span(m.b), arena_);
  smooth(true);
  correct();
  smooth(false);
  parallel_for(arena_, z.size(), solve::kRowGrain, [&](std::size_t i) {
    z[i] = {m.x[i][0], m.x[i][1], m.x[i][2]};
  });
}

}  // namespace isochor::tets
