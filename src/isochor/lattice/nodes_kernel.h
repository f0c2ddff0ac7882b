#pragma once

#include <cstdint>

#include "isochor/math/pack.h"
#include "isochor/math/vec3.h"

/// Nodal vectors into packs and back, one node per lane. A vector is three numbers in a row, so
/// that whole vectors are loaded and transposed in registers: three times as fast as the
/// processor's own gathers of single numbers. Nothing is read or written beyond a vector's three
/// numbers.
namespace isochor::lattice {
inline namespace ISOCHOR_ISA {

/// How N nodes are moved; by single numbers where there is nothing better.
template <class S, int N>
struct NodeTransfer {
  static ISOCHOR_KERNEL Vec3<Pack<S, N>> gather(const Vec3<S>* nodal, const std::int32_t* nodes) {
    S lanes[3][N];
    for (int l = 0; l < N; ++l) {
      for (int i = 0; i < 3; ++i) lanes[i][l] = nodal[nodes[l]][i];
    }
    return {Pack<S, N>::load(lanes[0]), Pack<S, N>::load(lanes[1]), Pack<S, N>::load(lanes[2])};
  }
  static ISOCHOR_KERNEL void add(const Vec3<Pack<S, N>>& v, Vec3<S>* nodal,
                                 const std::int32_t* nodes) {
    S lanes[3][N];
    for (int i = 0; i < 3; ++i) v[i].store(lanes[i]);
    for (int l = 0; l < N; ++l) {
      for (int i = 0; i < 3; ++i) nodal[nodes[l]][i] += lanes[i][l];
    }
  }
};

#if defined(__AVX512F__)

template <>
struct NodeTransfer<float, 16> {
  static ISOCHOR_KERNEL Vec3<Pack<float, 16>> gather(const Vec3f* nodal,
                                                     const std::int32_t* nodes) {
    // Row r holds nodes r, r + 4, r + 8 and r + 12, a quarter each.
    __m512 row[4];
    for (int r = 0; r < 4; ++r) {
      row[r] = _mm512_castps128_ps512(load(nodal[nodes[r]]));
      row[r] = _mm512_insertf32x4(row[r], load(nodal[nodes[r + 4]]), 1);
      row[r] = _mm512_insertf32x4(row[r], load(nodal[nodes[r + 8]]), 2);
      row[r] = _mm512_insertf32x4(row[r], load(nodal[nodes[r + 12]]), 3);
    }
    const __m512d xy01 = _mm512_castps_pd(_mm512_unpacklo_ps(row[0], row[1]));
    const __m512d xy23 = _mm512_castps_pd(_mm512_unpacklo_ps(row[2], row[3]));
    const __m512d z01 = _mm512_castps_pd(_mm512_unpackhi_ps(row[0], row[1]));
    const __m512d z23 = _mm512_castps_pd(_mm512_unpackhi_ps(row[2], row[3]));
    Vec3<Pack<float, 16>> v;
    v[0].part[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(xy01, xy23));
    v[1].part[0] = _mm512_castpd_ps(_mm512_unpackhi_pd(xy01, xy23));
    v[2].part[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(z01, z23));
    return v;
  }
  static ISOCHOR_KERNEL void add(const Vec3<Pack<float, 16>>& v, Vec3f* nodal,
                                 const std::int32_t* nodes) {
    const __m512 x = v[0].part[0], y = v[1].part[0], z = v[2].part[0], o = _mm512_setzero_ps();
    const __m512d xy01 = _mm512_castps_pd(_mm512_unpacklo_ps(x, y));
    const __m512d xy23 = _mm512_castps_pd(_mm512_unpackhi_ps(x, y));
    const __m512d z01 = _mm512_castps_pd(_mm512_unpacklo_ps(z, o));
    const __m512d z23 = _mm512_castps_pd(_mm512_unpackhi_ps(z, o));
    const __m512 row[4] = {_mm512_castpd_ps(_mm512_unpacklo_pd(xy01, z01)),
                           _mm512_castpd_ps(_mm512_unpackhi_pd(xy01, z01)),
                           _mm512_castpd_ps(_mm512_unpacklo_pd(xy23, z23)),
                           _mm512_castpd_ps(_mm512_unpackhi_pd(xy23, z23))};
    for (int r = 0; r < 4; ++r) {
      add(_mm512_castps512_ps128(row[r]), nodal[nodes[r]]);
      add(_mm512_extractf32x4_ps(row[r], 1), nodal[nodes[r + 4]]);
      add(_mm512_extractf32x4_ps(row[r], 2), nodal[nodes[r + 8]]);
      add(_mm512_extractf32x4_ps(row[r], 3), nodal[nodes[r + 12]]);
    }
  }

 private:
  static ISOCHOR_KERNEL __m128 load(const Vec3f& v) { return _mm_maskz_loadu_ps(7, v.e); }
  static ISOCHOR_KERNEL void add(const __m128& part, Vec3f& v) {
    _mm_mask_storeu_ps(v.e, 7, _mm_add_ps(load(v), part));
  }
};

template <>
struct NodeTransfer<double, 8> {
  static ISOCHOR_KERNEL Vec3<Pack<double, 8>> gather(const Vec3d* nodal,
                                                     const std::int32_t* nodes) {
    const __m512d row02 = pair(nodal[nodes[0]], nodal[nodes[2]]);
    const __m512d row13 = pair(nodal[nodes[1]], nodal[nodes[3]]);
    const __m512d row46 = pair(nodal[nodes[4]], nodal[nodes[6]]);
    const __m512d row57 = pair(nodal[nodes[5]], nodal[nodes[7]]);
    const __m512d xz0123 = _mm512_unpacklo_pd(row02, row13);
    const __m512d xz4567 = _mm512_unpacklo_pd(row46, row57);
    const __m512d y0123 = _mm512_unpackhi_pd(row02, row13);
    const __m512d y4567 = _mm512_unpackhi_pd(row46, row57);
    Vec3<Pack<double, 8>> v;
    v[0].part[0] = _mm512_shuffle_f64x2(xz0123, xz4567, 0b10'00'10'00);
    v[1].part[0] = _mm512_shuffle_f64x2(y0123, y4567, 0b10'00'10'00);
    v[2].part[0] = _mm512_shuffle_f64x2(xz0123, xz4567, 0b11'01'11'01);
    return v;
  }
  static ISOCHOR_KERNEL void add(const Vec3<Pack<double, 8>>& v, Vec3d* nodal,
                                 const std::int32_t* nodes) {
    const __m512d x = v[0].part[0], y = v[1].part[0], z = v[2].part[0];
    const __m512d o = _mm512_setzero_pd();
    const __m512d xy0246 = _mm512_unpacklo_pd(x, y), xy1357 = _mm512_unpackhi_pd(x, y);
    const __m512d z0246 = _mm512_unpacklo_pd(z, o), z1357 = _mm512_unpackhi_pd(z, o);
    const __m512i front = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
    const __m512i back = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    add_pair(_mm512_permutex2var_pd(xy0246, front, z0246), nodal[nodes[0]], nodal[nodes[2]]);
    add_pair(_mm512_permutex2var_pd(xy1357, front, z1357), nodal[nodes[1]], nodal[nodes[3]]);
    add_pair(_mm512_permutex2var_pd(xy0246, back, z0246), nodal[nodes[4]], nodal[nodes[6]]);
    add_pair(_mm512_permutex2var_pd(xy1357, back, z1357), nodal[nodes[5]], nodal[nodes[7]]);
  }

 private:
  static ISOCHOR_KERNEL __m256d load(const Vec3d& v) { return _mm256_maskz_loadu_pd(7, v.e); }
  static ISOCHOR_KERNEL __m512d pair(const Vec3d& a, const Vec3d& b) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(load(a)), load(b), 1);
  }
  static ISOCHOR_KERNEL void add(const __m256d& part, Vec3d& v) {
    _mm256_mask_storeu_pd(v.e, 7, _mm256_add_pd(load(v), part));
  }
  static ISOCHOR_KERNEL void add_pair(const __m512d& both, Vec3d& a, Vec3d& b) {
    add(_mm512_castpd512_pd256(both), a);
    add(_mm512_extractf64x4_pd(both, 1), b);
  }
};

#endif

/// The vectors of N nodes.
template <class S, int N>
ISOCHOR_KERNEL Vec3<Pack<S, N>> gather(const Vec3<S>* nodal, const std::int32_t* nodes) {
  return NodeTransfer<S, N>::gather(nodal, nodes);
}
/// Adds to the vectors of N nodes, one after the other: a node may occur twice.
template <class S, int N>
ISOCHOR_KERNEL void scatter_add(const Vec3<Pack<S, N>>& v, Vec3<S>* nodal,
                                const std::int32_t* nodes) {
  NodeTransfer<S, N>::add(v, nodal, nodes);
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::lattice
