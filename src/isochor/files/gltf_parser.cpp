// Reads the container and the JSON of a glTF file. Numbers in buffers are read by
// gltf_document.cpp.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/base64.h"
#include "isochor/files/byte_stream.h"
#include "isochor/files/gltf_document.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

using Json = nlohmann::json;

constexpr const char* kExportPlain = "export the mesh again as glTF 2.0 without compression";

// ---- The container of .glb: a header, a chunk of JSON, perhaps a chunk of binary data ----

constexpr std::string_view kGlbMagic = "glTF";
constexpr std::uint32_t kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;
constexpr std::size_t kGlbHeaderSize = 12, kChunkHeaderSize = 8;

struct Container {
  std::string_view json;
  std::optional<std::span<const std::byte>> binary;
};

[[noreturn]] void fail_truncated(const std::string& place, std::size_t expected,
                                 std::size_t found) {
  throw Error(Fault::Input, place,
              fmt::format("truncated: {} bytes announced, {} found", expected, found),
              kExportAgain);
}

Container open_glb(const std::string& place, std::span<const std::byte> bytes) {
  if (bytes.size() < kGlbHeaderSize) fail_truncated(place, kGlbHeaderSize, bytes.size());
  ByteReader header(place, bytes.subspan(kGlbMagic.size()));
  const auto version = header.get<std::uint32_t>();
  const auto length = header.get<std::uint32_t>();
  if (version != 2) {
    throw Error(Fault::Input, place, fmt::format("glTF version {}, expected 2", version),
                kExportPlain);
  }
  if (length > bytes.size()) fail_truncated(place, length, bytes.size());
  Container container;
  std::span<const std::byte> rest = bytes.first(length);
  rest = rest.subspan(std::min(kGlbHeaderSize, rest.size()));
  while (rest.size() >= kChunkHeaderSize) {
    ByteReader chunk(place, rest);
    const auto size = chunk.get<std::uint32_t>();
    const auto kind = chunk.get<std::uint32_t>();
    rest = rest.subspan(kChunkHeaderSize);
    if (size > rest.size()) fail_truncated(place, size, rest.size());
    if (kind == kJsonChunk && container.json.empty()) container.json = text_of(rest.first(size));
    if (kind == kBinaryChunk && !container.binary) container.binary = rest.first(size);
    rest = rest.subspan(size);
  }
  return container;
}

Container open_container(const std::string& place, std::span<const std::byte> bytes) {
  if (text_of(bytes).starts_with(kGlbMagic)) return open_glb(place, bytes);
  return {.json = text_of(bytes), .binary = {}};
}

// ---- Text to bytes ----

