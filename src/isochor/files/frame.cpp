#include "isochor/files/frame.h"

#include <algorithm>
#include <fmt/core.h>
#include <optional>
#include <span>
#include <stdexcept>

#include "isochor/base/file.h"
#include "isochor/files/byte_stream.h"

namespace isochor::files {
namespace {

constexpr Magic kTopologyMagic = "ISOTOPOL";
constexpr Magic kFrameMagic = "ISOFRAME";
constexpr std::uint32_t kTopologyVersion = 3, kFrameVersion = 1;

/// A body or a field holds at least three 64-bit counts.
constexpr std::size_t kLeastItemSize = 3 * sizeof(std::uint64_t);
/// A group holds two.
constexpr std::size_t kLeastGroupSize = 2 * sizeof(std::uint64_t);

bool all_below(std::span<const std::int32_t> indices, std::size_t count) {
  for (const std::int32_t i : indices) {
    if (i < 0 || static_cast<std::size_t>(i) >= count) return false;
  }
  return true;
}

/// What is wrong with a body, in words, or empty. Readers and writers ask the same question, so
/// that a run never leaves a file that cannot be read.
std::string problem_of(const BodyTopology& body) {
  const auto out_of_range = [&](const auto& cell) {
    return !all_below(cell, body.rest_nodes.size());
  };
  if (std::ranges::any_of(body.cells, out_of_range)) {
    return fmt::format("body '{}' has a cell with a node out of range", body.name);
  }
  if (std::ranges::any_of(body.tets, out_of_range)) {
    return fmt::format("body '{}' has a tet with a node out of range", body.name);
  }
  if (!body.cells.empty() && !body.tets.empty()) {
    return fmt::format("body '{}' has both cells and tets", body.name);
  }
  const geometry::SurfaceMesh& surface = body.surface;
  const std::vector<std::int32_t>& starts = surface.face_starts;
  bool in_order = !starts.empty() && starts.front() == 0 &&
                  static_cast<std::size_t>(starts.back()) == surface.corners.size();
  for (std::size_t f = 1; in_order && f < starts.size(); ++f) {
    // In this order a wild value cannot overflow.
    in_order = starts[f] >= 3 && starts[f] - 3 >= starts[f - 1];
  }
  if (!in_order) return fmt::format("body '{}' has a surface with broken face starts", body.name);
  if (!all_below(surface.corners, surface.positions.size())) {
    return fmt::format("body '{}' has a face with a vertex out of range", body.name);
  }
  if (!body.texture_coordinates.empty() &&
      body.texture_coordinates.size() != surface.corners.size()) {
    return fmt::format("body '{}' has texture coordinates that are not per corner", body.name);
  }
  for (const FaceGroup& group : body.groups) {
    if (!all_below(group.faces, surface.face_count())) {
      return fmt::format("body '{}' has a group with a face out of range", body.name);
    }
  }
  return {};
}

std::string problem_of(const BodyFrame& body) {
  // A frame does not say how many cells there are; at least its fields must agree.
  std::optional<std::size_t> cell_count;
  for (const Field& field : body.fields) {
    if (field.components != 1 && field.components != 3) {
      return fmt::format("field '{}' has {} components, expected 1 or 3", field.name,
                         field.components);
    }
    const std::size_t count = field.values.size() / static_cast<std::size_t>(field.components);
    std::size_t expected = 0;
    switch (field.support) {
      case Support::Node:
        expected = body.nodes.size();
        break;
      case Support::Vertex:
        expected = body.vertices.size();
        break;
      case Support::Cell:
        expected = cell_count.value_or(count);
        break;
      default:
        return fmt::format("field '{}' belongs to nothing known", field.name);
    }
    if (field.support == Support::Cell) cell_count = expected;
    if (field.values.size() != expected * static_cast<std::size_t>(field.components)) {
      return fmt::format("field '{}' has {} values, expected {} of {} components", field.name,
                         field.values.size(), expected, field.components);
    }
  }
  return {};
}

void put(ByteWriter& out, const BodyTopology& body) {
  out.put(body.name);
  out.put(body.rest_nodes);
  out.put(body.cells);
  out.put(body.tets);
  out.put(body.surface.positions);
  out.put(body.surface.face_starts);
  out.put(body.surface.corners);
  out.put(body.texture_coordinates);
  out.put(std::uint64_t{body.groups.size()});
  for (const FaceGroup& group : body.groups) {
    out.put(group.name);
    out.put(group.faces);
  }
}

void get(ByteReader& in, BodyTopology& body) {
  body.name = in.get_string();
  body.rest_nodes = in.get_vector<Vec3d>();
  body.cells = in.get_vector<std::array<std::int32_t, 8>>();
  body.tets = in.get_vector<geometry::Tet>();
  body.surface.positions = in.get_vector<Vec3d>();
  body.surface.face_starts = in.get_vector<std::int32_t>();
  body.surface.corners = in.get_vector<std::int32_t>();
  body.texture_coordinates = in.get_vector<std::array<float, 2>>();
  body.groups.resize(in.get_count(kLeastGroupSize));
  for (FaceGroup& group : body.groups) {
    group.name = in.get_string();
    group.faces = in.get_vector<std::int32_t>();
  }
}

void put(ByteWriter& out, const Field& field) {
  out.put(field.name);
  out.put(field.unit);
  out.put(static_cast<std::uint8_t>(field.support));
  out.put(std::int32_t{field.components});
  out.put(field.values);
}

void get(ByteReader& in, Field& field) {
  field.name = in.get_string();
  field.unit = in.get_string();
  field.support = static_cast<Support>(in.get<std::uint8_t>());
  field.components = in.get<std::int32_t>();
  field.values = in.get_vector<float>();
}

void put(ByteWriter& out, const BodyFrame& body) {
  out.put(body.nodes);
  out.put(body.vertices);
  out.put(std::uint64_t{body.fields.size()});
  for (const Field& field : body.fields) put(out, field);
}

void get(ByteReader& in, BodyFrame& body) {
  body.nodes = in.get_vector<Vec3d>();
  body.vertices = in.get_vector<Vec3d>();
  body.fields.resize(in.get_count(kLeastItemSize));
  for (Field& field : body.fields) get(in, field);
}

template <class Body>
void put_bodies(ByteWriter& out, const std::vector<Body>& bodies) {
  out.put(std::uint64_t{bodies.size()});
  for (const Body& body : bodies) {
    if (const std::string problem = problem_of(body); !problem.empty()) {
      throw std::logic_error("not written: " + problem);
    }
    put(out, body);
  }
}

/// Bodies are the last part of both files.
template <class Body>
std::vector<Body> get_bodies(ByteReader& in) {
  std::vector<Body> bodies(in.get_count(kLeastItemSize));
  for (Body& body : bodies) {
    get(in, body);
    if (const std::string problem = problem_of(body); !problem.empty()) in.fail(problem);
  }
  in.expect_end();
  return bodies;
}

}  // namespace

void write_topology(const std::filesystem::path& path, const Topology& topology) {
  ByteWriter payload;
  put_bodies(payload, topology.bodies);
  write_file_atomic(path, seal(kTopologyMagic, kTopologyVersion, payload.bytes()));
}

Topology read_topology(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  ByteReader in = open_sealed(path, bytes, kTopologyMagic, kTopologyVersion);
  return {.bodies = get_bodies<BodyTopology>(in)};
}

std::uint64_t write_frame(const std::filesystem::path& path, const Frame& frame) {
  ByteWriter payload;
  payload.put(std::int32_t{frame.index});
  payload.put(frame.time);
  put_bodies(payload, frame.bodies);
  const std::vector<std::byte> bytes = seal(kFrameMagic, kFrameVersion, payload.bytes());
  write_file_atomic(path, bytes);
  return sealed_hash(bytes);
}

Frame read_frame(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  ByteReader in = open_sealed(path, bytes, kFrameMagic, kFrameVersion);
  Frame frame;
  frame.index = in.get<std::int32_t>();
  frame.time = in.get<double>();
  frame.bodies = get_bodies<BodyFrame>(in);
  return frame;
}

std::uint64_t frame_hash(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  open_sealed(path, bytes, kFrameMagic, kFrameVersion);
  return sealed_hash(bytes);
}

}  // namespace isochor::files
