#include "isochor/lattice/mixed_operator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "isochor/lattice/element_kernel.h"
#include "isochor/lattice/hierarchy.h"
#include "isochor/lattice/mixed_kernels.h"
#include "isochor/lattice/multigrid.h"
#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"
#include "isochor/math/reduce.h"
#include "isochor/solve/vector_ops.h"

namespace isochor::lattice::mixed {
namespace {

using materials::LawBatch;

/// Cycles want eigenvalues of at least this part of mu.
constexpr double kFloor = 0.05;
/// kappa* of the definiteness fix in multiples of mu: Poisson's ratio 0.35 [Patterson12 sec 5].
constexpr double kThreshold = 7.0 / 3;
/// omega W of find_schur() in multiples of b^T D^-1 b, and the part of it that jumps within a block
/// have: of what oscillates from cell to cell, motions of nodes take away less.
constexpr double kSchurScale = 1.07, kJumpShare = 0.3;

constexpr int kPrincipal = 30, kDense = materials::DenseTangent<double>::kSize;

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
      LawBatch<double> law = law_batch(material);
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

  LawBatch<double> law_batch(const Material& material) {
    LawBatch<double> law{
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
    LawBatch<double> law = law_batch(material);
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

/// Calls f(visit, place) for all half groups, tile after tile.
template <class F>
void visit_cells(const Model& model, const Configuration& at, ThreadArena& arena, Isa isa, F&& f) {
  for_each_tile(model.base, arena, [&](GroupRange groups) {
    for (std::size_t g = groups.begin; g < std::size_t(groups.end); ++g) {
      for (int b = 0; b < kGroupBlocks; b += kBatchBlocks) {
        const Place place{g, b};
        Visit visit(model.base, model.measures, place, model.params.stabilise, at.activations, isa);
        visit.deform(at.positions);
        for (int i = 0; i < kBatchCells; ++i) visit.pressure()[i] = at.pressure[place.pressure(i)];
        f(visit, place);
      }
    }
  });
}

void clear(std::span<Vec3d> nodal, ThreadArena& arena) {
  parallel_for(arena, nodal.size(), solve::kVectorGrain, [&](std::size_t i) {
    nodal[i] = {0, 0, 0};
  });
}

/// Energy and least J of block b of a batch that responded.
void sum_block(Visit& visit, const GroupVolume& v, const Place& place, int b, BlockValues& out) {
  const std::size_t block = place.group * kGroupBlocks + std::size_t(place.first_block + b);
  double energy = visit.batch().spread_energy[b], least = std::numeric_limits<double>::infinity();
  for (int c = 0; c < 8; ++c) {
    const int i = kBatchBlocks * c + b, at = place.first_block + b;
    if (!(visit.block(b).active >> c & 1)) continue;
    energy += v.volume[c][at] * visit.batch().energy[i];
    least = std::min(least, visit.ratio(i));
  }
  out.energy[block] = energy;
  out.least_j[block] = least;
}

double sum_of(std::span<const double> values, ThreadArena& arena) {
  return deterministic_sum(arena, values.size(), [&](std::size_t begin, std::size_t end) {
    return std::accumulate(values.begin() + begin, values.begin() + end, 0.0);
  });
}

/// Calls f(group) for all of them.
template <class F>
void each_group(const Model& model, ThreadArena& arena, F&& f) {
  constexpr std::size_t kGrain = 64;
  parallel_for(arena, model.volumes.size(), kGrain, f);
}

/// The Schur complement of block b of a group; weights are b^T D^-1 b of its cells.
void fill_schur(const Model& model, std::size_t g, int b, const double* weights, GroupSchur& out) {
  const GroupVolume& v = model.volumes[g];
  const double scale = model.alpha * model.alpha;
  double omega[8] = {}, whole[8] = {};  // per region
  for (int c = 0; c < 8; ++c) {
    omega[v.region[c][b]] += kSchurScale * weights[kGroupBlocks * c + b];
    whole[v.region[c][b]] += v.volume[c][b];
  }
  for (int c = 0; c < 8; ++c) {
    const double W = v.volume[c][b], jump = scale * v.jump[c][b];
    const double own = kSchurScale * weights[kGroupBlocks * c + b];
    const double jumps = scale * W * v.compliance[c][b] + kJumpShare * own + jump;
    out.inverse[c][b] = jumps > 0 ? 1 / jumps : 0;
    const int r = v.region[c][b];
    out.mean[c][b] = W > 0 ? jump - (1 - kJumpShare) * W * omega[r] / whole[r] : 0;
  }
}

}  // namespace

Evaluation evaluate(const Model& model, const Configuration& at, std::span<Vec3d> force,
                    std::span<double> volume, BlockValues& blocks, ThreadArena& arena, Isa isa) {
  clear(force, arena);
  visit_cells(model, at, arena, isa, [&](Visit& visit, const Place& place) {
    const GroupVolume& v = model.volumes[place.group];
    visit.respond();
    visit.add_forces(force.data());
    for (int i = 0; i < kBatchCells; ++i) {
      const int member = place.first_block + i % kBatchBlocks;
      volume[place.pressure(i)] =
          model.alpha * v.volume[i / kBatchBlocks][member] * visit.value()[i];
    }
    for (int b = 0; b < kBatchBlocks; ++b) sum_block(visit, v, place, b, blocks);
  });
  // So far W M; of pressures for themselves it lacks C p, and the energy half of p C p.
  each_group(model, arena, [&](std::size_t g) {
    const std::size_t first = g * kGroupCells;
    double before[kGroupCells];
    std::copy_n(volume.data() + first, kGroupCells, before);
    ISOCHOR_CALL_KERNEL(isa, compliance_kernel(model.volumes[g], model.alpha,
                                               at.pressure.data() + first, volume.data() + first));
    for (int i = 0; i < kGroupCells; ++i) {
      const double change = volume[first + i] - before[i];
      blocks.energy[g * kGroupBlocks + std::size_t(i % kGroupBlocks)] +=
          0.5 * at.pressure[first + i] * change / model.alpha;
    }
  });
  Evaluation result;
  result.energy = sum_of(blocks.energy, arena);
  result.scale = deterministic_sum(arena, blocks.energy.size(), [&](std::size_t b, std::size_t e) {
    double sum = 0;
    for (; b < e; ++b) sum += std::abs(blocks.energy[b]);
    return sum;
  });
  result.least_j = *std::min_element(blocks.least_j.begin(), blocks.least_j.end());
  return result;
}

void measure(const Model& model, const Configuration& at, std::span<double> values,
             ThreadArena& arena, Isa isa) {
  visit_cells(model, at, arena, isa, [&](Visit& visit, const Place& place) {
    visit.measure_volume();
    for (int i = 0; i < kBatchCells; ++i) values[place.pressure(i)] = visit.value()[i];
  });
}

void linearise(const Model& model, const Configuration& at, Fix fix, Tangents& tangents,
               ThreadArena& arena, Isa isa) {
  visit_cells(model, at, arena, isa,
              [&](Visit& visit, const Place&) { visit.linearise(fix, model.alpha, tangents); });
}

void linearise_coarse(const Model& model, const Configuration& at, MultigridMemory& memory,
                      std::vector<std::vector<double>>& pressures, ThreadArena& arena, Isa isa) {
  const lattice::Model* fine = &model.base;
  for (std::size_t l = 0; l < model.base.hierarchy->levels.size(); ++l) {
    const CoarseLevel& coarse = model.base.hierarchy->levels[l];
    // What the cells of a coarse level have is the mean of their children.
    parallel_for(arena, coarse.model.cells.size(), 64, [&](std::size_t cell) {
      const std::int32_t begin = coarse.first_child[cell], end = coarse.first_child[cell + 1];
      Mat3d F = Mat3d::zero();
      double pressure = 0;
      for (std::int32_t k = begin; k < end; ++k) {
        const std::int32_t child = fine->cells[coarse.children[k]];
        if (l > 0) {
          F += memory.gradients[l - 1][child];
          pressure += pressures[l - 1][child];
          continue;
        }
        Vec3d x[8];
        for (int c = 0; c < 8; ++c) x[c] = at.positions[fine->corner(child, c)];
        F += deformation_gradient(x, 1 / fine->blocks[child / 8].h);
        pressure += at.pressure[Model::pressure_at(child)];
      }
      const double share = 1.0 / (end - begin);
      memory.gradients[l][coarse.model.cells[cell]] = F * share;
      pressures[l][coarse.model.cells[cell]] = pressure * share;
    });
    const double stabilise = coarse_stabilisation(model.base.params) * model.params.stabilise;
    for_each_tile(coarse.model, arena, [&](GroupRange groups) {
      for (std::size_t g = groups.begin; g < std::size_t(groups.end); ++g) {
        for (int b = 0; b < kGroupBlocks; b += kBatchBlocks) {
          const Place place{g, b};
          Visit visit(coarse.model, model.measures, place, stabilise, at.activations, isa);
          visit.deform(place, memory.gradients[l]);
          for (int i = 0; i < kBatchCells; ++i) {
            const bool there = visit.block(i % kBatchBlocks).active >> (i / kBatchBlocks) & 1;
            visit.pressure()[i] = there ? pressures[l][place.cell(i)] : 0.0;
          }
          visit.linearise_definite(memory.tangents[l]);
        }
      }
    });
    fine = &coarse.model;
  }
}

void apply(const Model& model, const Tangents& tangents, std::span<const Vec3d> dx,
           std::span<const double> dp, std::span<Vec3d> force, std::span<double> volume,
           ThreadArena& arena, Isa isa) {
  clear(force, arena);
  const double scale = model.alpha * model.alpha;
  for_each_tile(model.base, arena, [&](GroupRange groups) {
    ISOCHOR_CALL_KERNEL(isa, apply_mixed_kernel(model.base, tangents, groups, dx.data(), dp.data(),
                                                force.data(), volume.data()));
    for (std::size_t g = groups.begin; g < std::size_t(groups.end); ++g) {
      ISOCHOR_CALL_KERNEL(isa,
                          compliance_kernel(model.volumes[g], scale, dp.data() + g * kGroupCells,
                                            volume.data() + g * kGroupCells));
    }
  });
}

void add_gradient(const Model& model, const Tangents& tangents, std::span<const double> dp,
                  std::span<Vec3d> force, ThreadArena& arena, Isa isa) {
  for_each_tile(model.base, arena, [&](GroupRange groups) {
    ISOCHOR_CALL_KERNEL(
        isa, apply_gradient_kernel(model.base, tangents, groups, dp.data(), force.data()));
  });
}

void find_schur(const Model& model, const Tangents& tangents,
                std::span<const Vec3f> inverse_diagonal, std::span<double> weights,
                std::span<GroupSchur> schur, ThreadArena& arena, Isa isa) {
  for_each_tile(model.base, arena, [&](GroupRange groups) {
    ISOCHOR_CALL_KERNEL(isa, schur_weight_kernel(model.base, tangents, groups,
                                                 inverse_diagonal.data(), weights.data()));
    for (std::size_t g = groups.begin; g < std::size_t(groups.end); ++g) {
      for (int b = 0; b < kGroupBlocks; ++b) {
        fill_schur(model, g, b, weights.data() + g * kGroupCells, schur[g]);
      }
    }
  });
}

void apply_schur(const Model& model, std::span<const GroupSchur> schur, std::span<const double> r,
                 std::span<double> z, ThreadArena& arena, Isa isa) {
  each_group(model, arena, [&](std::size_t g) {
    const std::size_t first = g * kGroupCells;
    ISOCHOR_CALL_KERNEL(
        isa, schur_kernel(model.volumes[g], schur[g], r.data() + first, z.data() + first));
  });
}

}  // namespace isochor::lattice::mixed
