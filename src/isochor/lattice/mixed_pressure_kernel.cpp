#include "isochor/lattice/mixed_tangents.h"
#include "isochor/math/isa.h"
#include "isochor/math/pack.h"

namespace isochor::lattice {
namespace {

constexpr int kLanes = static_cast<int>(xsimd::batch<double>::size);
using P = Pack<double, kLanes>;

/// 1 in blocks whose cell belongs to the region, else 0; 1 throughout where there is but one.
ISOCHOR_KERNEL P member(const mixed::GroupVolume& v, int c, int lane, int region) {
  if (v.regions == 1) return P(1);
  double lanes[kLanes];
  for (int l = 0; l < kLanes; ++l) lanes[l] = v.region[c][lane + l] == region ? 1 : 0;
  return P::load(lanes);
}

/// a / b, or zero where b is not positive.
ISOCHOR_KERNEL P ratio(const P& a, const P& b) {
  const auto some = b > P(0);
  return select(some, a / select(some, b, P(1)), P(0));
}

}  // namespace

inline namespace ISOCHOR_ISA {

void compliance_kernel(const mixed::GroupVolume& v, double scale, const double* p, double* out) {
  for (int lane = 0; lane < kGroupBlocks; lane += kLanes) {
    P pressure[8], jump[8];
    for (int c = 0; c < 8; ++c) {
      const int at = kGroupBlocks * c + lane;
      pressure[c] = P::load(p + at);
      jump[c] = P::load(v.jump[c] + lane);
    }
    for (int r = 0; r < v.regions; ++r) {
      P whole(0), sum(0);
      for (int c = 0; c < 8; ++c) {
        const P w = member(v, c, lane, r) * jump[c];
        whole = whole + w;
        sum = muladd(w, pressure[c], sum);
      }
      const P mean = ratio(sum, whole);
      for (int c = 0; c < 8; ++c) {
        double* to = out + kGroupBlocks * c + lane;
        const P in = member(v, c, lane, r);
        const P W = P::load(v.volume[c] + lane), soft = P::load(v.compliance[c] + lane);
        const P less = muladd(W * soft, pressure[c], jump[c] * (pressure[c] - mean));
        negmuladd(P(scale) * in, less, P::load(to)).store(to);
      }
    }
  }
}

void schur_kernel(const mixed::GroupVolume& v, const mixed::GroupSchur& schur, const double* r,
                  double* z) {
  for (int lane = 0; lane < kGroupBlocks; lane += kLanes) {
    P first[8], back[8], volume[8];
    for (int c = 0; c < 8; ++c) {
      const P inverse = P::load(schur.inverse[c] + lane);
      first[c] = inverse * P::load(r + kGroupBlocks * c + lane);
      back[c] = inverse * P::load(schur.mean[c] + lane);
      volume[c] = P::load(v.volume[c] + lane);
    }
    // By Sherman and Morrison: the mean is a matrix of rank one.
    for (int region = 0; region < v.regions; ++region) {
      P whole(0), known(0), sum(0);
      for (int c = 0; c < 8; ++c) {
        const P W = member(v, c, lane, region) * volume[c];
        whole = whole + W;
        known = muladd(W, back[c], known);
        sum = muladd(W, first[c], sum);
      }
      const P gain = ratio(sum, whole - known);
      for (int c = 0; c < 8; ++c) {
        double* to = z + kGroupBlocks * c + lane;
        const P in = member(v, c, lane, region);
        const P before = region == 0 ? first[c] : P::load(to);
        muladd(in * back[c], gain, before).store(to);
      }
    }
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::lattice
