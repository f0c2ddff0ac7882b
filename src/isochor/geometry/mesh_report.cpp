#include "isochor/geometry/mesh_report.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/core.h>
#include <mutex>

#include "isochor/geometry/connectivity.h"
#include "isochor/geometry/orientation.h"
#include "isochor/geometry/predicates.h"
#include "isochor/geometry/triangle_bvh.h"

namespace isochor::geometry {
namespace {

using Uses = std::span<const EdgeTable::Use>;
using Pair = std::array<std::int32_t, 2>;

/// Area over the square of the longest edge, below which a triangle is a needle.
constexpr double kFlat = 1e-10;

/// What one chunk of edges contributes.
struct EdgeTally {
  std::array<DefectList, kDefectKinds> defects;
  std::vector<Pair> boundary;
  std::vector<double> lengths;
};

/// One inspection: the mesh with equal vertices merged, and the report as far as it is known.
class Inspection {
 public:
  Inspection(const SurfaceMesh& mesh, ThreadArena& arena, const InspectOptions& options)
      : positions_(mesh.positions),
        arena_(arena),
        options_(options),
        merged_(merge_equal_points(mesh.positions)),
        triangles_(renamed(triangulate(mesh), merged_)) {
    report_.vertices = static_cast<std::int64_t>(mesh.positions.size());
    report_.faces = static_cast<std::int64_t>(mesh.face_count());
    report_.triangles = static_cast<std::int64_t>(triangles_.size());
    report_.triangle_defects.assign(triangles_.size(), 0);
    if (!mesh.positions.empty()) report_.bounds = bounds_of_faces(mesh);
    face_of_.reserve(triangles_.size());
    for (std::size_t f = 0; f < mesh.face_count(); ++f) {
      for (std::size_t c = 2; c < mesh.face(f).size(); ++c) {
        face_of_.push_back(static_cast<std::int32_t>(f));
      }
    }
  }

  MeshReport run(const SurfaceMesh& mesh) {
    inspect_vertices(mesh);
    inspect_triangles();
    inspect_components();
    {
      const EdgeTable edges(triangles_, positions_.size(), arena_);
      inspect_edges(edges);
      if (report_.watertight) report_.genus = genus(edges);
    }
    const TriangleBvh tree(positions_, triangles_, arena_);
    inspect_crossings(tree);
    inspect_thickness(tree);
    return std::move(report_);
  }

 private:
  TriangleCorners corners(const Triangle& t) const {
    return {positions_[t[0]], positions_[t[1]], positions_[t[2]]};
  }
  Vec3d middle(const Triangle& t) const {
    return (1.0 / 3) * (positions_[t[0]] + positions_[t[1]] + positions_[t[2]]);
  }

  void note(DefectList& list, const Pair& indices, const Vec3d& position) const {
    ++list.count;
    if (list.first.size() < options_.places) list.first.push_back({indices, position});
  }
  /// Safe from several threads.
  void mark(std::int32_t triangle, Defect defect) {
    const auto bit = static_cast<std::uint8_t>(1u << static_cast<unsigned>(defect));
    std::atomic_ref(report_.triangle_defects[triangle]).fetch_or(bit, std::memory_order_relaxed);
  }

  void inspect_vertices(const SurfaceMesh& mesh) {
    std::vector<char> used(positions_.size(), 0);
    for (const std::int32_t v : mesh.corners) used[v] = 1;
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      const auto v = static_cast<std::int32_t>(i);
      if (merged_[v] != v) note(report_[Defect::CoincidentVertex], {v, merged_[v]}, positions_[v]);
      if (!used[v]) note(report_[Defect::UnusedVertex], {v, -1}, positions_[v]);
    }
  }

  void inspect_triangles() {
    for (std::size_t i = 0; i < triangles_.size(); ++i) {
      const auto [a, b, c] = corners(triangles_[i]);
      const double longest = std::max({dot(b - a, b - a), dot(c - b, c - b), dot(a - c, a - c)});
      const bool flat = 0.5 * norm(cross(b - a, c - a)) <= kFlat * longest;
      if (!flat && !has_equal_corners(triangles_[i])) continue;
      note(report_[Defect::DegenerateTriangle], {face_of_[i], -1}, middle(triangles_[i]));
      mark(static_cast<std::int32_t>(i), Defect::DegenerateTriangle);
    }
  }

