#include "isochor/geometry/stuffing.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <numeric>

#include "isochor/base/error.h"
#include "isochor/geometry/cell_levels.h"
#include "isochor/geometry/stuffing_stencils.h"

namespace isochor::geometry {
namespace {

// A lattice point nearer to the surface than this part of an edge is moved onto it. With these two
// numbers the worst sides and cuts that a search found give dihedral angles of 10.7 to 164.1
// degrees. With those that Labelle and Shewchuk prefer, 0.24999 and 0.41189, it finds 9.3 degrees.
constexpr double kAlphaLong = 0.285, kAlphaShort = 0.398;

// Keeps numbers of points within 32 bits and what is kept per point within a few GB.
constexpr double kMostCells = 1 << 28;

[[noreturn]] void fail(const std::string& problem, const std::string& remedy) {
  throw Error(Fault::Input, "stuffing", problem, remedy);
}

/// Cells around the body with one to spare on every side, their middle at that of the body.
BccLattice lattice_around(const Bounds& bounds, const StuffingOptions& options) {
  if (!(options.spacing > 0) || !std::isfinite(options.spacing)) {
    fail(fmt::format("the spacing is {} m", options.spacing), "give a length above 0");
  }
  if (options.grading < 0 || options.grading > 16) {
    fail(fmt::format("the grading is {}", options.grading), "give a whole number from 0 to 16");
  }
  Vec3d cells;
  for (int a = 0; a < 3; ++a) cells[a] = std::ceil(bounds.size()[a] / options.spacing) + 3;
  if (!(cells[0] * cells[1] * cells[2] <= kMostCells)) {
    fail(fmt::format("a spacing of {} m makes {:.0f} x {:.0f} x {:.0f} cells, more than {:.0f}",
                     options.spacing, cells[0], cells[1], cells[2], kMostCells),
         "choose a larger spacing");
  }
  const Vec3d middle = 0.5 * (bounds.low + bounds.high);
  return {.origin = middle - 0.5 * options.spacing * cells,
          .spacing = options.spacing,
          .cells = {int(cells[0]), int(cells[1]), int(cells[2])}};
}

/// Where an edge of the lattice leaves the body.
struct Cut {
  std::int32_t inside, outside;  ///< points
  Vec3d position;
  double part;  ///< of the edge that is inside
  bool used;    ///< no end of the edge was moved onto the surface
};

/// A lattice point with cuts on its edges.
struct SurfacePoint {
  std::int32_t point;
  Vec3d position;
  std::array<std::int32_t, kBccDirections> cuts;  ///< per edge, -1: none
};

class Stuffing {
 public:
  Stuffing(const StuffedBody& body, const StuffingOptions& options, ThreadArena& arena)
      : body_(body),
        grading_(options.grading),
        arena_(arena),
        lattice_(lattice_around(body.bounds, options)),
        sides_(lattice_.point_count(), PointSide::Outside),
        numbers_(lattice_.point_count(), -1) {}

  TetMesh make() {
    find_sides();
    find_cuts();
    find_surface_points();
    warp();
    const CellLevels levels(lattice_.cells, grading_, small_cells(), arena_);
    return numbered(tets_of(levels));
  }

 private:
  // ---- Sides and cuts ----

  /// Asks about every point near the surface, and once about each part of space away from it.
  void find_sides() {
    constexpr int kBlock = 8;  // cells
    const Index3& n = lattice_.cells;
    const auto blocks = [&](int a) { return n[a] / kBlock + 1; };
    parallel_for(arena_, std::size_t(blocks(1)) * blocks(2), 1, [&](std::size_t i) {
      const int y = int(i) % blocks(1), z = int(i) / blocks(1);
      for (int x = 0; x < blocks(0); ++x) {
        find_sides({2 * kBlock * x, 2 * kBlock * y, 2 * kBlock * z}, kBlock);
      }
    });
    if (is_inside_at_border()) {
      fail("the body reaches the border of its box", "give a box that holds all of the body");
    }
  }

