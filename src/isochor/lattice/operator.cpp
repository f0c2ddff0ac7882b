#include "isochor/lattice/operator.h"

#include <algorithm>
#include <numeric>

#include "isochor/lattice/cell_visit.h"
#include "isochor/lattice/cut_visit.h"
#include "isochor/lattice/operator_kernels.h"

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

double sum_of(std::span<const double> values, ThreadArena& arena) {
  return deterministic_sum(arena, values.size(), [&](std::size_t begin, std::size_t end) {
    return std::accumulate(values.begin() + begin, values.begin() + end, 0.0);
  });
}

/// Calls f(visit, index of its first block) for all half groups of a tile.
template <class F>
void visit_laws(const Model& model, const Configuration& at, GroupRange groups, Isa isa, F&& f) {
  for (std::size_t g = groups.begin; g < std::size_t(groups.end); ++g) {
    for (int b = 0; b < kGroupBlocks; b += kBatchBlocks) {
      CellVisit visit(model, g, b, model.params.stabilise ? at.stabilise : 0.0, at.activations,
                      isa);
      visit.deform(at.positions, at.offsets);
      f(visit, g * kGroupBlocks + b);
    }
  }
}

template <class S, class AllTangents>
void apply(const Model& model, const AllTangents& tangents, std::span<const Vec3<S>> displacements,
           std::span<Vec3<S>> out, ThreadArena& arena, Isa isa) {
  for_each_tile(model, arena, [&](std::size_t tile, GroupRange groups) {
    clear_nodes(model, tile, out);
    ISOCHOR_CALL_KERNEL(isa,
                        apply_kernel(model, tangents, groups, displacements.data(), out.data()));
    for_each_cut(model, tile, [&](const CutGroup& cut) {
      if (cut.matrix < 0) return;
      ISOCHOR_CALL_KERNEL(
          isa, apply_cut_kernel(cut, tangents.cut[cut.matrix], displacements.data(), out.data()));
    });
  });
}

template <class S>
void diagonal_of(const Model& model, const Tangents& tangents, std::span<Vec3<S>> diagonal,
                 ThreadArena& arena, Isa isa) {
  for_each_tile(model, arena, [&](std::size_t tile, GroupRange groups) {
    clear_nodes(model, tile, diagonal);
    ISOCHOR_CALL_KERNEL(isa, diagonal_kernel(model, tangents, groups, diagonal.data()));
    for_each_cut(model, tile, [&](const CutGroup& cut) {
      if (cut.matrix >= 0) add_diagonal(cut, tangents.cut[cut.matrix], diagonal.data());
    });
  });
}

/// Energies of cells with points of their own, and their forces where they are wanted.
void respond_cut(const Model& model, const Configuration& at, std::size_t tile, Vec3d* force,
                 std::span<double> block_energy, Isa isa) {
  for_each_cut(model, tile, [&](const CutGroup& cut) {
    CutVisit visit(model, cut, at.activations, isa);
    visit.deform(at.positions);
    visit.respond(force != nullptr);
    for (int lane = 0; lane < kGroupBlocks; ++lane) {
      block_energy[cut.cell[lane] / 8] += cut.volume[lane] * visit.energy_of(lane);
    }
    if (force) visit.add_forces(force);
    add_skin_forces(model, cut, at.positions, force, block_energy);
  });
}

void clear_blocks(GroupRange groups, std::span<double> block_energy) {
  std::fill(block_energy.begin() + std::ptrdiff_t{groups.begin} * kGroupBlocks,
            block_energy.begin() + std::ptrdiff_t{groups.end} * kGroupBlocks, 0.0);
}

}  // namespace

double elastic_energy(const Model& model, const Configuration& at, std::span<double> block_energy,
                      ThreadArena& arena, Isa isa) {
  for_each_tile(model, arena, [&](std::size_t tile, GroupRange groups) {
    clear_blocks(groups, block_energy);
    if (model.has_centres()) {
      visit_laws(model, at, groups, isa, [&](CellVisit& visit, std::size_t first_block) {
        visit.respond(false);
        for (int b = 0; b < kBatchBlocks; ++b) {
          block_energy[first_block + b] = visit.block_energy(b);
        }
      });
    }
    respond_cut(model, at, tile, nullptr, block_energy, isa);
  });
  return sum_of(block_energy, arena);
}

