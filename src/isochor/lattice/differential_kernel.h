#pragma once

#include "isochor/lattice/block_kernel.h"
#include "isochor/lattice/kernel_data.h"
#include "isochor/lattice/nodes_kernel.h"
#include "isochor/lattice/state.h"
#include "isochor/math/flush_denormals.h"
#include "isochor/math/quaternion.h"

/// Applying the stiffness to groups of blocks, a block per lane, and its diagonal. Every precision
/// has a source of its own, so that none takes long to compile.
namespace isochor::lattice {
inline namespace ISOCHOR_ISA {
namespace detail {

/// The tangents of one cell in N blocks.
template <class T, class Number>
ISOCHOR_KERNEL void load_tangent(const Number (&number)[kPrincipalNumbers + 1][kGroupBlocks],
                                 int lane, materials::PrincipalTangent<T>& t) {
  constexpr int kRow[6] = {0, 1, 2, 1, 0, 0}, kColumn[6] = {0, 1, 2, 2, 2, 1};
  const auto load = [&](int e) { return T::load(number[e] + lane); };
  t.U = rotation_of_long(Quaternion<T>{{load(0), load(1), load(2)}, load(3)});
  t.V = rotation_of_long(Quaternion<T>{{load(4), load(5), load(6)}, load(7)});
  for (int i = 0; i < 6; ++i) {
    t.stretch(kRow[i], kColumn[i]) = t.stretch(kColumn[i], kRow[i]) = load(8 + i);
  }
  for (int i = 0; i < 3; ++i) {
    t.flip[i] = load(14 + i);
    t.twist[i] = load(17 + i);
  }
}
template <class T, class Number>
ISOCHOR_KERNEL void load_tangent(const Number (&number)[kDenseNumbers + 1][kGroupBlocks], int lane,
                                 materials::DenseTangent<T>& t) {
  for (int i = 0; i < kDenseNumbers; ++i) t.entry[i] = T::load(number[i] + lane);
}

template <class T, int Numbers>
struct TangentOf;
template <class T>
struct TangentOf<T, kPrincipalNumbers> {
  using type = materials::PrincipalTangent<T>;
};
template <class T>
struct TangentOf<T, kDenseNumbers> {
  using type = materials::DenseTangent<T>;
};

/// Asks for memory that will be read soon, a few cache lines at a time: many at once wait for each
/// other, and all that follows with them.
class Ahead {
 public:
  /// Part number `part` of `parts` of `bytes`.
  ISOCHOR_KERNEL Ahead(const void* memory, std::size_t bytes, int part, int parts)
      : at_(static_cast<const char*>(memory) + bytes / parts * part), end_(at_ + bytes / parts) {}

  ISOCHOR_KERNEL void fetch(int lines) {
    for (; lines > 0 && at_ < end_; --lines, at_ += kLine) __builtin_prefetch(at_, 0, 2);
  }

  static constexpr int kLine = 64;

 private:
  const char *at_, *end_;
};

/// The same for the vectors of nodes, from two arrays alike.
template <class S>
class NodesAhead {
 public:
  ISOCHOR_KERNEL NodesAhead(std::span<const NodeRun> runs, const Vec3<S>* first,
                            const Vec3<S>* second)
      : run_(runs.data()), last_(run_ + runs.size()), first_(first), second_(second) {
    begin();
  }

  ISOCHOR_KERNEL void fetch(int lines) {
    for (; lines > 0 && run_ < last_; --lines) {
      __builtin_prefetch(reinterpret_cast<const char*>(first_) + at_, 0, 2);
      __builtin_prefetch(reinterpret_cast<const char*>(second_) + at_, 1, 2);
      at_ += Ahead::kLine;
      if (at_ < end_) continue;
      ++run_;
      begin();
    }
  }

 private:
  ISOCHOR_KERNEL void begin() {
    if (run_ == last_) return;
    at_ = run_->begin * sizeof(Vec3<S>);
    end_ = run_->end * sizeof(Vec3<S>);
  }

  const NodeRun *run_, *last_;
  const Vec3<S>*first_, *second_;
  std::size_t at_ = 0, end_ = 0;
};

/// What numbers of a tangent are multiples of, for what they act on.
template <class S, int Numbers>
ISOCHOR_KERNEL void convert_units(const GroupTangent<Numbers>&, Vec3<S> (&)[27]) {}
template <class S, int Numbers>
ISOCHOR_KERNEL void convert_units(const HalfGroupTangent<Numbers>& tangents, Vec3<S> (&x)[27]) {
  const S unit(tangents.unit);
  for (Vec3<S>& v : x) v = {v[0] * unit, v[1] * unit, v[2] * unit};
}

/// N blocks of a group, from `lane` on. With S = 4 h dF the sums of a cell's edges d along each
/// axis, and all stiffnesses times h/16, an edge is pulled by
///     dP(S) + 8 mu (d - S/4)   [McAdams11 (9), (17)].
template <int N, class S, class GroupTangents>
ISOCHOR_KERNEL void apply_blocks(const BlockGroup& group, const GroupTangents& tangents, int lane,
                                 const Vec3<S>* displacements, Vec3<S>* out, NodesAhead<S>& next) {
  using T = Pack<S, N>;
  constexpr int kNumbers = GroupTangents::kNumbers;
  // What the next group will read.
  Ahead numbers(&tangents + 1, sizeof(tangents), lane / N, kGroupBlocks / N);
  Ahead nodes(&group + 1, sizeof(group), lane / N, kGroupBlocks / N);
  constexpr int kSteps = 2 * 27 + 4 * 8;
  constexpr int kLinesPerStep =
      int(sizeof(tangents) * N / (Ahead::kLine * kGroupBlocks) + kSteps - 1) / kSteps;
  Vec3<T> x[27];
  gather_nodes<N>(group, lane, displacements, x, [&] { numbers.fetch(kLinesPerStep); });
  convert_units(tangents, x);
  Mat3<T> pull[8];
  T weight[8];
  sum_edges(x, pull);
  for (int c = 0; c < 8; ++c) {
    typename TangentOf<T, kNumbers>::type tangent;
    load_tangent(tangents.number[c], lane, tangent);
    numbers.fetch(4 * kLinesPerStep);
    nodes.fetch(4);
    next.fetch(5);
    const T spread = T::load(tangents.number[c][kNumbers] + lane);
    const T less = T(2) * spread;
    const Mat3<T> stress = materials::stress_differential(tangent, pull[c]);
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) pull[c](i, j) = negmuladd(less, pull[c](i, j), stress(i, j));
    }
    weight[c] = T(8) * spread;
  }
  Vec3<T> nodal[27];
  pull_nodes(x, pull, weight, nodal);
  scatter_nodes<N>(nodal, group, lane, out, [&] { numbers.fetch(kLinesPerStep); });
}

/// The same for the diagonal: a corner's own displacement moves every axis of its cell by one edge.
template <int N, class S, int Numbers>
ISOCHOR_KERNEL void add_diagonal(const BlockGroup& group, const GroupTangent<Numbers>& tangents,
                                 int lane, Vec3<S>* diagonal) {
  using T = Pack<S, N>;
  for (int c = 0; c < 8; ++c) {
    typename TangentOf<T, Numbers>::type tangent;
    load_tangent(tangents.number[c], lane, tangent);
    // Of each axis' four edges one ends here: 1 - 1/4 of its motion is spread, on three axes.
    const T spread = T(18) * T::load(tangents.number[c][Numbers] + lane);
    // Opposite corners see opposite edges, and curvatures are even.
    for (int corner = 0; corner < 4; ++corner) {
      const Vec3<T> edge{T(corner & 1 ? 1 : -1), T(corner & 2 ? 1 : -1), T(-1)};
      const Vec3<T> curvature =
          materials::rank_one_curvatures(tangent, edge) + Vec3<T>{spread, spread, spread};
      for (const int end : {corner, 7 - corner}) {
        scatter_add<N>(curvature, diagonal, group.nodes[grid::block_node(c, end)] + lane);
      }
    }
  }
}

/// Calls f(lanes, group, its tangents, first lane) for groups, as many lanes as a register has.
template <class S, class AllTangents, class F>
ISOCHOR_KERNEL void for_each_part(const Model& model, const AllTangents& tangents, GroupRange range,
                                  F&& f) {
  constexpr std::integral_constant<int, static_cast<int>(xsimd::batch<S>::size)> lanes;
  const FlushDenormals flush;
  for (std::int32_t g = range.begin; g < range.end; ++g) {
    const BlockGroup& group = model.groups[g];
    for (int lane = 0; lane < kGroupBlocks; lane += lanes) {
      if (group.dense) {
        f(lanes, group, tangents.dense[group.tangent], lane);
      } else {
        f(lanes, group, tangents.principal[group.tangent], lane);
      }
    }
  }
}

template <class S, class AllTangents>
void apply_groups(const Model& model, const AllTangents& tangents, GroupRange range,
                  const Vec3<S>* displacements, Vec3<S>* out) {
  NodesAhead<S> next(range.next, displacements, out);
  for_each_part<S>(model, tangents, range,
                   [&](auto lanes, const BlockGroup& group, const auto& t, int lane) {
                     apply_blocks<lanes>(group, t, lane, displacements, out, next);
                   });
}

template <class S>
void add_diagonals(const Model& model, const Tangents& tangents, GroupRange range,
                   Vec3<S>* diagonal) {
  for_each_part<S>(model, tangents, range,
                   [&](auto lanes, const BlockGroup& group, const auto& t, int lane) {
                     add_diagonal<lanes>(group, t, lane, diagonal);
                   });
}

}  // namespace detail
}  // namespace ISOCHOR_ISA
}  // namespace isochor::lattice
