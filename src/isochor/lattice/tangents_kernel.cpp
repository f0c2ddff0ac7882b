#include "isochor/lattice/kernel_data.h"
#include "isochor/materials/dense_law.h"
#include "isochor/materials/tangent_numbers.h"
#include "isochor/math/pack.h"
#include "isochor/math/quaternion.h"

namespace isochor::lattice {
namespace {

constexpr int kLanes = static_cast<int>(xsimd::batch<double>::size);
using P = Pack<double, kLanes>;

/// Calls f(axes, place in the batch) for all cells, kLanes at a time.
template <class F>
ISOCHOR_KERNEL void for_each_axes(const GroupAxes& axes, int first_block, F&& f) {
  for (int c = 0; c < 8; ++c) {
    for (int b = 0; b < kBatchBlocks; b += kLanes) {
      Mat3<P> Q;
      for (int e = 0; e < 9; ++e) Q(e % 3, e / 3) = P::load(axes.Q[e][c] + first_block + b);
      f(Q, kBatchBlocks * c + b);
    }
  }
}

ISOCHOR_KERNEL Mat3<P> load_matrix(const double* entries, int at) {
  Mat3<P> A;
  for (int e = 0; e < 9; ++e) A(e % 3, e / 3) = P::load(entries + e * kBatchCells + at);
  return A;
}
ISOCHOR_KERNEL void store_matrix(const Mat3<P>& A, double* entries, int at) {
  for (int e = 0; e < 9; ++e) A(e % 3, e / 3).store(entries + e * kBatchCells + at);
}

/// Writes numbers of the law to those of the group from `first` on, times `scale` and what the cell
/// has of material; and the stabilisation behind them.
template <int Numbers>
void store_scaled(const HalfGroup& half, const double* numbers, int first, const bool* chosen,
                  GroupTangent<Numbers>& out) {
  const double by_edges = half.group.h / 16;
  for (int c = 0; c < 8; ++c) {
    const int at = kBatchBlocks * c;
    for (int e = first; e <= Numbers; ++e) {
      const bool spread = e == Numbers;
      const double* from =
          spread ? half.moduli.mu[c] + half.first_block : numbers + (e - first) * kBatchCells + at;
      const double scale = spread ? by_edges * half.stabilise : by_edges;
      float* to = out.number[c][e] + half.first_block;
      for (int b = 0; b < kBatchBlocks; ++b) {
        const double value = scale * half.moduli.weight[c][half.first_block + b] * from[b];
        const double least = value > kStiffest ? kStiffest : value;
        const auto single = static_cast<float>(least < -kStiffest ? -kStiffest : least);
        to[b] = !chosen || chosen[at + b] ? single : to[b];
      }
    }
  }
}

/// Writes the rotations of the law as quaternions, to the group's numbers from `first` on.
void store_rotations(const HalfGroup& half, const double* matrices, int first, const bool* chosen,
                     PrincipalGroupTangent& out) {
  for (int at = 0; at < kBatchCells; at += kLanes) {
    const Quaternion<P> q = long_quaternion(load_matrix(matrices, at));
    const P numbers[4] = {q.v[0], q.v[1], q.v[2], q.w};
    const int c = at / kBatchBlocks, b = at % kBatchBlocks;
    for (int e = 0; e < 4; ++e) {
      double value[kLanes];
      numbers[e].store(value);
      float* to = out.number[c][first + e] + half.first_block + b;
      for (int l = 0; l < kLanes; ++l) {
        if (!chosen || chosen[at + l]) to[l] = static_cast<float>(value[l]);
      }
    }
  }
}

}  // namespace

inline namespace ISOCHOR_ISA {

void turn_deformation_kernel(const GroupAxes& axes, int first_block, const double* F,
                             double* turned) {
  for_each_axes(axes, first_block, [&](const Mat3<P>& Q, int at) {
    store_matrix(load_matrix(F, at) * Q, turned, at);
  });
}

void turn_stress_kernel(const GroupAxes& axes, int first_block, double* stress) {
  for_each_axes(axes, first_block, [&](const Mat3<P>& Q, int at) {
    store_matrix(times_transpose(load_matrix(stress, at), Q), stress, at);
  });
}

void turn_tangent_kernel(const GroupAxes& axes, int first_block, double* dense) {
  for_each_axes(axes, first_block, [&](const Mat3<P>& Q, int at) {
    materials::DenseTangent<P> K;
    for (int e = 0; e < 45; ++e) K.entry[e] = P::load(dense + e * kBatchCells + at);
    K = materials::turned(K, Q);
    for (int e = 0; e < 45; ++e) K.entry[e].store(dense + e * kBatchCells + at);
  });
}

void densify_kernel(const double* principal, double* dense) {
  for (int at = 0; at < kBatchCells; at += kLanes) {
    const materials::DenseTangent<P> t = materials::densified(materials::principal_from<P>(
        [&](int e) { return P::load(principal + e * kBatchCells + at); }));
    for (int e = 0; e < t.kSize; ++e) t.entry[e].store(dense + e * kBatchCells + at);
  }
}

void store_tangent_kernel(const HalfGroup& half, const double* numbers, const bool* chosen,
                          PrincipalGroupTangent& out) {
  store_rotations(half, numbers, 0, chosen, out);
  store_rotations(half, numbers + 9 * kBatchCells, 4, chosen, out);
  store_scaled(half, numbers + 18 * kBatchCells, 8, chosen, out);
}
void store_tangent_kernel(const HalfGroup& half, const double* numbers, const bool* chosen,
                          DenseGroupTangent& out) {
  store_scaled(half, numbers, 0, chosen, out);
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::lattice
