#include "isochor/grid/lattice.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <optional>

#include "isochor/base/error.h"
#include "isochor/geometry/mesh_report.h"
#include "isochor/grid/anchored_lattice.h"
#include "isochor/grid/block_builder.h"
#include "isochor/grid/embedding.h"
#include "isochor/grid/padding.h"
#include "isochor/grid/point_placer.h"
#include "isochor/grid/sliver_cells.h"
#include "isochor/grid/split_points.h"

namespace isochor::grid {
namespace {

void check_options(const LatticeOptions& options, const std::string& place) {
  if (options.subdivision < 1 || options.subdivision > 16) {
    throw Error(Fault::Input, place,
                fmt::format("subdivision {} of cells is not possible", options.subdivision),
                "use a number from 1 to 16");
  }
  if (options.padding < 0) {
    throw Error(Fault::Input, place, fmt::format("{} layers of padding", options.padding),
                "use 0 or more");
  }
  if (!(options.least_fraction >= 0 && options.least_fraction < 1)) {
    throw Error(
        Fault::Input, place,
        fmt::format("cells filled by less than {} cannot be left out", options.least_fraction),
        "use a fraction from 0 to below 1");
  }
}

void check_thickness(const BodySurface& body, const geometry::Bounds& bounds,
                     const std::string& place) {
  const double volume = geometry::enclosed_volume(body.positions, body.triangles);
  if (!geometry::is_flat(volume, bounds)) return;
  const Vec3d extent = bounds.size();
  throw Error(Fault::Input, place,
              fmt::format("the surface has no thickness: it encloses {:.3g} m^3 in a box of "
                          "{:.3g} x {:.3g} x {:.3g} m",
                          std::abs(volume), extent[0], extent[1], extent[2]),
              "give a closed surface with volume inside");
}

/// A box of whole cells around the surface, the surplus shared by both sides or as the anchor, a
/// corner of a cell, asks for.
CellBox box_around(const geometry::Bounds& bounds, double spacing,
                   const std::optional<Vec3d>& anchor, const std::string& place) {
  // The box is dense while the lattice is built: five bytes per cell.
  constexpr double kMostCells = 4e8;
  // A mesh rounded to single precision still fills whole cells.
  constexpr double kSlack = 1e-6;
  CellBox box{.origin = {}, .spacing = spacing, .size = {}};
  double cells = 1;
  for (int a = 0; a < 3; ++a) {
    const double exact = bounds.size()[a] / spacing;
    // How far the surface begins behind the wall of a cell, in cells.
    const double from_anchor = anchor ? (bounds.low[a] - (*anchor)[a]) / spacing : 0;
    const double behind = from_anchor - std::floor(from_anchor + kSlack);
    const double count = std::max(1.0, std::ceil(behind + exact - kSlack));
    cells *= count;
    if (!(cells <= kMostCells)) {
      throw Error(Fault::Input, place,
                  fmt::format("cells of {} m in a body of {:.3g} x {:.3g} x {:.3g} m are too many",
                              spacing, bounds.size()[0], bounds.size()[1], bounds.size()[2]),
                  "use a larger cell_size; check the unit of the mesh");
    }
    box.size[a] = static_cast<std::int32_t>(count);
    box.origin[a] = bounds.low[a] - (anchor ? behind : 0.5 * (count - exact)) * spacing;
  }
  return box;
}

/// Makes the lattice of what is known of each cell.
class Assembler {
 public:
  Assembler(const BodySurface& body, const CellBox& box, const LatticeOptions& options,
            ThreadArena& arena)
      : body_(body),
        box_(box),
        options_(options),
        touched_(body, box, arena),
        states_(classify_cells(body, box, touched_, arena)),
        pieces_(cut_cells(body, box, touched_, states_, options.subdivision, options.separate,
                          arena)) {}

