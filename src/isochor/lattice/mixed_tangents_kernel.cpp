#include <algorithm>

#include "isochor/lattice/kernel_data.h"
#include "isochor/lattice/mixed_tangents.h"
#include "isochor/materials/volume_laws.h"
#include "isochor/math/flush_denormals.h"
#include "isochor/math/pack.h"

namespace isochor::lattice {
namespace {

constexpr int kLanes = static_cast<int>(xsimd::batch<double>::size);
using P = Pack<double, kLanes>;
using materials::PrincipalTangent;

ISOCHOR_KERNEL Mat3<P> load_matrix(const double* entries, int at) {
  Mat3<P> A;
  for (int e = 0; e < 9; ++e) A(e % 3, e / 3) = P::load(entries + e * kBatchCells + at);
  return A;
}
ISOCHOR_KERNEL void store_matrix(const Mat3<P>& A, double* entries, int at) {
  for (int e = 0; e < 9; ++e) A(e % 3, e / 3).store(entries + e * kBatchCells + at);
}

ISOCHOR_KERNEL materials::Parameters<P> parameters_of(const mixed::Measure& measure) {
  materials::Parameters<P> p{P(0), P(0), P(0)};
  p.shape[0] = P(measure.penalty);
  return p;
}

/// The numbers of a tangent behind its frame.
constexpr int kRow[6] = {0, 1, 2, 1, 0, 0}, kColumn[6] = {0, 1, 2, 2, 2, 1};
constexpr int kStretch = 18, kFlip = 24, kTwist = 27;

ISOCHOR_KERNEL void load_curvatures(const double* numbers, int at, PrincipalTangent<P>& t) {
  const auto number = [&](int e) { return P::load(numbers + e * kBatchCells + at); };
  for (int i = 0; i < 6; ++i) {
    t.stretch(kRow[i], kColumn[i]) = t.stretch(kColumn[i], kRow[i]) = number(kStretch + i);
  }
  for (int i = 0; i < 3; ++i) {
    t.flip[i] = number(kFlip + i);
    t.twist[i] = number(kTwist + i);
  }
}
ISOCHOR_KERNEL void store_curvatures(const PrincipalTangent<P>& t, double* numbers, int at) {
  const auto store = [&](const P& x, int e) { x.store(numbers + e * kBatchCells + at); };
  for (int i = 0; i < 6; ++i) store(t.stretch(kRow[i], kColumn[i]), kStretch + i);
  for (int i = 0; i < 3; ++i) {
    store(t.flip[i], kFlip + i);
    store(t.twist[i], kTwist + i);
  }
}

}  // namespace

inline namespace ISOCHOR_ISA {

void measure_kernel(const mixed::Measure& measure, const double* F, double* value,
                    double* gradient) {
  const FlushDenormals flush;
  const materials::Parameters<P> p = parameters_of(measure);
  materials::with_measure(measure.kind, [&]<class M>(M) {
    for (int at = 0; at < kBatchCells; at += kLanes) {
      const materials::Response<P> r = M::respond(load_matrix(F, at), p);
      r.energy.store(value + at);
      if (gradient) store_matrix(r.stress, gradient, at);
    }
  });
}

void frame_kernel(const double* F, double* principal) {
  const FlushDenormals flush;
  for (int at = 0; at < kBatchCells; at += kLanes) {
    const Svd<P> f = materials::detail::decompose(load_matrix(F, at));
    store_matrix(f.U, principal, at);
    store_matrix(f.V, principal + 9 * kBatchCells, at);
    for (int e = kStretch; e < 30; ++e) P(0).store(principal + e * kBatchCells + at);
  }
}

void add_measure_kernel(const mixed::Measure& measure, const double* F, const double* pressure,
                        double* principal, double* gradient) {
  const FlushDenormals flush;
  const materials::Parameters<P> p = parameters_of(measure);
  materials::with_measure(measure.kind, [&]<class M>(M) {
    for (int at = 0; at < kBatchCells; at += kLanes) {
      const Mat3<P> U = load_matrix(principal, at),
                    V = load_matrix(principal + 9 * kBatchCells, at);
      const Mat3<P> FV = load_matrix(F, at) * V;
      const Vec3<P> sigma{dot(U.column[0], FV.column[0]), dot(U.column[1], FV.column[1]),
                          dot(U.column[2], FV.column[2])};
      PrincipalTangent<P> law, of_measure;
      load_curvatures(principal, at, law);
      M::tangent_of(sigma, p, of_measure);
      const P by = P::load(pressure + at);
      for (int k = 0; k < 3; ++k) {
        law.flip[k] = muladd(by, of_measure.flip[k], law.flip[k]);
        law.twist[k] = muladd(by, of_measure.twist[k], law.twist[k]);
        for (int l = 0; l < 3; ++l) {
          law.stretch(k, l) = muladd(by, of_measure.stretch(k, l), law.stretch(k, l));
        }
      }
      store_curvatures(law, principal, at);
      const Vec3<P> q = M::stress_of(sigma, p);
      for (int k = 0; k < 3; ++k) q[k].store(gradient + k * kBatchCells + at);
    }
  });
}

void raise_principal_kernel(const double* gradient, const double* kappa, const double* floor,
                            double* principal) {
  for (int at = 0; at < kBatchCells; at += kLanes) {
    PrincipalTangent<P> t;
    load_curvatures(principal, at, t);
    const P lowest = P::load(floor + at);
    Mat3<P> shift = Mat3<P>::diagonal({-lowest, -lowest, -lowest});
    if (gradient) {
      const P stiff = P::load(kappa + at);
      Vec3<P> q;
      for (int k = 0; k < 3; ++k) q[k] = P::load(gradient + k * kBatchCells + at);
      for (int k = 0; k < 3; ++k) shift.column[k] = shift.column[k] + (stiff * q[k]) * q;
    }
    const Vec3<P> low{lowest, lowest, lowest};
    t.stretch = t.stretch + shift;
    t.flip = t.flip - low;
    t.twist = t.twist - low;
    materials::make_definite(t, materials::Definiteness::Clamp);
    t.stretch = t.stretch - shift;
    t.flip = t.flip + low;
    t.twist = t.twist + low;
    store_curvatures(t, principal, at);
  }
}

void augment_principal_kernel(const double* gradient, const double* gamma, double* principal) {
  for (int at = 0; at < kBatchCells; at += kLanes) {
    PrincipalTangent<P> t;
    load_curvatures(principal, at, t);
    const P stiff = P::load(gamma + at);
    Vec3<P> q;
    for (int k = 0; k < 3; ++k) q[k] = P::load(gradient + k * kBatchCells + at);
    for (int k = 0; k < 3; ++k) t.stretch.column[k] = t.stretch.column[k] + (stiff * q[k]) * q;
    store_curvatures(t, principal, at);
  }
}

void augment_dense_kernel(const double* gradient, const double* gamma, double* dense) {
  for (int at = 0; at < kBatchCells; at += kLanes) {
    const P stiff = P::load(gamma + at);
    for (int c = 0, e = 0; c < 9; ++c) {
      const P scaled = stiff * P::load(gradient + c * kBatchCells + at);
      for (int r = 0; r <= c; ++r, ++e) {
        double* const entry = dense + e * kBatchCells + at;
        muladd(scaled, P::load(gradient + r * kBatchCells + at), P::load(entry)).store(entry);
      }
    }
  }
}

namespace {

/// The least pivot of A = L D L^T: a tangent is positive definite where that is positive.
P least_pivot(const materials::DenseTangent<P>& tangent) {
  P L[9][9], D[9], least = tangent(0, 0);
  for (int j = 0; j < 9; ++j) {
    P scaled[9];
    D[j] = tangent(j, j);
    for (int k = 0; k < j; ++k) {
      scaled[k] = L[j][k] * D[k];
      D[j] = negmuladd(scaled[k], L[j][k], D[j]);
    }
    least = min(least, D[j]);
    const P inverse = P(1) / select(P(0) < D[j], D[j], P(1));
    for (int i = j + 1; i < 9; ++i) {
      P rest = tangent(j, i);
      for (int k = 0; k < j; ++k) rest = negmuladd(scaled[k], L[i][k], rest);
      L[i][j] = rest * inverse;
    }
  }
  return least;
}

bool all_positive(const P& pack) {
  double lanes[kLanes];
  pack.store(lanes);
  return std::ranges::all_of(lanes, [](double lane) { return lane > 0; });
}

}  // namespace

void raise_dense_kernel(const double* gradient, const double* kappa, const double* floor,
                        double* dense) {
  for (int at = 0; at < kBatchCells; at += kLanes) {
    materials::DenseTangent<P> t, shift;
    const P lowest = P::load(floor + at);
    for (int c = 0; c < 9; ++c) {
      for (int r = 0; r <= c; ++r) {
        P& entry = shift(r, c);
        entry = r == c ? -lowest : P(0);
        if (!gradient) continue;
        const auto q = [&](int e) { return P::load(gradient + e * kBatchCells + at); };
        entry = muladd(P::load(kappa + at) * q(r), q(c), entry);
      }
    }
    for (int e = 0; e < 45; ++e) t.entry[e] = P::load(dense + e * kBatchCells + at);
    // For cycles all eigenvalues may be raised by a floor above zero where none is further below
    // zero than that, and need not be where none is below a floor that is: to see that takes a
    // fraction of the time of finding them.
    const P depth = abs(lowest), lift = max(lowest, P(0));
    P raised(-1);
    if (!gradient) {
      materials::DenseTangent<P> more = t;
      for (int k = 0; k < 9; ++k) more(k, k) = more(k, k) + depth;
      // Cells that are not there have no floor.
      raised = select(P(0) < depth, least_pivot(more), P(1));
    }
    if (!all_positive(raised)) {
      for (int e = 0; e < 45; ++e) t.entry[e] = t.entry[e] + shift.entry[e];
      materials::make_definite(t, materials::Definiteness::Clamp);
      for (int e = 0; e < 45; ++e) t.entry[e] = t.entry[e] - shift.entry[e];
    }
    for (int c = 0, e = 0; c < 9; ++c) {
      for (int r = 0; r <= c; ++r, ++e) {
        double* const entry = dense + e * kBatchCells + at;
        const P kept = r == c ? P::load(entry) + lift : P::load(entry);
        select(P(0) < raised, kept, t.entry[e]).store(entry);
      }
    }
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::lattice
