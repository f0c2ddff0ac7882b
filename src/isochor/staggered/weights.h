#pragma once

#include <span>

#include "isochor/staggered/layout.h"
#include "isochor/staggered/shape.h"

namespace isochor::staggered {

/// How much each term of the energy counts, in 128ths: cells and edges at a free boundary count
/// nothing [Zhu10 sec 5.3], and coarse ones what Shape says. One byte per term keeps the stencil of
/// every level and every boundary in one kernel, with nothing assembled.
inline constexpr int kFullWeight = 128;

/// One set of bytes per kind: the fraction of the cell; per axis, of its stretch; per pair of axes,
/// of the shear at its lower edge.
template <int D>
inline constexpr int kPairs = D*(D - 1) / 2;
template <int D>
inline constexpr int kWeightKinds = 1 + D + kPairs<D>;
template <int D>
constexpr int stretch_kind(int axis) {
  return 1 + axis;
}
/// i and j differ.
template <int D>
constexpr int shear_kind(int i, int j) {
  return D + i + j;
}

/// What is known of the D faces of a cell and of its centre: bit `k` for face k, bit D for the
/// centre, shifted by one of these.
inline constexpr int kActive = 0;  ///< it is an unknown
inline constexpr int kPlain = 4;   ///< smoothed by distribution: the boundary is far enough
inline constexpr int kKnown = 8;   ///< an unknown or given; the rest is nowhere

template <int D>
struct Weights {
  std::vector<std::uint8_t> bytes;   ///< kWeightKinds fields of a layout
  std::vector<std::uint16_t> flags;  ///< one field
};

template <int D>
Weights<D> make_weights(const Shape<D>& shape, const Layout<D>& layout);

/// Interior cells within `width` cells of where the stencil is not the plain one.
template <int D>
std::vector<Index<D>> find_band(const Layout<D>& layout, const Weights<D>& weights, int width);

}  // namespace isochor::staggered
