#pragma once

#include "isochor/math/mat3.h"

/// A block of 2x2x2 cells: edges and the sums over them that cells share. Node (i, j, k) is at
/// i + 3 j + 9 k, cell (i, j, k) at i + 2 j + 4 k.
///
/// What the cells do is said in element_kernel.h. Here it is done for eight of them at once: the
/// block has 54 edges where eight cells one by one have 96, and both the sums of four edges per
/// cell and the way back, from cells to their edges, go axis by axis through sums of two.
namespace isochor::lattice {

/// One of two layers of edges along an axis: where its nodes and cells are. `across` and `up` are
/// the other two axes.
struct EdgeLayer {
  int axis, layer;

  ISOCHOR_KERNEL constexpr int low_node(int across, int up) const {
    return layer * kNode[axis] + across * kNode[(axis + 1) % 3] + up * kNode[(axis + 2) % 3];
  }
  ISOCHOR_KERNEL constexpr int high_node(int across, int up) const {
    return low_node(across, up) + kNode[axis];
  }
  ISOCHOR_KERNEL constexpr int cell(int across, int up) const {
    return layer << axis | across << (axis + 1) % 3 | up << (axis + 2) % 3;
  }

 private:
  static constexpr int kNode[3] = {1, 3, 9};
};

/// Calls f(EdgeLayer) for the six layers.
template <class F>
ISOCHOR_KERNEL void for_each_layer(F&& f) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int layer = 0; layer < 2; ++layer) f(EdgeLayer{axis, layer});
  }
}

/// Column a of sums[cell] is the sum of the cell's four edges along axis a: 4 h F [McAdams11 (3)].
template <class T>
ISOCHOR_KERNEL void sum_edges(const Vec3<T> (&x)[27], Mat3<T> (&sums)[8]) {
  for_each_layer([&](const EdgeLayer& at) {
    Vec3<T> pairs[3][2];
    for (int up = 0; up < 3; ++up) {
      Vec3<T> edge[3];
      for (int across = 0; across < 3; ++across) {
        edge[across] = x[at.high_node(across, up)] - x[at.low_node(across, up)];
      }
      for (int across = 0; across < 2; ++across)
        pairs[up][across] = edge[across] + edge[across + 1];
    }
    for (int up = 0; up < 2; ++up) {
      for (int across = 0; across < 2; ++across) {
        sums[at.cell(across, up)].column[at.axis] = pairs[up][across] + pairs[up + 1][across];
      }
    }
  });
}

/// What the cells around each of a layer's nine edges have in sum; of(cell) is what one has.
template <class V, class F>
ISOCHOR_KERNEL void spread_to_edges(const EdgeLayer& at, F&& of, V (&sums)[3][3]) {
  V pairs[2][3];
  for (int up = 0; up < 2; ++up) {
    pairs[up][0] = of(at.cell(0, up));
    pairs[up][2] = of(at.cell(1, up));
    pairs[up][1] = pairs[up][0] + pairs[up][2];
  }
  for (int across = 0; across < 3; ++across) {
    sums[0][across] = pairs[0][across];
    sums[1][across] = pairs[0][across] + pairs[1][across];
    sums[2][across] = pairs[1][across];
  }
}

/// Sets what pulls at the nodes, against the force: each cell pulls at its edges along axis a with
/// column a of pulls[cell], and with weights[cell] times the edge itself [McAdams11 (5), (17)].
template <class T>
ISOCHOR_KERNEL void pull_nodes(const Vec3<T> (&x)[27], const Mat3<T> (&pulls)[8],
                               const T (&weights)[8], Vec3<T> (&nodal)[27]) {
  for (Vec3<T>& n : nodal) n = {T(0), T(0), T(0)};
  for_each_layer([&](const EdgeLayer& at) {
    T weight[3][3];
    spread_to_edges(
        at, [&](int cell) -> const T& { return weights[cell]; }, weight);
    Vec3<T> pull[3][3];
    spread_to_edges(
        at, [&](int cell) -> const Vec3<T>& { return pulls[cell].column[at.axis]; }, pull);
    for (int up = 0; up < 3; ++up) {
      for (int across = 0; across < 3; ++across) {
        const int low = at.low_node(across, up), high = at.high_node(across, up);
        for (int i = 0; i < 3; ++i) {
          const T p = muladd(weight[up][across], x[high][i] - x[low][i], pull[up][across][i]);
          nodal[high][i] = nodal[high][i] + p;
          nodal[low][i] = nodal[low][i] - p;
        }
      }
    }
  });
}

}  // namespace isochor::lattice
