#include "isochor/grid/cell_pieces.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "isochor/geometry/overlap.h"
#include "isochor/grid/cell_contents.h"

namespace isochor::grid {
namespace {

/// A cell whose material falls into more pieces than this is kept whole.
constexpr std::size_t kMostPieces = 16;

/// Cuts one cell after another.
class Cutter {
 public:
  Cutter(const BodySurface& body, const CellBox& box, int subdivision, bool separate)
      : body_(body),
        box_(box),
        separate_(separate),
        contents_(body, box, subdivision),
        moments_(body, box) {}

  /// Fills in `of_touch` and `at_faces` and appends a measure per piece.
  void cut(const Index3& at, std::span<const Touch> touches, std::span<std::uint8_t> of_touch,
           std::span<std::uint8_t> at_faces, std::vector<PieceMeasure>& measures) {
    contents_.look_at(at, touches);
    samples_ = contents_.samples_inside();
    entering_.clear();
    for (std::size_t i = 0; i < touches.size(); ++i) {
      if (touches[i].enters()) entering_.push_back(i);
    }
    if (is_sheet_only()) return;
    if (separate_) {
      join_patches();
      join_sheets();
      join_loose_patches();
      join_pieces(at);
    } else {
      join_all();
    }
    const std::vector<Element> names = find_pieces();
    describe_pieces(names, of_touch, at_faces);
    moments_.measure(at, contents_, of_touch, measure(names), measures);
  }

 private:
  using Element = CellContents::Element;
  /// A place on a patch, with its unit normal.
  struct Outpost {
    Element element;
    Vec3d point, normal;
    double area;
  };

  bool in_sheet(std::size_t touch) const {
    return body_.in_sheet[contents_.touches()[touch].triangle()];
  }
  bool is_sheet_only() const {
    return samples_.empty() && std::all_of(entering_.begin(), entering_.end(),
                                           [&](std::size_t i) { return in_sheet(i); });
  }

  void join_all() {
    const Element first = contents_.element(entering_.front());
    for (const Element s : samples_) contents_.unite(first, s);
    for (const std::size_t i : entering_) contents_.unite(first, contents_.element(i));
  }

  /// Triangles that share an edge within the cell, not merely in a wall of it: the bottom of a
  /// slot may lie there and must not join its sides.
  void join_patches() {
    for (const std::size_t i : entering_) {
      for_each_neighbour(i, [&](std::size_t j, const Vec3d& a, const Vec3d& b) {
        if (j > i && contents_.touches()[j].enters() && passes_through(a, b, -kWall)) {
          contents_.unite(contents_.element(i), contents_.element(j));
        }
      });
    }
  }
  /// Calls f(touch, a, b) for the triangles beyond the sides ab of one that also touch the cell.
  template <class F>
  void for_each_neighbour(std::size_t i, F&& f) const {
    const auto touches = contents_.touches();
    const std::int32_t t = touches[i].triangle();
    for (int side = 0; side < 3; ++side) {
      const std::int32_t beyond = body_.neighbours[t][side];
      if (beyond == t) continue;
      const auto found = std::lower_bound(
          touches.begin(), touches.end(), beyond,
          [](const Touch& touch, std::int32_t name) { return touch.triangle() < name; });
      if (found == touches.end() || found->triangle() != beyond) continue;
      f(static_cast<std::size_t>(found - touches.begin()), contents_.corners(i)[side],
        contents_.corners(i)[(side + 1) % 3]);
    }
  }
  static bool passes_through(const Vec3d& a, const Vec3d& b, double slack) {
    const double half = 0.5 * (1 + slack);
    const auto within = [&](const Vec3d& p) {
      return std::abs(p[0] - 0.5) < half && std::abs(p[1] - 0.5) < half &&
             std::abs(p[2] - 0.5) < half;
    };
    return within(a) || within(b) ||
           geometry::triangle_overlaps_box({a, b, b}, {0.5, 0.5, 0.5}, {half, half, half});
  }