  void inspect_components() {
    DisjointSets sets(positions_.size());
    for (const Triangle& t : triangles_) {
      sets.unite(t[0], t[1]);
      sets.unite(t[0], t[2]);
    }
    std::vector<std::int32_t> number(positions_.size(), -1);
    std::vector<SurfaceComponent> components;
    for (const Triangle& t : triangles_) {
      const auto [a, b, c] = corners(t);
      std::int32_t& n = number[sets.find(t[0])];
      if (n < 0) {
        n = static_cast<std::int32_t>(components.size());
        components.push_back({.bounds = {a, a}});
      }
      SurfaceComponent& component = components[n];
      ++component.triangles;
      component.bounds.low = min(component.bounds.low, min(a, min(b, c)));
      component.bounds.high = max(component.bounds.high, max(a, max(b, c)));
    }
    for (const Triangle& t : triangles_) {
      SurfaceComponent& component = components[number[sets.find(t[0])]];
      const double area = 0.5 * norm(cross(positions_[t[1]] - positions_[t[0]],
                                           positions_[t[2]] - positions_[t[0]]));
      component.area += area;
      component.volume += cone_volume(t, component.bounds);
      report_.area += area;
      report_.volume += cone_volume(t, report_.bounds);
    }
    report_.components = static_cast<std::int64_t>(components.size());
    for (const SurfaceComponent& c : components) {
      const bool flat = is_flat(c.volume, c.bounds);
      report_.flat_components += flat;
      report_.inward_components += !flat && c.volume < 0;
    }
    keep_largest(components, [](const SurfaceComponent& c) { return double(c.triangles); });
    report_.largest_components = std::move(components);
  }

  /// Signed volume between a triangle and the middle of a box.
  double cone_volume(const Triangle& t, const Bounds& bounds) const {
    const Vec3d origin = 0.5 * (bounds.low + bounds.high);
    const auto [a, b, c] = corners(t);
    return dot(a - origin, cross(b - origin, c - origin)) / 6;
  }

  template <class T, class Size>
  void keep_largest(std::vector<T>& items, Size size) const {
    std::stable_sort(items.begin(), items.end(),
                     [&](const T& s, const T& t) { return size(s) > size(t); });
    if (items.size() > options_.listed) items.resize(options_.listed);
  }

  void inspect_edges(const EdgeTable& edges) {
    // Chunks of vertices in their order, so that the first places are the first.
    constexpr std::size_t kGrain = 1 << 12;
    std::vector<EdgeTally> tallies((positions_.size() + kGrain - 1) / kGrain);
    arena_.for_chunks(positions_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      EdgeTally& tally = tallies[begin / kGrain];
      edges.for_each(begin, end, [&](std::int32_t low, std::int32_t high, Uses uses) {
        inspect_edge({low, high}, uses, tally);
      });
    });
    std::vector<Pair> boundary;
    std::vector<double> lengths;
    for (EdgeTally& tally : tallies) {
      for (std::size_t d = 0; d < kDefectKinds; ++d) {
        const DefectList& found = tally.defects[d];
        DefectList& all = report_.defects[d];
        all.count += found.count;
        for (const DefectPlace& place : found.first) {
          if (all.first.size() < options_.places) all.first.push_back(place);
        }
      }
      boundary.insert(boundary.end(), tally.boundary.begin(), tally.boundary.end());
      lengths.insert(lengths.end(), tally.lengths.begin(), tally.lengths.end());
      tally = {};
    }
    report_.watertight = report_[Defect::BoundaryEdge].count == 0 &&
                         report_[Defect::NonManifoldEdge].count == 0 &&
                         report_[Defect::FlippedEdge].count == 0 && !lengths.empty();
    inspect_loops(boundary);
    inspect_lengths(lengths);
    count_vertices_edges_and_triangles(lengths.size());
  }

