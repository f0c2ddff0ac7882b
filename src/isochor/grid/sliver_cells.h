#pragma once

#include "isochor/grid/block_builder.h"

namespace isochor::grid {

/// The part of a cell below which it is left out in bodies whose cells are cut, as in the paper.
inline constexpr double kLeastFraction = 0.02;
/// The same under skin. What stands in for a cell moves its surface otherwise than the cells beside
/// it do: skin is torn there, and flesh, the softer beside it the smaller cells are, gives way.
inline constexpr double kLeastUnderSkin = 0.002;

/// Which cells can be left out because next to nothing is in them [Patterson12 sec 3.1], and which
/// neighbour then carries their surface: per cell the number of the cell that stands in for it,
/// itself where it is kept.
///
/// A cell with less than `least` of it filled is left out if a neighbour is not such a sliver and
/// the cells around stay connected with each other. So bodies that are slivers altogether keep
/// their cells, and nothing falls apart. The neighbour is the one with most nodes in common, then
/// the fullest.
std::vector<std::int32_t> find_stand_ins(std::span<const LooseCell> cells,
                                         std::span<const double> fractions, double least,
                                         std::size_t name_count);

}  // namespace isochor::grid