/// Spaces and other signs are written %20 in an address.
std::string decode_percent(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      decoded += static_cast<char>(code);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

// ---- JSON ----

/// A value of the document and the path that leads to it, for messages.
class Item {
 public:
  Item(const GltfDocument& document, const Json& root)
      : document_(&document), root_(&root), json_(&root) {}

  const std::string& path() const { return path_; }
  bool has(const std::string& key) const { return json_->is_object() && json_->contains(key); }
  Item at(const std::string& key) const {
    if (!has(key)) fail(fmt::format("lacks '{}'", key));
    return {*document_, *root_, json_->at(key), path_.empty() ? key : path_ + "." + key};
  }
  /// The items of a list; none where it is missing.
  std::vector<Item> list(const std::string& key) const {
    std::vector<Item> items;
    if (!has(key)) return items;
    const Item array = at(key);
    if (!array.json_->is_array()) array.fail("is no list");
    items.reserve(array.json_->size());
    for (const Json& json : *array.json_) {
      items.push_back({*document_, *root_, json, fmt::format("{}[{}]", array.path_, items.size())});
    }
    return items;
  }
  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    if (!json_->is_object()) fail("is no object");
    for (const auto& [key, value] : json_->items()) keys.push_back(key);
    return keys;
  }

  std::size_t whole() const {
    // A whole number may be written as 3.0.
    const double value = json_->is_number() ? json_->get<double>() : -1;
    if (value < 0 || value != std::floor(value) || value > 0x1p53) {
      fail("is no whole number from 0");
    }
    return static_cast<std::size_t>(value);
  }
  std::size_t whole_or(const std::string& key, std::size_t otherwise) const {
    return has(key) ? at(key).whole() : otherwise;
  }
  double number() const {
    if (!json_->is_number()) fail("is no number");
    return json_->get<double>();
  }
  std::string text() const {
    if (!json_->is_string()) fail("is no text");
    return json_->get<std::string>();
  }
  std::string text_or_empty(const std::string& key) const {
    return has(key) ? at(key).text() : std::string();
  }
  bool is_true(const std::string& key) const {
    return has(key) && json_->at(key).is_boolean() && json_->at(key).get<bool>();
  }
  /// N numbers, or nothing if the key is missing.
  template <std::size_t N>
  std::optional<std::array<double, N>> numbers(const std::string& key) const {
    if (!has(key)) return std::nullopt;
    const std::vector<Item> items = list(key);
    if (items.size() != N)
      at(key).fail(fmt::format("has {} numbers, expected {}", items.size(), N));
    std::array<double, N> values;
    for (std::size_t i = 0; i < N; ++i) values[i] = items[i].number();
    return values;
  }
  /// This item as an index into the document's list of that name.
  std::size_t index_into(const char* list) const {
    const std::size_t index = whole();
    const std::size_t count = root_->contains(list) ? root_->at(list).size() : 0;
    if (index >= count) fail(fmt::format("is {}, but there are {} {}", index, count, list));
    return index;
  }
  GltfIndex index_into(const char* list, const std::string& key) const {
    if (!has(key)) return std::nullopt;
    return at(key).index_into(list);
  }

  [[noreturn]] void fail(std::string problem, std::string remedy = kExportPlain) const {
    document_->fail(path_, std::move(problem), std::move(remedy));
  }

 private:
  Item(const GltfDocument& document, const Json& root, const Json& json, std::string path)
      : document_(&document), root_(&root), json_(&json), path_(std::move(path)) {}

  const GltfDocument* document_;
  const Json* root_;
  const Json* json_;
  std::string path_;
};

// ---- The document ----

