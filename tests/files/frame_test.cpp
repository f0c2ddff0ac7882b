#include "isochor/files/frame.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <sys/resource.h>

#include "isochor/base/file.h"
#include "isochor/files/byte_stream.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::HasSubstr;

Topology sample_topology() {
  BodyTopology body;
  body.name = "cube";
  for (int i = 0; i < 8; ++i) {
    body.rest_nodes.push_back({double(i & 1), double(i >> 1 & 1), double(i >> 2)});
  }
  body.cells = {{0, 1, 2, 3, 4, 5, 6, 7}};
  body.surface.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0.1}};
  body.surface.add_face(std::array{0, 1, 3, 2});
  body.surface.add_face(std::array{0, 2, 1});
  for (int c = 0; c < 7; ++c) body.texture_coordinates.push_back({0.5f * float(c), -1});
  body.groups = {{"material:skin", {0, 1}}, {"lip", {1}}};
  BodyTopology tet;
  tet.rest_nodes = body.rest_nodes;
  tet.tets = {{0, 1, 2, 4}};
  return {.bodies = {body, tet, BodyTopology{}}};
}

Frame sample_frame() {
  BodyFrame body;
  body.nodes = {{0.1, -0.0, 1e-300}, {1, 2, 3}};
  body.vertices = {{4, 5, 6}};
  body.fields = {{"velocity", "m/s", Support::Node, 3, {1, 2, 3, 4, 5, 6}},
                 {"pressure", "Pa", Support::Cell, 1, {7}},
                 {"contact", "", Support::Vertex, 1, {0.5f}}};
  return {.index = 12, .time = 0.5, .bodies = {body, BodyFrame{}}};
}

bool same(const Vec3d& a, const Vec3d& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;  // bits: -0 is not 0
}
void expect_same(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(same(a[i], b[i])) << i;
}

TEST(TopologyFile, ComesBackAsWritten) {
  const TemporaryFolder folder;
  const Topology written = sample_topology();
  write_topology(folder / "topology", written);
  const Topology read = read_topology(folder / "topology");
  ASSERT_EQ(read.bodies.size(), written.bodies.size());
  for (std::size_t b = 0; b < read.bodies.size(); ++b) {
    EXPECT_EQ(read.bodies[b].name, written.bodies[b].name);
    expect_same(read.bodies[b].rest_nodes, written.bodies[b].rest_nodes);
    EXPECT_EQ(read.bodies[b].cells, written.bodies[b].cells);
    EXPECT_EQ(read.bodies[b].tets, written.bodies[b].tets);
    expect_same(read.bodies[b].surface.positions, written.bodies[b].surface.positions);
    EXPECT_EQ(read.bodies[b].surface.face_starts, written.bodies[b].surface.face_starts);
    EXPECT_EQ(read.bodies[b].surface.corners, written.bodies[b].surface.corners);
    EXPECT_EQ(read.bodies[b].texture_coordinates, written.bodies[b].texture_coordinates);
    ASSERT_EQ(read.bodies[b].groups.size(), written.bodies[b].groups.size());
    for (std::size_t g = 0; g < read.bodies[b].groups.size(); ++g) {
      EXPECT_EQ(read.bodies[b].groups[g].name, written.bodies[b].groups[g].name);
      EXPECT_EQ(read.bodies[b].groups[g].faces, written.bodies[b].groups[g].faces);
    }
  }
}

TEST(FrameFile, ComesBackAsWritten) {
  const TemporaryFolder folder;
  const Frame written = sample_frame();
  write_frame(folder / "frame", written);
  const Frame read = read_frame(folder / "frame");
  EXPECT_EQ(read.index, written.index);
  EXPECT_EQ(read.time, written.time);
  ASSERT_EQ(read.bodies.size(), written.bodies.size());
  for (std::size_t b = 0; b < read.bodies.size(); ++b) {
    expect_same(read.bodies[b].nodes, written.bodies[b].nodes);
    expect_same(read.bodies[b].vertices, written.bodies[b].vertices);
    ASSERT_EQ(read.bodies[b].fields.size(), written.bodies[b].fields.size());
    for (std::size_t f = 0; f < read.bodies[b].fields.size(); ++f) {
      const Field& a = read.bodies[b].fields[f];
      const Field& e = written.bodies[b].fields[f];
      EXPECT_EQ(a.name, e.name);
      EXPECT_EQ(a.unit, e.unit);
      EXPECT_EQ(a.support, e.support);
      EXPECT_EQ(a.components, e.components);
      EXPECT_EQ(a.values, e.values);
    }
  }
}

