#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isochor/math/mat3.h"

namespace isochor::files {

/// An index into one of the document's lists, or none. Parsing has checked that it is in range.
using GltfIndex = std::optional<std::size_t>;

/// The number types of the format under their codes.
enum class GltfType : std::uint16_t {
  Int8 = 5120,
  Uint8 = 5121,
  Int16 = 5122,
  Uint16 = 5123,
  Uint32 = 5125,
  Float32 = 5126
};

/// A stretch of a buffer.
struct GltfView {
  std::size_t buffer = 0, offset = 0, length = 0;
  std::size_t stride = 0;  ///< bytes from element to element, 0 if they touch
};

/// Elements of one to sixteen numbers in a view; zeros where there is none.
struct GltfAccessor {
  /// Elements that are not those of the view.
  struct Sparse {
    std::size_t count = 0;
    std::size_t index_view = 0, index_offset = 0;
    GltfType index_type = GltfType::Uint16;
    std::size_t value_view = 0, value_offset = 0;
  };
  GltfIndex view;
  std::size_t offset = 0;
  GltfType type = GltfType::Float32;
  std::size_t components = 1;
  std::size_t count = 0;
  bool normalized = false;  ///< whole numbers stand for 0..1 or -1..1
  std::optional<Sparse> sparse;
};

struct GltfPrimitive {
  std::map<std::string, std::size_t> attributes;  ///< accessors by name: POSITION, COLOR_0
  GltfIndex indices, material;
  std::size_t mode = 4;  ///< 4 triangles, 5 a strip, 6 a fan; below that points and lines
};
struct GltfMesh {
  std::string name;
  std::vector<GltfPrimitive> primitives;
};

/// x becomes linear x + translation.
struct GltfTransform {
  Mat3d linear = Mat3d::identity();
  Vec3d translation{};

  Vec3d operator()(const Vec3d& x) const { return linear * x + translation; }
  /// First b, then a.
  friend GltfTransform operator*(const GltfTransform& a, const GltfTransform& b) {
    return {a.linear * b.linear, a(b.translation)};
  }
};

/// Nodes that a mesh is bound to.
struct GltfSkin {
  std::string name;
  std::vector<std::size_t> joints;  ///< nodes
  GltfIndex inverse_bind;           ///< accessor of matrices; none: identities
};

struct GltfSampler {
  std::size_t input = 0, output = 0;  ///< accessors: times, and values
  std::string interpolation = "LINEAR";
};
struct GltfChannel {
  std::size_t sampler = 0;
  GltfIndex node;    ///< none: the channel moves nothing
  std::string path;  ///< "translation", "rotation", "scale", "weights"
};
struct GltfAnimation {
  std::string name;
  std::vector<GltfSampler> samplers;
  std::vector<GltfChannel> channels;
};

struct GltfNode {
  std::string name;
  GltfTransform transform;  ///< to the parent
  std::vector<std::size_t> children;
  GltfIndex mesh, skin;
};

/// A glTF 2.0 file: its JSON as plain structs, its buffers in memory. What an index points at is
/// there; whether views and accessors lie within their buffers is checked when they are read.
struct GltfDocument {
  std::string place;  ///< names the file in errors
  std::vector<std::vector<std::byte>> buffers;
  std::vector<GltfView> views;
  std::vector<GltfAccessor> accessors;
  std::vector<GltfMesh> meshes;
  std::vector<GltfNode> nodes;
  std::vector<GltfSkin> skins;
  std::vector<GltfAnimation> animations;
  std::vector<std::string> material_names;
  /// The nodes of the default scene: the one the file names, else its first, else all nodes that
  /// are no children.
  std::vector<std::size_t> roots;
  std::size_t size = 0;  ///< bytes of the file and of its buffers

  /// Refuses the file because of the part of the JSON that `where` names ("accessors[3]").
  [[noreturn]] void fail(const std::string& where, std::string problem, std::string remedy) const;
};

/// Understands .gltf and .glb by their contents. Buffers in files of their own are looked for in
/// `folder`, and refused if it is empty.
GltfDocument parse_gltf(std::string place, std::span<const std::byte> bytes,
                        const std::filesystem::path& folder);

/// All numbers of an accessor, the components of an element one after the other.
std::vector<float> read_floats(const GltfDocument& document, std::size_t accessor);
/// The same for an accessor of whole numbers.
std::vector<std::uint32_t> read_integers(const GltfDocument& document, std::size_t accessor);

}  // namespace isochor::files
