#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "isochor/geometry/surface_mesh.h"

/// Meshes of bands that close around something.
namespace isochor::shells {

struct BandMesh {
  std::vector<Vec3d> positions;
  std::vector<geometry::Triangle> triangles;  ///< outward
  std::vector<Vec3d> directions;              ///< around, per triangle
};

/// Rings of points above each other, every other one turned by half a step, so that triangles are
/// nearly equilateral. `at(turn, part)`: turns from 0 to 1 go counter-clockwise seen from the tip
/// of the axis, parts from 0 at the lower rim to 1 at the upper one. At least three points around.
BandMesh make_band(int around, int rows, const Vec3d& axis,
                   const std::function<Vec3d(double, double)>& at);

/// Where a band is to be, and how fine.
struct BandPlace {
  Vec3d center{0, 0, 0};  ///< in the middle of its width
  Vec3d axis{0, 1, 0};    ///< that it goes around
  double width = 0;       ///< along the axis, m
  double within = 0;     ///< m, from the axis: what is farther off is not wrapped; 0: everything is
  double edge = 0;       ///< of its triangles, m
  double clearance = 0;  ///< least distance from what it is wrapped around, m
};

/// A band that is stretched straight around a surface, as a string would be: across hollows, and
/// off it by the clearance. An input error, which names `name`, where there is nothing to wrap.
BandMesh wrap(std::span<const Vec3d> positions, std::span<const geometry::Triangle> triangles,
              const BandPlace& place, const std::string& name);

}  // namespace isochor::shells