  /// Sheets have no material of their own: they go with what else is in the cell.
  void join_sheets() {
    const auto solid = std::find_if(entering_.begin(), entering_.end(),
                                    [&](std::size_t i) { return !in_sheet(i); });
    const Element target = samples_.empty() ? contents_.element(*solid) : samples_.front();
    for (const std::size_t i : entering_) {
      const Element element = contents_.element(i);
      if (in_sheet(i) && !contents_.has_sample(element)) contents_.unite(target, element);
    }
  }

  /// Patches that no line met, and thin pieces that no sample is in.
  void join_loose_patches() {
    const std::vector<Outpost> loose = find_loose();
    if (loose.size() + !samples_.empty() < 2) return;
    for (const Outpost& outpost : loose) look_from_samples(outpost);
    if (loose.size() > kMostPieces) return;
    for (std::size_t i = 0; i < loose.size(); ++i) {
      for (std::size_t j = i + 1; j < loose.size(); ++j) {
        // Both patches must be seen from inside, and not edge-on.
        const Vec3d way = loose[j].point - loose[i].point;
        const double slack = 1e-6 * norm(way);
        if (dot(way, loose[i].normal) < -slack && dot(way, loose[j].normal) > slack) {
          contents_.probe(loose[i].element, loose[i].point, 1, loose[j].element, loose[j].point);
        }
      }
    }
  }
  void look_from_samples(const Outpost& outpost) {
    const CellLines& lines = contents_.lines();
    std::vector<Element> nearest = samples_;
    std::stable_sort(nearest.begin(), nearest.end(), [&](Element s, Element t) {
      return norm(lines.position(s) - outpost.point) < norm(lines.position(t) - outpost.point);
    });
    for (const Element s : nearest) {
      if (contents_.probe(s, lines.position(s), contents_.winding(s), outpost.element,
                          outpost.point)) {
        return;
      }
    }
  }

  /// One place on each set of triangles without a sample: in the middle of the largest part of a
  /// triangle in the cell.
  std::vector<Outpost> find_loose() {
    std::vector<Outpost> loose;
    for (const std::size_t i : entering_) {
      const Element element = contents_.element(i);
      if (contents_.has_sample(element)) continue;
      const auto& [a, b, c] = contents_.corners(i);
      const ClippedTriangle part = clip_to_cell({a, b, c});
      const Vec3d normal = cross(b - a, c - a);
      const Outpost here{element, part.center, normal * (1 / norm(normal)), part.area};
      const auto known = std::find_if(loose.begin(), loose.end(), [&](const Outpost& outpost) {
        return contents_.name(outpost.element) == contents_.name(element);
      });
      if (known == loose.end()) {
        loose.push_back(here);
      } else if (here.area > known->area) {
        *known = here;
      }
    }
    return loose;
  }

  /// Joins pieces that belong together although nothing in the cell says so.
  void join_pieces(const Index3& at) {
    std::vector<Element> names = find_pieces();
    if (names.size() > kMostPieces) join_all();
    if (names.size() < 2 || names.size() > kMostPieces) return;
    // Where surfaces cross, what they bound overlaps.
    find_connections(body_, box_.widened(at, at, -kWall), named_triangles(names),
                     [&](int a, int b) { contents_.unite(names[a], names[b]); });
    names = find_pieces();
    const std::vector<float> fractions = measure(names);
    if (names.size() < 2 || std::none_of(fractions.begin(), fractions.end(), is_sliver)) return;
    // A piece that hardly reaches into the cell and is connected with another one just outside is
    // a bump of the same body.
    find_connections(body_, box_.widened(at, at, kSliverReach), named_triangles(names),
                     [&](int a, int b) {
                       if (is_sliver(fractions[a]) || is_sliver(fractions[b])) {
                         contents_.unite(names[a], names[b]);
                       }
                     });
  }
  std::vector<NamedTriangle> named_triangles(std::span<const Element> names) {
    std::vector<NamedTriangle> named;
    for (const std::size_t i : entering_) {
      named.push_back({contents_.touches()[i].triangle(), piece_of(contents_.element(i), names)});
    }
    return named;
  }

