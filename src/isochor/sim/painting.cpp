#include "isochor/sim/painting.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "isochor/base/error.h"
#include "isochor/geometry/triangle_bvh.h"

namespace isochor::sim {
namespace {

/// The face that each triangle of geometry::triangulate comes from.
std::vector<std::int32_t> faces_of_triangles(const geometry::SurfaceMesh& mesh) {
  std::vector<std::int32_t> faces;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    faces.insert(faces.end(), mesh.face(f).size() - 2, static_cast<std::int32_t>(f));
  }
  return faces;
}

[[noreturn]] void fail_unknown(const PaintSpec& paint, const files::SurfaceFile& surface) {
  std::vector<std::string> known;
  for (const files::VertexAttribute& a : surface.attributes) {
    for (int c = 0; c < a.components; ++c) {
      known.push_back(a.components == 1 ? a.name : fmt::format("{}.{}", a.name, c));
    }
  }
  for (const files::FaceGroup& g : surface.groups) known.push_back("group:" + g.name);
  throw Error(Fault::Input, paint.place.text("from"),
              fmt::format("the mesh has no '{}'", paint.from),
              known.empty() ? "the mesh has neither groups nor attributes; paint it, or take the "
                              "paint out of the scene"
                            : fmt::format("it has {}", fmt::join(known, ", ")));
}

/// One number per vertex: an attribute by its name, or a component of it as "color.0" or "color.r".
std::vector<float> vertex_values(const PaintSpec& paint, const files::SurfaceFile& surface) {
  const std::size_t dot = paint.from.rfind('.');
  for (const files::VertexAttribute& a : surface.attributes) {
    int component = -1;
    if (a.name == paint.from && a.components == 1) component = 0;
    if (dot != std::string::npos && a.name == paint.from.substr(0, dot)) {
      const std::string part = paint.from.substr(dot + 1);
      constexpr std::string_view kLetters = "rgba";
      if (part.size() == 1 && kLetters.find(part[0]) != std::string_view::npos) {
        component = static_cast<int>(kLetters.find(part[0]));
      } else {
        std::from_chars(part.data(), part.data() + part.size(), component);
      }
    }
    if (component < 0 || component >= a.components) continue;
    std::vector<float> values(surface.mesh.positions.size());
    for (std::size_t v = 0; v < values.size(); ++v)
      values[v] = a.values[v * a.components + component];
    return values;
  }
  fail_unknown(paint, surface);
}

/// Whether each face belongs to the group "group:NAME".
std::vector<bool> group_faces(const PaintSpec& paint, const files::SurfaceFile& surface) {
  const std::string name = paint.from.substr(6);
  for (const files::FaceGroup& group : surface.groups) {
    if (group.name != name) continue;
    std::vector<bool> inside(surface.mesh.face_count(), false);
    for (const std::int32_t f : group.faces) inside[f] = true;
    return inside;
  }
  fail_unknown(paint, surface);
}

double default_value(std::string_view quantity) {
  return quantity == "stiffness" || quantity == "activation" ? 1 : 0;
}

}  // namespace

std::vector<CellField> paint_cells(const grid::Lattice& lattice, const files::SurfaceFile& surface,
                                   const std::vector<PaintSpec>& paints, ThreadArena& arena) {
  std::vector<CellField> fields;
  if (paints.empty()) return fields;
  const auto triangles = geometry::triangulate(surface.mesh);
  const std::vector<std::int32_t> faces = faces_of_triangles(surface.mesh);
  const geometry::TriangleBvh tree(surface.mesh.positions, triangles, arena);
  std::vector<Vec3d> middles;
  lattice.for_each_cell([&](std::size_t b, int lane) {
    const grid::Block& block = lattice.blocks[b];
    const Vec3d low = lattice.rest_positions[block.nodes[grid::block_node(lane, 0)]];
    const double half = 0.5 * lattice.spacing;
    middles.push_back(low + Vec3d{half, half, half});
  });
  std::vector<geometry::ClosestPoint> nearest(middles.size());
  parallel_for(arena, middles.size(), 256,
               [&](std::size_t c) { nearest[c] = tree.closest_point(middles[c]); });

  for (const PaintSpec& paint : paints) {
    auto field = std::ranges::find(fields, paint.quantity, &CellField::name);
    if (field == fields.end()) {
      const double value = default_value(paint.quantity);
      fields.push_back({paint.quantity, std::vector<double>(middles.size(), value)});
      field = fields.end() - 1;
    }
    if (paint.from.starts_with("group:")) {
      const std::vector<bool> inside = group_faces(paint, surface);
      for (std::size_t c = 0; c < middles.size(); ++c) {
        if (inside[faces[nearest[c].triangle]]) field->values[c] = paint.high;
      }
      continue;
    }
    const std::vector<float> values = vertex_values(paint, surface);
    for (std::size_t c = 0; c < middles.size(); ++c) {
      const geometry::Triangle& t = triangles[nearest[c].triangle];
      double value = 0;
      for (int i = 0; i < 3; ++i) value += nearest[c].barycentric[i] * values[t[i]];
      field->values[c] = paint.low + (paint.high - paint.low) * value;
    }
  }
  for (const CellField& field : fields) {
    const bool factor = default_value(field.name) == 1;
    for (const double v : field.values) {
      if (factor && !(v >= 0)) {
        throw Error(Fault::Input, paints.front().place.text(),
                    fmt::format("paints a {} of {}", field.name, v),
                    "give low and high so that no value is negative");
      }
    }
  }
  return fields;
}

}  // namespace isochor::sim
