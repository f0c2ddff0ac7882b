#include "isochor/lattice/operator.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "isochor/lattice/operator_kernels.h"
#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"

namespace isochor::lattice {

/// Adds K displacements to `out`, or the diagonal of K to `diagonal`.
#define ISOCHOR_DECLARE_DIFFERENTIALS(S)                                                \
  ISOCHOR_DECLARE_KERNEL(void apply_kernel(const Model&, const Tangents&, GroupRange,   \
                                           const Vec3<S>* displacements, Vec3<S>* out)) \
  ISOCHOR_DECLARE_KERNEL(                                                               \
      void diagonal_kernel(const Model&, const Tangents&, GroupRange, Vec3<S>* diagonal))
ISOCHOR_DECLARE_DIFFERENTIALS(float)
ISOCHOR_DECLARE_DIFFERENTIALS(double)
#undef ISOCHOR_DECLARE_DIFFERENTIALS
ISOCHOR_DECLARE_KERNEL(void apply_kernel(const Model&, const HalfTangents&, GroupRange,
                                         const Vec3<float>* displacements, Vec3<float>* out))
ISOCHOR_DECLARE_KERNEL(void halve_kernel(const PrincipalGroupTangent&,
                                         HalfGroupTangent<kPrincipalNumbers>&))
ISOCHOR_DECLARE_KERNEL(void halve_kernel(const DenseGroupTangent&,
                                         HalfGroupTangent<kDenseNumbers>&))

namespace {

using materials::Definiteness;
using materials::LawBatch;

double sum_of(std::span<const double> values, ThreadArena& arena) {
  return deterministic_sum(arena, values.size(), [&](std::size_t begin, std::size_t end) {
    return std::accumulate(values.begin() + begin, values.begin() + end, 0.0);
  });
}

/// The cells of half a group while their laws are visited.
class LawVisit {
 public:
  LawVisit(const Model& model, const Configuration& at, std::size_t g, int first_block, Isa isa)
      : model_(model),
        group_(model.groups[g]),
        blocks_(model.blocks.data() + g * kGroupBlocks + first_block),
        half_{group_, model.moduli[g], first_block, model.params.stabilise ? at.stabilise : 0.0},
        positions_(at.positions.data()),
        isa_(isa) {
    ISOCHOR_CALL_KERNEL(isa_, deform_kernel(half_, positions_, batch_));
    if (!at.offsets.empty()) add_offsets(at.offsets, g * kGroupBlocks + first_block);
    if (!group_.whole) rest_missing_cells();
    if (group_.dense) prepare_axes(at.activations);
  }

  /// About given F; nothing but linearise() may then be called.
  LawVisit(const Model& model, std::span<const Mat3d> gradients,
           std::span<const double> activations, double stabilise, std::size_t g, int first_block,
           Isa isa)
      : model_(model),
        group_(model.groups[g]),
        blocks_(model.blocks.data() + g * kGroupBlocks + first_block),
        half_{group_, model.moduli[g], first_block, model.params.stabilise ? stabilise : 0.0},
        positions_(nullptr),
        isa_(isa) {
    for (int i = 0; i < kBatchCells; ++i) {
      const std::size_t block = g * kGroupBlocks + first_block + i % kBatchBlocks;
      const int lane = i / kBatchBlocks, member = first_block + i % kBatchBlocks;
      const Mat3d& F = gradients[8 * block + lane];
      for (int e = 0; e < 9; ++e) batch_.F[e][i] = F(e % 3, e / 3);
      batch_.mu[i] = half_.moduli.mu[lane][member];
      batch_.lambda[i] = half_.moduli.lambda[lane][member];
    }
    if (!group_.whole) rest_missing_cells();
    if (group_.dense) prepare_axes(activations);
  }

  const CellBatch& batch() const { return batch_; }
  const Block& block(int b) const { return blocks_[b]; }

  /// Fills the energies of the batch, and its stresses where they are wanted.
  void respond(bool stress) {
    for_each_material([&](int law, LawBatch<double>& law_batch, const bool* chosen) {
      CellBatch& out = chosen ? other_ : batch_;
      law_batch.energy = out.energy;
      if (stress) law_batch.stress = &out.stress[0][0];
      materials::evaluate(law, law_batch, isa_);
      if (stress && !materials::is_isotropic(law)) {
        ISOCHOR_CALL_KERNEL(isa_, turn_stress_kernel(axes(), half_.first_block, law_batch.stress));
      }
      if (!chosen) return;
      for (int i = 0; i < kBatchCells; ++i) {
        if (!chosen[i]) continue;
        batch_.energy[i] = other_.energy[i];
        for (int e = 0; stress && e < 9; ++e) batch_.stress[e][i] = other_.stress[e][i];
      }
    });
  }

  /// Energy of block b, J.
  double block_energy(int b) const {
    const double h = group_.h;
    double density = 0;
    for (int c = 0; c < 8; ++c)
      density += batch_.fill[kBatchBlocks * c + b] * batch_.energy[kBatchBlocks * c + b];
    return h * h * h * density + batch_.spread_energy[b];
  }