struct Shape {
  std::string_view name;
  std::size_t components;
};
constexpr Shape kShapes[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                             {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};

/// Extensions that a file may require without a change to where its vertices are.
bool is_harmless(std::string_view extension) {
  constexpr std::string_view kHarmless[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_",
                                            "KHR_lights_", "KHR_mesh_quantization"};
  return std::ranges::any_of(
      kHarmless, [&](std::string_view prefix) { return extension.starts_with(prefix); });
}

class Parser {
 public:
  Parser(GltfDocument& document, std::optional<std::span<const std::byte>> binary,
         const std::filesystem::path& folder)
      : document_(document), binary_(binary), folder_(folder) {}

  void parse(const Item& root) {
    check_version(root);
    check_extensions(root);
    for (const Item& item : root.list("buffers")) {
      document_.buffers.push_back(read_buffer(item));
      document_.size += document_.buffers.back().size();
    }
    for (const Item& item : root.list("bufferViews")) document_.views.push_back(read_view(item));
    for (const Item& item : root.list("accessors")) {
      document_.accessors.push_back(read_accessor(item));
    }
    for (const Item& item : root.list("materials")) {
      document_.material_names.push_back(item.text_or_empty("name"));
    }
    for (const Item& item : root.list("meshes")) document_.meshes.push_back(read_mesh(item));
    for (const Item& item : root.list("nodes")) document_.nodes.push_back(read_node(item));
    for (const Item& item : root.list("skins")) document_.skins.push_back(read_skin(item));
    for (const Item& item : root.list("animations")) {
      document_.animations.push_back(read_animation(item));
    }
    read_scene(root);
  }

 private:
  static void check_version(const Item& root) {
    const std::string version = root.at("asset").at("version").text();
    if (!version.starts_with("2.")) {
      root.fail(fmt::format("glTF version {}, expected 2.0", in_quotes(version)));
    }
  }

  static void check_extensions(const Item& root) {
    for (const Item& item : root.list("extensionsRequired")) {
      const std::string name = item.text();
      if (name == "KHR_draco_mesh_compression" || name == "EXT_meshopt_compression") {
        item.fail(fmt::format("the mesh is compressed ({})", name),
                  "switch compression off in the program that exports the mesh");
      }
      if (!is_harmless(name)) {
        item.fail(fmt::format("needs the extension {}, which is not known here", in_quotes(name)),
                  "export the mesh without this extension");
      }
    }
  }

  std::vector<std::byte> read_buffer(const Item& item) {
    const std::size_t length = item.at("byteLength").whole();
    std::vector<std::byte> bytes;
    if (item.has("uri")) {
      bytes = read_address(item.at("uri"));
    } else if (document_.buffers.empty() && binary_) {
      bytes.assign(binary_->begin(), binary_->end());
    } else {
      item.fail("has no data: neither an address nor a binary chunk");
    }
    if (bytes.size() < length) {
      item.fail(fmt::format("truncated: {} bytes announced, {} found", length, bytes.size()),
                kExportAgain);
    }
    bytes.resize(length);
    return bytes;
  }

  std::vector<std::byte> read_address(const Item& item) const {
    const std::string address = item.text();
    if (address.starts_with("data:")) {
      constexpr std::string_view kMark = ";base64,";
      const std::size_t mark = address.find(kMark);
      std::optional<std::vector<std::byte>> bytes;
      if (mark != address.npos) {
        bytes = decode_base64(std::string_view(address).substr(mark + kMark.size()));
      }
      if (!bytes) item.fail("is damaged, expected data in base64", kExportAgain);
      return *std::move(bytes);
    }
    const bool has_scheme = address.find(':') < address.find('/');
    if (has_scheme || folder_.empty()) {
      item.fail(fmt::format("points at {}, which cannot be read from here", in_quotes(address)),
                "export the mesh as one .glb file");
    }
    return read_file(folder_ / decode_percent(address));
  }

  static GltfView read_view(const Item& item) {
    return {.buffer = item.at("buffer").index_into("buffers"),
            .offset = item.whole_or("byteOffset", 0),
            .length = item.at("byteLength").whole(),
            .stride = item.whole_or("byteStride", 0)};
  }

  static GltfType read_type(const Item& item) {
    const std::size_t code = item.whole();
    if (code < 5120 || code > 5126 || code == 5124) {
      item.fail(fmt::format("is {}, which is no type of numbers", code));
    }
    return static_cast<GltfType>(code);
  }

  static GltfAccessor read_accessor(const Item& item) {
    const std::string shape = item.at("type").text();
    const auto* known = std::ranges::find(kShapes, shape, &Shape::name);
    if (known == std::end(kShapes)) item.fail(fmt::format("has the type {}", in_quotes(shape)));
    GltfAccessor accessor{.view = item.index_into("bufferViews", "bufferView"),
                          .offset = item.whole_or("byteOffset", 0),
                          .type = read_type(item.at("componentType")),
                          .components = known->components,
                          .count = item.at("count").whole(),
                          .normalized = item.is_true("normalized"),
                          .sparse = {}};
    // Columns of small matrices of small numbers are padded; nobody writes them.
    if (shape.starts_with("MAT") && accessor.type != GltfType::Float32) {
      item.fail("is a matrix of whole numbers");
    }
    if (item.has("sparse")) {
      const Item sparse = item.at("sparse");
      const Item indices = sparse.at("indices"), values = sparse.at("values");
      accessor.sparse = {.count = sparse.at("count").whole(),
                         .index_view = indices.at("bufferView").index_into("bufferViews"),
                         .index_offset = indices.whole_or("byteOffset", 0),
                         .index_type = read_type(indices.at("componentType")),
                         .value_view = values.at("bufferView").index_into("bufferViews"),
                         .value_offset = values.whole_or("byteOffset", 0)};
    }
    return accessor;
  }

  static GltfMesh read_mesh(const Item& item) {
    GltfMesh mesh{.name = item.text_or_empty("name"), .primitives = {}};
    for (const Item& part : item.list("primitives")) {
      GltfPrimitive primitive{.attributes = {},
                              .indices = part.index_into("accessors", "indices"),
                              .material = part.index_into("materials", "material"),
                              .mode = part.whole_or("mode", 4)};
      const Item attributes = part.at("attributes");
      for (const std::string& name : attributes.keys()) {
        primitive.attributes[name] = attributes.at(name).index_into("accessors");
      }
      mesh.primitives.push_back(std::move(primitive));
    }
    return mesh;
  }

  static GltfNode read_node(const Item& item) {
    GltfNode node{.name = item.text_or_empty("name"),
                  .transform = read_transform(item),
                  .children = {},
                  .mesh = item.index_into("meshes", "mesh"),
                  .skin = item.index_into("skins", "skin")};
    for (const Item& child : item.list("children")) {
      node.children.push_back(child.index_into("nodes"));
    }
    return node;
  }

  static GltfSkin read_skin(const Item& item) {
    GltfSkin skin{.name = item.text_or_empty("name"),
                  .joints = {},
                  .inverse_bind = item.index_into("accessors", "inverseBindMatrices")};
    for (const Item& joint : item.list("joints")) skin.joints.push_back(joint.index_into("nodes"));
    return skin;
  }

  static GltfAnimation read_animation(const Item& item) {
    GltfAnimation animation{.name = item.text_or_empty("name"), .samplers = {}, .channels = {}};
    for (const Item& part : item.list("samplers")) {
      GltfSampler& sampler = animation.samplers.emplace_back();
      sampler.input = part.at("input").index_into("accessors");
      sampler.output = part.at("output").index_into("accessors");
      if (part.has("interpolation")) sampler.interpolation = part.at("interpolation").text();
    }
    for (const Item& part : item.list("channels")) {
      const Item number = part.at("sampler"), target = part.at("target");
      if (number.whole() >= animation.samplers.size()) {
        number.fail(fmt::format("is {}, but there are {} samplers", number.whole(),
                                animation.samplers.size()));
      }
      animation.channels.push_back({.sampler = number.whole(),
                                    .node = target.index_into("nodes", "node"),
                                    .path = target.at("path").text()});
    }
    return animation;
  }

  /// Either a matrix, or scale, then rotation, then translation.
  static GltfTransform read_transform(const Item& item) {
    if (const auto m = item.numbers<16>("matrix")) {
      const auto column = [&](std::size_t c) {
        return Vec3d{(*m)[4 * c], (*m)[4 * c + 1], (*m)[4 * c + 2]};
      };
      return {.linear = {{column(0), column(1), column(2)}}, .translation = column(3)};
    }
    const auto t = item.numbers<3>("translation").value_or(std::array{0.0, 0.0, 0.0});
    const auto r = item.numbers<4>("rotation").value_or(std::array{0.0, 0.0, 0.0, 1.0});
    const auto s = item.numbers<3>("scale").value_or(std::array{1.0, 1.0, 1.0});
    return {.linear = rotation(r) * Mat3d::diagonal({s[0], s[1], s[2]}),
            .translation = {t[0], t[1], t[2]}};
  }

  /// Of a quaternion x, y, z, w, which files round and so do not quite normalise.
  static Mat3d rotation(const std::array<double, 4>& q) {
    const Vec3d v{q[0], q[1], q[2]};
    const double w = q[3], squared = dot(v, v) + w * w;
    if (squared == 0) return Mat3d::identity();
    Mat3d matrix;
    for (int j = 0; j < 3; ++j) {
      Vec3d e{};
      e[j] = 1;
      const Vec3d turn = cross(v, e);
      matrix.column[j] = e + 2 / squared * (w * turn + cross(v, turn));
    }
    return matrix;
  }

  void read_scene(const Item& root) {
    const std::vector<Item> scenes = root.list("scenes");
    if (!scenes.empty()) {
      for (const Item& node :
           scenes[root.index_into("scenes", "scene").value_or(0)].list("nodes")) {
        document_.roots.push_back(node.index_into("nodes"));
      }
      return;
    }
    std::vector<bool> is_child(document_.nodes.size());
    for (const GltfNode& node : document_.nodes) {
      for (const std::size_t child : node.children) is_child[child] = true;
    }
    for (std::size_t n = 0; n < is_child.size(); ++n) {
      if (!is_child[n]) document_.roots.push_back(n);
    }
  }

  GltfDocument& document_;
  std::optional<std::span<const std::byte>> binary_;
  const std::filesystem::path& folder_;
};

}  // namespace

GltfDocument parse_gltf(std::string place, std::span<const std::byte> bytes,
                        const std::filesystem::path& folder) {
  GltfDocument document;
  document.place = std::move(place);
  document.size = bytes.size();
  const Container container = open_container(document.place, bytes);
  Json json;
  try {
    json = Json::parse(container.json);
  } catch (const Json::parse_error& problem) {
    throw Error(Fault::Input, document.place,
                fmt::format("is no glTF: at byte {} of its JSON it is not JSON", problem.byte),
                kExportAgain);
  } catch (const Json::exception&) {
    throw Error(Fault::Input, document.place, "holds a number that is too large", kExportAgain);
  }
  Parser(document, container.binary, folder).parse(Item(document, json));
  return document;
}

}  // namespace isochor::files