  Lattice assemble(ThreadArena& arena) {
    Lattice lattice;
    lattice.origin = box_.origin;
    lattice.spacing = box_.spacing;
    lattice.size = box_.size;
    collect_cells(arena);
    if (options_.least_fraction > 0) drop_slivers(lattice);
    const std::vector<std::int32_t> number = build_blocks(cells_, name_count_, lattice);
    std::vector<LooseCell>().swap(cells_);
    for (std::int32_t& cell : cell_of_piece_) cell = number[cell];
    fill_fields(number.size(), lattice);
    if (options_.quadrature) place_points(lattice, arena);
    return lattice;
  }

 private:
  /// Calls f(cell, record or -1, piece) for each cell of the body, block by block.
  template <class F>
  void for_each_piece(F&& f) const {
    const Index3& n = box_.size;
    for (std::int32_t k = 0; k < n[2]; k += 2) {
      for (std::int32_t j = 0; j < n[1]; j += 2) {
        for (std::int32_t i = 0; i < n[0]; i += 2) {
          for (int lane = 0; lane < 8; ++lane) {
            const Index3 at = shifted({i, j, k}, lane);
            if (!box_.holds(at) || states_[box_.cell(at)] == CellState::Outside) continue;
            const std::int64_t record = touched_.find(box_.cell(at));
            const int count = record < 0 ? 1 : pieces_.count(record);
            for (int piece = 0; piece < count; ++piece) f(at, record, piece);
          }
        }
      }
    }
  }

  void collect_cells(ThreadArena& arena) {
    const bool separate = options_.separate;
    std::optional<SplitPoints> splits;
    if (separate) splits.emplace(body_, box_, touched_, states_, pieces_, arena);
    name_count_ = separate ? splits->name_count() : static_cast<std::size_t>(box_.point_count());
    cell_of_piece_.resize(pieces_.measures.size());
    is_dropped_.assign(pieces_.measures.size(), false);
    std::size_t first = 0;  // of those in the same place
    for_each_piece([&](const Index3& at, std::int64_t record, int piece) {
      LooseCell cell{.at = at, .nodes = {}};
      for (int c = 0; c < 8; ++c) {
        cell.nodes[c] = separate ? splits->node_name(at, piece, c)
                                 : static_cast<std::int32_t>(box_.point(shifted(at, c)));
      }
      if (piece == 0) first = cells_.size();
      // Pieces that share all nodes cannot move apart: they are one cell.
      std::size_t same = first;
      while (same < cells_.size() && cells_[same].nodes != cell.nodes) ++same;
      if (same == cells_.size()) cells_.push_back(cell);
      if (record >= 0) {
        cell_of_piece_[pieces_.starts[record] + piece] = static_cast<std::int32_t>(same);
      }
    });
  }

  /// Takes cells with next to nothing in them out of cells_; their pieces go to neighbours.
  void drop_slivers(Lattice& lattice) {
    std::vector<double> fractions(cells_.size(), 1);
    for (const std::int32_t cell : cell_of_piece_) fractions[cell] = 0;
    for (std::size_t p = 0; p < cell_of_piece_.size(); ++p) {
      fractions[cell_of_piece_[p]] += pieces_.measures[p].moments.volume;
    }
    const std::vector<std::int32_t> stand_in =
        find_stand_ins(cells_, fractions, options_.least_fraction, name_count_);
    const double cell_volume = box_.spacing * box_.spacing * box_.spacing;
    std::vector<std::int32_t> moved_to(cells_.size());
    std::size_t kept = 0;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (stand_in[c] == static_cast<std::int32_t>(c)) {
        moved_to[c] = static_cast<std::int32_t>(kept);
        cells_[kept++] = cells_[c];
      } else {
        ++lattice.dropped.count;
        lattice.dropped.volume += fractions[c] * cell_volume;
      }
    }
    cells_.resize(kept);
    for (std::size_t p = 0; p < cell_of_piece_.size(); ++p) {
      const std::int32_t cell = cell_of_piece_[p];
      is_dropped_[p] = stand_in[cell] != cell;
      cell_of_piece_[p] = moved_to[stand_in[cell]];
    }
  }

