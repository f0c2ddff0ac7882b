#include "isochor/grid/lattice.h"
#include "isochor/lattice/kernel_data.h"
#include "isochor/lattice/nodes_kernel.h"
#include "isochor/math/flush_denormals.h"

/// What resists the modes of a cell that its centre does not see, as said in docs/mixed.md. With
/// sums of corners, each times the signs of some of its coordinates,
///     4 h F,   g = 2 h (H_yz, H_xz, H_xy),   q = h H_xyz,
/// and R = (F + cof F) / 2, a step from F to its rotation, the energy of a cell is
///     strain Q(R^T g) + floor |g|^2 + odd |q|^2,
/// Q being the sum over k of |sym(R^T dF/dx_k)|^2: a quadratic form with the gradient W.
namespace isochor::lattice {
inline namespace ISOCHOR_ISA {
namespace {

constexpr int kLanes = static_cast<int>(xsimd::batch<double>::size);
using P = Pack<double, kLanes>;

/// Parts of mu |sym|^2 and of mu |dF/dx_k|^2 that together resist twist and bending of a cell as
/// its own deviatoric strain does, and leave something where F is next to nothing.
constexpr double kStrain = 2.0 / 3, kFloor = 1.0 / 12;

struct Modes {
  Mat3<P> F, g;
  Vec3<P> q;
};

/// Sums and differences of corners that differ in one axis. Unrolled by force: with places that are
/// not constants all of them would go through memory.
template <int Bit, class F>
ISOCHOR_KERNEL void for_each_pair(Vec3<P> (&x)[8], F&& f) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const int low = (i & (Bit - 1)) | (i & ~(Bit - 1)) << 1;
    f(x[low], x[low | Bit]);
  }
}
template <class F>
ISOCHOR_KERNEL void transform(Vec3<P> (&x)[8], F&& f) {
  for_each_pair<1>(x, f);
  for_each_pair<2>(x, f);
  for_each_pair<4>(x, f);
}

/// From values at corners; a corner has a sign per axis, high or low.
ISOCHOR_KERNEL Modes modes_of(const Vec3<P> (&block)[27], int cell, double h) {
  Vec3<P> x[8];
  for (int c = 0; c < 8; ++c) x[c] = block[grid::block_node(cell, c)];
  transform(x, [](Vec3<P>& low, Vec3<P>& high) {
    const Vec3<P> sum = low + high;
    high = high - low;
    low = sum;
  });
  return {Mat3<P>{{x[1], x[2], x[4]}} * P(0.25 / h), {{x[6], x[5], x[3]}}, x[7]};
}

/// Adds derivatives by modes to what corners get: the transpose of modes_of().
ISOCHOR_KERNEL void add(const Modes& m, int cell, double h, Vec3<P> (&block)[27]) {
  const Vec3<P> none{P(0), P(0), P(0)};
  const Mat3<P> f = m.F * P(0.25 / h);
  Vec3<P> x[8] = {none,        f.column[0],   f.column[1],   m.g.column[2],
                  f.column[2], m.g.column[1], m.g.column[0], m.q};
  transform(x, [](Vec3<P>& even, Vec3<P>& odd) {
    const Vec3<P> high = even + odd;
    even = even - odd;
    odd = high;
  });
  for (int c = 0; c < 8; ++c) {
    Vec3<P>& to = block[grid::block_node(cell, c)];
    to = to + x[c];
  }
}

/// The gradient of Q(V), which is Q(V) = V : W(V) / 2.
ISOCHOR_KERNEL Mat3<P> slope(const Mat3<P>& V) {
  const P sum = trace(V);
  Mat3<P> W = V * P(3);
  for (int i = 0; i < 3; ++i) W(i, i) = V(i, i) + sum;
  return W;
}

/// Symmetric, with crossed(F, F) = 2 cof F; C : crossed(A, B) is the same in any order.
ISOCHOR_KERNEL Mat3<P> crossed(const Mat3<P>& A, const Mat3<P>& B) {
  Mat3<P> out;
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    out.column[a] = cross(A.column[b], B.column[c]) + cross(B.column[b], A.column[c]);
  }
  return out;
}
ISOCHOR_KERNEL Mat3<P> rotation_of(const Mat3<P>& F) {
  return F * P(0.5) + crossed(F, F) * P(0.25);
}
/// A change of it, and the transpose of that.
ISOCHOR_KERNEL Mat3<P> rotation_change(const Mat3<P>& F, const Mat3<P>& dF) {
  return (dF + crossed(F, dF)) * P(0.5);
}