  /// The sets that have material, by their first elements.
  std::vector<Element> find_pieces() {
    std::vector<Element> names;
    const auto add = [&](Element element) {
      const Element name = contents_.name(element);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const Element s : samples_) add(s);
    for (const std::size_t i : entering_) add(contents_.element(i));
    return names;
  }
  std::uint8_t piece_of(Element element, std::span<const Element> names) {
    const auto found = std::find(names.begin(), names.end(), contents_.name(element));
    return static_cast<std::uint8_t>(found - names.begin());
  }
  /// Fractions as lines see them.
  std::vector<float> measure(std::span<const Element> names) {
    const int axis = contents_.steepest_axis();
    const auto lines = static_cast<double>(contents_.lines().lines_per_axis());
    std::vector<float> fractions(names.size(), 0);
    for (const CellContents::Stretch& stretch : contents_.stretches()) {
      if (contents_.lines().axis(stretch.line) != axis) continue;
      fractions[piece_of(stretch.element, names)] +=
          static_cast<float>((stretch.to - stretch.from) / lines);
    }
    return fractions;
  }

  void describe_pieces(std::span<const Element> names, std::span<std::uint8_t> of_touch,
                       std::span<std::uint8_t> at_faces) {
    const auto touches = contents_.touches();
    for (const std::size_t i : entering_) of_touch[i] = piece_of(contents_.element(i), names);
    // A triangle in a wall goes with a neighbour in the cell.
    for (std::size_t i = 0; i < touches.size(); ++i) {
      if (touches[i].enters()) continue;
      for_each_neighbour(i, [&](std::size_t j, const Vec3d& a, const Vec3d& b) {
        if (touches[j].enters() && passes_through(a, b, kWall)) of_touch[i] = of_touch[j];
      });
    }
    for (const CellContents::Arrival& arrival : contents_.arrivals()) {
      at_faces[arrival.slot] = piece_of(arrival.element, names);
    }
  }

  const BodySurface& body_;
  const CellBox& box_;
  bool separate_;
  CellContents contents_;
  PieceMoments moments_;
  std::vector<Element> samples_;       ///< inside
  std::vector<std::size_t> entering_;  ///< touches
};

}  // namespace

CellPieces cut_cells(const BodySurface& body, const CellBox& box, const SurfaceCells& touched,
                     std::span<const CellState> states, int subdivision, bool separate,
                     ThreadArena& arena) {
  constexpr std::size_t kGrain = 64;
  const std::size_t count = touched.size();
  CellPieces pieces{.lines = CellLines(subdivision).lines_per_axis()};
  pieces.of_touch.assign(touched.touch_count(), kNoPiece);
  pieces.at_faces.assign(6 * pieces.lines * count, kNoPiece);
  pieces.starts.resize(count + 1);
  std::vector<std::vector<PieceMeasure>> chunks((count + kGrain - 1) / kGrain);
  arena.for_chunks(count, kGrain, [&](std::size_t begin, std::size_t end) {
    Cutter cutter(body, box, subdivision, separate);
    std::vector<PieceMeasure>& measures = chunks[begin / kGrain];
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t before = measures.size();
      const auto touches = touched.touches(r);
      const auto of_touch =
          std::span(pieces.of_touch).subspan(touched.first_touch(r), touches.size());
      const auto at_faces =
          std::span(pieces.at_faces).subspan(6 * pieces.lines * r, 6 * pieces.lines);
      const std::int64_t cell = touched.cell(r);
      if (states[cell] == CellState::Cut) {
        cutter.cut(box.at(cell), touches, of_touch, at_faces, measures);
      } else if (states[cell] == CellState::Inside) {
        std::fill(of_touch.begin(), of_touch.end(), std::uint8_t{0});
        std::fill(at_faces.begin(), at_faces.end(), std::uint8_t{0});
        measures.push_back({.moments = geometry::box_moments({0, 0, 0}, {1, 1, 1})});
      }
      pieces.starts[r + 1] = measures.size() - before;
    }
  });
  std::inclusive_scan(pieces.starts.begin(), pieces.starts.end(), pieces.starts.begin());
  pieces.measures.reserve(pieces.starts.back());
  for (auto& chunk : chunks) {
    pieces.measures.insert(pieces.measures.end(), chunk.begin(), chunk.end());
    std::vector<PieceMeasure>().swap(chunk);
  }
  return pieces;
}

}  // namespace isochor::grid
