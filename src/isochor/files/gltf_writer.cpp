#include "isochor/files/gltf_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <stdexcept>

#include "isochor/base/error.h"
#include "isochor/files/byte_stream.h"

namespace isochor::files {
namespace {

using geometry::Triangle;

// The format's numbers for types and for what a view is used for.
constexpr int kFloat = 5126, kUnsigned = 5125;
constexpr int kVertices = 34962, kIndices = 34963;

constexpr std::size_t kVectorSize = 3 * sizeof(float);

/// Text as a JSON string.
std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c >= 0 && c < ' ') {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// The numbers exactly: a double says what the float is without rounding.
std::string list(std::span<const float> numbers) {
  return fmt::format("[{}]", fmt::join(std::vector<double>(numbers.begin(), numbers.end()), ","));
}

/// Smooth normals: the mean of the faces around a vertex, weighted by their areas.
std::vector<float> vertex_normals(std::span<const Vec3d> positions,
                                  std::span<const Triangle> triangles) {
  std::vector<Vec3d> normals(positions.size(), Vec3d{});
  for (const Triangle& t : triangles) {
    const Vec3d area = cross(positions[t[1]] - positions[t[0]], positions[t[2]] - positions[t[0]]);
    for (const std::int32_t v : t) normals[v] += area;
  }
  for (Vec3d& n : normals) {
    // The format wants unit length, even where there is no face.
    const double length = norm(n);
    n = length > 0 ? n * (1 / length) : Vec3d{0, 1, 0};
  }
  return single_precision(normals);
}

std::vector<float> difference(std::vector<float> a, std::span<const float> b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

/// Vectors of the user's vertices for those that are written.
std::vector<float> gathered(std::span<const float> vectors,
                            std::span<const std::int32_t> vertices) {
  std::vector<float> out;
  out.reserve(3 * vertices.size());
  for (const std::int32_t v : vertices) {
    out.insert(out.end(), vectors.begin() + 3 * v, vectors.begin() + 3 * v + 3);
  }
  return out;
}

/// Per face the name of what it looks like: its material or, where no face has one, its group.
std::vector<std::string> looks_of(const BodyTopology& body) {
  static constexpr std::string_view kMaterial = "material:", kObject = "object:";
  std::vector<std::string> looks(body.surface.face_count());
  const bool has_materials = std::ranges::any_of(
      body.groups, [](const FaceGroup& g) { return g.name.starts_with(kMaterial); });
  for (const FaceGroup& group : body.groups) {
    const bool material = group.name.starts_with(kMaterial);
    if (material != has_materials || group.name.starts_with(kObject)) continue;
    for (const std::int32_t f : group.faces) {
      if (looks[f].empty()) looks[f] = group.name.substr(material ? kMaterial.size() : 0);
    }
  }
  return looks;
}

/// The part of an accessor that the format demands for positions and key times.
std::string bounds_json(std::span<const float> numbers, std::size_t components) {
  std::vector<float> low(numbers.begin(), numbers.begin() + components), high = low;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    low[i % components] = std::min(low[i % components], numbers[i]);
    high[i % components] = std::max(high[i % components], numbers[i]);
  }
  return fmt::format(",\"min\":{},\"max\":{}", list(low), list(high));
}

std::string accessor_json(std::size_t view, std::uint64_t offset, int type, std::string_view shape,
                          std::size_t count, std::string_view bounds = "") {
  return fmt::format(
      R"({{"bufferView":{},"byteOffset":{},"componentType":{},"type":"{}","count":{}{}}})", view,
      offset, type, shape, count, bounds);
}

std::string view_json(std::uint64_t offset, std::uint64_t length, std::string_view use) {
  return fmt::format(R"({{"buffer":0,"byteOffset":{},"byteLength":{}{}}})", offset, length, use);
}

void check_size(const std::filesystem::path& path, std::uint64_t vertices, std::uint64_t frames) {
  const std::uint64_t bytes = frames * (2 * kVectorSize * vertices + sizeof(float) * frames);
  std::string problem;
  if (frames > std::uint64_t{GltfWriter::kMostFrames}) {
    problem = fmt::format("{} frames, a clip has at most {}", frames, GltfWriter::kMostFrames);
  } else if (bytes > GltfWriter::kMostBytes) {
    problem = fmt::format("{} frames of {} vertices would take {} MB, at most {} MB are sensible",
                          frames, vertices, bytes / 1'000'000, GltfWriter::kMostBytes / 1'000'000);
  } else {
    return;
  }
  throw Error(Fault::Input, path.string(), problem,
              "export fewer frames (--frames A:B), or use --format usd or pc2");
}

/// The rotation of a node that takes an axis to y, as a member of its JSON.
std::string turned_upright(const Vec3d& up) {
  if (up[1] > 0.5) return "";
  if (up[1] < -0.5) return R"(,"rotation":[1,0,0,0])";
  const Vec3d axis = std::sqrt(0.5) * cross(up, Vec3d{0, 1, 0});
  return fmt::format(R"(,"rotation":[{},{},{},{}])", axis[0], axis[1], axis[2], std::sqrt(0.5));
}

}  // namespace

GltfWriter::GltfWriter(std::filesystem::path path, const Topology& topology, std::string_view name,
                       int frames, const Vec3d& up)
    : path_(std::move(path)),
      binary_(path_.string() + ".binary"),
      name_(name),
      frames_(static_cast<std::size_t>(frames)),
      up_(up) {
  std::uint64_t vertices = 0;
  for (std::size_t b = 0; b < topology.bodies.size(); ++b) {
    const geometry::SurfaceMesh& surface = topology.bodies[b].surface;
    if (surface.face_count() == 0) continue;
    bodies_.push_back(make_body(topology.bodies[b], b));
    vertices += bodies_.back().vertices.size();
  }
  if (bodies_.empty()) {
    throw Error(Fault::Input, path_.string(), "no body has a face",
                "use --format vtu, which has the lattice too");
  }
  check_size(path_, vertices, frames_);
  for (const Body& body : bodies_) add_vertices(body.positions, body.normals);
}

GltfWriter::Body GltfWriter::make_body(const BodyTopology& topology, std::size_t index) {
  const geometry::SurfaceMesh& surface = topology.surface;
  Body body{.name = topology.name, .index = index, .triangles = geometry::triangulate(surface)};
  body.user_vertices = surface.positions.size();
  for (std::size_t v = 0; v < surface.positions.size(); ++v) {
    body.vertices.push_back(static_cast<std::int32_t>(v));
  }
  // A vertex keeps its number with the first of its texture coordinates; others come at the end.
  std::vector<std::int32_t> corners = surface.corners;
  const auto& coordinates = topology.texture_coordinates;
  std::map<std::pair<std::int32_t, std::array<float, 2>>, std::int32_t> places;
  std::vector<bool> used(body.vertices.size(), false);
  if (!coordinates.empty()) body.texture_coordinates.resize(body.vertices.size());
  for (std::size_t c = 0; c < coordinates.size(); ++c) {
    const std::int32_t v = surface.corners[c];
    const auto [place, fresh] = places.try_emplace({v, coordinates[c]}, v);
    if (fresh && used[v]) {
      place->second = static_cast<std::int32_t>(body.vertices.size());
      body.vertices.push_back(v);
      body.texture_coordinates.push_back({});
    }
    used[v] = true;
    corners[c] = place->second;
    // Files have v upwards, this format has it downwards.
    body.texture_coordinates[place->second] = {coordinates[c][0], 1 - coordinates[c][1]};
  }
  const std::vector<std::string> looks = looks_of(topology);
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    auto part = std::ranges::find(body.parts, looks[f], &Part::material);
    if (part == body.parts.end()) part = body.parts.insert(part, Part{.material = looks[f]});
    const std::int32_t first = surface.face_starts[f];
    for (std::int32_t c = first + 2; c < surface.face_starts[f + 1]; ++c) {
      part->triangles.push_back({corners[first], corners[c - 1], corners[c]});
    }
  }
  body.positions = gathered(single_precision(surface.positions), body.vertices);
  body.normals = gathered(vertex_normals(surface.positions, body.triangles), body.vertices);
  return body;
}

