#include "isochor/tets/elasticity.h"

#include <algorithm>
#include <numeric>

#include "isochor/base/streaming.h"
#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"
#include "isochor/math/dispatch.h"
#include "isochor/tets/ahead.h"

namespace isochor::tets {

/// Adds what pressures do as volumes curve, makes tangents definite, and stiffnesses of them.
ISOCHOR_DECLARE_KERNEL(void stiffness_kernel(const StiffnessBatch&))

namespace {

/// Edges from corner 0.
Mat3d edges(const Model& model, std::size_t tet, std::span<const Vec3d> x) {
  const auto [a, b, c, d] = model.tets[tet];
  return {{x[b] - x[a], x[c] - x[a], x[d] - x[a]}};
}

/// What a law is asked for, and answers, for the tets of a batch; filled up to whole packs.
struct BatchMemory {
  double F[9 * kBatch], mu[kBatch], lambda[kBatch], activation[kBatch], fibres[kBatch];
  double energy[kBatch], stress[9 * kBatch];
  double numbers[kStiffnessNumbers * kBatch];  ///< of the tangent, then of the stiffness
  int count;

  Mat3d matrix(const double* from, int i) const {
    Mat3d A;
    for (int e = 0; e < 9; ++e) A(e % 3, e / 3) = from[e * count + i];
    return A;
  }
  void put(const Mat3d& A, double* to, int i) const {
    for (int e = 0; e < 9; ++e) to[e * count + i] = A(e % 3, e / 3);
  }
};

/// All tets, or some: batches, and the tet in each place of them.
struct AllTets {
  const Model& model;
  const std::vector<Batch>& batches() const { return model.batches; }
  std::size_t tet(std::int32_t place) const { return place; }
};
struct SomeTets {
  const TetSelection& selection;
  const std::vector<Batch>& batches() const { return selection.batches; }
  std::size_t tet(std::int32_t place) const { return selection.tets[place]; }
};

/// Calls f(batch, its law with all inputs set, memory) for all batches, on many threads.
template <class Tets, class Function>
void for_batches(const Model& model, const Tets& tets, const Configuration& at, ThreadArena& arena,
                 Function&& f) {
  parallel_for(arena, tets.batches().size(), 1, [&](std::size_t b) {
    const Batch& batch = tets.batches()[b];
    BatchMemory memory;
    memory.count = (batch.count + kWholePacks - 1) / kWholePacks * kWholePacks;
    for (int i = 0; i < memory.count; ++i) {
      const std::size_t t = tets.tet(batch.first + std::min(i, batch.count - 1));
      memory.put(edges(model, t, at.positions) * model.gradient[t], memory.F, i);
      memory.mu[i] = model.mu[t];
      memory.lambda[i] = model.lambda[t];
    }
    const materials::Material& material = model.materials[batch.material];
    materials::LawBatch<double> law{.count = std::size_t(memory.count),
                                    .F = memory.F,
                                    .mu = memory.mu,
                                    .lambda = memory.lambda};
    std::ranges::copy(material.shape, law.common.shape);
    if (!at.activations.empty()) {
      const double whole = at.activations[batch.material];
      for (int i = 0; i < memory.count; ++i) {
        const std::size_t t = tets.tet(batch.first + std::min(i, batch.count - 1));
        memory.activation[i] = model.activation.empty() ? whole : whole * model.activation[t];
      }
      law.activation = memory.activation;
    }
    if (!model.fibres.empty() && !materials::is_isotropic(material.law)) {
      for (int i = 0; i < memory.count; ++i) {
        memory.fibres[i] = model.fibres[tets.tet(batch.first + std::min(i, batch.count - 1))];
      }
      law.fibres = memory.fibres;
    }
    f(b, material, law, memory);
  });
}

double sum_of(std::span<const double> parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

template <class Tets>
double energy_of(const Model& model, const Tets& tets, const Batch& batch,
                 const double* densities) {
  double sum = 0;
  for (int i = 0; i < batch.count; ++i) {
    sum += model.volume[tets.tet(batch.first + i)] * densities[i];
  }
  return sum;
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

bool springs_act(const Model& model, const Configuration& at) {
  return model.springs.count() > 0 && !at.spring_targets.empty();
}

/// Leaves what they pull with in memory.
double spring_energy(const Model& model, const Configuration& at, ElasticMemory& memory,
                     ThreadArena& arena) {
  if (!springs_act(model, at)) return 0;
  return solve::spring_pulls(model.springs, at.positions, at.spring_targets, memory.pulls, arena);
}

/// A flat sheet resists nothing across it: what gives its rows an inverse, and is too little to be
/// seen elsewhere.
void stiffen(Mat3d& block, double drag) {
  const double least = 1e-6 * trace(block) + drag;
  block += Mat3d::diagonal({least, least, least});
}

/// In single precision, transposed where the other node has the lower number.
void write(const geometry::Tet& tet, const double* numbers, int stride, bool past_caches,
           TetStiffness& stiffness) {
  TetStiffness out;
  for (int pair = 0; pair < 6; ++pair) {
    const auto [row, column] = kCornerPairs[pair];
    const bool turned = tet[row] > tet[column];
    for (int e = 0; e < 9; ++e) {
      const int from = turned ? e / 3 + 3 * (e % 3) : e;
      out.entry[9 * pair + e] = float(numbers[(9 * pair + from) * stride]);
    }
  }
  if (past_caches) {
    stream(out, &stiffness);
  } else {
    stiffness = out;
  }
}

template <class Tets>
void find_corner_forces(const Model& model, const Tets& tets, const Configuration& at,
                        std::span<Vec3d> corner_forces, std::span<double> batch_energy,
                        ThreadArena& arena) {
  const bool past_caches = tets.batches().size() == model.batches.size() &&
                           corner_forces.size_bytes() > kLargerThanCaches;
  for_batches(model, tets, at, arena,
              [&](std::size_t b, const materials::Material& material,
                  materials::LawBatch<double>& law, BatchMemory& batch) {
                law.energy = batch.energy;
                law.stress = batch.stress;
                materials::evaluate(material.law, law);
                const Batch& these = tets.batches()[b];
                batch_energy[b] = energy_of(model, tets, these, batch.energy);
                for (int i = 0; i < these.count; ++i) {
                  const std::size_t t = tets.tet(these.first + i);
                  const Mat3d f =
                      times_transpose(batch.matrix(batch.stress, i), model.gradient[t]) *
                      -model.volume[t];
                  const Vec3d first = -1.0 * (f.column[0] + f.column[1] + f.column[2]);
                  Vec3d* const corner = &corner_forces[4 * t];
                  if (past_caches) {
                    stream(first, corner);
                    for (int k = 0; k < 3; ++k) stream(f.column[k], corner + k + 1);
                  } else {
                    corner[0] = first;
                    for (int k = 0; k < 3; ++k) corner[k + 1] = f.column[k];
                  }
                }
                if (past_caches) finish_streaming();
              });
}

template <class Tets>
void find_stiffnesses(const Model& model, const Tets& tets, const Configuration& at,
                      materials::Definiteness fix, Stiffnesses& stiffnesses, ThreadArena& arena) {
  const bool past_caches = tets.batches().size() == model.batches.size() &&
                           sizeof(TetStiffness) * stiffnesses.size() > kLargerThanCaches;
  for_batches(model, tets, at, arena,
              [&](std::size_t b, const materials::Material& material,
                  materials::LawBatch<double>& law, BatchMemory& batch) {
                const bool pressed = !at.pressures.empty();
                law.tangent = batch.numbers;
                law.fix = pressed ? materials::Definiteness::None : fix;
                law.whole = fix == materials::Definiteness::None &&
                            materials::has_whole_tangent(material.law);
                materials::evaluate(material.law, law);
                const auto& [first, count, number] = tets.batches()[b];
                double gradient[9 * kBatch], volume[kBatch], pressure[kBatch];
                for (int i = 0; i < batch.count; ++i) {
                  const std::size_t t = tets.tet(first + std::min(i, count - 1));
                  batch.put(model.gradient[t], gradient, i);
                  volume[i] = model.volume[t];
                  pressure[i] = pressed ? at.pressures[t] : 0;
                }
                const StiffnessBatch stiffness{
                    .count = batch.count,
                    .isotropic = materials::is_isotropic(material.law) && !law.whole,
                    .F = batch.F,
                    .gradient = gradient,
                    .volume = volume,
                    .pressure = pressed ? pressure : nullptr,
                    .fix = fix,
                    .numbers = batch.numbers};
                ISOCHOR_CALL_KERNEL(best_isa(), stiffness_kernel(stiffness));
                for (int i = 0; i < count; ++i) {
                  const std::size_t t = tets.tet(first + i);
                  write(model.tets[t], batch.numbers + i, batch.count, past_caches, stiffnesses[t]);
                }
                if (past_caches) finish_streaming();
              });
}

Vec3d corner_sum(const Model& model, const ElasticMemory& memory, std::size_t node) {
  Vec3d sum{0, 0, 0};
  for (std::int32_t u = model.first_use[node]; u < model.first_use[node + 1]; ++u) {
    sum += memory.corner_forces[model.uses[u]];
  }
  return sum;
}

}  // namespace

void TetSelection::complete(const Model& model) {
  std::ranges::sort(tets);
  tets.erase(std::unique(tets.begin(), tets.end()), tets.end());
  batches.clear();
  auto whole = model.batches.begin();
  for (std::int32_t place = 0; place < std::int32_t(tets.size()); ++place) {
    while (tets[place] >= whole->first + whole->count) ++whole;
    if (batches.empty() || batches.back().count == kBatch ||
        batches.back().material != whole->material) {
      batches.push_back({place, 0, whole->material});
    }
    ++batches.back().count;
  }
  batch_energy.resize(batches.size());
}

double elastic_energy(const Model& model, const Configuration& at, ElasticMemory& memory,
                      ThreadArena& arena) {
  const AllTets all{model};
  for_batches(model, all, at, arena,
              [&](std::size_t b, const materials::Material& material,
                  materials::LawBatch<double>& law, BatchMemory& batch) {
                law.energy = batch.energy;
                materials::evaluate(material.law, law);
                memory.batch_energy[b] = energy_of(model, all, model.batches[b], batch.energy);
              });
  return sum_of(memory.batch_energy) +
         sheet_energy(model, at, shells::Detail::Energy, memory, arena) +
         spring_energy(model, at, memory, arena);
}

double elastic_force(const Model& model, const Configuration& at, std::span<Vec3d> force,
                     ElasticMemory& memory, ThreadArena& arena) {
  find_corner_forces(model, AllTets{model}, at, memory.corner_forces, memory.batch_energy, arena);
  parallel_for(arena, model.node_count(), solve::kRowGrain, [&](std::size_t i) {
    ask_for_corners(model, i + kAhead, memory.corner_forces.data());
    force[i] = corner_sum(model, memory, i);
  });
  const double sheets = sheet_energy(model, at, shells::Detail::Gradient, memory, arena);
  if (!memory.sheet_terms.empty()) add_sheet_forces(model, memory, force, arena);
  const double springs = spring_energy(model, at, memory, arena);
  if (springs_act(model, at)) solve::add_pulls(model.springs, memory.pulls, 1, force, arena);
  return sum_of(memory.batch_energy) + sheets + springs;
}

double elastic_corner_forces(const Model& model, const Configuration& at, TetSelection& selection,
                             ElasticMemory& memory, ThreadArena& arena) {
  find_corner_forces(model, SomeTets{selection}, at, memory.corner_forces, selection.batch_energy,
                     arena);
  return sum_of(selection.batch_energy);
}

void sum_corner_forces(const Model& model, const ElasticMemory& memory,
                       std::span<const std::int32_t> nodes, std::span<Vec3d> force,
                       ThreadArena& arena) {
  parallel_for(arena, nodes.size(), solve::kRowGrain, [&](std::size_t k) {
    if (k + kAhead < nodes.size()) {
      ask_for_corners(model, nodes[k + kAhead], memory.corner_forces.data());
    }
    force[nodes[k]] = corner_sum(model, memory, nodes[k]);
  });
}

void linearise(const Model& model, const Configuration& at, materials::Definiteness fix,
               Stiffnesses& stiffnesses, ThreadArena& arena) {
  find_stiffnesses(model, AllTets{model}, at, fix, stiffnesses, arena);
}

void linearise(const Model& model, const Configuration& at, materials::Definiteness fix,
               const TetSelection& selection, Stiffnesses& stiffnesses, ThreadArena& arena) {
  find_stiffnesses(model, SomeTets{selection}, at, fix, stiffnesses, arena);
}

void assemble(const Model& model, const Stiffnesses& stiffnesses, solve::Blocks<double>& blocks,
              ThreadArena& arena) {
  const solve::BlockPattern& pattern = model.pattern;
  // Above the diagonal.
  parallel_for(arena, model.node_count(), 64, [&](std::size_t i) {
    const std::int32_t row = pattern.first[i];
    std::fill(blocks.begin() + row, blocks.begin() + pattern.first[i + 1], Mat3d::zero());
    for (std::int32_t u = model.first_use[i]; u < model.first_use[i + 1]; ++u) {
      const std::int32_t t = model.uses[u] / 4;
      const int corner = model.uses[u] % 4;
      for (int k = 0; k < 4; ++k) {
        if (model.tets[t][k] <= std::int32_t(i)) continue;
        const float* part = &stiffnesses[t].entry[9 * kPairOf[corner][k]];
        double* block = blocks[row + model.places[u][k]].column[0].e;
        for (int e = 0; e < 9; ++e) block[e] += double(part[e]);
      }
    }
  });
  // Below it; and what is on it, so that a body that is shifted has no force.
  parallel_for(arena, model.node_count(), 64, [&](std::size_t i) {
    Mat3d sum = Mat3d::zero();
    Mat3d* diagonal = nullptr;
    for (std::int32_t k = pattern.first[i]; k < pattern.first[i + 1]; ++k) {
      const std::int32_t j = pattern.columns[k];
      if (j == std::int32_t(i)) {
        diagonal = &blocks[k];
        continue;
      }
      if (j < std::int32_t(i)) blocks[k] = transpose(blocks[model.mirrored[k]]);
      sum += blocks[k];
    }
    *diagonal = -1.0 * sum;
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

void add_spring_stiffness(const Model& model, const Configuration& at,
                          solve::Blocks<double>& blocks, ThreadArena& arena) {
  if (!springs_act(model, at)) return;
  const solve::Springs& springs = model.springs;
  parallel_for(arena, springs.nodes.size(), 64, [&](std::size_t k) {
    for (std::int32_t p = springs.node_first[k]; p < springs.node_first[k + 1]; ++p) {
      const auto& [s, weight] = springs.pulls[p];
      for (std::int32_t t = springs.first[s]; t < springs.first[s + 1]; ++t) {
        blocks[model.place_of(springs.nodes[k], springs.terms[t].index)] +=
            springs.stiffness[s] * (weight * springs.terms[t].weight);
      }
    }
  });
}

Mat3d deformation_gradient(const Model& model, std::size_t tet, std::span<const Vec3d> positions) {
  const Mat3d F = edges(model, tet, positions) * model.gradient[tet];
  return model.axes.empty() ? F : times_transpose(F, model.axes[tet]);
}

void stresses(const Model& model, const Configuration& at, std::span<TetStress> out,
              ThreadArena& arena) {
  for_batches(model, AllTets{model}, at, arena,
              [&](std::size_t b, const materials::Material& material,
                  materials::LawBatch<double>& law, BatchMemory& batch) {
                law.stress = batch.stress;
                materials::evaluate(material.law, law);
                for (int i = 0; i < model.batches[b].count; ++i) {
                  const std::size_t t = model.batches[b].first + i;
                  const Mat3d F = batch.matrix(batch.F, i);
                  const Mat3d cauchy =
                      times_transpose(batch.matrix(batch.stress, i), F) * (1 / determinant(F));
                  out[t] = {model.axes.empty() ? F : times_transpose(F, model.axes[t]), cauchy};
                }
              });
}

}  // namespace isochor::tets
