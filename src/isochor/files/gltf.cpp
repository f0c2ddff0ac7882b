#include "isochor/files/gltf.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/gltf_document.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

constexpr std::size_t kTriangles = 4, kStrip = 5, kFan = 6;

/// Vertices and indices in a scene; three times as many still count in 32 bits.
constexpr std::size_t kMostNumbers = 200'000'000;

/// An attribute that some primitives have and others may lack.
struct Column {
  std::size_t components = 1;
  std::vector<float> values;  ///< of the vertices up to the last that has one
  std::size_t given = 0;      ///< vertices that have one
};

class SceneReader {
 public:
  explicit SceneReader(const GltfDocument& document) : document_(document) {}

  SurfaceFile read() {
    const std::vector<Placed> placed = place_nodes();
    check_size(placed);
    for (const Placed& place : placed) add_mesh(place);
    if (out_.mesh.face_count() == 0) {
      throw Error(Fault::Input, document_.place, "no triangles in the default scene",
                  "export the mesh itself, not only cameras, bones or lines");
    }
    add_attributes();
    note_what_is_odd();
    out_.groups = groups_.take();
    finish(document_.place, out_);
    return std::move(out_);
  }

 private:
  /// A node and how it lies in the scene.
  struct Placed {
    std::size_t node;
    GltfTransform transform;
  };

