#pragma once

#include "isochor/math/mat3.h"

/// A block of 2x2x2 cells: edges and the sums over them that cells share. Node (i, j, k) is at
/// i + 3 j + 9 k, cell (i, j, k) at i + 2 j + 4 k.
///
/// What the cells do is said in element_kernel.h. Here it is done for eight of them at once: the
/// block has 54 edges where eight cells one by one have 96, and both the sums of four edges per
/// cell and the way back, from cells to their edges, go axis by axis through sums of two.
namespace isochor::lattice {

/// The lines of three nodes along an axis: which nodes and cells they pass, `across` and `up`
/// counting along the other two axes.
template <int Axis>
struct Lines {
  static constexpr int kNode[3] = {1, 3, 9};
  static constexpr int node(int along, int across, int up) {
    return along * kNode[Axis] + across * kNode[(Axis + 1) % 3] + up * kNode[(Axis + 2) % 3];
  }
  static constexpr int cell(int along, int across, int up) {
    return along << Axis | across << (Axis + 1) % 3 | up << (Axis + 2) % 3;
  }
};

namespace detail {

template <int Axis, class T>
ISOCHOR_KERNEL void sum_edges_along(const Vec3<T> (&x)[27], Mat3<T> (&sums)[8]) {
  using L = Lines<Axis>;
  for (int i = 0; i < 3; ++i) {
    for (int along = 0; along < 2; ++along) {
      T pairs[3][2];
      for (int up = 0; up < 3; ++up) {
        T edge[3];
        for (int across = 0; across < 3; ++across) {
          edge[across] = x[L::node(along + 1, across, up)][i] - x[L::node(along, across, up)][i];
        }
        pairs[up][0] = edge[0] + edge[1];
        pairs[up][1] = edge[1] + edge[2];
      }
      for (int up = 0; up < 2; ++up) {
        for (int across = 0; across < 2; ++across) {
          sums[L::cell(along, across, up)](i, Axis) = pairs[up][across] + pairs[up + 1][across];
        }
      }
    }
  }
}

/// What the cells around each of nine edges have in sum; of(across, up) is what one cell has.
template <class T, class F>
ISOCHOR_KERNEL void sum_around_edges(F&& of, T (&sums)[3][3]) {
  T pairs[2][3];
  for (int up = 0; up < 2; ++up) {
    pairs[up][0] = of(0, up);
    pairs[up][2] = of(1, up);
    pairs[up][1] = pairs[up][0] + pairs[up][2];
  }
  for (int across = 0; across < 3; ++across) {
    sums[0][across] = pairs[0][across];
    sums[1][across] = pairs[0][across] + pairs[1][across];
    sums[2][across] = pairs[1][across];
  }
}

template <int Axis, class T>
ISOCHOR_KERNEL void pull_nodes_along(const Vec3<T> (&x)[27], const Mat3<T> (&pulls)[8],
                                     const T (&weights)[8], Vec3<T> (&nodal)[27]) {
  using L = Lines<Axis>;
  T weight[2][3][3];
  for (int along = 0; along < 2; ++along) {
    sum_around_edges([&](int a, int u) { return weights[L::cell(along, a, u)]; }, weight[along]);
  }
  for (int i = 0; i < 3; ++i) {
    T pull[2][3][3];
    for (int along = 0; along < 2; ++along) {
      sum_around_edges([&](int a, int u) { return pulls[L::cell(along, a, u)](i, Axis); },
                       pull[along]);
    }
    for (int up = 0; up < 3; ++up) {
      for (int across = 0; across < 3; ++across) {
        const int n[3] = {L::node(0, across, up), L::node(1, across, up), L::node(2, across, up)};
        const T first = muladd(weight[0][up][across], x[n[1]][i] - x[n[0]][i], pull[0][up][across]);
        const T second =
            muladd(weight[1][up][across], x[n[2]][i] - x[n[1]][i], pull[1][up][across]);
        if constexpr (Axis == 0) {
          nodal[n[0]][i] = -first;
          nodal[n[1]][i] = first - second;
          nodal[n[2]][i] = second;
        } else {
          nodal[n[0]][i] = nodal[n[0]][i] - first;
          nodal[n[1]][i] = nodal[n[1]][i] + (first - second);
          nodal[n[2]][i] = nodal[n[2]][i] + second;
        }
      }
    }
  }
}

}  // namespace detail

/// Column a of sums[cell] is the sum of the cell's four edges along axis a: 4 h F [McAdams11 (3)].
template <class T>
ISOCHOR_KERNEL void sum_edges(const Vec3<T> (&x)[27], Mat3<T> (&sums)[8]) {
  detail::sum_edges_along<0>(x, sums);
  detail::sum_edges_along<1>(x, sums);
  detail::sum_edges_along<2>(x, sums);
}

/// Sets what pulls at the nodes, against the force: each cell pulls at its edges along axis a with
/// column a of pulls[cell], and with weights[cell] times the edge itself [McAdams11 (5), (17)].
template <class T>
ISOCHOR_KERNEL void pull_nodes(const Vec3<T> (&x)[27], const Mat3<T> (&pulls)[8],
                               const T (&weights)[8], Vec3<T> (&nodal)[27]) {
  detail::pull_nodes_along<0>(x, pulls, weights, nodal);
  detail::pull_nodes_along<1>(x, pulls, weights, nodal);
  detail::pull_nodes_along<2>(x, pulls, weights, nodal);
}

}  // namespace isochor::lattice
