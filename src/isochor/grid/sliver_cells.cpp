#include "isochor/grid/sliver_cells.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

namespace isochor::grid {
namespace {

/// The cells around the nodes of slivers.
class Surroundings {
 public:
  Surroundings(std::span<const LooseCell> cells, std::span<const std::int32_t> slivers,
               std::size_t name_count) {
    std::vector<bool> wanted(name_count, false);
    for (const std::int32_t s : slivers) {
      for (const std::int32_t n : cells[s].nodes) wanted[n] = true;
    }
    for (std::size_t c = 0; c < cells.size(); ++c) {
      for (const std::int32_t n : cells[c].nodes) {
        if (wanted[n]) uses_.emplace_back(n, static_cast<std::int32_t>(c));
      }
    }
    std::sort(uses_.begin(), uses_.end());
  }

  /// Calls f(cell) for each cell at a node.
  template <class F>
  void for_each(std::int32_t node, F&& f) const {
    const auto first = std::lower_bound(uses_.begin(), uses_.end(), std::pair(node, 0));
    for (auto use = first; use != uses_.end() && use->first == node; ++use) f(use->second);
  }

 private:
  std::vector<std::pair<std::int32_t, std::int32_t>> uses_;  ///< node and cell
};

/// A cell beside a sliver.
struct Neighbour {
  std::int32_t cell;
  int corners = 0;  ///< bit per corner of the sliver that is also one of this cell
};

/// Whether cells hang together by the given corners of a sliver.
bool are_connected(std::span<const Neighbour> neighbours) {
  int reached = neighbours.empty() ? 0 : neighbours[0].corners, all = 0;
  for (std::size_t round = 0; round < 8; ++round) {
    for (const Neighbour& n : neighbours) {
      all |= n.corners;
      if (reached & n.corners) reached |= n.corners;
    }
  }
  return reached == all;
}

}  // namespace

std::vector<std::int32_t> find_stand_ins(std::span<const LooseCell> cells,
                                         std::span<const double> fractions, double least,
                                         std::size_t name_count) {
  std::vector<std::int32_t> stand_in(cells.size()), slivers;
  std::iota(stand_in.begin(), stand_in.end(), 0);
  for (const std::int32_t c : stand_in) {
    if (fractions[c] < least) slivers.push_back(c);
  }
  const Surroundings surroundings(cells, slivers, name_count);
  std::vector<Neighbour> neighbours;
  for (const std::int32_t s : slivers) {
    neighbours.clear();
    for (int corner = 0; corner < 8; ++corner) {
      surroundings.for_each(cells[s].nodes[corner], [&](std::int32_t c) {
        if (c == s || stand_in[c] != c) return;
        auto known = std::find_if(neighbours.begin(), neighbours.end(),
                                  [&](const Neighbour& n) { return n.cell == c; });
        if (known == neighbours.end()) known = neighbours.insert(known, {c});
        known->corners |= 1 << corner;
      });
    }
    if (!are_connected(neighbours)) continue;
    const auto rank = [&](const Neighbour& n) {
      return std::tuple(std::popcount(static_cast<unsigned>(n.corners)), fractions[n.cell],
                        -n.cell);
    };
    const Neighbour* best = nullptr;
    for (const Neighbour& n : neighbours) {
      if (fractions[n.cell] >= least && (!best || rank(n) > rank(*best))) best = &n;
    }
    if (best) stand_in[s] = best->cell;
  }
  return stand_in;
}

}  // namespace isochor::grid
