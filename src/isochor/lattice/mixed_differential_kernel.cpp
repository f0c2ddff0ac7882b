#include "isochor/lattice/differential_kernel.h"
#include "isochor/lattice/mixed_tangents.h"

/// The matrix of the mixed lattice, without the part that pressures have for themselves: A dx +
/// B^T dp and B dx at once, a block per lane. In the frame of a principal tangent B is three
/// numbers, and costs little more than reading them.
namespace isochor::lattice {
inline namespace ISOCHOR_ISA {
namespace {

constexpr int kLanes = static_cast<int>(xsimd::batch<double>::size);
using P = Pack<double, kLanes>;

/// dP + dp Q for a change dF, and Q : dF in `change`; Q = U diag(q) V^T.
ISOCHOR_KERNEL Mat3<P> mixed_differential(const materials::PrincipalTangent<P>& t,
                                          const float (&q)[3][kGroupBlocks], int lane,
                                          const Mat3<P>& dF, const P& dp, P& change) {
  const Mat3<P> D = transpose_times(t.U, dF * t.V);
  const Vec3<P> along{D(0, 0), D(1, 1), D(2, 2)};
  const Vec3<P> g{P::load(q[0] + lane), P::load(q[1] + lane), P::load(q[2] + lane)};
  change = dot(g, along);
  Mat3<P> out = Mat3<P>::diagonal(t.stretch * along + dp * g);
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const P symmetric = t.flip[k] * (P(0.5) * (D(i, j) + D(j, i)));
    const P skew = t.twist[k] * (P(0.5) * (D(i, j) - D(j, i)));
    out(i, j) = symmetric + skew;
    out(j, i) = symmetric - skew;
  }
  return times_transpose(t.U * out, t.V);
}
ISOCHOR_KERNEL Mat3<P> mixed_differential(const materials::DenseTangent<P>& t,
                                          const float (&q)[9][kGroupBlocks], int lane,
                                          const Mat3<P>& dF, const P& dp, P& change) {
  Mat3<P> Q;
  for (int e = 0; e < 9; ++e) Q(e % 3, e / 3) = P::load(q[e] + lane);
  change = contract(Q, dF);
  return materials::stress_differential(t, dF) + dp * Q;
}

/// Q itself.
ISOCHOR_KERNEL Mat3<P> load_gradient(const float (&number)[21][kGroupBlocks],
                                     const float (&q)[3][kGroupBlocks], int lane) {
  const auto load = [&](int e) { return P::load(number[e] + lane); };
  const Mat3<P> U = rotation_of_long(Quaternion<P>{{load(0), load(1), load(2)}, load(3)});
  const Mat3<P> V = rotation_of_long(Quaternion<P>{{load(4), load(5), load(6)}, load(7)});
  const Vec3<P> g{P::load(q[0] + lane), P::load(q[1] + lane), P::load(q[2] + lane)};
  return times_transpose(Mat3<P>{{U.column[0] * g[0], U.column[1] * g[1], U.column[2] * g[2]}}, V);
}
ISOCHOR_KERNEL Mat3<P> load_gradient(const float (&)[46][kGroupBlocks],
                                     const float (&q)[9][kGroupBlocks], int lane) {
  Mat3<P> Q;
  for (int e = 0; e < 9; ++e) Q(e % 3, e / 3) = P::load(q[e] + lane);
  return Q;
}

template <int Numbers, int GradientNumbers>
ISOCHOR_KERNEL void apply_blocks(const BlockGroup& group, const GroupTangent<Numbers>& tangents,
                                 const mixed::GroupGradient<GradientNumbers>& gradients, int lane,
                                 const Vec3d* dx, const double* dp, Vec3d* force, double* volume) {
  // What the next group will read.
  detail::Ahead numbers(&tangents + 1, sizeof(tangents), lane / kLanes, kGroupBlocks / kLanes);
  detail::Ahead nodes(&group + 1, sizeof(group), lane / kLanes, kGroupBlocks / kLanes);
  detail::Ahead slopes(&gradients + 1, sizeof(gradients), lane / kLanes, kGroupBlocks / kLanes);
  Vec3<P> x[27];
  gather_nodes<kLanes>(group, lane, dx, x, [&] { numbers.fetch(1); });
  Mat3<P> pull[8];
  P weight[8];
  sum_edges(x, pull);
  for (int c = 0; c < 8; ++c) {
    typename detail::TangentOf<P, Numbers>::type tangent;
    detail::load_tangent(tangents.number[c], lane, tangent);
    numbers.fetch(6);
    nodes.fetch(2);
    slopes.fetch(2);
    const P spread = P::load(tangents.number[c][Numbers] + lane), less = P(2) * spread;
    P change;
    const Mat3<P> stress = mixed_differential(tangent, gradients.number[c], lane, pull[c],
                                              P::load(dp + kGroupBlocks * c + lane), change);
    change.store(volume + kGroupBlocks * c + lane);
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) pull[c](i, j) = negmuladd(less, pull[c](i, j), stress(i, j));
    }
    weight[c] = P(8) * spread;
  }
  Vec3<P> nodal[27];
  pull_nodes(x, pull, weight, nodal);
  scatter_nodes<kLanes>(nodal, group, lane, force, [] {});
}

