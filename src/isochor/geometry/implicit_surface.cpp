#include "isochor/geometry/implicit_surface.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <set>
#include <unordered_map>

#include "isochor/base/error.h"

namespace isochor::geometry {
namespace {

using Index3 = std::array<int, 3>;

// Edge 4 a + i + 2 j of a cell points along axis a, at side i of axis a + 1 and side j of axis
// a + 2. Corner x + 2 y + 4 z is at side x of the first axis, and so on.
constexpr int kEdges = 12;

constexpr int edge_corner(int edge, int end) {
  const int a = edge / 4, i = edge % 2, j = edge / 2 % 2;
  return (end << a) | (i << (a + 1) % 3) | (j << (a + 2) % 3);
}

/// Face 2 a + s is at side s of axis a. Its edges in order around it; edge k joins its corners k
/// and k + 1.
constexpr std::array<int, 4> face_edges(int face) {
  const int a = face / 2, s = face % 2, u = (a + 1) % 3, v = (a + 2) % 3;
  // Seen along edges of u, axis a is the second of the other two; along those of v, the first.
  return {4 * u + 0 + 2 * s, 4 * v + s + 2 * 1, 4 * u + 1 + 2 * s, 4 * v + s + 2 * 0};
}

/// Signs of a body at the points of a grid, and the cells that its surface goes through.
class Grid {
 public:
  Grid(ImplicitBody body, const Bounds& box, double edge) : origin_(box.low), spacing_(edge) {
    for (int a = 0; a < 3; ++a) {
      points_[a] = static_cast<int>(std::ceil(box.size()[a] / edge)) + 1;
      if (!(points_[a] >= 2)) {
        throw Error(Fault::Input, "implicit surface", "its box is empty or its edge is no number",
                    "give a box and an edge above 0");
      }
    }
    values_.resize(std::size_t(points_[0]) * points_[1] * points_[2]);
    sample(body, {0, 0, 0}, points_);
  }

  const Index3& points() const { return points_; }
  std::int64_t index(const Index3& at) const {
    return at[0] + std::int64_t{points_[0]} * (at[1] + std::int64_t{points_[1]} * at[2]);
  }
  float value(const Index3& at) const { return values_[index(at)]; }
  bool is_inside(const Index3& at) const { return value(at) < 0; }
  Vec3d position(const Index3& at) const {
    return origin_ + spacing_ * Vec3d{double(at[0]), double(at[1]), double(at[2])};
  }

 private:
  /// Fills points [first, end). Where the surface cannot reach, one value does for all of them;
  /// else they are halved, down to pieces that are not worth it.
  void sample(ImplicitBody body, const Index3& first, const Index3& end) {
    constexpr int kSmallest = 2;
    const Vec3d low = position(first), high = position({end[0] - 1, end[1] - 1, end[2] - 1});
    const double middle = body(0.5 * (low + high));
    const bool is_far = std::abs(middle) > 0.5 * norm(high - low);
    int longest = 0;
    for (int a = 1; a < 3; ++a) {
      if (end[a] - first[a] > end[longest] - first[longest]) longest = a;
    }
    if (!is_far && end[longest] - first[longest] > kSmallest) {
      Index3 cut_end = end, cut_first = first;
      cut_end[longest] = cut_first[longest] = (first[longest] + end[longest]) / 2;
      sample(body, first, cut_end);
      sample(body, cut_first, end);
      return;
    }
    Index3 at;
    for (at[2] = first[2]; at[2] < end[2]; ++at[2]) {
      for (at[1] = first[1]; at[1] < end[1]; ++at[1]) {
        for (at[0] = first[0]; at[0] < end[0]; ++at[0]) {
          values_[index(at)] = static_cast<float>(is_far ? middle : body(position(at)));
        }
      }
    }
  }

  Vec3d origin_;
  double spacing_;
  Index3 points_;
  std::vector<float> values_;  ///< float: only signs and crossings are taken from them
};

/// The surface by its dual: a vertex for every patch of surface in a cell, a quad for every grid
/// edge that the surface crosses (surface nets; several patches per cell as in dual marching
/// cubes). Where the corners of a face alternate, its four crossings can be linked in two ways; a
/// way in which both links join the same two patches would give an edge with four faces. Then the
/// other way is taken, which splits both patches, so that no other face can get worse by it.
class DualSurface {
 public:
  explicit DualSurface(const Grid& grid) : grid_(grid) {
    find_cells();
    for (const Index3& cell : cells_) untangle(cell);
  }