/// Two accessors: positions with their bounds, then normals.
void GltfWriter::add_vertices(std::span<const float> positions, std::span<const float> normals) {
  const std::size_t count = positions.size() / 3;
  if (!std::ranges::all_of(positions, [](float x) { return std::isfinite(x); })) {
    throw Error(Fault::Input, path_.string(), "a vertex has no finite position",
                "export only the frames before the run went wrong (--frames A:B)");
  }
  accessors_.push_back(
      accessor_json(0, binary_.size(), kFloat, "VEC3", count, bounds_json(positions, 3)));
  binary_.append(std::as_bytes(positions));
  accessors_.push_back(accessor_json(0, binary_.size(), kFloat, "VEC3", count));
  binary_.append(std::as_bytes(normals));
}

void GltfWriter::add(const Frame& frame) {
  if (times_.size() == frames_) throw std::logic_error("GltfWriter: too many frames");
  for (const Body& body : bodies_) {
    const std::vector<Vec3d>& vertices = frame.bodies.at(body.index).vertices;
    if (vertices.size() != body.user_vertices) {
      throw std::logic_error("GltfWriter: a frame with other vertices");
    }
    const auto change = [&](const std::vector<float>& now, std::span<const float> rest) {
      return difference(gathered(now, body.vertices), rest);
    };
    add_vertices(change(single_precision(vertices), body.positions),
                 change(vertex_normals(vertices, body.triangles), body.normals));
  }
  if (times_.empty()) first_time_ = frame.time;
  times_.push_back(static_cast<float>(frame.time - first_time_));
  frame_numbers_.push_back(frame.index);
}

