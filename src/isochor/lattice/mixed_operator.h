#pragma once

#include <span>

#include "isochor/base/parallel.h"
#include "isochor/lattice/mixed_tangents.h"
#include "isochor/lattice/multigrid_memory.h"
#include "isochor/math/isa.h"

/// The energy of the mixed lattice and its derivatives, on all cells: the same bits for any number
/// of threads, and for AVX2 and AVX-512 alike.
namespace isochor::lattice::mixed {

/// What elasticity depends on.
struct Configuration {
  std::span<const Vec3d> positions;     ///< per node, m
  std::span<const double> pressure;     ///< as Model says, Pa
  std::span<const double> activations;  ///< as in StepInput
  std::span<const double> softness{};   ///< per body, a factor of C; none: 1
};

struct Evaluation {
  double energy = 0;   ///< the saddle function, J
  double scale = 0;    ///< sum of the magnitudes of its blocks, J
  double least_j = 0;  ///< smallest volume ratio of a cell
};

/// Memory of evaluate(), per block.
struct BlockValues {
  explicit BlockValues(std::size_t blocks) : energy(blocks), least_j(blocks) {}
  std::vector<double> energy, least_j;
};

/// Forces on all nodes, N, and what cells ask of their pressure, alpha dE/dp: alpha times the
/// volume that a cell has too much, with the sign of [Patterson12 sec 5]'s -q.
Evaluation evaluate(const Model& model, const Configuration& at, std::span<Vec3d> force,
                    std::span<double> volume, BlockValues& blocks, ThreadArena& arena,
                    Isa isa = best_isa());

/// M of every cell.
void measure(const Model& model, const Configuration& at, std::span<double> values,
             ThreadArena& arena, Isa isa = best_isa());

/// Writes the tangents of every cell: visits laws, so that applying never does.
void linearise(const Model& model, const Configuration& at, Fix fix, Tangents& tangents,
               ThreadArena& arena, Isa isa = best_isa());

/// Tangents of coarser levels, about the mean F and the mean pressure of their children. `exact`:
/// no fix was asked for. `pressures` is working memory, one number per block and lane of each
/// level.
void linearise_coarse(const Model& model, const Configuration& at, bool exact,
                      MultigridMemory& memory, std::vector<std::vector<double>>& pressures,
                      ThreadArena& arena, Isa isa = best_isa());

/// [force; volume] = [A B^T; B -C] [dx; dp], dp in units of alpha.
void apply(const Model& model, const Tangents& tangents, std::span<const Vec3d> dx,
           std::span<const double> dp, std::span<Vec3d> force, std::span<double> volume,
           ThreadArena& arena, Isa isa = best_isa());

/// force += B^T dp.
void add_gradient(const Model& model, const Tangents& tangents, std::span<const double> dp,
                  std::span<Vec3d> force, ThreadArena& arena, Isa isa = best_isa());

/// What pressures are preconditioned by. Per cell of volume W, about its mean in the block,
///     W (1/kappa + omega + delta / mu) / (1 + gamma omega)   for jumps, with a part of omega,
///     W (1/kappa + omega) / (1 + gamma omega)                for the mean,
/// omega being a multiple of b^T D^-1 b / W, b the cell's row of B and D the diagonal of A as
/// cycles have it, whose inverse is zero where nothing may move. `weights` is working memory, one
/// number per pressure.
void find_schur(const Model& model, const Tangents& tangents,
                std::span<const Vec3f> inverse_diagonal, std::span<double> weights,
                std::span<GroupSchur> schur, ThreadArena& arena, Isa isa = best_isa());

/// z = S^-1 r.
void apply_schur(const Model& model, std::span<const GroupSchur> schur, std::span<const double> r,
                 std::span<double> z, ThreadArena& arena, Isa isa = best_isa());

/// r = s + gamma / W (r - C s). With r what is left of volumes, and s minus the pressures that take
/// it away, B^T r is all that they add to forces where rows of volumes are added to those as well.
void augment(const Model& model, const Tangents& tangents, std::span<const double> s,
             std::span<double> r, ThreadArena& arena, Isa isa = best_isa());

}  // namespace isochor::lattice::mixed
