#pragma once

#include <cstdint>

#include "isochor/lattice/model.h"
#include "isochor/math/pack.h"
#include "isochor/math/vec3.h"

/// Nodal vectors into packs and back, one node per lane. A node is named by where its three numbers
/// begin. Whole vectors are loaded and transposed in registers: several times as fast as the
/// processor's own gathers of single numbers.
namespace isochor::lattice {
inline namespace ISOCHOR_ISA {

/// How far a load may reach. Beyond: one number more than the vector has, which saves a mask; not
/// allowed for the last vector of an array.
enum class Reach { Exact, Beyond };

/// How N nodes are moved; by single numbers where there is nothing better.
template <class S, int N>
struct NodeTransfer {
  template <Reach>
  static ISOCHOR_KERNEL Vec3<Pack<S, N>> gather(const S* nodal, const std::int32_t* nodes) {
    S lanes[3][N];
    for (int l = 0; l < N; ++l) {
      for (int i = 0; i < 3; ++i) lanes[i][l] = nodal[nodes[l] + i];
    }
    return {Pack<S, N>::load(lanes[0]), Pack<S, N>::load(lanes[1]), Pack<S, N>::load(lanes[2])};
  }
  static ISOCHOR_KERNEL void add(const Vec3<Pack<S, N>>& v, S* nodal, const std::int32_t* nodes) {
    S lanes[3][N];
    for (int i = 0; i < 3; ++i) v[i].store(lanes[i]);
    for (int l = 0; l < N; ++l) {
      for (int i = 0; i < 3; ++i) nodal[nodes[l] + i] += lanes[i][l];
    }
  }
};

#if defined(__AVX2__)

/// Three numbers in a register for four; the fourth is anything.
template <Reach R>
ISOCHOR_KERNEL __m128 load_vector(const float* v) {
  if constexpr (R == Reach::Beyond) return _mm_loadu_ps(v);
  return _mm_maskload_ps(v, _mm_set_epi32(0, -1, -1, -1));
}
template <Reach R>
ISOCHOR_KERNEL __m256d load_vector(const double* v) {
  if constexpr (R == Reach::Beyond) return _mm256_loadu_pd(v);
  return _mm256_maskload_pd(v, _mm256_set_epi64x(0, -1, -1, -1));
}
ISOCHOR_KERNEL void add_vector(const __m128& part, float* v) {
  const __m128 sum = _mm_add_ps(load_vector<Reach::Exact>(v), part);
#if defined(__AVX512F__)
  _mm_mask_storeu_ps(v, 7, sum);
#else
  _mm_maskstore_ps(v, _mm_set_epi32(0, -1, -1, -1), sum);
#endif
}
ISOCHOR_KERNEL void add_vector(const __m256d& part, double* v) {
  const __m256d sum = _mm256_add_pd(load_vector<Reach::Exact>(v), part);
#if defined(__AVX512F__)
  _mm256_mask_storeu_pd(v, 7, sum);
#else
  _mm256_maskstore_pd(v, _mm256_set_epi64x(0, -1, -1, -1), sum);
#endif
}

#endif

#if defined(__AVX512F__)

template <>
struct NodeTransfer<float, 16> {
  template <Reach R>
  static ISOCHOR_KERNEL Vec3<Pack<float, 16>> gather(const float* nodal,
                                                     const std::int32_t* nodes) {
    const auto vector = [&](int l) { return load_vector<R>(nodal + nodes[l]); };
    // Row r holds nodes r, r + 4, r + 8 and r + 12, a quarter each.
    __m512 row[4];
    for (int r = 0; r < 4; ++r) {
      row[r] = _mm512_castps128_ps512(vector(r));
      row[r] = _mm512_insertf32x4(row[r], vector(r + 4), 1);
      row[r] = _mm512_insertf32x4(row[r], vector(r + 8), 2);
      row[r] = _mm512_insertf32x4(row[r], vector(r + 12), 3);
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
  static ISOCHOR_KERNEL void add(const Vec3<Pack<float, 16>>& v, float* nodal,
                                 const std::int32_t* nodes) {
    const __m512 x = v[0].part[0], y = v[1].part[0], z = v[2].part[0];
    const __m512d xy01 = _mm512_castps_pd(_mm512_unpacklo_ps(x, y));
    const __m512d xy23 = _mm512_castps_pd(_mm512_unpackhi_ps(x, y));
    const __m512d z01 = _mm512_castps_pd(_mm512_unpacklo_ps(z, z));
    const __m512d z23 = _mm512_castps_pd(_mm512_unpackhi_ps(z, z));
    const __m512 row[4] = {_mm512_castpd_ps(_mm512_unpacklo_pd(xy01, z01)),
                           _mm512_castpd_ps(_mm512_unpackhi_pd(xy01, z01)),
                           _mm512_castpd_ps(_mm512_unpacklo_pd(xy23, z23)),
                           _mm512_castpd_ps(_mm512_unpackhi_pd(xy23, z23))};
    for (int r = 0; r < 4; ++r) {
      add_vector(_mm512_castps512_ps128(row[r]), nodal + nodes[r]);
      add_vector(_mm512_extractf32x4_ps(row[r], 1), nodal + nodes[r + 4]);
      add_vector(_mm512_extractf32x4_ps(row[r], 2), nodal + nodes[r + 8]);
      add_vector(_mm512_extractf32x4_ps(row[r], 3), nodal + nodes[r + 12]);
    }
  }
};

template <>
struct NodeTransfer<double, 8> {
  template <Reach R>
  static ISOCHOR_KERNEL Vec3<Pack<double, 8>> gather(const double* nodal,
                                                     const std::int32_t* nodes) {
    const auto pair = [&](int a, int b) {
      return _mm512_insertf64x4(_mm512_castpd256_pd512(load_vector<R>(nodal + nodes[a])),
                                load_vector<R>(nodal + nodes[b]), 1);
    };
    const __m512d row02 = pair(0, 2), row13 = pair(1, 3), row46 = pair(4, 6), row57 = pair(5, 7);
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
  static ISOCHOR_KERNEL void add(const Vec3<Pack<double, 8>>& v, double* nodal,
                                 const std::int32_t* nodes) {
    const __m512d x = v[0].part[0], y = v[1].part[0], z = v[2].part[0];
    const __m512d xy0246 = _mm512_unpacklo_pd(x, y), xy1357 = _mm512_unpackhi_pd(x, y);
    const __m512d z0246 = _mm512_unpacklo_pd(z, z), z1357 = _mm512_unpackhi_pd(z, z);
    const __m512i front = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
    const __m512i back = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    const auto add_pair = [&](const __m512d& both, int a, int b) {
      add_vector(_mm512_castpd512_pd256(both), nodal + nodes[a]);
      add_vector(_mm512_extractf64x4_pd(both, 1), nodal + nodes[b]);
    };
    add_pair(_mm512_permutex2var_pd(xy0246, front, z0246), 0, 2);
    add_pair(_mm512_permutex2var_pd(xy1357, front, z1357), 1, 3);
    add_pair(_mm512_permutex2var_pd(xy0246, back, z0246), 4, 6);
    add_pair(_mm512_permutex2var_pd(xy1357, back, z1357), 5, 7);
  }
};

#elif defined(__AVX2__)

template <>
struct NodeTransfer<float, 8> {
  template <Reach R>
  static ISOCHOR_KERNEL Vec3<Pack<float, 8>> gather(const float* nodal, const std::int32_t* nodes) {
    const auto vector = [&](int l) { return load_vector<R>(nodal + nodes[l]); };
    // Row r holds nodes r and r + 4, a half each.
    __m256 row[4];
    for (int r = 0; r < 4; ++r) {
      row[r] = _mm256_insertf128_ps(_mm256_castps128_ps256(vector(r)), vector(r + 4), 1);
    }
    const __m256d xy01 = _mm256_castps_pd(_mm256_unpacklo_ps(row[0], row[1]));
    const __m256d xy23 = _mm256_castps_pd(_mm256_unpacklo_ps(row[2], row[3]));
    const __m256d z01 = _mm256_castps_pd(_mm256_unpackhi_ps(row[0], row[1]));
    const __m256d z23 = _mm256_castps_pd(_mm256_unpackhi_ps(row[2], row[3]));
    Vec3<Pack<float, 8>> v;
    v[0].part[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(xy01, xy23));
    v[1].part[0] = _mm256_castpd_ps(_mm256_unpackhi_pd(xy01, xy23));
    v[2].part[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(z01, z23));
    return v;
  }
  static ISOCHOR_KERNEL void add(const Vec3<Pack<float, 8>>& v, float* nodal,
                                 const std::int32_t* nodes) {
    const __m256 x = v[0].part[0], y = v[1].part[0], z = v[2].part[0];
    const __m256d xy01 = _mm256_castps_pd(_mm256_unpacklo_ps(x, y));
    const __m256d xy23 = _mm256_castps_pd(_mm256_unpackhi_ps(x, y));
    const __m256d z01 = _mm256_castps_pd(_mm256_unpacklo_ps(z, z));
    const __m256d z23 = _mm256_castps_pd(_mm256_unpackhi_ps(z, z));
    const __m256 row[4] = {_mm256_castpd_ps(_mm256_unpacklo_pd(xy01, z01)),
                           _mm256_castpd_ps(_mm256_unpackhi_pd(xy01, z01)),
                           _mm256_castpd_ps(_mm256_unpacklo_pd(xy23, z23)),
                           _mm256_castpd_ps(_mm256_unpackhi_pd(xy23, z23))};
    for (int r = 0; r < 4; ++r) {
      add_vector(_mm256_castps256_ps128(row[r]), nodal + nodes[r]);
      add_vector(_mm256_extractf128_ps(row[r], 1), nodal + nodes[r + 4]);
    }
  }
};

template <>
struct NodeTransfer<double, 4> {
  template <Reach R>
  static ISOCHOR_KERNEL Vec3<Pack<double, 4>> gather(const double* nodal,
                                                     const std::int32_t* nodes) {
    const auto vector = [&](int l) { return load_vector<R>(nodal + nodes[l]); };
    const __m256d row0 = vector(0), row1 = vector(1), row2 = vector(2), row3 = vector(3);
    const __m256d xz01 = _mm256_unpacklo_pd(row0, row1), xz23 = _mm256_unpacklo_pd(row2, row3);
    const __m256d y01 = _mm256_unpackhi_pd(row0, row1), y23 = _mm256_unpackhi_pd(row2, row3);
    Vec3<Pack<double, 4>> v;
    v[0].part[0] = _mm256_permute2f128_pd(xz01, xz23, 0x20);
    v[1].part[0] = _mm256_permute2f128_pd(y01, y23, 0x20);
    v[2].part[0] = _mm256_permute2f128_pd(xz01, xz23, 0x31);
    return v;
  }
  static ISOCHOR_KERNEL void add(const Vec3<Pack<double, 4>>& v, double* nodal,
                                 const std::int32_t* nodes) {
    const __m256d x = v[0].part[0], y = v[1].part[0], z = v[2].part[0];
    const __m256d xy02 = _mm256_unpacklo_pd(x, y), xy13 = _mm256_unpackhi_pd(x, y);
    const __m256d z02 = _mm256_unpacklo_pd(z, z), z13 = _mm256_unpackhi_pd(z, z);
    add_vector(_mm256_permute2f128_pd(xy02, z02, 0x20), nodal + nodes[0]);
    add_vector(_mm256_permute2f128_pd(xy13, z13, 0x20), nodal + nodes[1]);
    add_vector(_mm256_permute2f128_pd(xy02, z02, 0x31), nodal + nodes[2]);
    add_vector(_mm256_permute2f128_pd(xy13, z13, 0x31), nodal + nodes[3]);
  }
};

#endif

/// The vectors of the 27 nodes of N blocks, from `lane` on. Calls also() after each.
template <Reach R, int N, class S, class F>
ISOCHOR_KERNEL void gather_nodes(const BlockGroup& group, int lane, const Vec3<S>* nodal,
                                 Vec3<Pack<S, N>> (&x)[27], F&& also) {
  for (int n = 0; n < 27; ++n) {
    x[n] = NodeTransfer<S, N>::template gather<R>(nodal->e, group.nodes[n] + lane);
    also();
  }
}
template <int N, class S, class F>
ISOCHOR_KERNEL void gather_nodes(const BlockGroup& group, int lane, const Vec3<S>* nodal,
                                 Vec3<Pack<S, N>> (&x)[27], F&& also) {
  if (group.has_last_node) {
    gather_nodes<Reach::Exact>(group, lane, nodal, x, also);
  } else {
    gather_nodes<Reach::Beyond>(group, lane, nodal, x, also);
  }
}

/// Adds to the vectors of N nodes, one after the other: a node may occur twice.
template <int N, class S>
ISOCHOR_KERNEL void scatter_add(const Vec3<Pack<S, N>>& v, Vec3<S>* nodal,
                                const std::int32_t* nodes) {
  NodeTransfer<S, N>::add(v, nodal->e, nodes);
}

/// Adds to the nodes of N blocks, calling also() after each. Neighbours along x, which lie side by
/// side in memory, are far apart in time: processors hold back what is read next to a vector that
/// was stored by a mask until it has left for the cache.
template <int N, class S, class F>
ISOCHOR_KERNEL void scatter_nodes(const Vec3<Pack<S, N>> (&v)[27], const BlockGroup& group,
                                  int lane, Vec3<S>* nodal, F&& also) {
  for (int i = 0; i < 3; ++i) {
    for (int n = i; n < 27; n += 3) {
      scatter_add<N>(v[n], nodal, group.nodes[n] + lane);
      also();
    }
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::lattice