  void add_forces(Vec3d* force) const {
    ISOCHOR_CALL_KERNEL(isa_, force_kernel(half_, positions_, batch_, force));
  }

  void linearise(Definiteness fix, Tangents& tangents) {
    for_each_material([&](int law, LawBatch<double>& law_batch, const bool* chosen) {
      const bool isotropic = materials::is_isotropic(law);
      law_batch.fix = fix;
      law_batch.tangent = isotropic ? principal_ : dense_;
      materials::evaluate(law, law_batch, isa_);
      if (!group_.dense) {
        ISOCHOR_CALL_KERNEL(isa_, store_tangent_kernel(half_, principal_, chosen,
                                                       tangents.principal[group_.tangent]));
        return;
      }
      if (isotropic) {
        ISOCHOR_CALL_KERNEL(isa_, densify_kernel(principal_, dense_));
      } else {
        ISOCHOR_CALL_KERNEL(isa_, turn_tangent_kernel(axes(), half_.first_block, dense_));
      }
      ISOCHOR_CALL_KERNEL(
          isa_, store_tangent_kernel(half_, dense_, chosen, tangents.dense[group_.tangent]));
    });
  }

 private:
  const GroupAxes& axes() const { return model_.axes[group_.tangent]; }

  void add_offsets(std::span<const Mat3d> offsets, std::size_t first_block) {
    for (int i = 0; i < kBatchCells; ++i) {
      const Mat3d& F = offsets[8 * (first_block + i % kBatchBlocks) + i / kBatchBlocks];
      for (int e = 0; e < 9; ++e) batch_.F[e][i] += F(e % 3, e / 3);
    }
  }

  /// Laws need not make sense of what stands in cells that are not there.
  void rest_missing_cells() {
    for (int i = 0; i < kBatchCells; ++i) {
      if (blocks_[i % kBatchBlocks].active >> (i / kBatchBlocks) & 1) continue;
      for (int e = 0; e < 9; ++e) batch_.F[e][i] = e % 4 == 0;
    }
  }

  void prepare_axes(std::span<const double> activations) {
    ISOCHOR_CALL_KERNEL(
        isa_, turn_deformation_kernel(axes(), half_.first_block, &batch_.F[0][0], turned_F_));
    const double activation = activations.empty() ? 0 : activations[group_.body];
    for (int i = 0; i < kBatchCells; ++i) {
      activation_[i] =
          activation * axes().activation[i / kBatchBlocks][half_.first_block + i % kBatchBlocks];
    }
  }

  /// Calls f(law, what it is evaluated with, which cells have it) for every material of the group.
  /// All cells are evaluated; where one material is all there is, the choice is null.
  template <class F>
  void for_each_material(F&& f) {
    const bool several = std::popcount(group_.materials) > 1;
    for (int m = 0; group_.materials >> m != 0; ++m) {
      if (!(group_.materials >> m & 1)) continue;
      const Material& material = model_.materials[model_.bodies[group_.body].first_material + m];
      LawBatch<double> law_batch{
          .count = kBatchCells, .F = &batch_.F[0][0], .mu = batch_.mu, .lambda = batch_.lambda};
      std::copy(material.shape.begin(), material.shape.end(), law_batch.common.shape);
      if (!materials::is_isotropic(material.law)) {
        law_batch.F = turned_F_;
        law_batch.activation = activation_;
      }
      bool chosen[kBatchCells];
      for (int i = 0; several && i < kBatchCells; ++i) {
        chosen[i] = blocks_[i % kBatchBlocks].material[i / kBatchBlocks] == m;
      }
      f(material.law, law_batch, several ? chosen : nullptr);
    }
  }