  void fill_fields(std::size_t cell_count, Lattice& lattice) {
    lattice.labels.assign(cell_count, CellLabel::Interior);
    lattice.fractions.assign(cell_count, 1);
    for (std::size_t p = 0; p < cell_of_piece_.size(); ++p) {
      if (!is_dropped_[p]) lattice.fractions[cell_of_piece_[p]] = 0;
    }
    lattice.vertex_cells.assign(body_.positions.size(), -1);
    for (std::size_t record = 0; record < touched_.size(); ++record) {
      const bool cut = states_[touched_.cell(record)] == CellState::Cut;
      for (std::size_t p = pieces_.starts[record]; p < pieces_.starts[record + 1]; ++p) {
        if (is_dropped_[p]) continue;
        if (cut) lattice.labels[cell_of_piece_[p]] = CellLabel::Boundary;
        float& fraction = lattice.fractions[cell_of_piece_[p]];
        fraction = std::min(1.0f, fraction + pieces_.measures[p].fraction());
      }
      add_surface(record, lattice);
    }
    std::stable_sort(lattice.pieces.begin(), lattice.pieces.end(),
                     [](const SurfacePiece& a, const SurfacePiece& b) { return a.cell < b.cell; });
    find_homes(lattice);
  }

  /// Ties the vertices in a cell to it, and notes the pieces of surface where they matter. Of the
  /// cells on both sides of a wall a vertex takes the upper one, if that holds its surface too.
  void add_surface(std::size_t record, Lattice& lattice) const {
    const auto touches = touched_.touches(record);
    const Index3 at = box_.at(touched_.cell(record));
    for (std::size_t i = 0; i < touches.size(); ++i) {
      const std::uint8_t piece = pieces_.of_touch[touched_.first_touch(record) + i];
      if (piece == kNoPiece) continue;
      const std::size_t p = pieces_.starts[record] + piece;
      const std::int32_t cell = cell_of_piece_[p];
      for (const std::int32_t v : body_.triangles[touches[i].triangle()]) {
        std::int32_t& home = lattice.vertex_cells[v];
        const bool is_here = box_.place_of(body_.positions[v]) == at;
        if (is_here || (home < 0 && box_.touches(at, body_.positions[v]))) home = cell;
      }
      if (pieces_.count(record) > 1 && touches[i].enters() && !is_dropped_[p]) {
        lattice.pieces.push_back({body_.corners(touches[i].triangle()), cell});
      }
    }
  }

  /// Vertices of sheets, and those that no face uses, ride on the nearest cell.
  void find_homes(Lattice& lattice) const {
    std::vector<std::size_t> homeless;
    std::vector<Vec3d> points;
    for (std::size_t v = 0; v < lattice.vertex_cells.size(); ++v) {
      if (lattice.vertex_cells[v] >= 0) continue;
      homeless.push_back(v);
      points.push_back(body_.positions[v]);
    }
    const std::vector<std::int32_t> cells = find_cells(lattice, points);
    for (std::size_t i = 0; i < homeless.size(); ++i) {
      lattice.vertex_cells[homeless[i]] = cells[i];
    }
  }

