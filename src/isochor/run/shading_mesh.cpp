#include "isochor/run/shading_mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace isochor::run {
namespace {

/// Faces that meet at a larger angle have a crisp edge between them.
const float kCreaseCosine = std::cos(40.0f * 3.14159265f / 180);

Vec3f unit_or_zero(const Vec3f& v) {
  const float length = norm(v);
  return length > 0 ? v * (1 / length) : v;
}

/// Normals per corner: at each vertex, the average over the adjoining triangles that are not
/// across a crease, weighted by their angle there.
std::vector<std::array<Vec3f, 3>> corner_normals(const ShadingMesh& mesh) {
  struct Corner {
    std::uint32_t triangle;
    float angle;
  };
  const std::size_t count = mesh.triangles.size();
  std::vector<Vec3f> face_normals(count);
  std::vector<std::uint32_t> starts(mesh.positions.size() + 1);
  for (std::size_t t = 0; t < count; ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const Vec3f& origin = mesh.positions[a];
    face_normals[t] = unit_or_zero(cross(mesh.positions[b] - origin, mesh.positions[c] - origin));
    for (const std::uint32_t v : mesh.triangles[t]) ++starts[v + 1];
  }
  for (std::size_t v = 1; v < starts.size(); ++v) starts[v] += starts[v - 1];

  // The corners around each vertex, next to each other.
  std::vector<Corner> corners(3 * count);
  std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t t = 0; t < count; ++t) {
    for (int k = 0; k < 3; ++k) {
      const auto& triangle = mesh.triangles[t];
      const std::uint32_t v = triangle[k];
      const Vec3f p = mesh.positions[v];
      const Vec3f u = unit_or_zero(mesh.positions[triangle[(k + 1) % 3]] - p);
      const Vec3f w = unit_or_zero(mesh.positions[triangle[(k + 2) % 3]] - p);
      corners[next[v]++] = {static_cast<std::uint32_t>(t),
                            std::acos(std::clamp(dot(u, w), -1.0f, 1.0f))};
    }
  }

  std::vector<std::array<Vec3f, 3>> normals(count);
  for (std::size_t t = 0; t < count; ++t) {
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t v = mesh.triangles[t][k];
      Vec3f sum{0, 0, 0};
      for (std::uint32_t i = starts[v]; i < starts[v + 1]; ++i) {
        const Vec3f& other = face_normals[corners[i].triangle];
        if (dot(other, face_normals[t]) >= kCreaseCosine) sum += other * corners[i].angle;
      }
      normals[t][k] = unit_or_zero(dot(sum, sum) > 0 ? sum : face_normals[t]);
    }
  }
  return normals;
}

}  // namespace

bool is_finite(const Vec3d& x) {
  return std::isfinite(x[0]) && std::isfinite(x[1]) && std::isfinite(x[2]);
}

const files::Field* find_vertex_field(const files::BodyFrame& body, const std::string& name) {
  for (const files::Field& f : body.fields) {
    if (f.name == name && f.support == files::Support::Vertex &&
        f.values.size() == body.vertices.size() * static_cast<std::size_t>(f.components)) {
      return &f;
    }
  }
  return nullptr;
}

float field_value(const files::Field& field, std::size_t vertex) {
  if (field.components == 1) return field.values[vertex];
  float sum = 0;
  for (int c = 0; c < field.components; ++c) {
    const float x = field.values[vertex * field.components + c];
    sum += x * x;
  }
  return std::sqrt(sum);
}

ShadingMesh build_shading_mesh(const files::Topology& topology, const files::Frame& frame,
                               const std::string& field, const UnitFrame& unit) {
  ShadingMesh mesh;
  for (std::size_t b = 0; b < topology.bodies.size(); ++b) {
    const files::BodyFrame& body = frame.bodies[b];
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (const Vec3d& x : body.vertices) mesh.positions.push_back(unit.point(x));
    for (const geometry::Triangle& t : geometry::triangulate(topology.bodies[b].surface)) {
      if (std::all_of(t.begin(), t.end(), [&](auto v) { return is_finite(body.vertices[v]); })) {
        mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
        mesh.body.push_back(static_cast<std::int32_t>(b));
      }
    }
    if (field.empty()) continue;
    const files::Field* values = find_vertex_field(body, field);
    for (std::size_t v = 0; v < body.vertices.size(); ++v) {
      mesh.values.push_back(values ? field_value(*values, v)
                                   : std::numeric_limits<float>::quiet_NaN());
    }
  }
  mesh.normals = corner_normals(mesh);
  return mesh;
}

std::vector<Segment> exterior_lattice_edges(const files::Topology& topology,
                                            const files::Frame& frame, const UnitFrame& unit) {
  // Corners of a cell are numbered x fastest; each face goes around in order.
  constexpr int kFaces[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};
  struct Face {
    std::array<std::int32_t, 4> key;  ///< sorted, to find its twin in the neighbouring cell
    std::array<std::int32_t, 4> around;
  };
  std::vector<Segment> segments;
  for (std::size_t b = 0; b < topology.bodies.size(); ++b) {
    std::vector<Face> faces;
    for (const auto& cell : topology.bodies[b].cells) {
      for (const auto& f : kFaces) {
        Face face{{}, {cell[f[0]], cell[f[1]], cell[f[2]], cell[f[3]]}};
        face.key = face.around;
        std::sort(face.key.begin(), face.key.end());
        faces.push_back(face);
      }
    }
    std::sort(faces.begin(), faces.end(),
              [](const Face& x, const Face& y) { return x.key < y.key; });

    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    for (std::size_t i = 0; i < faces.size();) {
      std::size_t end = i + 1;
      while (end < faces.size() && faces[end].key == faces[i].key) ++end;
      if (end == i + 1) {
        for (int k = 0; k < 4; ++k) {
          edges.push_back(std::minmax({faces[i].around[k], faces[i].around[(k + 1) % 4]}));
        }
      }
      i = end;
    }
    for (const geometry::Triangle& t : geometry::boundary_triangles(topology.bodies[b].tets)) {
      for (int k = 0; k < 3; ++k) edges.push_back(std::minmax({t[k], t[(k + 1) % 3]}));
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const auto& [i, j] : edges) {
      const Vec3d &p = frame.bodies[b].nodes[i], &q = frame.bodies[b].nodes[j];
      if (is_finite(p) && is_finite(q)) segments.emplace_back(unit.point(p), unit.point(q));
    }
  }
  return segments;
}

}  // namespace isochor::run