  /// All nodes with a mesh: depth first, children in their order. Not recursive: files may nest as
  /// deep as they like.
  std::vector<Placed> place_nodes() const {
    std::vector<Placed> placed, waiting;  // those waiting have the transform of their parent
    for (const std::size_t root : document_.roots) waiting.push_back({root, {}});
    std::ranges::reverse(waiting);
    std::vector<bool> seen(document_.nodes.size());
    while (!waiting.empty()) {
      const auto [index, parent] = waiting.back();
      waiting.pop_back();
      if (seen[index]) {
        document_.fail(fmt::format("nodes[{}]", index), "hangs at two places, nodes are no tree",
                       kExportAgain);
      }
      seen[index] = true;
      const GltfNode& node = document_.nodes[index];
      const GltfTransform transform = parent * node.transform;
      if (node.mesh) placed.push_back({index, transform});
      for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
        waiting.push_back({*child, transform});
      }
    }
    return placed;
  }

  /// Nodes may repeat a mesh, so that a small file could fill any memory.
  void check_size(std::span<const Placed> placed) const {
    std::size_t total = 0;
    const auto add = [&](std::size_t accessor) {
      total += std::min(document_.accessors[accessor].count, kMostNumbers);
    };
    for (const auto& [node, transform] : placed) {
      const GltfMesh& mesh = document_.meshes[*document_.nodes[node].mesh];
      for (const GltfPrimitive& primitive : mesh.primitives) {
        const auto position = primitive.attributes.find("POSITION");
        if (position != primitive.attributes.end()) add(position->second);
        if (primitive.indices) add(*primitive.indices);
      }
      if (total > kMostNumbers) {
        document_.fail(
            fmt::format("nodes[{}]", node),
            fmt::format("with it the scene has more than {} vertices and indices", kMostNumbers),
            "simplify the mesh or split it into several bodies");
      }
    }
  }

  void add_mesh(const Placed& place) {
    const GltfNode& node = document_.nodes[place.node];
    const GltfMesh& mesh = document_.meshes[*node.mesh];
    const std::size_t first = out_.mesh.face_count();
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      // The bones of a skin say where it is, so that the node does not.
      add_primitive(mesh.primitives[p], node.skin ? GltfTransform{} : place.transform,
                    fmt::format("meshes[{}].primitives[{}]", *node.mesh, p));
    }
    if (!node.name.empty()) add_to_group(first, "object:" + node.name);
    if (!mesh.name.empty()) add_to_group(first, mesh.name);
  }

  void add_to_group(std::size_t first_face, const std::string& name) {
    const std::size_t group = groups_.find_or_add(name);
    for (std::size_t f = first_face; f < out_.mesh.face_count(); ++f) {
      groups_.add(group, static_cast<std::int32_t>(f));
    }
  }

  void add_primitive(const GltfPrimitive& primitive, const GltfTransform& transform,
                     const std::string& where) {
    const auto position = primitive.attributes.find("POSITION");
    if (position == primitive.attributes.end() || primitive.mode < kTriangles) {
      ++without_faces_;
      return;
    }
    const std::size_t first_vertex = out_.mesh.positions.size();
    const std::size_t first_face = out_.mesh.face_count();
    add_positions(position->second, transform, where);
    for (const auto& [name, accessor] : primitive.attributes) {
      if (name == "COLOR_0" || name == "TEXCOORD_0" || name.starts_with('_')) {
        add_values(name, accessor, first_vertex, where);
      }
    }
    add_faces(primitive, first_vertex, where);
    // A mirror turns faces inside out.
    if (determinant(transform.linear) < 0) {
      auto& corners = out_.mesh.corners;
      for (std::size_t c = 3 * first_face; c < corners.size(); c += 3) {
        std::swap(corners[c + 1], corners[c + 2]);
      }
    }
    if (primitive.material && !document_.material_names[*primitive.material].empty()) {
      add_to_group(first_face, "material:" + document_.material_names[*primitive.material]);
    }
  }

  void check_components(std::size_t accessor, std::size_t low, std::size_t high,
                        const std::string& where, std::string_view name) const {
    const std::size_t found = document_.accessors[accessor].components;
    if (found < low || found > high) {
      document_.fail(where, fmt::format("{} has {} numbers per vertex", name, found), kExportAgain);
    }
  }

  void add_positions(std::size_t accessor, const GltfTransform& transform,
                     const std::string& where) {
    check_components(accessor, 3, 3, where, "POSITION");
    const std::vector<float> values = read_floats(document_, accessor);
    for (std::size_t i = 0; i < values.size(); i += 3) {
      const Vec3d point = transform({values[i], values[i + 1], values[i + 2]});
      if (!is_finite(point)) {
        document_.fail(where, fmt::format("vertex {} has a coordinate that is not finite", i / 3),
                       kMendVertex);
      }
      out_.mesh.positions.push_back(point);
    }
  }

  void add_values(const std::string& name, std::size_t accessor, std::size_t first_vertex,
                  const std::string& where) {
    const std::size_t components = document_.accessors[accessor].components;
    if (name == "COLOR_0") check_components(accessor, 3, 4, where, name);
    if (name == "TEXCOORD_0") check_components(accessor, 2, 2, where, name);
    const std::size_t kept = name == "COLOR_0" ? 3 : components;  // without opacity
    Column& column = columns_.try_emplace(name, Column{.components = kept}).first->second;
    const std::size_t vertices = out_.mesh.positions.size() - first_vertex;
    if (column.components != kept || document_.accessors[accessor].count != vertices) {
      document_.fail(
          where,
          fmt::format("{} has {} elements of {} numbers, expected {} of {}", name,
                      document_.accessors[accessor].count, components, vertices, column.components),
          kExportAgain);
    }
    const std::vector<float> values = read_floats(document_, accessor);
    column.values.resize(kept * first_vertex, missing_value(name));
    for (std::size_t i = 0; i < values.size(); i += components) {
      const auto element = values.begin() + static_cast<std::ptrdiff_t>(i);
      column.values.insert(column.values.end(), element,
                           element + static_cast<std::ptrdiff_t>(kept));
    }
    column.given += vertices;
  }

  /// What is not painted is white.
  static float missing_value(std::string_view name) { return name == "COLOR_0" ? 1.0f : 0.0f; }

  void add_faces(const GltfPrimitive& primitive, std::size_t first_vertex,
                 const std::string& where) {
    const std::vector<std::int32_t> order = vertex_order(primitive, first_vertex, where);
    if (order.size() < 3 || (primitive.mode == kTriangles && order.size() % 3 != 0)) {
      document_.fail(where, fmt::format("{} corners do not make triangles", order.size()),
                     kExportAgain);
    }
    geometry::SurfaceMesh& mesh = out_.mesh;
    if (primitive.mode == kTriangles) {
      for (std::size_t c = 0; c < order.size(); c += 3) {
        mesh.add_face(std::span(order).subspan(c, 3));
      }
    } else if (primitive.mode == kStrip) {
      add_strip(mesh, order);
    } else if (primitive.mode == kFan) {
      for (std::size_t c = 2; c < order.size(); ++c) {
        mesh.add_face(std::array{order[0], order[c - 1], order[c]});
      }
    } else {
      document_.fail(where, fmt::format("has the mode {}, expected 0 to 6", primitive.mode),
                     kExportAgain);
    }
  }

  /// The vertices of a primitive as its triangles take them.
  std::vector<std::int32_t> vertex_order(const GltfPrimitive& primitive, std::size_t first_vertex,
                                         const std::string& where) const {
    const std::size_t end = out_.mesh.positions.size();
    std::vector<std::int32_t> order;
    if (!primitive.indices) {
      for (std::size_t v = first_vertex; v < end; ++v)
        order.push_back(static_cast<std::int32_t>(v));
      return order;
    }
    const std::vector<std::uint32_t> indices = read_integers(document_, *primitive.indices);
    check_components(*primitive.indices, 1, 1, where, "indices");
    order.reserve(indices.size());
    for (const std::size_t index : indices) {
      if (index >= end - first_vertex) {
        document_.fail(where,
                       fmt::format("a face uses vertex {}, but there are {} vertices", index,
                                   end - first_vertex),
                       "indices count from 0 for each primitive; export the mesh again");
      }
      order.push_back(static_cast<std::int32_t>(first_vertex + index));
    }
    return order;
  }

  void add_attributes() {
    const std::size_t vertices = out_.mesh.positions.size();
    for (auto& [name, column] : columns_) {
      column.values.resize(column.components * vertices, missing_value(name));
      if (column.given < vertices) {
        out_.notes.push_back(fmt::format("{} without {}, set to {}",
                                         counted(vertices - column.given, "vertex", "vertices"),
                                         name, missing_value(name)));
      }
      if (name == "TEXCOORD_0") {
        add_texture_coordinates(column.values);
      } else {
        out_.attributes.push_back({.name = name == "COLOR_0" ? "color" : name.substr(1),
                                   .components = static_cast<int>(column.components),
                                   .values = std::move(column.values)});
      }
    }
  }

  /// Here v points down.
  void add_texture_coordinates(std::span<const float> values) {
    std::vector<std::array<float, 2>> per_vertex;
    per_vertex.reserve(values.size() / 2);
    for (std::size_t i = 0; i < values.size(); i += 2) {
      per_vertex.push_back({values[i], 1 - values[i + 1]});
    }
    spread_to_corners(per_vertex, out_);
  }

  void note_what_is_odd() {
    if (without_faces_ > 0) {
      out_.notes.push_back(counted(without_faces_, "primitive", "primitives") +
                           " without triangles ignored");
    }
    DistinctPoints points;
    for (const Vec3d& point : out_.mesh.positions) points.index_of(point);
    if (const std::size_t more = out_.mesh.positions.size() - points.size(); more > 0) {
      out_.notes.push_back(counted(more, "coincident vertex", "coincident vertices") +
                           " kept apart");
    }
  }

  const GltfDocument& document_;
  SurfaceFile out_;
  FaceGroups groups_;
  std::map<std::string, Column> columns_;
  std::size_t without_faces_ = 0;  ///< primitives
};

}  // namespace

SurfaceFile read_gltf(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.parent_path();
  return read_gltf(path.string(), read_file(path), parent.empty() ? "." : parent);
}

SurfaceFile read_gltf(std::string place, std::span<const std::byte> bytes,
                      const std::filesystem::path& folder) {
  const GltfDocument document = parse_gltf(std::move(place), bytes, folder);
  return SceneReader(document).read();
}

}  // namespace isochor::files
