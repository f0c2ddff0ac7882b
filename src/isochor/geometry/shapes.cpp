#include "isochor/geometry/shapes.h"

#include <fmt/core.h>
#include <numbers>

#include "isochor/base/error.h"
#include "isochor/geometry/shapes_box_surface.h"

namespace isochor::geometry {
namespace {

constexpr double kPi = std::numbers::pi;

/// The boundary of all cells of an n[0] x n[1] x n[2] grid for which `inside` holds.
template <class Inside, class F>
SurfaceMesh cells_surface(const Index3& n, const Inside& inside, const F& position) {
  SurfaceMesh mesh;
  std::map<Index3, std::int32_t> index;
  const auto vertex = [&](const Index3& at) {
    const auto [entry, fresh] =
        index.try_emplace(at, static_cast<std::int32_t>(mesh.positions.size()));
    if (fresh) mesh.positions.push_back(position(at));
    return entry->second;
  };
  const auto is_filled = [&](const Index3& cell) {
    for (int a = 0; a < 3; ++a) {
      if (cell[a] < 0 || cell[a] >= n[a]) return false;
    }
    return inside(cell);
  };
  const auto add_side = [&](Index3 at, int axis, bool high) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    if (high) ++at[axis];
    std::array<Index3, 4> corners{at, at, at, at};
    ++corners[1][u], ++corners[2][u], ++corners[2][v], ++corners[3][v];
    if (!high) std::swap(corners[1], corners[3]);
    mesh.add_face(
        std::array{vertex(corners[0]), vertex(corners[1]), vertex(corners[2]), vertex(corners[3])});
  };
  Index3 cell;
  for (cell[2] = 0; cell[2] < n[2]; ++cell[2]) {
    for (cell[1] = 0; cell[1] < n[1]; ++cell[1]) {
      for (cell[0] = 0; cell[0] < n[0]; ++cell[0]) {
        if (!is_filled(cell)) continue;
        for (int axis = 0; axis < 3; ++axis) {
          for (const bool high : {false, true}) {
            Index3 neighbour = cell;
            neighbour[axis] += high ? 1 : -1;
            if (!is_filled(neighbour)) add_side(cell, axis, high);
          }
        }
      }
    }
  }
  return mesh;
}

}  // namespace

SurfaceMesh make_box(const Vec3d& center, const Vec3d& size, double edge) {
  const Index3 n{pieces(size[0], edge), pieces(size[1], edge), pieces(size[2], edge)};
  return box_surface(n, [&](const Index3& at) {
    Vec3d p;
    for (int a = 0; a < 3; ++a) p[a] = center[a] + size[a] * (double(at[a]) / n[a] - 0.5);
    return p;
  });
}

SurfaceMesh make_sphere(const Vec3d& center, double radius, double edge) {
  return make_ellipsoid(center, {radius, radius, radius}, edge);
}

SurfaceMesh make_ellipsoid(const Vec3d& center, const Vec3d& radii, double edge) {
  Index3 n;
  for (int a = 0; a < 3; ++a) n[a] = std::max(2, pieces(radii[a] * kPi / 2, edge));
  return box_surface(n, [&](const Index3& at) {
    // Equal angles instead of equal lengths on the cube: quads of nearly equal size.
    Vec3d p;
    for (int a = 0; a < 3; ++a) p[a] = std::tan((double(at[a]) / n[a] - 0.5) * kPi / 2);
    const double length = norm(p);
    for (int a = 0; a < 3; ++a) p[a] = center[a] + p[a] * (radii[a] / length);
    return p;
  });
}

SurfaceMesh make_bow_tie(const Vec3d& center, const Vec3d& size, double waist, double edge) {
  if (!(waist > 0 && waist <= size[1])) {
    throw Error(Fault::Input, "bow tie",
                fmt::format("a waist of {} m in a height of {} m", waist, size[1]),
                "choose a waist above 0 and up to the height");
  }
  // An even number along x puts vertices into the waist.
  const Index3 n{2 * pieces(size[0] / 2, edge), pieces(size[1], edge), pieces(size[2], edge)};
  return box_surface(n, [&](const Index3& at) {
    Vec3d p;
    for (int a = 0; a < 3; ++a) p[a] = double(at[a]) / n[a] - 0.5;
    const double height = waist + (size[1] - waist) * std::abs(2 * p[0]);
    return center + Vec3d{size[0] * p[0], height * p[1], size[2] * p[2]};
  });
}

SurfaceMesh make_stairs(const Vec3d& foot, int steps, const Vec3d& step, double edge) {
  if (steps < 1) {
    throw Error(Fault::Input, "stairs", fmt::format("{} steps", steps), "ask for one or more");
  }
  // Pieces per step, so that every step ends at a vertex.
  const Index3 per{pieces(step[0], edge), pieces(step[1], edge), pieces(step[2], edge)};
  return cells_surface(
      {steps * per[0], steps * per[1], per[2]},
      [&](const Index3& cell) { return cell[1] / per[1] <= cell[0] / per[0]; },
      [&](const Index3& at) {
        return foot + Vec3d{step[0] * at[0] / per[0], step[1] * at[1] / per[1],
                            step[2] * (double(at[2]) / per[2] - 0.5)};
      });
}

}  // namespace isochor::geometry
