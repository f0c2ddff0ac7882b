#include "isochor/files/gltf_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
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

}  // namespace

GltfWriter::GltfWriter(std::filesystem::path path, const Topology& topology, std::string_view name,
                       int frames)
    : path_(std::move(path)),
      binary_(path_.string() + ".binary"),
      name_(name),
      frames_(static_cast<std::size_t>(frames)) {
  std::uint64_t vertices = 0;
  for (std::size_t b = 0; b < topology.bodies.size(); ++b) {
    const geometry::SurfaceMesh& surface = topology.bodies[b].surface;
    if (surface.face_count() == 0) continue;
    vertices += surface.positions.size();
    std::vector<Triangle> triangles = geometry::triangulate(surface);
    std::vector<float> normals = vertex_normals(surface.positions, triangles);
    bodies_.push_back({topology.bodies[b].name, b, std::move(triangles),
                       single_precision(surface.positions), std::move(normals)});
  }
  if (bodies_.empty()) {
    throw Error(Fault::Input, path_.string(), "no body has a face",
                "use --format vtu, which has the lattice too");
  }
  check_size(path_, vertices, frames_);
  for (const Body& body : bodies_) add_vertices(body.positions, body.normals);
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
    if (3 * vertices.size() != body.positions.size()) {
      throw std::logic_error("GltfWriter: a frame with other vertices");
    }
    add_vertices(difference(single_precision(vertices), body.positions),
                 difference(vertex_normals(vertices, body.triangles), body.normals));
  }
  if (times_.empty()) first_time_ = frame.time;
  times_.push_back(static_cast<float>(frame.time - first_time_));
  frame_numbers_.push_back(frame.index);
}

std::string GltfWriter::mesh_json(std::size_t body, std::size_t index_accessor) const {
  // Accessors come in the order of add_vertices: all bodies at rest, then all bodies per frame.
  const auto attributes = [&](std::size_t instant) {
    const std::size_t first = 2 * (instant * bodies_.size() + body);
    return fmt::format(R"({{"POSITION":{},"NORMAL":{}}})", first, first + 1);
  };
  std::vector<std::string> targets, names;
  for (std::size_t f = 0; f < frames_; ++f) {
    targets.push_back(attributes(f + 1));
    names.push_back(fmt::format("\"frame {}\"", frame_numbers_[f]));
  }
  // Whoever does not play the animation sees its first frame.
  std::vector<int> weights(frames_, 0);
  weights.front() = 1;
  return fmt::format(
      R"({{"name":{},"primitives":[{{"attributes":{},"indices":{},"targets":[{}]}}],)"
      R"("weights":[{}],"extras":{{"targetNames":[{}]}}}})",
      json_string(bodies_[body].name), attributes(0), index_accessor, fmt::join(targets, ","),
      fmt::join(weights, ","), fmt::join(names, ","));
}

/// `first_scalar_accessor` are the indices of the first body; those of the others, key times and
/// weights follow.
std::string GltfWriter::document_json(std::size_t first_scalar_accessor) const {
  std::vector<std::string> nodes, meshes, channels;
  std::vector<std::size_t> roots;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    roots.push_back(b);
    nodes.push_back(fmt::format(R"({{"name":{},"mesh":{}}})", json_string(bodies_[b].name), b));
    meshes.push_back(mesh_json(b, first_scalar_accessor + b));
    channels.push_back(
        fmt::format(R"({{"sampler":0,"target":{{"node":{},"path":"weights"}}}})", b));
  }
  const std::size_t times = first_scalar_accessor + bodies_.size();
  return fmt::format(
      R"({{"asset":{{"version":"2.0","generator":"Isochor"}},"scene":0,)"
      R"("scenes":[{{"name":{},"nodes":[{}]}}],"nodes":[{}],"meshes":[{}],)"
      R"("animations":[{{"name":{},"samplers":[{{"input":{},"output":{},"interpolation":"LINEAR"}}],)"
      R"("channels":[{}]}}],"accessors":[{}],"bufferViews":[{}],"buffers":[{{"byteLength":{}}}]}})",
      json_string(name_), fmt::join(roots, ","), fmt::join(nodes, ","), fmt::join(meshes, ","),
      json_string(name_), times, times + 1, fmt::join(channels, ","), fmt::join(accessors_, ","),
      fmt::join(views_, ","), binary_.size());
}

void GltfWriter::finish() {
  if (times_.size() != frames_) throw std::logic_error("GltfWriter: frames are missing");
  views_.push_back(view_json(
      0, binary_.size(), fmt::format(",\"byteStride\":{},\"target\":{}", kVectorSize, kVertices)));
  const std::size_t first_scalar_accessor = accessors_.size();
  const auto add_scalars = [&](std::span<const std::byte> bytes, int type, std::string_view use,
                               std::string_view bounds) {
    accessors_.push_back(
        accessor_json(views_.size(), 0, type, "SCALAR", bytes.size() / sizeof(float), bounds));
    views_.push_back(view_json(binary_.size(), bytes.size(), use));
    binary_.append(bytes);
  };
  for (const Body& body : bodies_) {
    add_scalars(std::as_bytes(std::span(body.triangles)), kUnsigned,
                fmt::format(",\"target\":{}", kIndices), "");
  }
  add_scalars(std::as_bytes(std::span(times_)), kFloat, "", bounds_json(times_, 1));
  // At its own time a frame has all the weight.
  std::vector<float> weights(frames_ * frames_, 0);
  for (std::size_t f = 0; f < frames_; ++f) weights[f * frames_ + f] = 1;
  add_scalars(std::as_bytes(std::span(weights)), kFloat, "", "");

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
