#include "isochor/grid/padding.h"

#include <algorithm>
#include <numeric>

#include "isochor/geometry/connectivity.h"
#include "isochor/grid/block_builder.h"
#include "isochor/grid/cell_box.h"
#include "isochor/grid/node_cells.h"

namespace isochor::grid {
namespace {

/// A node that wants a cell in one of the eight places around it.
struct Claim {
  Index3 place;
  std::int32_t node;
  int corner;  ///< of the new cell at which the node lies
};

/// Per node the places around it that have a cell, one bit each: bit o for the cell of which it is
/// corner 7 - o.
std::vector<std::uint8_t> occupied_places(const Lattice& lattice) {
  std::vector<std::uint8_t> occupied(lattice.rest_positions.size(), 0);
  for (const auto& nodes : lattice.cell_nodes()) {
    for (int c = 0; c < 8; ++c) {
      occupied[nodes[c]] = static_cast<std::uint8_t>(occupied[nodes[c]] | 1 << (7 - c));
    }
  }
  return occupied;
}

/// By node. Coordinates are those of the larger box.
std::vector<Claim> find_claims(const Lattice& lattice) {
  const std::vector<std::uint8_t> occupied = occupied_places(lattice);
  std::vector<Claim> claims;
  for (std::size_t n = 0; n < occupied.size(); ++n) {
    if (occupied[n] == 255) continue;
    const auto node = static_cast<std::int32_t>(n);
    const Index3 at = node_coordinate(lattice, node);
    for (int o = 0; o < 8; ++o) {
      // Place o begins at at + o - (1, 1, 1), and the larger box one cell before the old one.
      if (!(occupied[n] >> o & 1)) claims.push_back({shifted(at, o), node, 7 - o});
    }
  }
  return claims;
}

/// The claims in the order of their places, those on the same place in the order of nodes.
std::vector<std::int32_t> sort_by_place(std::span<const Claim> claims) {
  std::vector<std::int32_t> order(claims.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
    const Index3 &a = claims[i].place, &b = claims[j].place;
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  });
  return order;
}

class Padder {
 public:
  explicit Padder(const Lattice& lattice) : old_(lattice), claims_(find_claims(lattice)) {}

  Lattice pad() {
    make_cells();
    tie_corners();
    return assemble();
  }

 private:
  /// One cell per place and set of claims that belong together.
  void make_cells() {
    const NodeCells cells_of(old_.cell_nodes(), old_.rest_positions.size());
    const auto share_a_cell = [&](std::int32_t m, std::int32_t n) {
      const auto of_m = cells_of[m], of_n = cells_of[n];
      return std::find_first_of(of_m.begin(), of_m.end(), of_n.begin(), of_n.end()) != of_m.end();
    };
    const std::vector<std::int32_t> order = sort_by_place(claims_);
    cell_of_claim_.resize(claims_.size());
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      const Index3 place = claims_[order[begin]].place;
      while (end < order.size() && claims_[order[end]].place == place) ++end;
      const auto here = std::span(order).subspan(begin, end - begin);
      geometry::DisjointSets sets(here.size());
      for (std::size_t i = 0; i < here.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (share_a_cell(claims_[here[i]].node, claims_[here[j]].node)) {
            sets.unite(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
          }
        }
      }
      for (std::size_t i = 0; i < here.size(); ++i) {
        const std::size_t first = sets.find(static_cast<std::int32_t>(i));
        if (first == i) {
          cell_of_claim_[here[i]] = static_cast<std::int32_t>(places_.size());
          places_.push_back(place);
        } else {
          cell_of_claim_[here[i]] = cell_of_claim_[here[first]];
        }
      }
    }
  }

  /// Names: the old nodes, then eight corners per new cell.
  std::int32_t corner_name(std::int32_t cell, int corner) const {
    return static_cast<std::int32_t>(old_.rest_positions.size()) + 8 * cell + corner;
  }
  /// Never makes one of two old nodes: that would tie parts together that are apart.
  void unite(std::int32_t a, std::int32_t b) {
    const auto old_count = static_cast<std::int32_t>(old_.rest_positions.size());
    if (names_.find(a) < old_count && names_.find(b) < old_count) return;
    names_.unite(a, b);
  }

  void tie_corners() {
    names_ = geometry::DisjointSets(old_.rest_positions.size() + 8 * places_.size());
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      unite(claims_[i].node, corner_name(cell_of_claim_[i], claims_[i].corner));
    }
    // New cells around the same old node are connected with each other.
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      for (std::size_t j = i; j-- > 0 && claims_[j].node == claims_[i].node;) {
        tie_cells(cell_of_claim_[i], cell_of_claim_[j]);
      }
    }
  }
  void tie_cells(std::int32_t a, std::int32_t b) {
    for (int c = 0; c < 8; ++c) {
      const int corner = common_corner(places_[a], c, places_[b]);
      if (corner >= 0) unite(corner_name(a, c), corner_name(b, corner));
    }
  }

  Lattice assemble() {
    Lattice lattice;
    lattice.spacing = old_.spacing;
    for (int a = 0; a < 3; ++a) {
      lattice.origin[a] = old_.origin[a] - old_.spacing;
      lattice.size[a] = old_.size[a] + 2;
    }
    std::vector<LooseCell> cells;
    old_.for_each_cell([&](std::size_t b, int lane) {
      LooseCell cell{.at = shifted(cell_coordinate(old_.blocks[b], lane), 7), .nodes = {}};
      for (int c = 0; c < 8; ++c) cell.nodes[c] = old_.blocks[b].nodes[block_node(lane, c)];
      cells.push_back(cell);
    });
    const std::size_t old_count = cells.size();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      LooseCell cell{.at = places_[i], .nodes = {}};
      for (int c = 0; c < 8; ++c) {
        cell.nodes[c] = names_.find(corner_name(static_cast<std::int32_t>(i), c));
      }
      cells.push_back(cell);
    }
    const std::size_t names = old_.rest_positions.size() + 8 * places_.size();
    const std::vector<std::int32_t> number = build_blocks(cells, names, lattice);

    lattice.labels.assign(cells.size(), CellLabel::Exterior);
    lattice.fractions.assign(cells.size(), 0);
    for (std::size_t i = 0; i < old_count; ++i) {
      lattice.labels[number[i]] = old_.labels[i];
      lattice.fractions[number[i]] = old_.fractions[i];
    }
    lattice.vertex_cells = old_.vertex_cells;
    for (std::int32_t& cell : lattice.vertex_cells) cell = number[cell];
    lattice.pieces = old_.pieces;
    for (SurfacePiece& piece : lattice.pieces) piece.cell = number[piece.cell];
    std::stable_sort(lattice.pieces.begin(), lattice.pieces.end(),
                     [](const SurfacePiece& a, const SurfacePiece& b) { return a.cell < b.cell; });
    lattice.cut_cells = old_.cut_cells;
    for (CutCell& cut : lattice.cut_cells) cut.cell = number[cut.cell];
    std::stable_sort(lattice.cut_cells.begin(), lattice.cut_cells.end(),
                     [](const CutCell& a, const CutCell& b) { return a.cell < b.cell; });
    lattice.dropped = old_.dropped;
    return lattice;
  }

  const Lattice& old_;
  std::vector<Claim> claims_;  ///< by node
  std::vector<std::int32_t> cell_of_claim_;
  std::vector<Index3> places_;  ///< of the new cells
  geometry::DisjointSets names_{0};
};

}  // namespace

Lattice padded(const Lattice& lattice) { return Padder(lattice).pad(); }

}  // namespace isochor::grid