  void inspect_edge(const Pair& edge, Uses uses, EdgeTally& tally) {
    const Vec3d &a = positions_[edge[0]], &b = positions_[edge[1]];
    tally.lengths.push_back(norm(b - a));
    const auto report = [&](Defect defect) {
      note(tally.defects[static_cast<std::size_t>(defect)], edge, 0.5 * (a + b));
      for (const EdgeTable::Use& use : uses) mark(use.triangle(), defect);
    };
    if (uses.size() == 1) {
      tally.boundary.push_back(edge);
      report(Defect::BoundaryEdge);
    } else if (uses.size() > 2) {
      report(Defect::NonManifoldEdge);
    } else if (uses[0].forward() == uses[1].forward()) {
      report(Defect::FlippedEdge);
    }
    find_duplicates(edge, uses, tally.defects[static_cast<std::size_t>(Defect::DuplicateTriangle)]);
  }

  /// Triangles with the same corners meet in all their edges; the one without the highest corner
  /// tells.
  void find_duplicates(const Pair& edge, Uses uses, DefectList& found) {
    for (std::size_t i = 1; i < uses.size(); ++i) {
      const std::int32_t third = opposite(uses[i]);
      if (third < edge[1]) continue;
      for (std::size_t j = 0; j < i; ++j) {
        if (opposite(uses[j]) != third) continue;
        note(found, {face_of_[uses[i].triangle()], face_of_[uses[j].triangle()]},
             middle(triangles_[uses[i].triangle()]));
        mark(uses[i].triangle(), Defect::DuplicateTriangle);
        break;
      }
    }
  }
  std::int32_t opposite(const EdgeTable::Use& use) const {
    return triangles_[use.triangle()][(use.corner() + 2) % 3];
  }

  void inspect_loops(std::span<const Pair> boundary) {
    if (boundary.empty()) return;
    DisjointSets sets(positions_.size());
    for (const auto& [a, b] : boundary) sets.unite(a, b);
    std::vector<std::int32_t> number(positions_.size(), -1);
    std::vector<BoundaryLoop> loops;
    for (const auto& [a, b] : boundary) {
      std::int32_t& n = number[sets.find(a)];
      if (n < 0) {
        n = static_cast<std::int32_t>(loops.size());
        loops.emplace_back();
      }
      ++loops[n].edges;
      loops[n].length += norm(positions_[b] - positions_[a]);
      loops[n].center += 0.5 * (positions_[a] + positions_[b]);
    }
    for (BoundaryLoop& loop : loops) loop.center *= 1 / static_cast<double>(loop.edges);
    report_.boundary_loops = static_cast<std::int64_t>(loops.size());
    keep_largest(loops, [](const BoundaryLoop& loop) { return loop.length; });
    report_.longest_loops = std::move(loops);
  }

