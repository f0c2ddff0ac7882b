#pragma once

#include <algorithm>
#include <span>

#include "isochor/base/parallel.h"
#include "isochor/lattice/kernel_data.h"
#include "isochor/math/dispatch.h"

/// The kernels that linearising and evaluating are made of, and how groups are visited.
namespace isochor::lattice {

/// Fills F, the moduli and the energy of the stabilisation.
ISOCHOR_DECLARE_KERNEL(void deform_kernel(const HalfGroup&, const Vec3d* positions, CellBatch&))
/// Adds the forces of the stress and of the stabilisation.
ISOCHOR_DECLARE_KERNEL(void force_kernel(const HalfGroup&, const Vec3d* positions, const CellBatch&,
                                         Vec3d* force))

/// Numbers of a batch between the lattice's axes and those of a law: F into the law's, its stress
/// and its tangent (dense, in place) out of them.
ISOCHOR_DECLARE_KERNEL(void turn_deformation_kernel(const GroupAxes&, int first_block,
                                                    const double* F, double* turned))
ISOCHOR_DECLARE_KERNEL(void turn_stress_kernel(const GroupAxes&, int first_block, double* stress))
ISOCHOR_DECLARE_KERNEL(void turn_tangent_kernel(const GroupAxes&, int first_block, double* dense))
/// The tangent of a law without directions as one with them.
ISOCHOR_DECLARE_KERNEL(void densify_kernel(const double* principal, double* dense))

/// Writes a batch of tangents as GroupTangent wants it, in single precision. `chosen` says which
/// cells, or is null for all.
ISOCHOR_DECLARE_KERNEL(void store_tangent_kernel(const HalfGroup&, const double* numbers,
                                                 const bool* chosen, PrincipalGroupTangent&))
ISOCHOR_DECLARE_KERNEL(void store_tangent_kernel(const HalfGroup&, const double* numbers,
                                                 const bool* chosen, DenseGroupTangent&))

/// Calls f(number of a tile, its groups) for all tiles, colour after colour.
template <class F>
void for_each_tile(const Model& model, ThreadArena& arena, F&& f) {
  // Less is not worth waking a thread.
  constexpr std::size_t kGroupsPerTask = 8;
  if (model.groups.empty()) return;
  const std::size_t tiles = (kGroupsPerTask - 1) / std::size_t(model.tile_starts[1]) + 1;
  for (std::size_t c = 0; c + 1 < model.color_starts.size(); ++c) {
    const std::size_t begin = model.color_starts[c], end = model.color_starts[c + 1];
    parallel_for(arena, end - begin, tiles, [&](std::size_t i) {
      const std::size_t tile = begin + i;
      f(tile, GroupRange{model.tile_starts[tile], model.tile_starts[tile + 1],
                         tile + 2 < model.tile_starts.size() ? model.tile_nodes.of(tile + 1)
                                                             : std::span<const NodeRun>{}});
    });
  }
}

/// Zeros where a tile is the first to add something: just before it does, while its nodes are in
/// a cache.
template <class S>
void clear_nodes(const Model& model, std::size_t tile, std::span<Vec3<S>> nodal) {
  for (const NodeRun& run : model.opened_nodes.of(tile)) {
    std::fill(nodal.begin() + run.begin, nodal.begin() + run.end, Vec3<S>{0, 0, 0});
  }
}

}  // namespace isochor::lattice
