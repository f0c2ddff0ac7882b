#include "isochor/grid/surface_cells.h"

#include <algorithm>
#include <functional>

#include "isochor/geometry/overlap.h"

namespace isochor::grid {
namespace {

/// A cell and a touch in one number, which sorts by cell and then by triangle.
std::uint64_t pack(std::int64_t cell, const Touch& touch) {
  return static_cast<std::uint64_t>(cell) << 32 | touch.code();
}

/// Finds the cells of one triangle by halving a box of cells, so that a large triangle costs
/// about as much as it has cells.
class TriangleCells {
 public:
  TriangleCells(const CellBox& box, std::vector<std::uint64_t>& found) : box_(box), found_(found) {}

  void add(std::int32_t triangle, const geometry::TriangleCorners& corners) {
    triangle_ = triangle;
    corners_ = corners;
    const geometry::Bounds bounds = geometry::bounds_of(corners);
    const Vec3d low = (bounds.low - box_.origin) * (1 / box_.spacing);
    const Vec3d high = (bounds.high - box_.origin) * (1 / box_.spacing);
    Index3 from, to;
    bool well_inside = true;
    for (int a = 0; a < 3; ++a) {
      const double last = box_.size[a] - 1;
      from[a] = static_cast<std::int32_t>(std::clamp(std::floor(low[a] - 2 * kWall), 0.0, last));
      to[a] = static_cast<std::int32_t>(std::clamp(std::floor(high[a] + 2 * kWall), 0.0, last));
      well_inside = well_inside && from[a] == to[a] && low[a] > from[a] + 2 * kWall &&
                    high[a] < from[a] + 1 - 2 * kWall;
    }
    if (well_inside) {
      found_.push_back(pack(box_.cell(from), Touch(triangle, true)));
    } else {
      search(from, to);
    }
  }

 private:
  /// Cells are shrunk a little: a face that lies in a cell wall belongs to the cell on its inner
  /// side, which the winding number finds.
  bool overlaps(const Index3& from, const Index3& to, double slack) const {
    Vec3d half;
    for (int a = 0; a < 3; ++a) half[a] = 0.5 * box_.spacing * (to[a] - from[a] + 1 + slack);
    const Vec3d center = 0.5 * (box_.center(from) + box_.center(to));
    return geometry::triangle_overlaps_box(corners_, center, half);
  }

  void search(const Index3& from, const Index3& to) {
    if (!overlaps(from, to, kWall)) return;
    if (from == to) {
      found_.push_back(pack(box_.cell(from), Touch(triangle_, overlaps(from, to, -kWall))));
      return;
    }
    int longest = 0;
    for (int a = 1; a < 3; ++a) {
      if (to[a] - from[a] > to[longest] - from[longest]) longest = a;
    }
    Index3 left = to, right = from;
    left[longest] = (from[longest] + to[longest]) / 2;
    right[longest] = left[longest] + 1;
    search(from, left);
    search(right, to);
  }

  const CellBox& box_;
  std::vector<std::uint64_t>& found_;
  std::int32_t triangle_ = 0;
  geometry::TriangleCorners corners_;
};

/// All pairs of a cell and a triangle that touches it, sorted.
std::vector<std::uint64_t> find_pairs(const BodySurface& body, const CellBox& box,
                                      ThreadArena& arena) {
  constexpr std::size_t kGrain = 1024;
  const std::size_t count = body.triangles.size();
  std::vector<std::vector<std::uint64_t>> chunks((count + kGrain - 1) / kGrain);
  arena.for_chunks(count, kGrain, [&](std::size_t begin, std::size_t end) {
    TriangleCells cells(box, chunks[begin / kGrain]);
    for (std::size_t t = begin; t < end; ++t) {
      cells.add(static_cast<std::int32_t>(t), body.corners(static_cast<std::int32_t>(t)));
    }
  });
  // Into layers of cells first; the layers are sorted side by side.
  const std::int64_t layer_size = std::int64_t{box.size[0]} * box.size[1];
  const auto layer = [&](std::uint64_t pair) { return (pair >> 32) / layer_size; };
  std::vector<std::size_t> starts(box.size[2] + 1, 0);
  for (const auto& chunk : chunks) {
    for (const std::uint64_t pair : chunk) ++starts[layer(pair)];
  }
  std::inclusive_scan(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint64_t> pairs(starts.back());
  for (auto& chunk : chunks) {
    for (const std::uint64_t pair : chunk) pairs[--starts[layer(pair)]] = pair;
    std::vector<std::uint64_t>().swap(chunk);
  }
  parallel_for(arena, starts.size() - 1, 1, [&](std::size_t k) {
    std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(starts[k]),
              pairs.begin() + static_cast<std::ptrdiff_t>(starts[k + 1]));
  });
  return pairs;
}

/// Neighbouring cells of one row that no triangle touches.
struct Run {
  std::int64_t begin, end;  ///< cells
};

/// The runs of a box, and which of them are connected.
class FreeRegions {
 public:
  FreeRegions(const CellBox& box, const SurfaceCells& touched)
      : row_starts_{0}, row_length_(box.size[0]) {
    for (std::int64_t row = 0; row < box.row_count(); ++row) {
      std::int64_t next = row * box.size[0];
      const auto add_until = [&](std::int64_t end) {
        if (end > next) runs_.push_back({next, end});
        next = end + 1;
      };
      const auto [first, last] = touched.row(row);
      for (std::size_t r = first; r < last; ++r) add_until(touched.cell(r));
      add_until((row + 1) * box.size[0]);
      row_starts_.push_back(runs_.size());
    }
  }