  void inspect_lengths(std::span<double> lengths) {
    if (lengths.empty()) return;
    const auto [smallest, largest] = std::minmax_element(lengths.begin(), lengths.end());
    report_.edge_lengths.smallest = *smallest;
    report_.edge_lengths.largest = *largest;
    const auto half = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), half, lengths.end());
    report_.edge_lengths.median = *half;
  }

  void count_vertices_edges_and_triangles(std::size_t edges) {
    std::vector<char> used(positions_.size(), 0);
    std::int64_t proper = 0;
    for (const Triangle& t : triangles_) {
      if (has_equal_corners(t)) continue;
      ++proper;
      for (const std::int32_t v : t) used[v] = 1;
    }
    vertices_ = std::count(used.begin(), used.end(), 1);
    report_.euler_characteristic = vertices_ - static_cast<std::int64_t>(edges) + proper;
  }

  /// Where sheets only touch in a vertex, that vertex counts once for each of them.
  std::int64_t genus(const EdgeTable& edges) const {
    DisjointSets fans(3 * triangles_.size()), sheets(triangles_.size());
    edges.for_each([&](std::int32_t, std::int32_t, Uses uses) {
      const auto begin = [](const EdgeTable::Use& use) {
        return 3 * use.triangle() + use.corner();
      };
      const auto end = [](const EdgeTable::Use& use) {
        return 3 * use.triangle() + (use.corner() + 1) % 3;
      };
      fans.unite(begin(uses[0]), end(uses[1]));
      fans.unite(end(uses[0]), begin(uses[1]));
      sheets.unite(uses[0].triangle(), uses[1].triangle());
    });
    std::int64_t fan_count = 0, sheet_count = 0;
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(triangles_.size()); ++t) {
      if (has_equal_corners(triangles_[t])) continue;
      sheet_count += sheets.find(t) == t;
      for (std::int32_t c = 3 * t; c < 3 * t + 3; ++c) fan_count += fans.find(c) == c;
    }
    const std::int64_t characteristic = report_.euler_characteristic - vertices_ + fan_count;
    return sheet_count - characteristic / 2;
  }

  void inspect_crossings(const TriangleBvh& tree) {
    std::mutex mutex;
    std::int64_t count = 0;
    std::vector<Pair> first;  // a heap of the first pairs, the last of them on top
    tree.for_each_pair(arena_, [&](std::int32_t i, std::int32_t j) {
      const Triangle &s = triangles_[i], &t = triangles_[j];
      for (const std::int32_t v : s) {
        if (v == t[0] || v == t[1] || v == t[2]) return;
      }
      if (!triangles_cross(corners(s), corners(t))) return;
      mark(i, Defect::SelfIntersection);
      mark(j, Defect::SelfIntersection);
      const std::lock_guard lock(mutex);
      ++count;
      first.push_back({i, j});
      std::push_heap(first.begin(), first.end());
      if (first.size() <= options_.places) return;
      std::pop_heap(first.begin(), first.end());
      first.pop_back();
    });
    std::sort_heap(first.begin(), first.end());
    DefectList& list = report_[Defect::SelfIntersection];
    list.count = count;
    for (const auto& [i, j] : first) {
      // The middle of what their boxes have in common.
      const TriangleCorners s = corners(triangles_[i]), t = corners(triangles_[j]);
      const Bounds b = bounds_of(s), c = bounds_of(t);
      list.first.push_back(
          {{face_of_[i], face_of_[j]}, 0.5 * (max(b.low, c.low) + min(b.high, c.high))});
    }
  }

  void inspect_thickness(const TriangleBvh& tree) {
    if (options_.thickness_rays == 0 || triangles_.empty()) return;
    // Only where inward is in doubt must it be found first.
    const bool doubtful = !report_.watertight || report_.inward_components > 0;
    const std::vector<Triangle> outward =
        doubtful ? oriented_outward(positions_, triangles_, arena_).triangles
                 : std::vector<Triangle>{};
    report_.thickness = measure_thickness(tree, positions_, doubtful ? outward : triangles_,
                                          options_.thickness_rays, 2 * options_.cell_size, arena_);
    if (report_.thickness.thinnest >= 0) {
      report_.thickness.thinnest = face_of_[report_.thickness.thinnest];
    }
  }

  std::span<const Vec3d> positions_;
  ThreadArena& arena_;
  const InspectOptions& options_;
  std::vector<std::int32_t> merged_;
  std::vector<Triangle> triangles_;    ///< over merged vertices
  std::vector<std::int32_t> face_of_;  ///< per triangle
  std::int64_t vertices_ = 0;          ///< distinct and used by triangles with three corners
  MeshReport report_;
};

}  // namespace

MeshReport inspect_mesh(const SurfaceMesh& mesh, ThreadArena& arena,
                        const InspectOptions& options) {
  return Inspection(mesh, arena, options).run(mesh);
}

bool is_flat(double volume, const Bounds& bounds) {
  const double diameter = norm(bounds.size());
  return !(std::abs(volume) > 1e-9 * diameter * diameter * diameter);
}

std::string guess_units(const Bounds& bounds) {
  const Vec3d size = bounds.size();
  const double longest = std::max({size[0], size[1], size[2]});
  if (longest >= 0.1 && longest <= 3) return fmt::format("metres ({:.3g} m long)", longest);
  if (longest >= 300 && longest <= 3000) {
    return fmt::format("millimetres ({:.3g} m long)", longest / 1000);
  }
  if (longest >= 100 && longest < 300) {
    return fmt::format("centimetres ({:.3g} m long) or millimetres ({:.3g} m long)", longest / 100,
                       longest / 1000);
  }
  if (longest >= 10 && longest < 100) {
    return fmt::format("centimetres ({:.3g} m long)", longest / 100);
  }
  return "unknown";
}

}  // namespace isochor::geometry