  SurfaceMesh mesh() const {
    SurfaceMesh mesh;
    std::vector<std::array<std::int32_t, kEdges>> vertices;  // per cell and edge
    for (const Index3& cell : cells_) vertices.push_back(add_vertices(cell, mesh));
    for (const Index3& cell : cells_) add_quads(cell, vertices, mesh);
    return mesh;
  }

 private:
  /// Per edge of a cell the patch that crosses it, named by one of its edges; -1 for none.
  using Patches = std::array<int, kEdges>;

  static Index3 moved(Index3 at, int axis, int by) {
    at[axis] += by;
    return at;
  }
  static Index3 corner(const Index3& cell, int corner) {
    return {cell[0] + (corner & 1), cell[1] + (corner >> 1 & 1), cell[2] + (corner >> 2)};
  }
  bool is_crossed(const Index3& cell, int edge) const {
    return grid_.is_inside(corner(cell, edge_corner(edge, 0))) !=
           grid_.is_inside(corner(cell, edge_corner(edge, 1)));
  }

  void find_cells() {
    const Index3& n = grid_.points();
    Index3 at;
    for (at[2] = 0; at[2] < n[2]; ++at[2]) {
      for (at[1] = 0; at[1] < n[1]; ++at[1]) {
        for (at[0] = 0; at[0] < n[0]; ++at[0]) {
          const bool is_inside = grid_.is_inside(at);
          for (int a = 0; a < 3; ++a) {
            if (is_inside && (at[a] == 0 || at[a] == n[a] - 1)) {
              throw Error(Fault::Input, "implicit surface", "the body reaches the box around it",
                          "choose a larger box");
            }
          }
          if (at[0] == n[0] - 1 || at[1] == n[1] - 1 || at[2] == n[2] - 1) continue;
          int inside = 0;
          for (int c = 0; c < 8; ++c) inside += grid_.is_inside(corner(at, c));
          if (inside == 0 || inside == 8) continue;
          slots_[grid_.index(at)] = cells_.size();
          cells_.push_back(at);
        }
      }
    }
    if (cells_.empty()) {
      throw Error(Fault::Input, "implicit surface", "the grid finds nothing of the body",
                  "choose a smaller edge");
    }
  }

  /// Whether the corners of a face alternate between inside and outside.
  bool is_ambiguous(const Index3& cell, int face) const {
    return std::ranges::all_of(face_edges(face), [&](int e) { return is_crossed(cell, e); });
  }
  /// The same face as the upper one of a cell, as a key.
  std::int64_t face_key(const Index3& cell, int face) const {
    const int axis = face / 2, side = face % 2;
    return 3 * grid_.index(moved(cell, axis, side)) + axis;
  }

  /// Whether an ambiguous face links around its corners 0 and 2, else around 1 and 3.
  bool links_even_corners(const Index3& cell, int face) const {
    float sum = 0;
    for (const int e : face_edges(face)) {
      sum += grid_.value(corner(cell, edge_corner(e, 0)));
      sum += grid_.value(corner(cell, edge_corner(e, 1)));
    }
    // The corners that differ from the middle of the face are cut off.
    const bool even_inside = grid_.is_inside(corner(cell, edge_corner(face_edges(face)[0], 0)));
    const bool middle_inside = sum < 0;
    return (even_inside != middle_inside) != flipped_.contains(face_key(cell, face));
  }

  Patches patches(const Index3& cell) const {
    Patches patch;
    for (int e = 0; e < kEdges; ++e) patch[e] = is_crossed(cell, e) ? e : -1;
    const auto link = [&](int e, int f) {
      const int from = std::max(patch[e], patch[f]), to = std::min(patch[e], patch[f]);
      for (int& p : patch) p = p == from ? to : p;
    };
    for (int face = 0; face < 6; ++face) {
      const std::array<int, 4> edges = face_edges(face);
      if (is_ambiguous(cell, face)) {
        const int shift = links_even_corners(cell, face) ? 3 : 0;
        link(edges[shift], edges[(shift + 1) % 4]);
        link(edges[(shift + 2) % 4], edges[(shift + 3) % 4]);
        continue;
      }
      int other = -1;
      for (const int e : edges) {
        if (patch[e] < 0) continue;
        if (other >= 0) link(other, e);
        other = e;
      }
    }
    return patch;
  }