  /// The material of each cell at the surface as four points.
  void place_points(Lattice& lattice, ThreadArena& arena) const {
    struct Part {
      std::int32_t cell;
      std::size_t record, piece;
    };
    std::vector<Part> parts;
    for (std::size_t record = 0; record < touched_.size(); ++record) {
      if (states_[touched_.cell(record)] != CellState::Cut) continue;
      for (std::size_t p = pieces_.starts[record]; p < pieces_.starts[record + 1]; ++p) {
        if (!is_dropped_[p]) parts.push_back({cell_of_piece_[p], record, p});
      }
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.cell < b.cell; });
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i == 0 || parts[i].cell != parts[i - 1].cell) starts.push_back(i);
    }
    starts.push_back(parts.size());
    lattice.cut_cells.resize(starts.size() - 1);
    arena.for_chunks(lattice.cut_cells.size(), 64, [&](std::size_t begin, std::size_t end) {
      PointPlacer placer(body_, box_);
      for (std::size_t c = begin; c < end; ++c) {
        const Part& first = parts[starts[c]];
        PieceMeasure sum = pieces_.measures[first.piece];
        for (std::size_t i = starts[c] + 1; i < starts[c + 1]; ++i) {
          const PieceMeasure& more = pieces_.measures[parts[i].piece];
          sum.moments += more.moments;
          sum.source = std::max(sum.source, more.source);
        }
        lattice.cut_cells[c] =
            placer.place(first.cell, box_.at(touched_.cell(first.record)),
                         touched_.touches(first.record), sum.moments, sum.source);
      }
    });
  }

  const BodySurface& body_;
  const CellBox& box_;
  const LatticeOptions& options_;
  SurfaceCells touched_;
  std::vector<CellState> states_;
  CellPieces pieces_;
  std::vector<LooseCell> cells_;
  std::vector<std::int32_t> cell_of_piece_;  ///< in cells_, later in the lattice
  std::vector<bool> is_dropped_;  ///< per piece: its cell was left out, another stands in
  std::size_t name_count_ = 0;
};

Lattice build(const geometry::SurfaceMesh& surface, const std::optional<Vec3d>& anchor,
              const LatticeOptions& options, const std::string& place, ThreadArena& arena) {
  check_options(options, place);
  const BodySurface body(surface, options.spacing, arena);
  const geometry::Bounds bounds = body.bounds();
  check_thickness(body, bounds, place);
  const CellBox box = box_around(bounds, options.spacing, anchor, place);
  Lattice lattice = Assembler(body, box, options, arena).assemble(arena);
  if (lattice.blocks.empty()) {
    throw Error(Fault::Input, place, "the surface encloses nothing: it is made of open sheets",
                "give a closed surface with volume inside");
  }
  for (int layer = 0; layer < options.padding; ++layer) lattice = padded(lattice);
  return lattice;
}

}  // namespace

Lattice build_lattice(const geometry::SurfaceMesh& surface, const LatticeOptions& options,
                      const std::string& place, ThreadArena& arena) {
  return build(surface, std::nullopt, options, place, arena);
}

Lattice build_anchored_lattice(const geometry::SurfaceMesh& surface, const Vec3d& anchor,
                               const LatticeOptions& options, const std::string& place,
                               ThreadArena& arena) {
  return build(surface, anchor, options, place, arena);
}

std::size_t Lattice::memory() const {
  const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return bytes(blocks) + bytes(rest_positions) + bytes(labels) + bytes(fractions) +
         bytes(vertex_cells) + bytes(pieces) + bytes(cut_cells);
}

std::vector<std::array<std::int32_t, 8>> Lattice::cell_nodes() const {
  std::vector<std::array<std::int32_t, 8>> cells;
  cells.reserve(cell_count());
  for_each_cell([&](std::size_t b, int lane) {
    std::array<std::int32_t, 8>& nodes = cells.emplace_back();
    for (int c = 0; c < 8; ++c) nodes[c] = blocks[b].nodes[block_node(lane, c)];
  });
  return cells;
}

Parts find_parts(const Lattice& lattice) {
  geometry::DisjointSets sets(lattice.rest_positions.size());
  for (const Block& block : lattice.blocks) {
    // All cells of a block share its middle node.
    for (const std::int32_t n : block.nodes) {
      if (n != kNoNode) sets.unite(block.nodes[13], n);
    }
  }
  Parts parts{.count = 0, .of_node = std::vector<std::int32_t>(lattice.rest_positions.size())};
  for (std::size_t n = 0; n < parts.of_node.size(); ++n) {
    const std::int32_t first = sets.find(static_cast<std::int32_t>(n));
    const bool fresh = first == static_cast<std::int32_t>(n);
    parts.of_node[n] = fresh ? parts.count++ : parts.of_node[first];
  }
  return parts;
}

}  // namespace isochor::grid
