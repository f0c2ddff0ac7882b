#include "isochor/materials/tangent_numbers.h"
#include "isochor/math/flush_denormals.h"
#include "isochor/math/pack.h"
#include "isochor/tets/stiffness.h"

namespace isochor::tets {
inline namespace ISOCHOR_ISA {
namespace {

constexpr int kLanes = static_cast<int>(xsimd::batch<double>::size);
using P = Pack<double, kLanes>;
using Matrix = materials::DenseTangent<P>;

/// w_j C w_k in the frame of the SVD, w = V^T g: most entries of the tangent are zero there.
ISOCHOR_KERNEL Mat3<P> principal_block(const materials::PrincipalTangent<P>& t, const Vec3<P>& own,
                                       const Vec3<P>& crossed, const Vec3<P>& wj,
                                       const Vec3<P>& wk) {
  Mat3<P> B;
  Vec3<P> product;
  for (int a = 0; a < 3; ++a) product[a] = wj[a] * wk[a];
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    B(a, a) = muladd(t.stretch(a, a), product[a], muladd(own[c], product[b], own[b] * product[c]));
    // The pair (a, b) leaves c out.
    B(a, b) = muladd(t.stretch(a, b) * wj[a], wk[b], crossed[c] * (wj[b] * wk[a]));
    B(b, a) = muladd(t.stretch(a, b) * wj[b], wk[a], crossed[c] * (wj[a] * wk[b]));
  }
  return B;
}

template <class F>
ISOCHOR_KERNEL Matrix principal_stiffness(F&& number, const Mat3<P>& G, const P& volume) {
  const auto t = materials::principal_from<P>(number);
  Vec3<P> own, crossed;
  for (int k = 0; k < 3; ++k) {
    own[k] = P(0.5) * (t.flip[k] + t.twist[k]);
    crossed[k] = P(0.5) * (t.flip[k] - t.twist[k]);
  }
  const Mat3<P> W = transpose(G * t.V);
  const Mat3<P> U = t.U * volume;
  Matrix out;
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j <= k; ++j) {
      const Mat3<P> block =
          times_transpose(U * principal_block(t, own, crossed, W.column[j], W.column[k]), t.U);
      for (int b = 0; b < 3; ++b) {
        for (int a = 0; a < 3; ++a) {
          if (a + 3 * j <= b + 3 * k) out(a + 3 * j, b + 3 * k) = block(a, b);
        }
      }
    }
  }
  return out;
}

template <class F>
ISOCHOR_KERNEL Matrix dense_stiffness(F&& number, const Mat3<P>& G, const P& volume) {
  Matrix C, out;
  for (int e = 0; e < Matrix::kSize; ++e) C.entry[e] = number(e);
  for (int j = 0; j < 3; ++j) {
    P half[3][9];  // g_j C
    for (int a = 0; a < 3; ++a) {
      for (int r = 0; r < 9; ++r) {
        half[a][r] =
            volume * muladd(G(j, 0), C(a, r), muladd(G(j, 1), C(a + 3, r), G(j, 2) * C(a + 6, r)));
      }
    }
    for (int k = j; k < 3; ++k) {
      for (int b = 0; b < 3; ++b) {
        for (int a = 0; a < 3; ++a) {
          if (a + 3 * j > b + 3 * k) continue;
          out(a + 3 * j, b + 3 * k) = muladd(
              G(k, 0), half[a][b], muladd(G(k, 1), half[a][b + 3], G(k, 2) * half[a][b + 6]));
        }
      }
    }
  }
  return out;
}

/// The last, incomplete pack is filled up with its first tet.
template <class F>
void for_packs(const StiffnessBatch& batch, F&& stiffness) {
  const FlushDenormals flush;
  for (std::size_t first = 0; first < batch.count; first += kLanes) {
    const std::size_t lanes = batch.count - first < kLanes ? batch.count - first : kLanes;
    const auto fetch = [&](const double* from, int e) {
      const double* at = from + e * batch.count + first;
      if (lanes == kLanes) return P::load(at);
      double own[kLanes];
      for (std::size_t l = 0; l < kLanes; ++l) own[l] = at[l < lanes ? l : 0];
      return P::load(own);
    };
    Mat3<P> G;
    for (int e = 0; e < 9; ++e) G(e % 3, e / 3) = fetch(batch.gradient, e);
    const Matrix K =
        stiffness([&](int e) { return fetch(batch.tangent, e); }, G, fetch(batch.volume, 0));
    double entries[Matrix::kSize][kLanes];
    for (int e = 0; e < Matrix::kSize; ++e) K.entry[e].store(entries[e]);
    for (std::size_t l = 0; l < lanes; ++l) {
      for (int c = 0; c < 9; ++c) {
        for (int r = 0; r < 9; ++r) {
          batch.out[first + l].entry[r + 9 * c] =
              static_cast<float>(entries[Matrix::index(r, c)][l]);
        }
      }
    }
  }
}

}  // namespace

void principal_stiffness_kernel(const StiffnessBatch& batch) {
  for_packs(batch, [](auto&& number, const Mat3<P>& G, const P& volume) {
    return principal_stiffness(number, G, volume);
  });
}

void dense_stiffness_kernel(const StiffnessBatch& batch) {
  for_packs(batch, [](auto&& number, const Mat3<P>& G, const P& volume) {
    return dense_stiffness(number, G, volume);
  });
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::tets
