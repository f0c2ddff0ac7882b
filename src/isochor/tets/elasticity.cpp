#include "isochor/tets/elasticity.h"

#include <algorithm>
#include <numeric>

#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"
#include "isochor/materials/tangent_numbers.h"
#include "isochor/math/dispatch.h"

namespace isochor::tets {

/// From tangents of isotropic laws, and from those of all others.
ISOCHOR_DECLARE_KERNEL(void principal_stiffness_kernel(const StiffnessBatch&))
ISOCHOR_DECLARE_KERNEL(void dense_stiffness_kernel(const StiffnessBatch&))

namespace {

/// Edges from corner 0.
Mat3d edges(const Model& model, std::size_t tet, std::span<const Vec3d> x) {
  const auto [a, b, c, d] = model.tets[tet];
  return {{x[b] - x[a], x[c] - x[a], x[d] - x[a]}};
}

/// What a law is asked for, and answers, for the tets of a batch.
struct BatchMemory {
  double F[9 * kBatch], activation[kBatch];
  double energy[kBatch], stress[9 * kBatch];
  double tangent[materials::DenseTangent<double>::kSize * kBatch];
  int count;

  Mat3d matrix(const double* numbers, int i) const {
    Mat3d A;
    for (int e = 0; e < 9; ++e) A(e % 3, e / 3) = numbers[e * count + i];
    return A;
  }
};

/// Calls f(batch, its law with all inputs set, memory) for all batches, on many threads.
template <class Function>
void for_batches(const Model& model, const Configuration& at, ThreadArena& arena, Function&& f) {
  parallel_for(arena, model.batches.size(), 1, [&](std::size_t b) {
    const Batch& batch = model.batches[b];
    BatchMemory memory;
    memory.count = batch.count;
    for (int i = 0; i < batch.count; ++i) {
      const std::size_t t = batch.first + i;
      const Mat3d F = edges(model, t, at.positions) * model.gradient[t];
      for (int e = 0; e < 9; ++e) memory.F[e * batch.count + i] = F(e % 3, e / 3);
    }
    const materials::Material& material = model.materials[batch.material];
    materials::LawBatch<double> law{.count = std::size_t(batch.count),
                                    .F = memory.F,
                                    .mu = &model.mu[batch.first],
                                    .lambda = &model.lambda[batch.first]};
    std::ranges::copy(material.shape, law.common.shape);
    if (!at.activations.empty()) {
      const double whole = at.activations[batch.material];
      for (int i = 0; i < batch.count; ++i) {
        memory.activation[i] =
            model.activation.empty() ? whole : whole * model.activation[batch.first + i];
      }
      law.activation = memory.activation;
    }
    f(b, material, law, memory);
  });
}

double sum_of(std::span<const double> parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

double energy_of(const Model& model, const Batch& batch, const double* densities) {
  double sum = 0;
  for (int i = 0; i < batch.count; ++i) sum += model.volume[batch.first + i] * densities[i];
  return sum;
}

/// d2J/dF2 times a factor, added to a tangent: J is the product of the singular values, and entry
/// (ij, kl) of its second derivative is the sum over m and n of e_ikm e_jln F_mn.
void add_volume_curvature(double factor, const Mat3d& F, materials::PrincipalTangent<double>& t) {
  const Mat3d D = transpose_times(t.U, F * t.V);
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double c = factor * D(k, k);
    t.stretch(i, j) += c;
    t.stretch(j, i) += c;
    t.flip[k] -= c;
    t.twist[k] += c;
  }
}

void add_volume_curvature(double factor, const Mat3d& F, materials::DenseTangent<double>& t) {
  for (int m = 0; m < 3; ++m) {
    const int i = (m + 1) % 3, k = (m + 2) % 3;
    for (int n = 0; n < 3; ++n) {
      const int j = (n + 1) % 3, l = (n + 2) % 3;
      const double c = factor * F(m, n);
      t(i + 3 * j, k + 3 * l) += c;
      t(i + 3 * l, k + 3 * j) -= c;
    }
  }
}

/// Adds to the tangent of a tet what the pressure of zones does as volumes curve.
void press(double factor, bool isotropic, materials::Definiteness fix, BatchMemory& batch, int i) {
  const auto number = [&](int e) -> double& { return batch.tangent[e * batch.count + i]; };
  const auto change = [&](auto tangent) {
    add_volume_curvature(factor, batch.matrix(batch.F, i), tangent);
    materials::make_definite(tangent, fix);
    materials::for_each_number(tangent, [&](int e, double value) { number(e) = value; });
  };
  if (isotropic) return change(materials::principal_from<double>(number));
  materials::DenseTangent<double> dense;
  for (int e = 0; e < dense.kSize; ++e) dense.entry[e] = number(e);
  change(dense);
}

/// Leaves the terms of sheets in memory.
double sheet_energy(const Model& model, const Configuration& at, shells::Detail detail,
                    ElasticMemory& memory, ThreadArena& arena) {
  if (model.sheets.term_count() == 0) return 0;
  shells::evaluate(model.sheets, {at.positions, at.tightening}, detail, contact::Curvature::Exact,
                   arena, memory.sheet_terms);
  return shells::energy_of(memory.sheet_terms);
}

void add_sheet_forces(const Model& model, const ElasticMemory& memory, std::span<Vec3d> force,
                      ThreadArena& arena) {
  const shells::Sheets& sheets = model.sheets;
  parallel_for(arena, model.node_count(), solve::kRowGrain, [&](std::size_t i) {
    for (std::int32_t u = sheets.first_use[i]; u < sheets.first_use[i + 1]; ++u) {
      force[i] -= memory.sheet_terms[sheets.uses[u] / 4].gradient[sheets.uses[u] % 4];
    }
  });
}

/// A flat sheet resists nothing across it: what gives its rows an inverse, and is too little to be
/// seen elsewhere.
void stiffen(Mat3d& block, double drag) {
  const double least = 1e-6 * trace(block) + drag;
  block += Mat3d::diagonal({least, least, least});
}

}  // namespace

double elastic_energy(const Model& model, const Configuration& at, ElasticMemory& memory,
                      ThreadArena& arena) {
  for_batches(model, at, arena,
              [&](std::size_t b, const materials::Material& material,
                  materials::LawBatch<double>& law, BatchMemory& batch) {
                law.energy = batch.energy;
                materials::evaluate(material.law, law);
                memory.batch_energy[b] = energy_of(model, model.batches[b], batch.energy);
              });
  return sum_of(memory.batch_energy) +
         sheet_energy(model, at, shells::Detail::Energy, memory, arena);
}

double elastic_force(const Model& model, const Configuration& at, std::span<Vec3d> force,
                     ElasticMemory& memory, ThreadArena& arena) {
  for_batches(model, at, arena,
              [&](std::size_t b, const materials::Material& material,
                  materials::LawBatch<double>& law, BatchMemory& batch) {
                law.energy = batch.energy;
                law.stress = batch.stress;
                materials::evaluate(material.law, law);
                memory.batch_energy[b] = energy_of(model, model.batches[b], batch.energy);
                for (int i = 0; i < batch.count; ++i) {
                  const std::size_t t = model.batches[b].first + i;
                  const Mat3d f =
                      times_transpose(batch.matrix(batch.stress, i), model.gradient[t]) *
                      -model.volume[t];
                  Vec3d* corner = &memory.corner_forces[4 * t];
                  corner[0] = -1.0 * (f.column[0] + f.column[1] + f.column[2]);
                  for (int k = 0; k < 3; ++k) corner[k + 1] = f.column[k];
                }
              });
  parallel_for(arena, model.node_count(), solve::kRowGrain, [&](std::size_t i) {
    Vec3d sum{0, 0, 0};
    for (std::int32_t u = model.first_use[i]; u < model.first_use[i + 1]; ++u) {
      sum += memory.corner_forces[model.uses[u]];
    }
    force[i] = sum;
  });
  const double sheets = sheet_energy(model, at, shells::Detail::Gradient, memory, arena);
  if (!memory.sheet_terms.empty()) add_sheet_forces(model, memory, force, arena);
  return sum_of(memory.batch_energy) + sheets;
}

void linearise(const Model& model, const Configuration& at, materials::Definiteness fix,
               Stiffnesses& stiffnesses, ThreadArena& arena) {
  for_batches(model, at, arena,
              [&](std::size_t b, const materials::Material& material,
                  materials::LawBatch<double>& law, BatchMemory& batch) {
                law.tangent = batch.tangent;
                law.fix = at.pressures.empty() ? fix : materials::Definiteness::None;
                materials::evaluate(material.law, law);
                const std::size_t first = model.batches[b].first;
                const bool isotropic = materials::is_isotropic(material.law);
                double gradient[9 * kBatch];
                for (int i = 0; i < batch.count; ++i) {
                  if (!at.pressures.empty()) {
                    press(-at.pressures[first + i], isotropic, fix, batch, i);
                  }
                  const Mat3d& G = model.gradient[first + i];
                  for (int e = 0; e < 9; ++e) gradient[e * batch.count + i] = G(e % 3, e / 3);
                }
                const StiffnessBatch tets{.count = std::size_t(batch.count),
                                          .tangent = batch.tangent,
                                          .gradient = gradient,
                                          .volume = &model.volume[first],
                                          .out = &stiffnesses[first]};
                if (isotropic) {
                  ISOCHOR_CALL_KERNEL(best_isa(), principal_stiffness_kernel(tets));
                } else {
                  ISOCHOR_CALL_KERNEL(best_isa(), dense_stiffness_kernel(tets));
                }
              });
}

void assemble(const Model& model, const Stiffnesses& stiffnesses, solve::Blocks<double>& blocks,
              ThreadArena& arena) {
  parallel_for(arena, model.node_count(), 64, [&](std::size_t i) {
    const std::int32_t row = model.pattern.first[i];
    std::fill(blocks.begin() + row, blocks.begin() + model.pattern.first[i + 1], Mat3d::zero());
    for (std::int32_t u = model.first_use[i]; u < model.first_use[i + 1]; ++u) {
      const float* const K = stiffnesses[model.uses[u] / 4].entry;
      const int corner = model.uses[u] % 4;
      Mat3d sum = Mat3d::zero();
      for (int k = 1; k < 4; ++k) {
        Mat3d block;
        for (int b = 0; b < 3; ++b) {
          const auto part = [&](int j) {
            const float* const c = K + 9 * (3 * (k - 1) + b) + 3 * (j - 1);
            return Vec3d{c[0], c[1], c[2]};
          };
          block.column[b] = corner > 0 ? part(corner) : -1.0 * (part(1) + part(2) + part(3));
        }
        blocks[row + model.places[u][k]] += block;
        sum += block;
      }
      blocks[row + model.places[u][0]] += sum * -1.0;
    }
  });
}

void add_sheet_stiffness(const Model& model, const Configuration& at, materials::Definiteness fix,
                         std::vector<contact::Term>& terms, solve::Blocks<double>& blocks,
                         ThreadArena& arena) {
  const shells::Sheets& sheets = model.sheets;
  if (sheets.term_count() == 0) return;
  const bool exact = fix == materials::Definiteness::None;
  shells::evaluate(sheets, {at.positions, at.tightening}, shells::Detail::Hessian,
                   exact ? contact::Curvature::Exact : contact::Curvature::Definite, arena, terms);
  parallel_for(arena, model.node_count(), 64, [&](std::size_t i) {
    const std::int32_t row = model.pattern.first[i];
    for (std::int32_t u = sheets.first_use[i]; u < sheets.first_use[i + 1]; ++u) {
      const contact::Term& term = terms[sheets.uses[u] / 4];
      for (int k = 0; k < term.count; ++k) {
        blocks[row + model.sheet_places[u][k]] += term.hessian[4 * (sheets.uses[u] % 4) + k];
      }
    }
    if (model.is_free_sheet(i)) stiffen(blocks[model.diagonal_place(i)], at.drag);
  });
}

Mat3d deformation_gradient(const Model& model, std::size_t tet, std::span<const Vec3d> positions) {
  const Mat3d F = edges(model, tet, positions) * model.gradient[tet];
  return model.axes.empty() ? F : times_transpose(F, model.axes[tet]);
}

void stresses(const Model& model, const Configuration& at, std::span<TetStress> out,
              ThreadArena& arena) {
  for_batches(model, at, arena,
              [&](std::size_t b, const materials::Material& material,
                  materials::LawBatch<double>& law, BatchMemory& batch) {
                law.stress = batch.stress;
                materials::evaluate(material.law, law);
                for (int i = 0; i < batch.count; ++i) {
                  const std::size_t t = model.batches[b].first + i;
                  const Mat3d F = batch.matrix(batch.F, i);
                  const Mat3d cauchy =
                      times_transpose(batch.matrix(batch.stress, i), F) * (1 / determinant(F));
                  out[t] = {model.axes.empty() ? F : times_transpose(F, model.axes[t]), cauchy};
                }
              });
}

}  // namespace isochor::tets
