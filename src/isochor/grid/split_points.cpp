#include "isochor/grid/split_points.h"

#include <algorithm>

namespace isochor::grid {
namespace {

/// Per set of cells around a point, one bit each: whether they hang together by their faces.
constexpr std::array<bool, 256> make_connected_table() {
  std::array<bool, 256> table{};
  for (int mask = 1; mask < 256; ++mask) {
    int reached = mask & -mask;
    for (int round = 0; round < 8; ++round) {
      for (int o = 0; o < 8; ++o) {
        if (!(reached >> o & 1)) continue;
        for (int axis = 0; axis < 3; ++axis) reached |= (1 << (o ^ 1 << axis)) & mask;
      }
    }
    table[mask] = reached == mask;
  }
  return table;
}
constexpr std::array<bool, 256> kConnected = make_connected_table();

}  // namespace

/// Looks at one point after another.
class SplitPoints::Joiner {
 public:
  Joiner(const BodySurface& body, const CellBox& box, const SurfaceCells& touched,
         std::span<const CellState> states, const CellPieces& pieces, Chunk& chunk)
      : body_(body),
        box_(box),
        touched_(touched),
        states_(states),
        pieces_(pieces),
        chunk_(chunk) {}

  void look_at(const Index3& point) {
    bool cut = false;
    int mask = 0;
    for (int o = 0; o < 8; ++o) {
      const Index3 at = shifted({point[0] - 1, point[1] - 1, point[2] - 1}, o);
      cells_[o] = box_.holds(at) ? box_.cell(at) : -1;
      const CellState state = cells_[o] < 0 ? CellState::Outside : states_[cells_[o]];
      cut = cut || state == CellState::Cut;
      mask |= (state != CellState::Outside) << o;
    }
    // Cells inside the body are connected with each other by their faces.
    if (mask == 0 || (!cut && kConnected[mask])) return;
    gather();
    if (set_count_ > 1) join_by_faces();
    if (set_count_ > 1) join_by_triangles();
    if (set_count_ > 1) join_slivers(point);
    if (set_count_ > 1) keep(point);
  }

 private:
  struct Around {
    std::int64_t record;  ///< or -1: a cell inside that no triangle touches
    int first, count;     ///< pieces, among all around the point
  };

  void gather() {
    int total = 0;
    for (int o = 0; o < 8; ++o) {
      Around& around = around_[o];
      around = {-1, total, 0};
      if (cells_[o] < 0 || states_[cells_[o]] == CellState::Outside) continue;
      around.record = touched_.find(cells_[o]);
      around.count = around.record < 0 ? 1 : pieces_.count(around.record);
      total += around.count;
    }
    parent_.resize(total);
    for (int i = 0; i < total; ++i) parent_[i] = i;
    set_count_ = total;
  }

  int find(int i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }
  void unite(int i, int j) {
    i = find(i);
    j = find(j);
    if (i == j) return;
    parent_[std::max(i, j)] = std::min(i, j);
    --set_count_;
  }

  void join_by_faces() {
    for (int axis = 0; axis < 3; ++axis) {
      for (int o = 0; o < 8; ++o) {
        if (o >> axis & 1) continue;
        const Around &low = around_[o], &high = around_[o | 1 << axis];
        if (low.count == 0 || high.count == 0) continue;
        for (std::size_t line = 0; line < pieces_.lines; ++line) {
          const int a = piece_at(low, 2 * axis + 1, line), b = piece_at(high, 2 * axis, line);
          if (a != kNoPiece && b != kNoPiece) unite(low.first + a, high.first + b);
        }
      }
    }
  }
  int piece_at(const Around& around, int face, std::size_t line) const {
    return around.record < 0 ? 0 : pieces_.at_face(around.record, face)[line];
  }

  void join_by_triangles() {
    for (int o = 0; o < 8; ++o) {
      for (int p = 0; p < o; ++p) {
        if (around_[o].record >= 0 && around_[p].record >= 0) join_by_triangles(o, p);
      }
    }
  }
  void join_by_triangles(int o, int p) {
    const std::size_t r = around_[o].record, s = around_[p].record;
    const auto in_r = touched_.touches(r), in_s = touched_.touches(s);
    for (std::size_t i = 0, j = 0; i < in_r.size() && j < in_s.size();) {
      if (in_r[i].triangle() != in_s[j].triangle()) {
        ++(in_r[i].triangle() < in_s[j].triangle() ? i : j);
        continue;
      }
      const int a = pieces_.of_touch[touched_.first_touch(r) + i];
      const int b = pieces_.of_touch[touched_.first_touch(s) + j];
      if (a != kNoPiece && b != kNoPiece) unite(around_[o].first + a, around_[p].first + b);
      ++i;
      ++j;
    }
  }