TEST(FrameFile, SameFrameGivesSameBytes) {
  const TemporaryFolder folder;
  write_frame(folder / "a", sample_frame());
  write_frame(folder / "b", sample_frame());
  EXPECT_EQ(read_file(folder / "a"), read_file(folder / "b"));
}

TEST(FrameFile, HashIsTheOneInTheFileAndTellsFramesApart) {
  const TemporaryFolder folder;
  Frame frame = sample_frame();
  const std::uint64_t first = write_frame(folder / "a", frame);
  EXPECT_EQ(first, frame_hash(folder / "a"));
  EXPECT_EQ(first, sealed_hash(read_file(folder / "a")));
  frame.bodies[0].nodes[0][1] = 0.0;  // was -0
  EXPECT_NE(first, write_frame(folder / "b", frame));
}

/// Each reader must refuse each damaged version of a file.
template <class Read>
void expect_all_damage_is_refused(const std::filesystem::path& path, const Read& read) {
  const std::vector<std::byte> whole = read_file(path);
  EXPECT_NO_THROW(read(path));
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::vector<std::byte> flipped = whole;
    flipped[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
    write_quickly(path, flipped);
    EXPECT_THROW(read(path), Error) << "bit " << bit;
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_quickly(path, std::span(whole).first(size));
    EXPECT_THROW(read(path), Error) << size << " bytes";
  }
}

TEST(FrameFile, EveryBitFlipAndTruncationIsRefused) {
  const TemporaryFolder folder;
  write_frame(folder / "frame", sample_frame());
  expect_all_damage_is_refused(folder / "frame", read_frame);
  write_frame(folder / "frame", sample_frame());
  expect_all_damage_is_refused(folder / "frame", frame_hash);
}

TEST(TopologyFile, EveryBitFlipAndTruncationIsRefused) {
  const TemporaryFolder folder;
  write_topology(folder / "topology", sample_topology());
  expect_all_damage_is_refused(folder / "topology", read_topology);
}

TEST(TopologyFile, AFrameIsNotATopology) {
  const TemporaryFolder folder;
  write_frame(folder / "frame", sample_frame());
  EXPECT_THAT(error_of([&] { read_topology(folder / "frame"); }).problem(),
              HasSubstr("begins with 'ISOFRAME', expected 'ISOTOPOL'"));
}

TEST(FrameFile, AMissingFileIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { read_frame(folder / "none"); }).place(), HasSubstr("none"));
}

