#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "isochor/files/frame.h"
#include "isochor/math/vec3.h"

namespace isochor::run {

using Vec3f = Vec3<float>;

/// Moves lengths of any scale, anywhere in space, to a ball of radius one at the origin, where
/// single precision is enough.
struct UnitFrame {
  Vec3d centre;
  double scale;  ///< 1 / m

  Vec3f point(const Vec3d& x) const { return direction((x - centre) * scale); }
  static Vec3f direction(const Vec3d& v) {
    return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
  }
};

/// All bodies of a frame as triangles ready for drawing.
struct ShadingMesh {
  std::vector<Vec3f> positions;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::array<Vec3f, 3>> normals;  ///< per triangle and corner, unit
  std::vector<std::int32_t> body;             ///< per triangle
  std::vector<float> values;                  ///< per vertex, NaN without value; empty: no field
};

/// Triangles that touch a vertex that is not finite are left out: a picture of a failed run still
/// shows the rest. `field` must exist where it is not empty.
ShadingMesh build_shading_mesh(const files::Topology& topology, const files::Frame& frame,
                               const std::string& field, const UnitFrame& unit);

using Segment = std::pair<Vec3f, Vec3f>;

/// The edges of those cell faces that belong to one cell only.
std::vector<Segment> exterior_lattice_edges(const files::Topology& topology,
                                            const files::Frame& frame, const UnitFrame& unit);

/// The field of that name on the vertices of a body, or null.
const files::Field* find_vertex_field(const files::BodyFrame& body, const std::string& name);

/// One number per vertex: the value, or the magnitude of a vector.
float field_value(const files::Field& field, std::size_t vertex);

bool is_finite(const Vec3d& x);

}  // namespace isochor::run
