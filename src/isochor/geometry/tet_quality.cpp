#include "isochor/geometry/tet_quality.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <numbers>
#include <numeric>

#include "isochor/base/error.h"
#include "isochor/geometry/connectivity.h"

namespace isochor::geometry {
namespace {

// Below this part of the cube of its longest edge the sign of a volume is rounding.
constexpr double kFlat = 1e-10;
constexpr std::size_t kGrain = 4096;

/// A face with its tet.
struct Face {
  Triangle sorted;
  std::int32_t tet;
  bool turned;  ///< an odd permutation of the face as its tet has it

  friend bool operator<(const Face& a, const Face& b) {
    return a.sorted != b.sorted ? a.sorted < b.sorted : a.tet < b.tet;
  }
};

Face make_face(const Tet& tet, std::size_t t, int corner) {
  const auto& f = kTetFaces[corner];
  Triangle v{tet[f[0]], tet[f[1]], tet[f[2]]};
  bool turned = false;
  const auto order = [&](int i, int j) {
    if (v[i] <= v[j]) return;
    std::swap(v[i], v[j]);
    turned = !turned;
  };
  order(0, 1);
  order(1, 2);
  order(0, 1);
  return {v, static_cast<std::int32_t>(t), turned};
}

/// Sorts items that begin with a vertex: by that vertex first, in linear time.
template <class Item, class First>
void sort_by_vertex(std::vector<Item>& items, std::size_t vertices, First&& first,
                    ThreadArena& arena) {
  std::vector<std::size_t> starts(vertices + 1, 0);
  for (const Item& item : items) ++starts[first(item)];
  std::inclusive_scan(starts.begin(), starts.end(), starts.begin());
  std::vector<Item> sorted(items.size());
  for (std::size_t i = items.size(); i-- > 0;) sorted[--starts[first(items[i])]] = items[i];
  parallel_for(arena, vertices, kGrain, [&](std::size_t v) {
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(starts[v]),
              sorted.begin() + static_cast<std::ptrdiff_t>(starts[v + 1]));
  });
  items = std::move(sorted);
}

class Inspector {
 public:
  Inspector(const TetMesh& mesh, ThreadArena& arena, const TetInspectOptions& options)
      : mesh_(mesh), arena_(arena), options_(options) {}

  TetReport inspect() {
    report_.vertices = static_cast<std::int64_t>(mesh_.positions.size());
    report_.tets = static_cast<std::int64_t>(mesh_.tets.size());
    look_at_vertices();
    look_at_tets();
    look_at_edges();
    look_at_faces();
    return std::move(report_);
  }

 private:
  std::array<Vec3d, 4> corners(std::size_t t) const {
    const auto [a, b, c, d] = mesh_.tets[t];
    return {mesh_.positions[a], mesh_.positions[b], mesh_.positions[c], mesh_.positions[d]};
  }
  Vec3d middle(std::size_t t) const {
    const auto [a, b, c, d] = corners(t);
    return 0.25 * (a + b + c + d);
  }
  void add(TetDefect defect, std::int32_t a, std::int32_t b, const Vec3d& at) {
    DefectList& list = report_[defect];
    if (list.first.size() < options_.places) list.first.push_back({{a, b}, at});
    ++list.count;
  }

  void look_at_vertices() {
    std::vector<std::uint8_t> used(mesh_.positions.size(), 0);
    for (const Tet& tet : mesh_.tets) {
      for (const std::int32_t v : tet) used[v] = 1;
    }
    const Vec3d& first = mesh_.positions[mesh_.tets[0][0]];
    report_.bounds = {first, first};
    for (std::size_t v = 0; v < used.size(); ++v) {
      const Vec3d& p = mesh_.positions[v];
      if (used[v] == 0) {
        add(TetDefect::UnusedVertex, static_cast<std::int32_t>(v), -1, p);
        continue;
      }
      report_.bounds = {min(report_.bounds.low, p), max(report_.bounds.high, p)};
    }
  }

  /// What one tet says about itself.
  struct Shape {
    double volume, longest;
    std::array<double, 6> angles;  ///< degrees
  };
  Shape shape(std::size_t t) const {
    const std::array<Vec3d, 4> p = corners(t);
    Shape s{signed_volume(p[0], p[1], p[2], p[3]), 0, dihedral_angles(p)};
    for (double& angle : s.angles) angle *= 180 / std::numbers::pi;
    for (const auto& [i, j] : kTetEdges) s.longest = std::max(s.longest, norm(p[j] - p[i]));
    return s;
  }

  void look_at_tets() {
    std::vector<Shape> shapes(mesh_.tets.size());
    parallel_for(arena_, shapes.size(), kGrain, [&](std::size_t t) { shapes[t] = shape(t); });
    report_.smallest_angle = 180;
    report_.smallest_volume = std::numeric_limits<double>::infinity();
    report_.largest_volume = -report_.smallest_volume;
    if (!mesh_.regions.empty()) {
      report_.region_volumes.resize(std::ranges::max(mesh_.regions) + 1, 0.0);
    }
    for (std::size_t t = 0; t < shapes.size(); ++t) {
      const Shape& s = shapes[t];
      report_.volume += s.volume;
      report_.smallest_volume = std::min(report_.smallest_volume, s.volume);
      report_.largest_volume = std::max(report_.largest_volume, s.volume);
      if (!mesh_.regions.empty()) report_.region_volumes[mesh_.regions[t]] += s.volume;
      const auto [low, high] = std::ranges::minmax(s.angles);
      report_.smallest_angle = std::min(report_.smallest_angle, low);
      report_.largest_angle = std::max(report_.largest_angle, high);
      for (const double angle : s.angles) {
        // Lattice tets have 60 and 90 degrees but for rounding.
        ++report_.angles[std::min(static_cast<int>(angle / 10 + 1e-9), TetReport::kBins - 1)];
      }
      const double least = kFlat * s.longest * s.longest * s.longest;
      const bool is_sliver = low < options_.sliver_angle || high > 180 - options_.sliver_angle;
      const auto number = static_cast<std::int32_t>(t);
      if (std::abs(s.volume) <= least) {
        add(TetDefect::Flat, number, -1, middle(t));
      } else if (s.volume < 0) {
        add(TetDefect::Inverted, number, -1, middle(t));
      } else if (is_sliver) {
        add(TetDefect::Sliver, number, -1, middle(t));
      }
    }
  }