  /// Of the points in the cube of cells from corner `low`, without those on its far sides.
  void find_sides(const Index3& low, int cells) {
    if (cells == 1) {
      for (const Index3& at : {low, low + Index3{1, 1, 1}}) {
        if (lattice_.contains(at)) set_side(at, body_.is_inside(lattice_.position(at)));
      }
      return;
    }
    const double half = 0.5 * (cells - 0.5) * lattice_.spacing;
    const Vec3d middle = lattice_.position(low) + Vec3d{half, half, half};
    if (const auto inside = body_.has_ball(middle, std::sqrt(3.0) * half)) {
      if (*inside) fill_inside(low, cells);
      return;
    }
    for (int octant = 0; octant < 8; ++octant) {
      const Index3 at =
          low + Index3{cells * (octant & 1), cells * (octant >> 1 & 1), cells * (octant >> 2)};
      if (lattice_.contains(at)) find_sides(at, cells / 2);
    }
  }
  void fill_inside(const Index3& low, int cells) {
    for (int z = 0; z < 2 * cells; ++z) {
      for (int y = z & 1; y < 2 * cells; y += 2) {
        for (int x = z & 1; x < 2 * cells; x += 2) {
          const Index3 at = low + Index3{x, y, z};
          if (lattice_.contains(at)) set_side(at, true);
        }
      }
    }
  }
  void set_side(const Index3& at, bool inside) {
    sides_[lattice_.point(at)] = inside ? PointSide::Inside : PointSide::Outside;
  }

  bool is_inside_at_border() {
    std::atomic<bool> found = false;
    for_planes([&](int z) {
      for_points_of_plane(z, [&](const Index3& at) {
        bool at_border = false;
        for (int a = 0; a < 3; ++a) at_border |= at[a] < 2 || at[a] > 2 * lattice_.cells[a] - 2;
        if (at_border && sides_[lattice_.point(at)] == PointSide::Inside) found = true;
      });
    });
    return found;
  }

  int plane_count() const { return 2 * lattice_.cells[2] + 1; }
  template <class F>
  void for_planes(F&& f) {
    parallel_for(arena_, plane_count(), 1, [&](std::size_t z) { f(static_cast<int>(z)); });
  }
  template <class F>
  void for_points_of_plane(int z, F&& f) const {
    for (int y = z & 1; y <= 2 * lattice_.cells[1]; y += 2) {
      for (int x = z & 1; x <= 2 * lattice_.cells[0]; x += 2) f(Index3{x, y, z});
    }
  }

  /// An edge belongs to its corner of the cells, or to its end of smaller coordinates.
  void find_cuts() {
    std::vector<std::vector<Cut>> found(plane_count());
    for_planes([&](int z) {
      const bool is_corner = z % 2 == 0;
      for_points_of_plane(z, [&](const Index3& at) {
        const std::int32_t point = lattice_.point(at);
        for (int d = 0; d < (is_corner ? kBccDirections : kBccLong); d += is_long(d) ? 2 : 1) {
          const Index3 end = at + kBccOffsets[d];
          if (!lattice_.contains(end)) continue;
          const std::int32_t other = lattice_.point(end);
          if (sides_[point] == sides_[other]) continue;
          const bool leaves = sides_[point] == PointSide::Inside;
          found[z].push_back(leaves ? place_cut(point, other) : place_cut(other, point));
        }
      });
    });
    plane_cuts_.push_back(0);
    for (const std::vector<Cut>& cuts : found) {
      cuts_.insert(cuts_.end(), cuts.begin(), cuts.end());
      plane_cuts_.push_back(cuts_.size());
    }
    if (cuts_.empty()) {
      fail(fmt::format("no point of the lattice of {} m is inside the body", lattice_.spacing),
           "choose a smaller spacing");
    }
  }

  Cut place_cut(std::int32_t inside, std::int32_t outside) const {
    const Vec3d from = lattice_.position(lattice_.coordinates(inside));
    const Vec3d to = lattice_.position(lattice_.coordinates(outside));
    const double part = std::clamp(body_.crossing(from, to), 0.0, 1.0);
    return {inside, outside, from + part * (to - from), part, true};
  }

  void find_surface_points() {
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      const Index3 from = lattice_.coordinates(cuts_[c].inside);
      const Index3 to = lattice_.coordinates(cuts_[c].outside);
      const int direction = bcc_direction(from, to);
      surface_point(cuts_[c].inside, from).cuts[direction] = static_cast<std::int32_t>(c);
      surface_point(cuts_[c].outside, to).cuts[opposite(direction)] = static_cast<std::int32_t>(c);
    }
  }
  SurfacePoint& surface_point(std::int32_t point, const Index3& at) {
    std::int32_t& number = numbers_[point];
    if (number < 0) {
      number = static_cast<std::int32_t>(surface_points_.size());
      surface_points_.push_back({point, lattice_.position(at), {}});
      surface_points_.back().cuts.fill(-1);
    }
    return surface_points_[number];
  }