/// Takes accessors from `next_accessor` on: texture coordinates, if any, then indices of each part.
std::string GltfWriter::mesh_json(std::size_t body, std::size_t& next_accessor,
                                  std::vector<std::string>& materials) const {
  // Accessors come in the order of add_vertices: all bodies at rest, then all bodies per frame.
  const auto attributes = [&](std::size_t instant, std::string_view more = "") {
    const std::size_t first = 2 * (instant * bodies_.size() + body);
    return fmt::format(R"({{"POSITION":{},"NORMAL":{}{}}})", first, first + 1, more);
  };
  std::string at_rest = attributes(0);
  if (!bodies_[body].texture_coordinates.empty()) {
    at_rest = attributes(0, fmt::format(R"(,"TEXCOORD_0":{})", next_accessor++));
  }
  std::vector<std::string> targets, names;
  for (std::size_t f = 0; f < frames_; ++f) {
    targets.push_back(attributes(f + 1));
    names.push_back(fmt::format("\"frame {}\"", frame_numbers_[f]));
  }
  // Whoever does not play the animation sees its first frame.
  std::vector<int> weights(frames_, 0);
  weights.front() = 1;
  std::vector<std::string> primitives;
  for (const Part& part : bodies_[body].parts) {
    std::string look;
    if (!part.material.empty()) {
      look = fmt::format(R"(,"material":{})", materials.size());
      materials.push_back(fmt::format(R"({{"name":{}}})", json_string(part.material)));
    }
    primitives.push_back(fmt::format(R"({{"attributes":{},"indices":{}{},"targets":[{}]}})",
                                     at_rest, next_accessor++, look, fmt::join(targets, ",")));
  }
  return fmt::format(
      R"({{"name":{},"primitives":[{}],"weights":[{}],"extras":{{"targetNames":[{}]}}}})",
      json_string(bodies_[body].name), fmt::join(primitives, ","), fmt::join(weights, ","),
      fmt::join(names, ","));
}