  const Model& model_;
  const BlockGroup& group_;
  const Block* blocks_;
  HalfGroup half_;
  const Vec3d* positions_;
  Isa isa_;
  // Left as they are until a kernel fills them.
  CellBatch batch_, other_;
  double turned_F_[9 * kBatchCells], activation_[kBatchCells];
  double principal_[30 * kBatchCells], dense_[45 * kBatchCells];
};

/// Calls f(visit, index of its first block) for all half groups of a tile.
template <class F>
void visit_laws(const Model& model, const Configuration& at, GroupRange groups, Isa isa, F&& f) {
  for (std::size_t g = groups.begin; g < std::size_t(groups.end); ++g) {
    for (int b = 0; b < kGroupBlocks; b += kBatchBlocks) {
      LawVisit visit(model, at, g, b, isa);
      f(visit, g * kGroupBlocks + b);
    }
  }
}
/// The same for all tiles.
template <class F>
void visit_laws(const Model& model, const Configuration& at, ThreadArena& arena, Isa isa, F&& f) {
  for_each_tile(model, arena,
                [&](std::size_t, GroupRange groups) { visit_laws(model, at, groups, isa, f); });
}

template <class S, class AllTangents>
void apply(const Model& model, const AllTangents& tangents, std::span<const Vec3<S>> displacements,
           std::span<Vec3<S>> out, ThreadArena& arena, Isa isa) {
  for_each_tile(model, arena, [&](std::size_t tile, GroupRange groups) {
    clear_nodes(model, tile, out);
    ISOCHOR_CALL_KERNEL(isa,
                        apply_kernel(model, tangents, groups, displacements.data(), out.data()));
  });
}

template <class S>
void diagonal_of(const Model& model, const Tangents& tangents, std::span<Vec3<S>> diagonal,
                 ThreadArena& arena, Isa isa) {
  for_each_tile(model, arena, [&](std::size_t tile, GroupRange groups) {
    clear_nodes(model, tile, diagonal);
    ISOCHOR_CALL_KERNEL(isa, diagonal_kernel(model, tangents, groups, diagonal.data()));
  });
}

}  // namespace

double elastic_energy(const Model& model, const Configuration& at, std::span<double> block_energy,
                      ThreadArena& arena, Isa isa) {
  visit_laws(model, at, arena, isa, [&](LawVisit& visit, std::size_t first_block) {
    visit.respond(false);
    for (int b = 0; b < kBatchBlocks; ++b) block_energy[first_block + b] = visit.block_energy(b);
  });
  return sum_of(block_energy, arena);
}

double elastic_force(const Model& model, const Configuration& at, std::span<Vec3d> force,
                     std::span<double> block_energy, ThreadArena& arena, Isa isa) {
  for_each_tile(model, arena, [&](std::size_t tile, GroupRange groups) {
    clear_nodes(model, tile, force);
    visit_laws(model, at, groups, isa, [&](LawVisit& visit, std::size_t first_block) {
      visit.respond(true);
      for (int b = 0; b < kBatchBlocks; ++b) block_energy[first_block + b] = visit.block_energy(b);
      visit.add_forces(force.data());
    });
  });
  return sum_of(block_energy, arena);
}

void cell_stresses(const Model& model, const Configuration& at, std::span<CellStress> stresses,
                   ThreadArena& arena, Isa isa) {
  visit_laws(model, at, arena, isa, [&](LawVisit& visit, std::size_t first_block) {
    visit.respond(true);
    for (int i = 0; i < kBatchCells; ++i) {
      CellStress& out = stresses[8 * (first_block + i % kBatchBlocks) + i / kBatchBlocks];
      for (int e = 0; e < 9; ++e) {
        out.F(e % 3, e / 3) = visit.batch().F[e][i];
        out.P(e % 3, e / 3) = visit.batch().stress[e][i];
      }
    }
  });
}

void linearise(const Model& model, const Configuration& at, Definiteness fix, Tangents& tangents,
               ThreadArena& arena, Isa isa) {
  visit_laws(model, at, arena, isa,
             [&](LawVisit& visit, std::size_t) { visit.linearise(fix, tangents); });
}

void linearise(const Model& model, std::span<const Mat3d> gradients,
               std::span<const double> activations, double stabilise, Definiteness fix,
               Tangents& tangents, ThreadArena& arena, Isa isa) {
  for_each_tile(model, arena, [&](std::size_t, GroupRange groups) {
    for (std::size_t g = groups.begin; g < std::size_t(groups.end); ++g) {
      for (int b = 0; b < kGroupBlocks; b += kBatchBlocks) {
        LawVisit(model, gradients, activations, stabilise, g, b, isa).linearise(fix, tangents);
      }
    }
  });
}

void apply_stiffness(const Model& model, const Tangents& tangents,
                     std::span<const Vec3d> displacements, std::span<Vec3d> out, ThreadArena& arena,
                     Isa isa) {
  apply(model, tangents, displacements, out, arena, isa);
}
void apply_stiffness(const Model& model, const Tangents& tangents,
                     std::span<const Vec3f> displacements, std::span<Vec3f> out, ThreadArena& arena,
                     Isa isa) {
  apply(model, tangents, displacements, out, arena, isa);
}

void apply_stiffness(const Model& model, const HalfTangents& tangents,
                     std::span<const Vec3f> displacements, std::span<Vec3f> out, ThreadArena& arena,
                     Isa isa) {
  apply(model, tangents, displacements, out, arena, isa);
}

void halve(const Tangents& tangents, HalfTangents& halves, ThreadArena& arena, Isa isa) {
  const auto halve_all = [&](const auto& from, auto& to) {
    parallel_for(arena, from.size(), 16,
                 [&](std::size_t g) { ISOCHOR_CALL_KERNEL(isa, halve_kernel(from[g], to[g])); });
  };
  halve_all(tangents.principal, halves.principal);
  halve_all(tangents.dense, halves.dense);
}

void stiffness_diagonal(const Model& model, const Tangents& tangents, std::span<Vec3d> diagonal,
                        ThreadArena& arena, Isa isa) {
  diagonal_of(model, tangents, diagonal, arena, isa);
}
void stiffness_diagonal(const Model& model, const Tangents& tangents, std::span<Vec3f> diagonal,
                        ThreadArena& arena, Isa isa) {
  diagonal_of(model, tangents, diagonal, arena, isa);
}

}  // namespace isochor::lattice