struct Stiffness {
  P strain, floor, odd;

  /// Of the cells in `kLanes` blocks.
  ISOCHOR_KERNEL Stiffness(const GroupModuli& moduli, int cell, int lane, double h, double part) {
    const P mu = P::load(moduli.mu[cell] + lane) * P::load(moduli.weight[cell] + lane) * P(part);
    strain = mu * P(kStrain * h / 48);
    floor = mu * P(kFloor * h / 24);
    odd = mu * P(h / 72);
  }
};

/// Whether the centre of any cell counts, in kLanes blocks.
bool has_centres(const GroupModuli& moduli, int lane) {
  bool any = false;
  for (const auto& weights : moduli.weight) {
    for (int l = lane; l < lane + kLanes; ++l) any = any || weights[l] != 0;
  }
  return any;
}

ISOCHOR_KERNEL void clear(Vec3<P> (&nodal)[27]) {
  for (Vec3<P>& v : nodal) v = {P(0), P(0), P(0)};
}

}  // namespace

void hourglass_kernel(const Model& model, GroupRange range, double part, const Vec3d* positions,
                      double* energy, Vec3d* force) {
  for (std::int32_t g = range.begin; g < range.end; ++g) {
    const BlockGroup& group = model.groups[g];
    for (int lane = 0; lane < kGroupBlocks; lane += kLanes) {
      if (!has_centres(model.moduli[g], lane)) continue;
      Vec3<P> x[27], nodal[27];
      gather_nodes<kLanes>(group, lane, positions, x, [] {});
      clear(nodal);
      double* to = energy + std::size_t(g) * kGroupBlocks + lane;
      P sum = P::load(to);
      for (int c = 0; c < 8; ++c) {
        const Stiffness k(model.moduli[g], c, lane, group.h, -part);  // forces are minus the slope
        const Modes m = modes_of(x, c, group.h);
        const Mat3<P> R = rotation_of(m.F), V = transpose_times(R, m.g), W = slope(V);
        sum = negmuladd(P(0.5) * k.strain, contract(V, W), sum);
        sum = negmuladd(k.floor, contract(m.g, m.g), sum);
        sum = negmuladd(k.odd, dot(m.q, m.q), sum);
        add({k.strain * rotation_change(m.F, times_transpose(m.g, W)),
             k.strain * (R * W) + (k.floor * P(2)) * m.g, (k.odd * P(2)) * m.q},
            c, group.h, nodal);
      }
      sum.store(to);
      scatter_nodes<kLanes>(nodal, group, lane, force, [] {});
    }
  }
}

void apply_hourglass_kernel(const Model& model, GroupRange range, double part, bool exact,
                            const Vec3d* positions, const Vec3d* dx, Vec3d* force) {
  const FlushDenormals flush;
  for (std::int32_t g = range.begin; g < range.end; ++g) {
    const BlockGroup& group = model.groups[g];
    for (int lane = 0; lane < kGroupBlocks; lane += kLanes) {
      if (!has_centres(model.moduli[g], lane)) continue;
      Vec3<P> x[27], d[27], nodal[27];
      gather_nodes<kLanes>(group, lane, positions, x, [] {});
      gather_nodes<kLanes>(group, lane, dx, d, [] {});
      clear(nodal);
      for (int c = 0; c < 8; ++c) {
        const Stiffness k(model.moduli[g], c, lane, group.h, part);
        const Modes m = modes_of(x, c, group.h), dm = modes_of(d, c, group.h);
        const Mat3<P> R = rotation_of(m.F), dR = rotation_change(m.F, dm.F);
        const Mat3<P> dW = slope(transpose_times(R, dm.g) + transpose_times(dR, m.g));
        Mat3<P> by_R = times_transpose(m.g, dW), by_g = R * dW, by_F = Mat3<P>::zero();
        if (exact) {
          const Mat3<P> W = slope(transpose_times(R, m.g));
          by_R += times_transpose(dm.g, W);
          by_g += dR * W;
          by_F = crossed(dm.F, times_transpose(m.g, W)) * P(0.5);
        }
        by_F += rotation_change(m.F, by_R);
        add({k.strain * by_F, k.strain * by_g + (k.floor * P(2)) * dm.g, (k.odd * P(2)) * dm.q}, c,
            group.h, nodal);
      }
      scatter_nodes<kLanes>(nodal, group, lane, force, [] {});
    }
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::lattice