/// From `first_scalar_accessor` on are those of mesh_json, body by body; key times and weights
/// follow.
std::string GltfWriter::document_json(std::size_t first_scalar_accessor) const {
  std::vector<std::string> nodes, meshes, channels, materials;
  std::vector<std::size_t> roots;
  std::size_t next_accessor = first_scalar_accessor;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    roots.push_back(b);
    nodes.push_back(fmt::format(R"({{"name":{},"mesh":{}{}}})", json_string(bodies_[b].name), b,
                                turned_upright(up_)));
    meshes.push_back(mesh_json(b, next_accessor, materials));
    channels.push_back(
        fmt::format(R"({{"sampler":0,"target":{{"node":{},"path":"weights"}}}})", b));
  }
  const std::size_t times = next_accessor;
  const std::string looks =
      materials.empty() ? "" : fmt::format(R"("materials":[{}],)", fmt::join(materials, ","));
  return fmt::format(
      R"({{"asset":{{"version":"2.0","generator":"Isochor"}},"scene":0,)"
      R"("scenes":[{{"name":{},"nodes":[{}]}}],"nodes":[{}],"meshes":[{}],{})"
      R"("animations":[{{"name":{},"samplers":[{{"input":{},"output":{},"interpolation":"LINEAR"}}],)"
      R"("channels":[{}]}}],"accessors":[{}],"bufferViews":[{}],"buffers":[{{"byteLength":{}}}]}})",
      json_string(name_), fmt::join(roots, ","), fmt::join(nodes, ","), fmt::join(meshes, ","),
      looks, json_string(name_), times, times + 1, fmt::join(channels, ","),
      fmt::join(accessors_, ","), fmt::join(views_, ","), binary_.size());
}

void GltfWriter::finish() {
  if (times_.size() != frames_) throw std::logic_error("GltfWriter: frames are missing");
  views_.push_back(view_json(
      0, binary_.size(), fmt::format(",\"byteStride\":{},\"target\":{}", kVectorSize, kVertices)));
  const std::size_t first_scalar_accessor = accessors_.size();
  const auto add_numbers = [&](std::span<const std::byte> bytes, int type, std::string_view use,
                               std::string_view bounds, int components = 1) {
    accessors_.push_back(accessor_json(views_.size(), 0, type, components == 1 ? "SCALAR" : "VEC2",
                                       bytes.size() / sizeof(float) / components, bounds));
    views_.push_back(view_json(binary_.size(), bytes.size(), use));
    binary_.append(bytes);
  };
  for (const Body& body : bodies_) {
    if (!body.texture_coordinates.empty()) {
      add_numbers(std::as_bytes(std::span(body.texture_coordinates)), kFloat,
                  fmt::format(",\"target\":{}", kVertices), "", 2);
    }
    for (const Part& part : body.parts) {
      add_numbers(std::as_bytes(std::span(part.triangles)), kUnsigned,
                  fmt::format(",\"target\":{}", kIndices), "");
    }
  }
  add_numbers(std::as_bytes(std::span(times_)), kFloat, "", bounds_json(times_, 1));
  // At its own time a frame has all the weight.
  std::vector<float> weights(frames_ * frames_, 0);
  for (std::size_t f = 0; f < frames_; ++f) weights[f * frames_ + f] = 1;
  add_numbers(std::as_bytes(std::span(weights)), kFloat, "", "");

  // Chunks begin at multiples of four bytes; the binary one is made of numbers of four bytes.
  std::string json = document_json(first_scalar_accessor);
  json.append((4 - json.size() % 4) % 4, ' ');
  const auto size_of = [](std::uint64_t size) { return static_cast<std::uint32_t>(size); };
  constexpr std::uint32_t kMagic = 0x46546c67, kVersion = 2, kJson = 0x4e4f534a, kBin = 0x004e4942;
  ByteWriter head, binary_head;
  for (const std::uint32_t n :
       {kMagic, kVersion, size_of(12 + 8 + json.size() + 8 + binary_.size()), size_of(json.size()),
        kJson}) {
    head.put(n);
  }
  binary_head.put(size_of(binary_.size()));
  binary_head.put(kBin);
  StreamedFile file(path_);
  file.append(head.bytes());
  file.append(json);
  file.append(binary_head.bytes());
  file.take(binary_);
  file.commit();
}

}  // namespace isochor::files