template <int Numbers, int GradientNumbers>
ISOCHOR_KERNEL void add_gradients(const BlockGroup& group, const GroupTangent<Numbers>& tangents,
                                  const mixed::GroupGradient<GradientNumbers>& gradients, int lane,
                                  const double* dp, Vec3d* force) {
  const Vec3<P> still{P(0), P(0), P(0)};
  Vec3<P> x[27], nodal[27];
  for (Vec3<P>& v : x) v = still;
  Mat3<P> pull[8];
  P weight[8];
  for (int c = 0; c < 8; ++c) {
    pull[c] = P::load(dp + kGroupBlocks * c + lane) *
              load_gradient(tangents.number[c], gradients.number[c], lane);
    weight[c] = P(0);
  }
  pull_nodes(x, pull, weight, nodal);
  scatter_nodes<kLanes>(nodal, group, lane, force, [] {});
}

/// Corner c sees Q (+-1, +-1, +-1), the opposite one minus that.
template <int Numbers, int GradientNumbers>
ISOCHOR_KERNEL void find_weights(const BlockGroup& group, const GroupTangent<Numbers>& tangents,
                                 const mixed::GroupGradient<GradientNumbers>& gradients, int lane,
                                 const Vec3f* inverse_diagonal, double* weight) {
  const auto inverse_at = [&](int cell, int corner, int axis) {
    double lanes[kLanes];
    for (int l = 0; l < kLanes; ++l) {
      const std::int32_t at = group.nodes[grid::block_node(cell, corner)][lane + l];
      lanes[l] = inverse_diagonal[at / 3][axis];
    }
    return P::load(lanes);
  };
  for (int c = 0; c < 8; ++c) {
    const Mat3<P> Q = load_gradient(tangents.number[c], gradients.number[c], lane);
    P sum(0);
    for (int corner = 0; corner < 4; ++corner) {
      const Vec3<P> b = Q * Vec3<P>{P(corner & 1 ? 1 : -1), P(corner & 2 ? 1 : -1), P(-1)};
      for (int a = 0; a < 3; ++a) {
        sum = muladd(b[a] * b[a], inverse_at(c, corner, a) + inverse_at(c, 7 - corner, a), sum);
      }
    }
    sum.store(weight + kGroupBlocks * c + lane);
  }
}

/// Calls f(group, its tangents, its gradients, first lane, where its cells begin).
template <class F>
ISOCHOR_KERNEL void for_each_part(const Model& model, const mixed::Tangents& tangents,
                                  GroupRange range, F&& f) {
  const FlushDenormals flush;
  for (std::int32_t g = range.begin; g < range.end; ++g) {
    const BlockGroup& group = model.groups[g];
    const std::size_t cells = std::size_t(g) * mixed::kGroupCells;
    for (int lane = 0; lane < kGroupBlocks; lane += kLanes) {
      if (group.dense) {
        f(group, tangents.system.dense[group.tangent], tangents.dense[group.tangent], lane, cells);
      } else {
        f(group, tangents.system.principal[group.tangent], tangents.principal[group.tangent], lane,
          cells);
      }
    }
  }
}

}  // namespace

void apply_mixed_kernel(const Model& model, const mixed::Tangents& tangents, GroupRange range,
                        const Vec3d* dx, const double* dp, Vec3d* force, double* volume) {
  for_each_part(
      model, tangents, range,
      [&](const BlockGroup& group, const auto& t, const auto& q, int lane, std::size_t c) {
        apply_blocks(group, t, q, lane, dx, dp + c, force, volume + c);
      });
}

void apply_gradient_kernel(const Model& model, const mixed::Tangents& tangents, GroupRange range,
                           const double* dp, Vec3d* force) {
  for_each_part(model, tangents, range,
                [&](const BlockGroup& group, const auto& t, const auto& q, int lane,
                    std::size_t c) { add_gradients(group, t, q, lane, dp + c, force); });
}

void schur_weight_kernel(const Model& model, const mixed::Tangents& tangents, GroupRange range,
                         const Vec3f* inverse_diagonal, double* weight) {
  for_each_part(
      model, tangents, range,
      [&](const BlockGroup& group, const auto& t, const auto& q, int lane, std::size_t c) {
        find_weights(group, t, q, lane, inverse_diagonal, weight + c);
      });
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::lattice