double elastic_force(const Model& model, const Configuration& at, std::span<Vec3d> force,
                     std::span<double> block_energy, ThreadArena& arena, Isa isa) {
  for_each_tile(model, arena, [&](std::size_t tile, GroupRange groups) {
    clear_nodes(model, tile, force);
    clear_blocks(groups, block_energy);
    if (model.has_centres()) {
      visit_laws(model, at, groups, isa, [&](CellVisit& visit, std::size_t first_block) {
        visit.respond(true);
        for (int b = 0; b < kBatchBlocks; ++b) {
          block_energy[first_block + b] = visit.block_energy(b);
        }
        visit.add_forces(force.data());
      });
    }
    respond_cut(model, at, tile, force.data(), block_energy, isa);
  });
  return sum_of(block_energy, arena);
}

void cell_stresses(const Model& model, const Configuration& at, std::span<CellStress> stresses,
                   ThreadArena& arena, Isa isa) {
  for_each_tile(model, arena, [&](std::size_t tile, GroupRange groups) {
    visit_laws(model, at, groups, isa, [&](CellVisit& visit, std::size_t) {
      visit.respond(true);
      for (int i = 0; i < kBatchCells; ++i) {
        CellStress& out = stresses[visit.place(i)];
        for (int e = 0; e < 9; ++e) {
          out.F(e % 3, e / 3) = visit.batch().F[e][i];
          out.P(e % 3, e / 3) = visit.batch().stress[e][i];
        }
      }
    });
    for_each_cut(model, tile, [&](const CutGroup& cut) {
      CutVisit visit(model, cut, at.activations, isa);
      visit.deform(at.positions);
      visit.respond(true);
      for (int lane = 0; lane < kGroupBlocks; ++lane) {
        CellStress& out = stresses[cut.cell[lane]];
        for (int e = 0; e < 9; ++e) {
          out.F(e % 3, e / 3) = visit.mean(visit.batch().F[e], lane);
          out.P(e % 3, e / 3) = visit.stress_of(e, lane);
        }
      }
    });
  });
}

void linearise(const Model& model, const Configuration& at, Definiteness fix, Tangents& tangents,
               ThreadArena& arena, Isa isa) {
  for_each_tile(model, arena, [&](std::size_t tile, GroupRange groups) {
    visit_laws(model, at, groups, isa,
               [&](CellVisit& visit, std::size_t) { visit.linearise(fix, tangents); });
    for_each_cut(model, tile, [&](const CutGroup& cut) {
      if (cut.matrix < 0) return;
      CutVisit visit(model, cut, at.activations, isa);
      visit.deform(at.positions);
      visit.linearise(fix);
      visit.assemble(tangents.cut[cut.matrix]);
      add_skin_tangent(model, cut, at.positions, fix != Definiteness::None,
                       tangents.cut[cut.matrix]);
    });
  });
}

void linearise(const Model& model, std::span<const Mat3d> gradients,
               std::span<const double> activations, double stabilise, Definiteness fix,
               Tangents& tangents, ThreadArena& arena, Isa isa) {
  for_each_tile(model, arena, [&](std::size_t tile, GroupRange groups) {
    for (std::size_t g = groups.begin; g < std::size_t(groups.end); ++g) {
      for (int b = 0; b < kGroupBlocks; b += kBatchBlocks) {
        CellVisit visit(model, g, b, model.params.stabilise ? stabilise : 0.0, activations, isa);
        visit.deform(gradients);
        visit.linearise(fix, tangents);
      }
    }
    for_each_cut(model, tile, [&](const CutGroup& cut) {
      if (cut.matrix < 0) return;
      CutVisit visit(model, cut, activations, isa);
      visit.deform(gradients);
      visit.linearise(fix);
      visit.assemble(tangents.cut[cut.matrix]);
      add_skin_tangent(model, cut, gradients, fix != Definiteness::None, tangents.cut[cut.matrix]);
    });
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
  halves.cut = tangents.cut;
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
