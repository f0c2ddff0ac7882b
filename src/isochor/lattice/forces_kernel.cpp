#include "isochor/lattice/block_kernel.h"
#include "isochor/lattice/kernel_data.h"
#include "isochor/lattice/nodes_kernel.h"

namespace isochor::lattice {
namespace {

constexpr int kLanes = static_cast<int>(xsimd::batch<double>::size);
using P = Pack<double, kLanes>;

/// The nodes of blocks `b` to b + kLanes of a half group, and their edges summed per cell.
ISOCHOR_KERNEL void load_blocks(const HalfGroup& half, int b, const Vec3d* positions,
                                Vec3<P> (&x)[27], Mat3<P> (&sums)[8]) {
  gather_nodes<kLanes>(half.group, half.first_block + b, positions, x, [] {});
  sum_edges(x, sums);
}

/// Sum over a cell's twelve edges of |d - S/4|^2: what one point at the centre cannot see.
ISOCHOR_KERNEL P spread_of(const Vec3<P> (&x)[27], const Mat3<P>& sums, int cell) {
  P total(0);
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3<P> mean = P(0.25) * sums.column[axis];
    for (int corner = 0; corner < 8; ++corner) {
      if (corner >> axis & 1) continue;
      const Vec3<P> d =
          x[grid::block_node(cell, corner | 1 << axis)] - x[grid::block_node(cell, corner)] - mean;
      total = total + dot(d, d);
    }
  }
  return total;
}

}  // namespace

inline namespace ISOCHOR_ISA {

void deform_kernel(const HalfGroup& half, const Vec3d* positions, CellBatch& batch) {
  const P by_edges(0.25 / half.group.h), by_spread(0.25 * half.stabilise * half.group.h);
  for (int b = 0; b < kBatchBlocks; b += kLanes) {
    Vec3<P> x[27];
    Mat3<P> sums[8];
    load_blocks(half, b, positions, x, sums);
    P energy(0);
    for (int c = 0; c < 8; ++c) {
      const int at = kBatchBlocks * c + b;
      for (int e = 0; e < 9; ++e) (by_edges * sums[c](e % 3, e / 3)).store(batch.F[e] + at);
      const P mu = P::load(half.moduli.mu[c] + half.first_block + b);
      mu.store(batch.mu + at);
      P::load(half.moduli.lambda[c] + half.first_block + b).store(batch.lambda + at);
      const P weight = P::load(half.moduli.weight[c] + half.first_block + b);
      weight.store(batch.weight + at);
      energy = muladd(by_spread * weight * mu, spread_of(x, sums[c], c), energy);
    }
    energy.store(batch.spread_energy + b);
  }
}

void force_kernel(const HalfGroup& half, const Vec3d* positions, const CellBatch& batch,
                  Vec3d* force) {
  const double h = half.group.h;
  // Forces are minus the pull.
  const P by_stress(-0.25 * h * h), by_edge(-0.5 * half.stabilise * h);
  for (int b = 0; b < kBatchBlocks; b += kLanes) {
    Vec3<P> x[27], nodal[27];
    Mat3<P> pull[8];
    P weight[8];
    load_blocks(half, b, positions, x, pull);
    for (int c = 0; c < 8; ++c) {
      const int at = kBatchBlocks * c + b;
      const P part = P::load(batch.weight + at), partial_stress = part * by_stress;
      weight[c] = by_edge * part * P::load(batch.mu + at);
      const P by_mean = P(0.25) * weight[c];
      for (int e = 0; e < 9; ++e) {
        P& entry = pull[c](e % 3, e / 3);
        entry = mulsub(partial_stress, P::load(batch.stress[e] + at), by_mean * entry);
      }
    }
    pull_nodes(x, pull, weight, nodal);
    scatter_nodes<kLanes>(nodal, half.group, half.first_block + b, force, [] {});
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::lattice