  void look_at_edges() {
    std::vector<std::array<std::int32_t, 2>> edges(6 * mesh_.tets.size());
    parallel_for(arena_, mesh_.tets.size(), kGrain, [&](std::size_t t) {
      for (int e = 0; e < 6; ++e) {
        const auto [i, j] = kTetEdges[e];
        const std::int32_t a = mesh_.tets[t][i], b = mesh_.tets[t][j];
        edges[6 * t + e] = {std::min(a, b), std::max(a, b)};
      }
    });
    sort_by_vertex(
        edges, mesh_.positions.size(), [](const auto& e) { return e[0]; }, arena_);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    std::vector<double> lengths;
    lengths.reserve(edges.size());
    for (const auto& [a, b] : edges) {
      lengths.push_back(norm(mesh_.positions[b] - mesh_.positions[a]));
    }
    const auto half = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), half, lengths.end());
    report_.edge_lengths = {std::ranges::min(lengths), *half, std::ranges::max(lengths)};
  }

  void look_at_faces() {
    std::vector<Face> faces(4 * mesh_.tets.size());
    parallel_for(arena_, mesh_.tets.size(), kGrain, [&](std::size_t t) {
      for (int k = 0; k < 4; ++k) faces[4 * t + k] = make_face(mesh_.tets[t], t, k);
    });
    sort_by_vertex(
        faces, mesh_.positions.size(), [](const Face& f) { return f.sorted[0]; }, arena_);
    DisjointSets sets(mesh_.tets.size());
    std::vector<Triangle> boundary;
    for (std::size_t i = 0, end; i < faces.size(); i = end) {
      for (end = i + 1; end < faces.size() && faces[end].sorted == faces[i].sorted;) ++end;
      const Face &one = faces[i], &other = faces[i + 1 < end ? i + 1 : i];
      for (std::size_t k = i + 1; k < end; ++k) sets.unite(one.tet, faces[k].tet);
      if (end == i + 1) boundary.push_back(one.sorted);
      if (end > i + 2) add(TetDefect::CrowdedFace, one.tet, other.tet, middle(one.sorted));
      if (end == i + 2 && one.turned == other.turned) {
        add(TetDefect::FoldedFace, one.tet, other.tet, middle(one.sorted));
      }
    }
    for (std::size_t t = 0; t < mesh_.tets.size(); ++t) {
      report_.components += sets.find(static_cast<std::int32_t>(t)) == static_cast<int>(t);
    }
    look_at_boundary(boundary);
  }
  Vec3d middle(const Triangle& t) const {
    return (1.0 / 3) * (mesh_.positions[t[0]] + mesh_.positions[t[1]] + mesh_.positions[t[2]]);
  }

  void look_at_boundary(const std::vector<Triangle>& boundary) {
    report_.boundary_triangles = static_cast<std::int64_t>(boundary.size());
    for (const auto& [a, b, c] : boundary) {
      const Vec3d& p = mesh_.positions[a];
      report_.area += 0.5 * norm(cross(mesh_.positions[b] - p, mesh_.positions[c] - p));
    }
    const EdgeTable edges(boundary, mesh_.positions.size(), arena_);
    edges.for_each([&](std::int32_t low, std::int32_t high, auto uses) {
      if (uses.size() <= 2) return;
      add(TetDefect::NonManifoldEdge, low, high,
          0.5 * (mesh_.positions[low] + mesh_.positions[high]));
    });
  }

  const TetMesh& mesh_;
  ThreadArena& arena_;
  const TetInspectOptions& options_;
  TetReport report_;
};

}  // namespace

TetReport inspect_tets(const TetMesh& mesh, ThreadArena& arena, const TetInspectOptions& options) {
  return Inspector(mesh, arena, options).inspect();
}

void refuse_unusable_tets(const TetReport& report, const std::string& place) {
  const DefectList &inverted = report[TetDefect::Inverted], &flat = report[TetDefect::Flat];
  if (inverted.count + flat.count == 0) return;
  const DefectPlace& first = inverted.count > 0 ? inverted.first[0] : flat.first[0];
  const Vec3d& p = first.position;
  throw Error(
      Fault::Input, place,
      fmt::format("{} inverted and {} flat tets of {}, one of them tet {} at [{:.4g} {:.4g} "
                  "{:.4g}]",
                  inverted.count, flat.count, report.tets, first.indices[0], p[0], p[1], p[2]),
      "mend the mesh in the program that made it, or make a new one of its surface with "
      "'isochor tetrahedralise'");
}

}  // namespace isochor::geometry
