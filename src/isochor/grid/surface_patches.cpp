#include "isochor/grid/surface_patches.h"

#include <algorithm>
#include <cmath>

#include "isochor/grid/cell_box.h"
#include "isochor/grid/embedding.h"

namespace isochor::grid {
namespace {

using Polygon = std::vector<Vec3d>;

/// Cuts one triangle after another. Lengths are in cells from the origin of the lattice.
class TriangleCutter {
 public:
  /// Calls f(polygon) for the parts of a triangle between walls.
  template <class F>
  void cut(const std::array<Vec3d, 3>& triangle, F&& f) {
    pieces_[0].assign(triangle.begin(), triangle.end());
    cut_along(0, f);
  }

 private:
  /// Cuts pieces_[axis] by the walls across an axis and hands each part to the next axis.
  template <class F>
  void cut_along(int axis, F&& f) {
    if (axis == 3) {
      f(pieces_[3]);
      return;
    }
    Polygon& rest = pieces_[axis];
    double high = rest[0][axis], low = high;
    for (const Vec3d& p : rest) {
      low = std::min(low, p[axis]);
      high = std::max(high, p[axis]);
    }
    for (double wall = std::floor(low) + 1; wall < high; ++wall) {
      split(rest, axis, wall, pieces_[axis + 1]);
      if (!pieces_[axis + 1].empty()) cut_along(axis + 1, f);
    }
    pieces_[axis + 1] = rest;
    cut_along(axis + 1, f);
  }

  /// Takes what is below a wall off a polygon.
  void split(Polygon& polygon, int axis, double wall, Polygon& below) {
    above_.clear();
    below.clear();
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Vec3d &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
      const double da = a[axis] - wall, db = b[axis] - wall;
      if (da <= 0) below.push_back(a);
      if (da >= 0) above_.push_back(a);
      if (da * db >= 0) continue;
      Vec3d p = a + (da / (da - db)) * (b - a);
      p[axis] = wall;
      below.push_back(p);
      above_.push_back(p);
    }
    polygon.swap(above_);
  }

  std::array<Polygon, 4> pieces_;  ///< per axis what is left to cut; the last is done
  Polygon above_;
};

struct Part {
  std::int32_t triangle;
  Vec3d centroid, area;        ///< in cells
  std::size_t first, corners;  ///< of its polygon, in Parts::corners
};

/// Of one chunk of triangles.
struct Parts {
  std::vector<Part> list;
  std::vector<Vec3d> corners;  ///< in cells
};

void add_part(std::int32_t triangle, const Polygon& polygon, Parts& parts) {
  constexpr double kNothing = 1e-12;
  Vec3d area{0, 0, 0}, weighted{0, 0, 0};
  double total = 0;
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    const Vec3d &a = polygon[0], &b = polygon[i - 1], &c = polygon[i];
    const Vec3d part = 0.5 * cross(b - a, c - a);
    area += part;
    weighted += (norm(part) / 3) * (a + b + c);
    total += norm(part);
  }
  if (!(total > kNothing)) return;
  parts.list.push_back(
      {triangle, weighted * (1 / total), area, parts.corners.size(), polygon.size()});
  parts.corners.insert(parts.corners.end(), polygon.begin(), polygon.end());
}

/// Calls f(part, its corners, its cell, the low corner of that), triangle by triangle; all lengths
/// in cells from the origin of the lattice.
template <class F>
void for_each_part(const Lattice& lattice, std::span<const Vec3d> positions,
                   std::span<const geometry::Triangle> triangles, ThreadArena& arena, F&& f) {
  constexpr std::size_t kGrain = 1024;
  std::vector<Parts> chunks((triangles.size() + kGrain - 1) / kGrain);
  arena.for_chunks(triangles.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    TriangleCutter cutter;
    for (std::size_t t = begin; t < end; ++t) {
      std::array<Vec3d, 3> corners;
      for (int c = 0; c < 3; ++c) {
        corners[c] = (positions[triangles[t][c]] - lattice.origin) * (1 / lattice.spacing);
      }
      cutter.cut(corners, [&](const Polygon& polygon) {
        add_part(static_cast<std::int32_t>(t), polygon, chunks[begin / kGrain]);
      });
    }
  });

  // A little behind the surface, so that walls do not matter.
  std::vector<Vec3d> behind;
  for (const Parts& chunk : chunks) {
    for (const Part& part : chunk.list) {
      const Vec3d inward = part.area * (-2 * kWall / norm(part.area));
      behind.push_back(lattice.origin + lattice.spacing * (part.centroid + inward));
    }
  }
  const std::vector<std::int32_t> cells = find_cells(lattice, behind);
  const auto nodes = lattice.cell_nodes();
  std::size_t next = 0;
  for (const Parts& chunk : chunks) {
    for (const Part& part : chunk.list) {
      const std::int32_t cell = cells[next++];
      const Vec3d low =
          (lattice.rest_positions[nodes[cell][0]] - lattice.origin) * (1 / lattice.spacing);
      f(part, std::span(chunk.corners).subspan(part.first, part.corners), cell, low);
    }
  }
}

}  // namespace

std::vector<SurfacePatch> surface_patches(const Lattice& lattice, std::span<const Vec3d> positions,
                                          std::span<const geometry::Triangle> triangles,
                                          ThreadArena& arena) {
  std::vector<SurfacePatch> patches;
  for_each_part(lattice, positions, triangles, arena,
                [&](const Part& part, std::span<const Vec3d>, std::int32_t cell, const Vec3d& low) {
                  patches.push_back({part.triangle, cell, part.centroid - low,
                                     (lattice.spacing * lattice.spacing) * part.area});
                });
  return patches;
}

std::vector<SurfaceFacet> surface_facets(const Lattice& lattice, std::span<const Vec3d> positions,
                                         std::span<const geometry::Triangle> triangles,
                                         ThreadArena& arena) {
  std::vector<SurfaceFacet> facets;
  for_each_part(
      lattice, positions, triangles, arena,
      [&](const Part& part, std::span<const Vec3d> at, std::int32_t cell, const Vec3d& low) {
        for (std::size_t i = 2; i < at.size(); ++i) {
          facets.push_back({part.triangle, cell, {at[0] - low, at[i - 1] - low, at[i] - low}});
        }
      });
  return facets;
}

}  // namespace isochor::grid