  /// Moves points that are too near to the surface to the nearest cut on their edges. One after
  /// the other: what one does can spare its neighbour the move.
  void warp() {
    const double long_edge = lattice_.spacing, short_edge = std::sqrt(0.75) * lattice_.spacing;
    for (SurfacePoint& p : surface_points_) {
      const bool inside = sides_[p.point] == PointSide::Inside;
      double nearest = std::numeric_limits<double>::infinity();
      for (int d = 0; d < kBccDirections; ++d) {
        if (p.cuts[d] < 0 || !cuts_[p.cuts[d]].used) continue;
        const Cut& cut = cuts_[p.cuts[d]];
        const double part = inside ? cut.part : 1 - cut.part;
        if (part >= (is_long(d) ? kAlphaLong : kAlphaShort)) continue;
        const double distance = part * (is_long(d) ? long_edge : short_edge);
        if (distance >= nearest) continue;
        nearest = distance;
        p.position = cut.position;
      }
      if (std::isinf(nearest)) continue;
      sides_[p.point] = PointSide::Surface;
      for (const std::int32_t c : p.cuts) {
        if (c >= 0) cuts_[c].used = false;
      }
    }
  }

  // ---- Tets ----
  // A vertex is a lattice point, or the number of points plus that of a cut.

  /// The cells with a cut edge. All that touch them must be small: then tets that are cut, or have
  /// a corner that was moved, are those for which the bounds of the angles hold.
  std::vector<std::uint8_t> small_cells() const {
    if (grading_ == 0) return {};
    std::vector<std::uint8_t> small(count_of(lattice_.cells), 0);
    // Next to a cut edge between corners there is always one to a centre.
    for (const Cut& cut : cuts_) {
      for (const std::int32_t point : {cut.inside, cut.outside}) {
        if (point >= lattice_.corner_count()) small[point - lattice_.corner_count()] = 1;
      }
    }
    return small;
  }

  std::vector<std::vector<Tet>> tets_of(const CellLevels& levels) {
    std::vector<std::array<int, 2>> slabs;  // level and z
    for (int level = 0; level < levels.count(); ++level) {
      for (int z = 0; z < levels.cells(level)[2]; ++z) slabs.push_back({level, z});
    }
    std::vector<std::vector<Tet>> tets(slabs.size());
    parallel_for(arena_, slabs.size(), 1, [&](std::size_t s) {
      const auto [level, z] = slabs[s];
      const Index3& n = levels.cells(level);
      for (int y = 0; y < n[1]; ++y) {
        for (int x = 0; x < n[0]; ++x) {
          if (levels.kind(level, {x, y, z}) == CellLevels::Kind::Leaf) {
            add_cell(levels, level, {x, y, z}, tets[s]);
          }
        }
      }
    });
    return tets;
  }

  /// A face of a leaf, its corners counter-clockwise about the axis.
  struct Face {
    int axis, side;
    Index3 cell, neighbour;
    Index3 centre;
    std::array<Index3, 4> corners;
  };