/// Changes bytes inside the envelope and seals it again: the hash is right, the contents are not.
template <class Read>
void expect_resealed_garbage_never_crashes(const std::filesystem::path& path, Magic magic,
                                           const Read& read) {
  const std::vector<std::byte> whole = read_file(path);
  const auto payload = std::span(whole).subspan(12, whole.size() - 20);
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> changed(payload.begin(), payload.end());
    changed[random() % changed.size()] = static_cast<std::byte>(random());
    if (round % 3 == 0) changed.resize(random() % changed.size());
    write_quickly(path, seal(magic, 1, changed));
    try {
      read(path);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(FrameFile, GarbageWithARightHashIsReadOrRefused) {
  const TemporaryFolder folder;
  write_frame(folder / "frame", sample_frame());
  expect_resealed_garbage_never_crashes(folder / "frame", "ISOFRAME", read_frame);
}

TEST(TopologyFile, GarbageWithARightHashIsReadOrRefused) {
  const TemporaryFolder folder;
  write_topology(folder / "topology", sample_topology());
  expect_resealed_garbage_never_crashes(folder / "topology", "ISOTOPOL", read_topology);
}

/// A frame file of one body without nodes and with the field given.
std::vector<std::byte> frame_with_field(std::uint8_t support, std::int32_t components) {
  ByteWriter out;
  out.put(std::int32_t{0});
  out.put(0.0);
  out.put(std::uint64_t{1});
  out.put(std::vector<Vec3d>{});
  out.put(std::vector<Vec3d>{});
  out.put(std::uint64_t{1});
  out.put("p");
  out.put("Pa");
  out.put(support);
  out.put(components);
  out.put(std::vector<float>{1});
  return seal("ISOFRAME", 1, out.bytes());
}

TEST(FrameFile, FieldsThatDoNotFitAreRefused) {
  const TemporaryFolder folder;
  const auto problem_with = [&](std::uint8_t support, std::int32_t components) {
    write_quickly(folder / "frame", frame_with_field(support, components));
    return error_of([&] { read_frame(folder / "frame"); }).problem();
  };
  EXPECT_EQ(problem_with(0, 1), "field 'p' has 1 values, expected 0 of 1 components");
  EXPECT_EQ(problem_with(1, 2), "field 'p' has 2 components, expected 1 or 3");
  EXPECT_EQ(problem_with(1, 3), "field 'p' has 1 values, expected 0 of 3 components");
  EXPECT_EQ(problem_with(3, 1), "field 'p' belongs to nothing known");
}

TEST(FrameFile, WhatCouldNotBeReadBackIsNotWritten) {
  const TemporaryFolder folder;
  Frame frame = sample_frame();
  frame.bodies[0].fields[0].values.pop_back();
  EXPECT_THROW(write_frame(folder / "frame", frame), std::logic_error);
  for (const auto spoil :
       {+[](BodyTopology& b) { b.cells[0][3] = 8; }, +[](BodyTopology& b) { b.cells[0][3] = -1; },
        +[](BodyTopology& b) { b.surface.corners[0] = 4; },
        +[](BodyTopology& b) { b.texture_coordinates.pop_back(); },
        +[](BodyTopology& b) { b.groups[1].faces[0] = 2; },
        +[](BodyTopology& b) {
          b.surface.face_starts = {0, 5, 7};
          b.surface.corners.clear();
        },
        +[](BodyTopology& b) {
          b.surface.face_starts = {0, 9, 7};
        },
        +[](BodyTopology& b) {
          b.surface.face_starts = {0, 5, 7};
        },
        +[](BodyTopology& b) {
          b.tets = {{0, 1, 2, 4}};  // beside cells
        },
        +[](BodyTopology& b) {
          b.cells.clear();
          b.tets = {{0, 1, 2, 8}};
        },
        +[](BodyTopology& b) { b.surface.face_starts = {}; }}) {
    Topology topology = sample_topology();
    spoil(topology.bodies[0]);
    EXPECT_THROW(write_topology(folder / "topology", topology), std::logic_error);
  }
  EXPECT_EQ(folder.file_count(), 0u);
}

/// While it lives, no file can grow beyond `bytes`, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ignore_write_signals();
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(FrameFile, AFullDiskLeavesTheEarlierFileIntact) {
  const TemporaryFolder folder;
  const Frame frame = sample_frame();
  const std::uint64_t hash = write_frame(folder / "frame", frame);
  Frame larger = frame;
  larger.bodies[0].vertices.resize(1000);
  larger.bodies[0].fields.clear();

  const Error error = error_of([&] {
    const FileSizeLimit limit(1024);
    write_frame(folder / "frame", larger);
  });
  EXPECT_EQ(error.fault(), Fault::System);
  EXPECT_EQ(frame_hash(folder / "frame"), hash);
  EXPECT_EQ(folder.file_count(), 1u) << "a temporary file was left";
}

}  // namespace
}  // namespace isochor::files
