#include "isochor/materials/tangent_numbers.h"
#include "isochor/math/pack.h"
#include "isochor/tets/element_batch.h"

namespace isochor::tets {
inline namespace ISOCHOR_ISA {
namespace {

using Lanes = Pack<double, static_cast<int>(xsimd::batch<double>::size)>;
using materials::DenseTangent;
using materials::PrincipalTangent;

Mat3<Lanes> load_matrix(const double* numbers, int stride) {
  Mat3<Lanes> A;
  for (int e = 0; e < 9; ++e) A(e % 3, e / 3) = Lanes::load(numbers + e * stride);
  return A;
}

/// d2J/dF2 times a factor, added to a tangent: J is the product of the singular values, and entry
/// (ij, kl) of its second derivative is the sum over m and n of e_ikm e_jln F_mn.
void add_volume_curvature(const Lanes& factor, const Mat3<Lanes>& F, PrincipalTangent<Lanes>& t) {
  const Mat3<Lanes> FV = F * t.V;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Lanes c = factor * dot(t.U.column[k], FV.column[k]);
    t.stretch(i, j) = t.stretch(i, j) + c;
    t.stretch(j, i) = t.stretch(j, i) + c;
    t.flip[k] = t.flip[k] - c;
    t.twist[k] = t.twist[k] + c;
  }
}

void add_volume_curvature(const Lanes& factor, const Mat3<Lanes>& F, DenseTangent<Lanes>& t) {
  for (int m = 0; m < 3; ++m) {
    const int i = (m + 1) % 3, k = (m + 2) % 3;
    for (int n = 0; n < 3; ++n) {
      const int j = (n + 1) % 3, l = (n + 2) % 3;
      const Lanes c = factor * F(m, n);
      t(i + 3 * j, k + 3 * l) = t(i + 3 * j, k + 3 * l) + c;
      t(i + 3 * l, k + 3 * j) = t(i + 3 * l, k + 3 * j) - c;
    }
  }
}

/// The second derivatives by the edges E of F = E G: with D = U^T e_a g_c^T V every pair of an axis
/// a and an edge c has three stretches, three symmetric and three skew parts.
DenseTangent<Lanes> by_edges(const PrincipalTangent<Lanes>& t, const Mat3<Lanes>& G,
                             const Lanes& volume) {
  const Mat3<Lanes> W = G * t.V;
  Lanes part[9][9], scaled[9][9];
  for (int c = 0; c < 3; ++c) {
    for (int a = 0; a < 3; ++a) {
      Lanes *p = part[a + 3 * c], *s = scaled[a + 3 * c];
      for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const Lanes one = t.U(a, i) * W(c, j), other = t.U(a, j) * W(c, i);
        p[k] = t.U(a, k) * W(c, k);
        p[3 + k] = one + other;
        p[6 + k] = one - other;
      }
      const Vec3<Lanes> pushed = t.stretch * Vec3<Lanes>{p[0], p[1], p[2]};
      for (int k = 0; k < 3; ++k) {
        s[k] = volume * pushed[k];
        s[3 + k] = volume * (Lanes(0.5) * t.flip[k] * p[3 + k]);
        s[6 + k] = volume * (Lanes(0.5) * t.twist[k] * p[6 + k]);
      }
    }
  }
  DenseTangent<Lanes> out;
  for (int c = 0; c < 9; ++c) {
    for (int r = 0; r <= c; ++r) {
      Lanes sum = part[r][0] * scaled[c][0];
      for (int k = 1; k < 9; ++k) sum = muladd(part[r][k], scaled[c][k], sum);
      out(r, c) = sum;
    }
  }
  return out;
}

DenseTangent<Lanes> by_edges(const DenseTangent<Lanes>& t, const Mat3<Lanes>& G,
                             const Lanes& volume) {
  Lanes half[9][9];
  for (int c = 0; c < 3; ++c) {
    for (int a = 0; a < 3; ++a) {
      for (int r = 0; r < 9; ++r) {
        Lanes sum = G(c, 0) * t(a, r);
        for (int j = 1; j < 3; ++j) sum = muladd(G(c, j), t(a + 3 * j, r), sum);
        half[a + 3 * c][r] = volume * sum;
      }
    }
  }
  DenseTangent<Lanes> out;
  for (int c = 0; c < 9; ++c) {
    for (int r = 0; r <= c; ++r) {
      Lanes sum = half[r][c % 3] * G(c / 3, 0);
      for (int l = 1; l < 3; ++l) sum = muladd(half[r][c % 3 + 3 * l], G(c / 3, l), sum);
      out(r, c) = sum;
    }
  }
  return out;
}

/// Corner 0 is where all edges begin.
void store_pairs(const DenseTangent<Lanes>& K, double* out, int stride) {
  for (int pair = 0; pair < 6; ++pair) {
    const auto [row, column] = kCornerPairs[pair];
    for (int e = 0; e < 9; ++e) {
      const int a = e % 3, b = e / 3 + 3 * (column - 1);
      const Lanes number =
          row > 0 ? K(a + 3 * (row - 1), b) : -(K(a, b) + K(a + 3, b) + K(a + 6, b));
      number.store(out + (9 * pair + e) * stride);
    }
  }
}

template <class Tangent>
void make_stiffness(const StiffnessBatch& batch, int i, Tangent& tangent) {
  if (batch.pressure) {
    add_volume_curvature(-Lanes::load(batch.pressure + i), load_matrix(batch.F + i, batch.count),
                         tangent);
    make_definite(tangent, batch.fix);
  }
  store_pairs(by_edges(tangent, load_matrix(batch.gradient + i, batch.count),
                       Lanes::load(batch.volume + i)),
              batch.numbers + i, batch.count);
}

}  // namespace

void stiffness_kernel(const StiffnessBatch& batch) {
  constexpr int kLanes = static_cast<int>(xsimd::batch<double>::size);
  static_assert(kWholePacks % kLanes == 0);
  for (int i = 0; i < batch.count; i += kLanes) {
    const auto number = [&](int e) { return Lanes::load(batch.numbers + e * batch.count + i); };
    if (batch.isotropic) {
      auto tangent = materials::principal_from<Lanes>(number);
      make_stiffness(batch, i, tangent);
    } else {
      DenseTangent<Lanes> tangent;
      for (int e = 0; e < tangent.kSize; ++e) tangent.entry[e] = number(e);
      make_stiffness(batch, i, tangent);
    }
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::tets
