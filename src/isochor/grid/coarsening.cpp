#include "isochor/grid/coarsening.h"

#include <algorithm>

#include "isochor/geometry/connectivity.h"
#include "isochor/grid/block_builder.h"
#include "isochor/grid/cell_box.h"

namespace isochor::grid {
namespace {

class Coarsener {
 public:
  explicit Coarsener(const Lattice& fine) : fine_(fine), cell_nodes_(fine.cell_nodes()) {}

  Coarsening coarsen() {
    make_parents();
    tie_parents();
    return assemble();
  }

 private:
  /// The children of a coarse cell all lie in fine blocks with its coordinate.
  void make_parents() {
    parent_.resize(cell_nodes_.size());
    lane_.reserve(cell_nodes_.size());
    std::size_t begin = 0;
    for (std::size_t b = 0; b < fine_.blocks.size(); ++b) {
      for (int lane = 0; lane < 8; ++lane) {
        if (fine_.blocks[b].has(lane)) lane_.push_back(lane);
      }
      const bool last = b + 1 == fine_.blocks.size() ||
                        fine_.blocks[b + 1].coordinate != fine_.blocks[b].coordinate;
      if (!last) continue;
      group(begin, lane_.size(), fine_.blocks[b].coordinate);
      begin = lane_.size();
    }
  }
  void group(std::size_t begin, std::size_t end, const Index3& place) {
    geometry::DisjointSets sets(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = begin; j < i; ++j) {
        if (are_connected(i, j)) {
          sets.unite(static_cast<std::int32_t>(i - begin), static_cast<std::int32_t>(j - begin));
        }
      }
    }
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t first = begin + sets.find(static_cast<std::int32_t>(i - begin));
      if (first == i) {
        parent_[i] = static_cast<std::int32_t>(places_.size());
        places_.push_back(place);
      } else {
        parent_[i] = parent_[first];
      }
    }
  }
  /// Whether two children have the same nodes wherever their corners meet. One node in common is
  /// not enough: two fingers have those at the top of the palm.
  bool are_connected(std::size_t i, std::size_t j) const {
    const Index3 at_i = shifted({0, 0, 0}, lane_[i]), at_j = shifted({0, 0, 0}, lane_[j]);
    for (int c = 0; c < 8; ++c) {
      const int corner = common_corner(at_i, c, at_j);
      if (corner >= 0 && cell_nodes_[i][c] != cell_nodes_[j][corner]) return false;
    }
    return true;
  }

  /// A fine node that children of two coarse cells share must be interpolated from the same nodes
  /// in both.
  void tie_parents() {
    names_ = geometry::DisjointSets(8 * places_.size());
    struct Link {
      std::int32_t parent, next;
    };
    std::vector<Link> links;
    std::vector<std::int32_t> heads(fine_.rest_positions.size(), -1);
    for (std::size_t i = 0; i < cell_nodes_.size(); ++i) {
      for (int c = 0; c < 8; ++c) {
        std::int32_t& head = heads[cell_nodes_[i][c]];
        bool known = false;
        for (std::int32_t l = head; l >= 0; l = links[l].next) {
          known = known || links[l].parent == parent_[i];
        }
        if (known) continue;
        // In half coarse cells from the corner of the parent: 0, 1 or 2 along each axis.
        const Index3 at = shifted(shifted({0, 0, 0}, lane_[i]), c);
        for (std::int32_t l = head; l >= 0; l = links[l].next) tie(parent_[i], at, links[l].parent);
        links.push_back({parent_[i], head});
        head = static_cast<std::int32_t>(links.size()) - 1;
      }
    }
  }
  /// Ties the corners of `a` from which the point at `at` within it is interpolated to those of
  /// `b` in the same places.
  void tie(std::int32_t a, const Index3& at, std::int32_t b) {
    for (int c = 0; c < 8; ++c) {
      bool used = true;
      for (int axis = 0; axis < 3; ++axis) {
        used = used && (at[axis] == 1 || at[axis] == 2 * (c >> axis & 1));
      }
      const int corner = used ? common_corner(places_[a], c, places_[b]) : -1;
      if (corner >= 0) names_.unite(8 * a + c, 8 * b + corner);
    }
  }

  /// Parents that share all corners are one.
  std::vector<LooseCell> name_corners() {
    std::vector<LooseCell> cells;
    std::vector<std::int32_t> kept(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      LooseCell cell{.at = places_[i], .nodes = {}};
      for (int c = 0; c < 8; ++c) {
        cell.nodes[c] = names_.find(static_cast<std::int32_t>(8 * i + c));
      }
      std::size_t same = cells.size();
      while (same > 0 && cells[same - 1].at == cell.at && cells[same - 1].nodes != cell.nodes)
        --same;
      const bool known = same > 0 && cells[same - 1].at == cell.at;
      if (!known) cells.push_back(cell);
      kept[i] = static_cast<std::int32_t>(known ? same - 1 : cells.size() - 1);
    }
    for (std::int32_t& p : parent_) p = kept[p];
    return cells;
  }

  Coarsening assemble() {
    Coarsening result;
    Lattice& coarse = result.coarse;
    coarse.origin = fine_.origin;
    coarse.spacing = 2 * fine_.spacing;
    for (int a = 0; a < 3; ++a) coarse.size[a] = (fine_.size[a] + 1) / 2;
    const std::vector<LooseCell> cells = name_corners();
    std::vector<std::int32_t> node_of_name;
    const std::vector<std::int32_t> number =
        build_blocks(cells, 8 * places_.size(), coarse, &node_of_name);

    // The corner of a child that is one of its parent's has the number of the child's lane.
    result.fine_node.assign(coarse.rest_positions.size(), kNoNode);
    std::vector<int> interior(cells.size(), 0), material(cells.size(), 0);
    coarse.fractions.assign(cells.size(), 0);
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      const std::int32_t p = parent_[i];
      result.fine_node[node_of_name[cells[p].nodes[lane_[i]]]] = cell_nodes_[i][lane_[i]];
      interior[p] += fine_.labels[i] == CellLabel::Interior;
      material[p] += fine_.labels[i] != CellLabel::Exterior;
      coarse.fractions[number[p]] += fine_.fractions[i] / 8;
    }
    coarse.labels.resize(cells.size());
    for (std::size_t p = 0; p < cells.size(); ++p) {
      coarse.labels[number[p]] = interior[p] == 8   ? CellLabel::Interior
                                 : material[p] == 0 ? CellLabel::Exterior
                                                    : CellLabel::Boundary;
    }
    result.parent = std::move(parent_);
    for (std::int32_t& p : result.parent) p = number[p];
    for (const std::int32_t cell : fine_.vertex_cells) {
      coarse.vertex_cells.push_back(result.parent[cell]);
    }
    return result;
  }

  const Lattice& fine_;
  std::vector<std::array<std::int32_t, 8>> cell_nodes_;
  std::vector<int> lane_;             ///< per fine cell
  std::vector<std::int32_t> parent_;  ///< per fine cell
  std::vector<Index3> places_;        ///< per parent
  geometry::DisjointSets names_{0};   ///< eight corners per parent
};

}  // namespace

Coarsening coarsen(const Lattice& fine) { return Coarsener(fine).coarsen(); }

}  // namespace isochor::grid