  std::span<const Run> runs() const { return runs_; }

  /// Per run the first run of its region.
  std::vector<std::int32_t> connect(const CellBox& box) const {
    geometry::DisjointSets sets(runs_.size());
    for (std::int64_t row = 0; row < box.row_count(); ++row) {
      if (row % box.size[1] > 0) unite_rows(row - 1, row, sets);
      if (row >= box.size[1]) unite_rows(row - box.size[1], row, sets);
    }
    std::vector<std::int32_t> region(runs_.size());
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      region[r] = sets.find(static_cast<std::int32_t>(r));
    }
    return region;
  }

 private:
  void unite_rows(std::int64_t a, std::int64_t b, geometry::DisjointSets& sets) const {
    std::size_t i = row_starts_[a], j = row_starts_[b];
    const std::int64_t shift = (b - a) * row_length_;
    while (i < row_starts_[a + 1] && j < row_starts_[b + 1]) {
      const Run s{runs_[i].begin + shift, runs_[i].end + shift}, t = runs_[j];
      if (s.begin < t.end && t.begin < s.end) {
        sets.unite(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
      }
      if (s.end < t.end) {
        ++i;
      } else {
        ++j;
      }
    }
  }

  std::vector<Run> runs_;
  std::vector<std::size_t> row_starts_;
  std::int64_t row_length_;
};

}  // namespace

SurfaceCells::SurfaceCells(const BodySurface& body, const CellBox& box, ThreadArena& arena)
    : row_length_(box.size[0]), row_starts_(box.row_count() + 1, 0) {
  const std::vector<std::uint64_t> pairs = find_pairs(body, box, arena);
  touches_.reserve(pairs.size());
  for (const std::uint64_t pair : pairs) {
    const auto cell = static_cast<std::int64_t>(pair >> 32);
    if (cells_.empty() || cells_.back() != cell) {
      cells_.push_back(cell);
      starts_.push_back(touches_.size());
      ++row_starts_[cell / row_length_ + 1];
    }
    touches_.emplace_back(static_cast<std::uint32_t>(pair));
  }
  starts_.push_back(touches_.size());
  std::inclusive_scan(row_starts_.begin(), row_starts_.end(), row_starts_.begin());
}

std::int64_t SurfaceCells::find(std::int64_t cell) const {
  const auto [first, last] = row(cell / row_length_);
  const auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = cells_.begin() + static_cast<std::ptrdiff_t>(last);
  const auto found = std::lower_bound(begin, end, cell);
  return found != end && *found == cell ? found - cells_.begin() : -1;
}

std::vector<CellState> classify_cells(const BodySurface& body, const CellBox& box,
                                      const SurfaceCells& touched, ThreadArena& arena) {
  std::vector<CellState> states(box.cell_count(), CellState::Outside);
  const auto ask = [&](std::int64_t cell) {
    return body.is_inside(box.center(box.at(cell))) ? CellState::Inside : CellState::Outside;
  };
  parallel_for(arena, touched.size(), 64, [&](std::size_t record) {
    const auto touches = touched.touches(record);
    const bool cut = std::any_of(touches.begin(), touches.end(), std::mem_fn(&Touch::enters));
    const std::int64_t cell = touched.cell(record);
    states[cell] = cut ? CellState::Cut : ask(cell);
  });

  const FreeRegions regions(box, touched);
  const std::span<const Run> runs = regions.runs();
  if (!body.closed) {
    // Inside and outside may be one region, connected through a hole.
    parallel_for(arena, runs.size(), 16, [&](std::size_t r) {
      for (std::int64_t cell = runs[r].begin; cell < runs[r].end; ++cell) states[cell] = ask(cell);
    });
    return states;
  }
  const std::vector<std::int32_t> region = regions.connect(box);
  std::vector<CellState> answers(runs.size());
  parallel_for(arena, runs.size(), 256, [&](std::size_t r) {
    if (region[r] == static_cast<std::int32_t>(r)) answers[r] = ask(runs[r].begin);
  });
  parallel_for(arena, runs.size(), 256, [&](std::size_t r) {
    std::fill(states.begin() + runs[r].begin, states.begin() + runs[r].end, answers[region[r]]);
  });
  return states;
}

}  // namespace isochor::grid