  /// Turns the links of the cell's upper faces where both join the same patches.
  void untangle(const Index3& cell) {
    for (const int face : {1, 3, 5}) {
      if (!is_ambiguous(cell, face)) continue;
      const auto is_one_patch = [&](const Index3& of, int its_face) {
        const Patches patch = patches(of);
        return std::ranges::all_of(face_edges(its_face), [&](int e) {
          return patch[e] == patch[face_edges(its_face)[0]];
        });
      };
      if (is_one_patch(cell, face) && is_one_patch(moved(cell, face / 2, 1), face - 1)) {
        flipped_.insert(face_key(cell, face));
      }
    }
  }

  /// A vertex per patch, in the middle of its crossings.
  std::array<std::int32_t, kEdges> add_vertices(const Index3& cell, SurfaceMesh& mesh) const {
    const Patches patch = patches(cell);
    std::array<std::int32_t, kEdges> vertices{};
    for (int first = 0; first < kEdges; ++first) {
      if (patch[first] != first) continue;
      Vec3d sum{0, 0, 0};
      int count = 0;
      for (int e = first; e < kEdges; ++e) {
        if (patch[e] != first) continue;
        const Index3 a = corner(cell, edge_corner(e, 0)), b = corner(cell, edge_corner(e, 1));
        const double va = grid_.value(a), vb = grid_.value(b), t = va / (va - vb);
        sum += (1 - t) * grid_.position(a) + t * grid_.position(b);
        ++count;
        vertices[e] = static_cast<std::int32_t>(mesh.positions.size());
      }
      mesh.positions.push_back(sum * (1.0 / count));
    }
    return vertices;
  }

  /// The quads of those crossed edges that begin at the cell's first corner.
  void add_quads(const Index3& cell, std::span<const std::array<std::int32_t, kEdges>> vertices,
                 SurfaceMesh& mesh) const {
    for (int a = 0; a < 3; ++a) {
      const int u = (a + 1) % 3, v = (a + 2) % 3;
      if (!is_crossed(cell, 4 * a)) continue;
      constexpr int kRound[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
      std::array<std::int32_t, 4> quad;
      for (int c = 0; c < 4; ++c) {
        const auto [i, j] = kRound[c];
        const Index3 neighbour = moved(moved(cell, u, -i), v, -j);
        quad[c] = vertices[slots_.at(grid_.index(neighbour))][4 * a + i + 2 * j];
      }
      if (!grid_.is_inside(cell)) std::reverse(quad.begin(), quad.end());
      mesh.add_face(quad);
    }
  }

  const Grid& grid_;
  std::vector<Index3> cells_;  ///< that the surface goes through
  std::unordered_map<std::int64_t, std::size_t> slots_;
  std::set<std::int64_t> flipped_;  ///< ambiguous faces linked the other way
};

/// Newton's method along the gradient, which is taken once.
Vec3d on_surface(ImplicitBody body, Vec3d x, double edge, int steps) {
  const double h = 1e-6 * edge;
  double value = body(x);
  Vec3d gradient;
  for (int a = 0; a < 3; ++a) {
    Vec3d beside = x;
    beside[a] += h;
    gradient[a] = (body(beside) - value) / h;
  }
  const double slope = norm(gradient);
  // In a crease or in the middle of a body the gradient says little.
  if (slope < 0.1) return x;
  for (int step = 0; step < steps; ++step) {
    if (step > 0) value = body(x);
    x -= gradient * (std::clamp(value / slope, -edge / 2, edge / 2) / slope);
  }
  return x;
}

/// Evens out the quads: vertices move towards the middle of their neighbours and back to the
/// surface.
void relax(SurfaceMesh& mesh, ImplicitBody body, double edge) {
  constexpr int kRounds = 3, kLastSteps = 4;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Vec3d> sums(mesh.positions.size(), Vec3d{0, 0, 0});
    std::vector<int> counts(mesh.positions.size(), 0);
    for (std::size_t f = 0; f < mesh.face_count(); ++f) {
      const auto face = mesh.face(f);
      for (std::size_t c = 0; c < 4; ++c) {
        sums[face[c]] += mesh.positions[face[(c + 1) % 4]];
        ++counts[face[c]];
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Vec3d halfway = 0.5 * (mesh.positions[i] + sums[i] * (1.0 / counts[i]));
      mesh.positions[i] = on_surface(body, halfway, edge, round + 1 < kRounds ? 1 : kLastSteps);
    }
  }
}

}  // namespace

SurfaceMesh mesh_implicit_body(ImplicitBody body, const Bounds& box, double edge) {
  SurfaceMesh mesh = DualSurface(Grid(body, box, edge)).mesh();
  relax(mesh, body, edge);
  return mesh;
}

}  // namespace isochor::geometry