  void add_cell(const CellLevels& levels, int level, const Index3& cell,
                std::vector<Tet>& out) const {
    const int half = 1 << level;
    const Index3 centre{(2 * cell[0] + 1) * half, (2 * cell[1] + 1) * half,
                        (2 * cell[2] + 1) * half};
    // Points of large leaves are all on the same side; leaves at the border may reach beyond it.
    const bool inside =
        lattice_.contains(centre) && sides_[lattice_.point(centre)] == PointSide::Inside;
    if (level > 0 && !inside) return;
    for (int axis = 0; axis < 3; ++axis) {
      for (int side = 0; side < 2; ++side) {
        Face face{axis, side, cell, cell, centre, {}};
        face.neighbour[axis] += 2 * side - 1;
        const CellLevels::Kind kind = levels.kind(level, face.neighbour);
        if (kind == CellLevels::Kind::Outside) continue;
        if (kind == CellLevels::Kind::Leaf && side == 0) continue;  // the neighbour does it
        face.corners.fill(centre);
        constexpr int kSigns[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
        for (int k = 0; k < 4; ++k) {
          face.corners[k][axis] += (2 * side - 1) * half;
          face.corners[k][(axis + 1) % 3] += kSigns[k][0] * half;
          face.corners[k][(axis + 2) % 3] += kSigns[k][1] * half;
        }
        if (kind == CellLevels::Kind::Leaf) {
          add_between_equals(levels, level, face, out);
        } else if (inside) {
          kind == CellLevels::Kind::Merged ? add_half_pyramids(face, out) : add_fan(face, out);
        }
      }
    }
  }

  /// Four tets between two centres and the edges of the face between them. Edges that smaller cells
  /// share are halved.
  void add_between_equals(const CellLevels& levels, int level, const Face& face,
                          std::vector<Tet>& out) const {
    Index3 other = face.centre;
    other[face.axis] += 2 << level;
    for (int k = 0; k < 4; ++k) {
      const Index3 &from = face.corners[k], &to = face.corners[(k + 1) % 4];
      if (level == 0) {
        add_lattice_tet({face.centre, other, from, to}, out);
        continue;
      }
      Index3 beyond{0, 0, 0};
      beyond[(face.axis + (k % 2 == 0 ? 2 : 1)) % 3] = k == 0 || k == 3 ? -1 : 1;
      const bool is_halved = levels.kind(level, face.cell + beyond) == CellLevels::Kind::Split ||
                             levels.kind(level, face.neighbour + beyond) == CellLevels::Kind::Split;
      if (is_halved) {
        const Index3 middle = middle_of(from, to);
        add_whole({face.centre, other, from, middle}, out);
        add_whole({face.centre, other, middle, to}, out);
      } else {
        add_whole({face.centre, other, from, to}, out);
      }
    }
  }

  /// Towards a larger leaf: the pyramid over the face, halved at the diagonal that begins in the
  /// middle of the larger leaf's face.
  void add_half_pyramids(const Face& face, std::vector<Tet>& out) const {
    const bool high_u = face.cell[(face.axis + 1) % 3] % 2 == 0;
    const bool high_v = face.cell[(face.axis + 2) % 3] % 2 == 0;
    const int k = high_v ? (high_u ? 2 : 3) : (high_u ? 1 : 0);
    const auto corner = [&](int i) { return face.corners[(k + i) % 4]; };
    add_on_face(face, {corner(0), corner(1), corner(2)}, out);
    add_on_face(face, {corner(0), corner(2), corner(3)}, out);
  }

  /// Towards smaller leaves: eight triangles about the middle of the face.
  void add_fan(const Face& face, std::vector<Tet>& out) const {
    const Index3 middle = middle_of(face.corners[0], face.corners[2]);
    for (int k = 0; k < 4; ++k) {
      const Index3 &from = face.corners[k], &to = face.corners[(k + 1) % 4];
      add_on_face(face, {middle, from, middle_of(from, to)}, out);
      add_on_face(face, {middle, middle_of(from, to), to}, out);
    }
  }

  static Index3 middle_of(const Index3& a, const Index3& b) {
    return {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
  }

  /// A triangle that is counter-clockwise about the axis, and the centre.
  void add_on_face(const Face& face, const std::array<Index3, 3>& t, std::vector<Tet>& out) const {
    face.side == 0 ? add_whole({t[0], t[1], t[2], face.centre}, out)
                   : add_whole({t[0], t[2], t[1], face.centre}, out);
  }

  void add_whole(const std::array<Index3, 4>& at, std::vector<Tet>& out) const {
    out.push_back({lattice_.point(at[0]), lattice_.point(at[1]), lattice_.point(at[2]),
                   lattice_.point(at[3])});
  }

  void add_lattice_tet(const std::array<Index3, 4>& at, std::vector<Tet>& out) const {
    std::array<StencilCorner, 4> corners;
    int inside = 0, outside = 0;
    for (int i = 0; i < 4; ++i) {
      const std::int32_t point = lattice_.point(at[i]);
      const int sum = (at[i][0] >> 1) + (at[i][1] >> 1) + (at[i][2] >> 1);
      corners[i] = {point, sides_[point], sum % 2 == 0};
      inside += corners[i].side == PointSide::Inside;
      outside += corners[i].side == PointSide::Outside;
    }
    if (inside == 0) return;
    if (outside == 0) {
      out.push_back({corners[0].vertex, corners[1].vertex, corners[2].vertex, corners[3].vertex});
      return;
    }
    const auto cut = [&](int i, int j) {
      const SurfacePoint& p = surface_points_[numbers_[corners[i].vertex]];
      const std::int64_t vertex = lattice_.point_count() + p.cuts[bcc_direction(at[i], at[j])];
      return static_cast<std::int32_t>(vertex);
    };
    cut_lattice_tet(
        corners, cut, [this](std::int32_t vertex) { return position(vertex); }, out);
  }

  Vec3d position(std::int32_t vertex) const {
    if (vertex >= lattice_.point_count()) return cuts_[vertex - lattice_.point_count()].position;
    const std::int32_t number = numbers_[vertex];
    return number >= 0 ? surface_points_[number].position
                       : lattice_.position(lattice_.coordinates(vertex));
  }

  // ---- The mesh ----

  /// Vertices in the order of planes, so that neighbours are near each other.
  TetMesh numbered(std::vector<std::vector<Tet>> parts) {
    std::vector<std::int32_t> vertices(lattice_.point_count() + cuts_.size(), 0);
    parallel_for(arena_, parts.size(), 1, [&](std::size_t p) {
      for (const Tet& tet : parts[p]) {
        for (const std::int32_t v : tet) {
          std::atomic_ref(vertices[v]).store(1, std::memory_order_relaxed);
        }
      }
    });
    const auto for_vertices_of_plane = [&](int z, auto&& f) {
      for_points_of_plane(z, [&](const Index3& at) { f(lattice_.point(at)); });
      for (std::size_t c = plane_cuts_[z]; c < plane_cuts_[z + 1]; ++c) {
        f(static_cast<std::int32_t>(lattice_.point_count() + static_cast<std::int64_t>(c)));
      }
    };
    std::vector<std::int64_t> starts(plane_count() + 1, 0);
    for_planes([&](int z) {
      for_vertices_of_plane(z, [&](std::int32_t v) { starts[z + 1] += vertices[v]; });
    });
    std::inclusive_scan(starts.begin(), starts.end(), starts.begin());
    std::vector<std::size_t> tet_starts{0};
    for (const std::vector<Tet>& part : parts)
      tet_starts.push_back(tet_starts.back() + part.size());
    if (tet_starts.back() == 0) {
      fail(fmt::format("all of the body is thinner than the lattice of {} m", lattice_.spacing),
           "choose a smaller spacing");
    }
    if (tet_starts.back() > std::size_t(std::numeric_limits<std::int32_t>::max())) {
      fail(fmt::format("a spacing of {} m makes {} tets", lattice_.spacing, tet_starts.back()),
           "choose a larger spacing");
    }

    TetMesh mesh;
    mesh.positions.resize(starts.back());
    mesh.tets.resize(tet_starts.back());
    for_planes([&](int z) {
      std::int64_t next = starts[z];
      for_vertices_of_plane(z, [&](std::int32_t v) {
        if (vertices[v] == 0) return;
        mesh.positions[next] = position(v);
        vertices[v] = static_cast<std::int32_t>(next++);
      });
    });
    parallel_for(arena_, parts.size(), 1, [&](std::size_t p) {
      for (std::size_t t = 0; t < parts[p].size(); ++t) {
        for (int k = 0; k < 4; ++k) mesh.tets[tet_starts[p] + t][k] = vertices[parts[p][t][k]];
      }
    });
    return mesh;
  }

  const StuffedBody& body_;
  int grading_;
  ThreadArena& arena_;
  BccLattice lattice_;
  std::vector<PointSide> sides_;
  std::vector<std::int32_t> numbers_;  ///< per point: that of its SurfacePoint, -1: none
  std::vector<Cut> cuts_;
  std::vector<std::size_t> plane_cuts_;  ///< the first cut of each plane of points
  std::vector<SurfacePoint> surface_points_;
};

}  // namespace

TetMesh stuff(const StuffedBody& body, const StuffingOptions& options, ThreadArena& arena) {
  TetMesh mesh = Stuffing(body, options, arena).make();
  // Plane by plane as they are made, of large meshes the tets around a node are too many planes
  // apart for caches; those of small ones are there in any order.
  constexpr std::size_t kLarge = 200'000;
  constexpr double kCube = 8;
  if (mesh.tets.size() > kLarge) order_by_place(mesh, kCube * options.spacing);
  return mesh;
}

}  // namespace isochor::geometry