  /// Slivers in neighbouring cells, with what they are connected with just around the two.
  void join_slivers(const Index3& point) {
    for (int axis = 0; axis < 3; ++axis) {
      for (int o = 0; o < 8; ++o) {
        const int p = o | 1 << axis;
        if (p == o || around_[o].record < 0 || around_[p].record < 0) continue;
        if (has_sliver(around_[o]) || has_sliver(around_[p])) join_slivers(point, o, p);
      }
    }
  }
  bool has_sliver(const Around& around) const {
    for (int i = 0; i < around.count; ++i) {
      if (is_sliver(fraction(around, i))) return true;
    }
    return false;
  }
  float fraction(const Around& around, int piece) const {
    return pieces_.measures[pieces_.starts[around.record] + piece].fraction();
  }
  void join_slivers(const Index3& point, int o, int p) {
    std::vector<NamedTriangle> named;
    std::array<std::uint8_t, 255> sliver{};
    for (const int cell : {o, p}) {
      const Around& around = around_[cell];
      for (int i = 0; i < around.count; ++i)
        sliver[around.first + i] = is_sliver(fraction(around, i));
      const auto touches = touched_.touches(around.record);
      for (std::size_t i = 0; i < touches.size(); ++i) {
        const int piece = pieces_.of_touch[touched_.first_touch(around.record) + i];
        if (piece != kNoPiece) named.push_back({touches[i].triangle(), around.first + piece});
      }
    }
    const Index3 low{point[0] - 1, point[1] - 1, point[2] - 1};
    const geometry::Bounds box = box_.widened(shifted(low, o), shifted(low, p), kSliverReach);
    find_connections(body_, box, named, [&](int a, int b) {
      if (sliver[a] || sliver[b]) unite(a, b);
    });
  }

  void keep(const Index3& point) {
    Split split{.point = box_.point(point), .starts = {}, .set_count = set_count_};
    std::vector<int> names;
    for (int o = 0; o < 8; ++o) {
      split.starts[o] = static_cast<std::int32_t>(chunk_.sets.size());
      for (int i = around_[o].first; i < around_[o].first + around_[o].count; ++i) {
        const auto known = std::find(names.begin(), names.end(), find(i));
        chunk_.sets.push_back(static_cast<std::uint8_t>(known - names.begin()));
        if (known == names.end()) names.push_back(find(i));
      }
    }
    chunk_.splits.push_back(split);
  }

  const BodySurface& body_;
  const CellBox& box_;
  const SurfaceCells& touched_;
  std::span<const CellState> states_;
  const CellPieces& pieces_;
  Chunk& chunk_;
  std::array<std::int64_t, 8> cells_;
  std::array<Around, 8> around_;
  std::vector<int> parent_;
  int set_count_ = 0;
};

SplitPoints::SplitPoints(const BodySurface& body, const CellBox& box, const SurfaceCells& touched,
                         std::span<const CellState> states, const CellPieces& pieces,
                         ThreadArena& arena)
    : box_(box), is_split_(box.point_count(), false) {
  std::vector<Chunk> layers(box.size[2] + 1);
  parallel_for(arena, layers.size(), 1, [&](std::size_t k) {
    Joiner joiner(body, box, touched, states, pieces, layers[k]);
    for (int j = 0; j <= box.size[1]; ++j) {
      for (int i = 0; i <= box.size[0]; ++i) joiner.look_at({i, j, static_cast<std::int32_t>(k)});
    }
  });
  auto next_name = static_cast<std::int32_t>(box.point_count());
  for (const Chunk& layer : layers) {
    for (Split split : layer.splits) {
      for (std::int32_t& start : split.starts) start += static_cast<std::int32_t>(sets_.size());
      split.first_name = next_name;
      next_name += split.set_count - 1;
      is_split_[split.point] = true;
      splits_.push_back(split);
    }
    sets_.insert(sets_.end(), layer.sets.begin(), layer.sets.end());
  }
  name_count_ = next_name;
}

std::int32_t SplitPoints::node_name(const Index3& cell, int piece, int corner) const {
  const std::int64_t point = box_.point(shifted(cell, corner));
  if (!is_split_[point]) return static_cast<std::int32_t>(point);
  const auto split = std::lower_bound(splits_.begin(), splits_.end(), point,
                                      [](const Split& s, std::int64_t p) { return s.point < p; });
  const int set = sets_[split->starts[7 - corner] + piece];
  return set == 0 ? static_cast<std::int32_t>(point) : split->first_name + set - 1;
}

}  // namespace isochor::grid
