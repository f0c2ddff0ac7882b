#include "isochor/sim/bone_animation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/pc2.h"
#include "isochor/sim/motion.h"
#include "isochor/sim/simulation.h"
#include "tests/files/temporary_folder.h"

namespace isochor::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kBoneMesh =
    "v 0.2 0.4 0.4\nv 0.8 0.4 0.4\nv 0.5 0.7 0.4\nv 0.5 0.5 0.7\n"
    "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
const std::vector<Vec3d> kBoneVertices{
    {0.2, 0.4, 0.4}, {0.8, 0.4, 0.4}, {0.5, 0.7, 0.4}, {0.5, 0.5, 0.7}};

/// Turned about z through the origin, and moved along x.
Vec3d bone_place(const Vec3d& p, double frame) {
  return rotation_from_vector({0, 0, 0.3 * frame}) * p + Vec3d{0.1 * frame, 0, 0};
}

/// A bone and its cache from frame 5 on, in centimetres; the last sample may be stretched.
void write_bone(const files::TemporaryFolder& folder, double stretch = 1) {
  write_file_atomic(folder / "bone.obj", kBoneMesh);
  files::Pc2Writer writer(folder / "bone.pc2", 4, 5, 3);
  for (int f = 0; f < 3; ++f) {
    std::vector<Vec3d> now;
    for (const Vec3d& p : kBoneVertices) {
      now.push_back(100 * (f == 2 ? stretch : 1) * bone_place(p, f));
    }
    writer.add(now);
  }
  writer.finish();
}

std::string bone_scene(std::string_view animation) {
  return fmt::format(R"(format = 1
[time]
frames = 2
[world]
gravity = [0, -0.1, 0]
[[body]]
name = "flesh"
cell_size = 0.25
material = {{ young = "10 kPa", poisson = 0.3 }}
[body.shape]
kind = "box"
center = [0.5, 0.5, 0.5]
[[body.hold]]
name = "bone"
where = "inside"
inside = {{ kind = "mesh", file = "bone.obj" }}
select = "surface"
stiffness = 1e8
animation = {{ {} }}
)",
                     animation);
}

TEST(BoneAnimation, KeysFollowTheVerticesOfTheMesh) {
  const files::TemporaryFolder folder;
  write_bone(folder);
  const SceneSpec scene =
      parse_scene(bone_scene(R"(file = "bone.pc2", scale = 0.01)"), folder / "scene.toml");
  const HoldSpec& hold = scene.bodies[0].holds[0];
  for (const double frame : {0.0, 1.0, 2.0}) {
    for (const Vec3d& p : kBoneVertices) {
      const Vec3d now = pose_at(hold, frame)(p, hold.pivot);
      EXPECT_LT(norm(now - bone_place(p, frame)), 1e-6) << frame;
    }
  }
}

TEST(BoneAnimation, ItBeginsWhereTheSceneSaysAfterComingFromRest) {
  const files::TemporaryFolder folder;
  write_bone(folder);
  const std::vector<std::string> settings{"time.frame_rate=1"};
  const SceneSpec scene =
      parse_scene(bone_scene(R"(file = "bone.pc2", scale = 0.01, start = 6, pre_roll = "1 s")"),
                  folder / "scene.toml", settings);
  const HoldSpec& hold = scene.bodies[0].holds[0];
  const Vec3d p = kBoneVertices[1];
  EXPECT_LT(norm(pose_at(hold, 0)(p, hold.pivot) - p), 1e-12);
  EXPECT_LT(norm(pose_at(hold, 1)(p, hold.pivot) - bone_place(p, 1)), 1e-6);
  EXPECT_LT(norm(pose_at(hold, 2)(p, hold.pivot) - bone_place(p, 2)), 1e-6);
}

TEST(BoneAnimation, FleshGoesAlong) {
  const files::TemporaryFolder folder;
  write_bone(folder);
  Context context(1);
  Simulation simulation(
      parse_scene(bone_scene(R"(file = "bone.pc2", scale = 0.01)"), folder / "scene.toml"),
      context);
  for (int f = 0; f <= 2; ++f) simulation.advance();
  const auto& rest = simulation.topology().bodies[0].surface.positions;
  const files::Frame frame = simulation.snapshot().first;
  double farthest = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    farthest = std::max(farthest, norm(frame.bodies[0].vertices[v] - bone_place(rest[v], 2)));
  }
  EXPECT_LT(farthest, 0.02);
}

TEST(BoneAnimation, WhatIsNoRigidMotionOfAMeshIsAnInputError) {
  const files::TemporaryFolder folder;
  const auto problem = [&](std::string_view animation, std::string_view shape) {
    std::string text = bone_scene(animation);
    if (!shape.empty()) {
      const std::size_t at = text.find("inside = {");
      text.replace(at, text.find('\n', at) - at, fmt::format("inside = {}", shape));
    }
    try {
      parse_scene(text, folder / "scene.toml");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  write_bone(folder, 1.2);
  EXPECT_THAT(problem(R"(file = "bone.pc2", scale = 0.01)", ""),
              AllOf(HasSubstr("animation.file"), HasSubstr("bone.pc2"), HasSubstr("frame 7"),
                    HasSubstr("same scale")));
  EXPECT_THAT(problem(R"(file = "bone.pc2")", R"({ kind = "sphere" })"),
              AllOf(HasSubstr("sphere"), HasSubstr("kind = \"mesh\"")));
}

}  // namespace
}  // namespace isochor::sim
