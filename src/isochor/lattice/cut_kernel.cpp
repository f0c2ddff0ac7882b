#include "isochor/lattice/kernel_data.h"
#include "isochor/lattice/nodes_kernel.h"
#include "isochor/lattice/tangents.h"

namespace isochor::lattice {
inline namespace ISOCHOR_ISA {
namespace {

template <class S>
inline constexpr int kLanesOf = static_cast<int>(xsimd::batch<S>::size);
constexpr int kLanes = kLanesOf<double>;
using P = Pack<double, kLanes>;

template <class S>
ISOCHOR_KERNEL void gather_corners(const CutGroup& group, int lane, const Vec3<S>* nodal,
                                   Vec3<Pack<S, kLanesOf<S>>> (&x)[8]) {
  for (int c = 0; c < 8; ++c) {
    x[c] = NodeTransfer<S, kLanesOf<S>>::template gather<Reach::Exact>(nodal->e,
                                                                       group.nodes[c] + lane);
  }
}

/// What the corners of all lanes get. It is added cell after cell: cells may share nodes, and sums
/// shall not depend on how many lanes a register has.
template <class S>
struct CornerSums {
  S numbers[8][3][kGroupBlocks];

  ISOCHOR_KERNEL void set(int corner, int lane, const Vec3<Pack<S, kLanesOf<S>>>& v) {
    for (int i = 0; i < 3; ++i) v[i].store(numbers[corner][i] + lane);
  }
  void scatter(const CutGroup& group, Vec3<S>* nodal) const {
    for (int lane = 0; lane < kGroupBlocks; ++lane) {
      for (int c = 0; c < 8; ++c) {
        S* to = nodal->e + group.nodes[c][lane];
        for (int i = 0; i < 3; ++i) to[i] += numbers[c][i][lane];
      }
    }
  }
};

/// Weights of the corners at a point, along each axis.
struct PointWeights {
  P of[3][2];
};
ISOCHOR_KERNEL PointWeights weights_at(const CutGroup& group, int q, int lane) {
  PointWeights w;
  for (int a = 0; a < 3; ++a) {
    const P s = P::load(group.point[q][a] + lane);
    w.of[a][0] = P(1) - s;
    w.of[a][1] = s;
  }
  return w;
}
/// That of the edges along an axis, of which `corner` is on one.
ISOCHOR_KERNEL P edge_weight(const PointWeights& w, int axis, int corner) {
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  return w.of[i][corner >> i & 1] * w.of[j][corner >> j & 1];
}

/// In single precision, and finite.
ISOCHOR_KERNEL void store_single(const P& numbers, float* to) {
  double value[kLanes];
  min(max(numbers, P(-kStiffest)), P(kStiffest)).store(value);
  for (int l = 0; l < kLanes; ++l) to[l] = static_cast<float>(value[l]);
}

/// Gradients of the weights of corners 1 to 7 at a point, times h: those of corner 0 are minus
/// their sum, and what is multiplied by them are differences to it.
ISOCHOR_KERNEL void corner_gradients(const PointWeights& w, Vec3<P> (&g)[7]) {
  for (int c = 1; c < 8; ++c) {
    for (int a = 0; a < 3; ++a) {
      const P weight = edge_weight(w, a, c);
      g[c - 1][a] = c >> a & 1 ? weight : -weight;
    }
  }
}

}  // namespace

void deform_points_kernel(const CutGroup& group, const Vec3d* positions, double* F) {
  const P by_edge(1 / group.h);
  for (int lane = 0; lane < kGroupBlocks; lane += kLanes) {
    Vec3<P> x[8];
    gather_corners(group, lane, positions, x);
    for (int q = 0; q < kCutPoints; ++q) {
      const PointWeights w = weights_at(group, q, lane);
      for (int a = 0; a < 3; ++a) {
        Vec3<P> column{P(0), P(0), P(0)};
        for (int c = 0; c < 8; ++c) {
          if (c >> a & 1) continue;
          const P weight = edge_weight(w, a, c);
          for (int i = 0; i < 3; ++i) {
            column[i] = muladd(weight, x[c | 1 << a][i] - x[c][i], column[i]);
          }
        }
        for (int i = 0; i < 3; ++i) {
          (by_edge * column[i]).store(F + (i + 3 * a) * kBatchCells + kGroupBlocks * q + lane);
        }
      }
    }
  }
}

void point_force_kernel(const CutGroup& group, const double* stress, Vec3d* force) {
  const double scale = -1 / (kCutPoints * group.h);
  CornerSums<double> sums;
  for (int lane = 0; lane < kGroupBlocks; lane += kLanes) {
    Vec3<P> nodal[8];
    for (Vec3<P>& f : nodal) f = {P(0), P(0), P(0)};
    const P part = P(scale) * P::load(group.volume + lane);
    for (int q = 0; q < kCutPoints; ++q) {
      const PointWeights w = weights_at(group, q, lane);
      for (int a = 0; a < 3; ++a) {
        Vec3<P> column;
        for (int i = 0; i < 3; ++i) {
          column[i] = part * P::load(stress + (i + 3 * a) * kBatchCells + kGroupBlocks * q + lane);
        }
        for (int c = 0; c < 8; ++c) {
          if (c >> a & 1) continue;
          const Vec3<P> pull = edge_weight(w, a, c) * column;
          nodal[c | 1 << a] = nodal[c | 1 << a] + pull;
          nodal[c] = nodal[c] - pull;
        }
      }
    }
    for (int c = 0; c < 8; ++c) sums.set(c, lane, nodal[c]);
  }
  sums.scatter(group, force);
}

void assemble_kernel(const CutGroup& group, const double* dense, CutMatrix& out) {
  const double scale = 1 / (kCutPoints * group.h * group.h);
  for (int lane = 0; lane < kGroupBlocks; lane += kLanes) {
    P K[CutMatrix::kSize];
    for (P& entry : K) entry = P(0);
    const P part = P(scale) * P::load(group.volume + lane);
    for (int q = 0; q < kCutPoints; ++q) {
      Vec3<P> g[7];
      corner_gradients(weights_at(group, q, lane), g);
      materials::DenseTangent<P> T;
      for (int e = 0; e < T.kSize; ++e) {
        T.entry[e] = part * P::load(dense + e * kBatchCells + kGroupBlocks * q + lane);
      }
      for (int d = 0; d < 7; ++d) {
        // T contracted with the gradient of one corner, then with those before it.
        P along[9][3];
        for (int r = 0; r < 9; ++r) {
          for (int j = 0; j < 3; ++j) {
            along[r][j] = T(r, j) * g[d][0];
            for (int b = 1; b < 3; ++b) along[r][j] = muladd(T(r, j + 3 * b), g[d][b], along[r][j]);
          }
        }
        for (int j = 0; j < 3; ++j) {
          for (int c = 0; c <= d; ++c) {
            for (int i = 0; i < 3; ++i) {
              if (c == d && i > j) continue;
              P& entry = K[CutMatrix::index(3 * c + i, 3 * d + j)];
              for (int a = 0; a < 3; ++a) entry = muladd(g[c][a], along[i + 3 * a][j], entry);
            }
          }
        }
      }
    }
    for (int e = 0; e < CutMatrix::kSize; ++e) store_single(K[e], out.entry[e] + lane);
  }
}

void assemble_gradient_kernel(const CutGroup& group, const double* gradient, double scale,
                              CutGradient& out) {
  for (int lane = 0; lane < kGroupBlocks; lane += kLanes) {
    P b[21];
    for (P& entry : b) entry = P(0);
    const P part = P(scale / (kCutPoints * group.h)) * P::load(group.volume + lane);
    for (int q = 0; q < kCutPoints; ++q) {
      Vec3<P> g[7];
      corner_gradients(weights_at(group, q, lane), g);
      for (int e = 0; e < 9; ++e) {
        const P Q = part * P::load(gradient + e * kBatchCells + kGroupBlocks * q + lane);
        for (int c = 0; c < 7; ++c) b[3 * c + e % 3] = muladd(g[c][e / 3], Q, b[3 * c + e % 3]);
      }
    }
    for (int e = 0; e < 21; ++e) store_single(b[e], out.entry[e] + lane);
  }
}

namespace {

template <class S>
ISOCHOR_KERNEL void apply_cut(const CutGroup& group, const CutMatrix& matrix, const Vec3<S>* dx,
                              Vec3<S>* out) {
  constexpr int N = kLanesOf<S>;
  using V = Pack<S, N>;
  CornerSums<S> sums;
  for (int lane = 0; lane < kGroupBlocks; lane += N) {
    Vec3<V> x[8];
    gather_corners(group, lane, dx, x);
    V d[21], y[21];
    for (int e = 0; e < 21; ++e) {
      d[e] = x[1 + e / 3][e % 3] - x[0][e % 3];
      y[e] = V(0);
    }
    for (int c = 0; c < 21; ++c) {
      V sum = y[c];
      for (int r = 0; r < c; ++r) {
        const V entry = V::load(matrix.entry[CutMatrix::index(r, c)] + lane);
        y[r] = muladd(entry, d[c], y[r]);
        sum = muladd(entry, d[r], sum);
      }
      y[c] = muladd(V::load(matrix.entry[CutMatrix::index(c, c)] + lane), d[c], sum);
    }
    Vec3<V> first{V(0), V(0), V(0)};
    for (int c = 0; c < 7; ++c) {
      const Vec3<V> pull{y[3 * c], y[3 * c + 1], y[3 * c + 2]};
      first = first - pull;
      sums.set(1 + c, lane, pull);
    }
    sums.set(0, lane, first);
  }
  sums.scatter(group, out);
}

}  // namespace

void apply_cut_kernel(const CutGroup& group, const CutMatrix& matrix, const Vec3d* dx, Vec3d* out) {
  apply_cut(group, matrix, dx, out);
}
void apply_cut_kernel(const CutGroup& group, const CutMatrix& matrix, const Vec3f* dx, Vec3f* out) {
  apply_cut(group, matrix, dx, out);
}

void add_cut_gradient_kernel(const CutGroup& group, const CutGradient& gradient, const double* dp,
                             Vec3d* out) {
  CornerSums<double> sums;
  for (int lane = 0; lane < kGroupBlocks; lane += kLanes) {
    const P pressure = P::load(dp + lane);
    Vec3<P> first{P(0), P(0), P(0)};
    for (int c = 0; c < 7; ++c) {
      Vec3<P> pull;
      for (int i = 0; i < 3; ++i) {
        pull[i] = pressure * P::load(gradient.entry[3 * c + i] + lane);
      }
      first = first - pull;
      sums.set(1 + c, lane, pull);
    }
    sums.set(0, lane, first);
  }
  sums.scatter(group, out);
}

void cut_change_kernel(const CutGroup& group, const CutGradient& gradient, const Vec3d* dx,
                       double* change) {
  for (int lane = 0; lane < kGroupBlocks; lane += kLanes) {
    Vec3<P> x[8];
    gather_corners(group, lane, dx, x);
    P sum(0);
    for (int e = 0; e < 21; ++e) {
      sum = muladd(P::load(gradient.entry[e] + lane), x[1 + e / 3][e % 3] - x[0][e % 3], sum);
    }
    sum.store(change + lane);
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::lattice
