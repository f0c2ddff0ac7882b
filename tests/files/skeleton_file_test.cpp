#include "isochor/files/skeleton_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>

#include "isochor/base/file.h"
#include "isochor/files/gltf.h"
#include "tests/files/gltf_parts.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kCharacters = ISOCHOR_SOURCE_DIR "/../shared/data/characters";

void expect_close(const Vec3d& found, const Vec3d& wanted, double tolerance) {
  EXPECT_LE(norm(found - wanted), tolerance)
      << found[0] << " " << found[1] << " " << found[2] << " instead of " << wanted[0] << " "
      << wanted[1] << " " << wanted[2];
}

/// One triangle bound to two joints below a node that turns z up into y up. The bind matrices put
/// the joints at z = 0 and z = 2 of the mesh. In the clip the second one turns by a quarter about
/// x within two seconds.
std::string rigged_triangle(std::string interpolation = "LINEAR",
                            const std::string& joints = "[1, 2]") {
  const float h = std::numbers::sqrt2_v<float> / 2;
  const std::string binary =
      bytes_of<float>({0, 0, 0, 1, 0, 2, 0, 1, 3}) +                        // 0: positions
      bytes_of<std::uint8_t>({0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}) +        // 36: joints
      bytes_of<float>({1, 0, 0, 0, 1, 0, 0, 0, 0.25f, 0.75f, 0, 0}) +       // 48: weights
      bytes_of<float>({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}) +   // 96: binds
      bytes_of<float>({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -2, 1}) +  // 160
      bytes_of<float>({0, 2}) +                                             // 224: times
      bytes_of<float>({0, 0, 0, 1, h, 0, 0, h});                            // 232: turns
  return glb(R"({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 264}],
    "bufferViews": [{"buffer": 0, "byteLength": 264}],
    "accessors": [
      {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
      {"bufferView": 0, "byteOffset": 36, "componentType": 5121, "count": 3, "type": "VEC4"},
      {"bufferView": 0, "byteOffset": 48, "componentType": 5126, "count": 3, "type": "VEC4"},
      {"bufferView": 0, "byteOffset": 96, "componentType": 5126, "count": 2, "type": "MAT4"},
      {"bufferView": 0, "byteOffset": 224, "componentType": 5126, "count": 2, "type": "SCALAR"},
      {"bufferView": 0, "byteOffset": 232, "componentType": 5126, "count": 2, "type": "VEC4"}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]}],
    "nodes": [
      {"name": "up", "children": [1, 3], "rotation": [-0.70710678, 0, 0, 0.70710678]},
      {"name": "hip", "children": [2]},
      {"name": "knee", "translation": [0, 0, 2]},
      {"mesh": 0, "skin": 0}],
    "scenes": [{"nodes": [0]}],
    "skins": [{"inverseBindMatrices": 3, "joints": )" +
                 joints + R"(}],
    "animations": [{"name": "kick",
      "samplers": [{"input": 4, "output": 5, "interpolation": ")" +
                 interpolation + R"("}],
      "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}]}]})",
             binary);
}

anatomy::Skeleton read(const std::string& text) {
  return read_gltf_skeleton("leg.glb", std::as_bytes(std::span(text)));
}

Error refused(const std::string& text) {
  return error_of([&] { read(text); });
}

TEST(GltfSkeleton, JointsAreAtRestWhereTheSkinIsBound) {
  const anatomy::Skeleton leg = read(rigged_triangle());
  ASSERT_EQ(leg.joints.size(), 3u);  // the node above is one that nothing is bound to
  const std::size_t knee = *leg.find("knee");
  EXPECT_FALSE(leg.joints[*leg.find("up")].bound);
  EXPECT_EQ(leg.joints[knee].parent, static_cast<int>(*leg.find("hip")));
  expect_close(leg.position(knee), {0, 0, 2}, 1e-6);
  for (const anatomy::Transform& motion : motions_from_rest(leg, sample(leg, leg.clips.at(0), 0))) {
    expect_close(motion({1, 2, 3}), {1, 2, 3}, 1e-6);
  }
}

TEST(GltfSkeleton, PosesAreThoseOfTheClip) {
  const anatomy::Skeleton leg = read(rigged_triangle());
  EXPECT_EQ(leg.clips[0].name, "kick");
  EXPECT_EQ(leg.clips[0].duration(), 2);
  const std::size_t knee = *leg.find("knee");
  const auto point_at = [&](const anatomy::Skeleton& skeleton, double time) {
    return motions_from_rest(skeleton, sample(skeleton, skeleton.clips[0], time))[knee]({0, 0, 3});
  };
  expect_close(point_at(leg, 2), {0, -1, 2}, 1e-6);
  const double s = std::numbers::sqrt2 / 2;
  expect_close(point_at(leg, 1), {0, -s, 2 + s}, 1e-6);
  expect_close(point_at(read(rigged_triangle("STEP")), 1.9), {0, 0, 3}, 1e-6);
}

TEST(GltfSkeleton, WeightsBlendTheVerticesOfTheMesh) {
  const std::string text = rigged_triangle();
  const anatomy::Skeleton leg = read(text);
  const anatomy::SkinWeights weights = read_gltf_weights("leg.glb", std::as_bytes(std::span(text)));
  const SurfaceFile mesh = read_gltf("leg.glb", std::as_bytes(std::span(text)));
  ASSERT_EQ(weights.count(), mesh.mesh.positions.size());
  const auto skin = blend_skinning(weights, motions_from_rest(leg, sample(leg, leg.clips[0], 2)),
                                   mesh.mesh.positions);
  expect_close(skin[0], {0, 0, 0}, 1e-6);
  expect_close(skin[1], {1, 0, 2}, 1e-6);
  // A quarter stays at (0, 1, 3), three quarters go to (0, -1, 3).
  expect_close(skin[2], {0, -0.5, 3}, 1e-6);
}

TEST(GltfSkeleton, BrokenFilesAreRefusedWithTheirPlace) {
  EXPECT_THAT(refused(rigged_triangle("SMOOTH")).problem(), HasSubstr("interpolation"));
  EXPECT_THAT(refused(rigged_triangle("CUBICSPLINE")).problem(), HasSubstr("2 times and 2 values"));
  EXPECT_THAT(refused(rigged_triangle("LINEAR", "[1, 2, 3]")).problem(),
              HasSubstr("expected 3 of 16"));
  EXPECT_THAT(refused(rigged_triangle("LINEAR", "[1, 9]")).place(),
              HasSubstr("skins[0].joints[1]"));
  EXPECT_THAT(
      refused(glb("{" + kTriangleData + "," + kTriangleMesh + "}", triangle_bytes())).problem(),
      HasSubstr("no skin"));
}

const std::string kBvh = R"(HIERARCHY
ROOT hips
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT leg {
    OFFSET 0 -2 0
    CHANNELS 3 Yrotation Zrotation Xrotation
    End Site
    {
      OFFSET 0 -3 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
0 1 0 0 0 0 0 0 0
4 5 6 0 0 0 90 0 90
)";

TEST(Bvh, ChannelsTurnInTheirOrder) {
  const anatomy::Skeleton body = read_bvh("walk.bvh", kBvh);
  ASSERT_EQ(body.joints.size(), 3u);
  expect_close(body.position(*body.find("leg_end")), {0, -4, 0}, 1e-12);
  const auto at = [&](double time) {
    return motions_from_rest(body, sample(body, body.clips.at(0), time));
  };
  for (const auto& motion : at(0)) expect_close(motion({1, 2, 3}), {1, 2, 3}, 1e-12);
  // First about x, which takes -y to -z, then about y, which takes that to -x.
  const std::size_t leg = *body.find("leg");
  expect_close(at(0.5)[leg]({0, -4, 0}), {4 - 3, 5 - 2, 6}, 1e-12);
  expect_close(at(0.25)[*body.find("hips")]({0, 1, 0}), {2, 3, 3}, 1e-12);
}

TEST(Bvh, BrokenFilesAreRefusedWithTheirLine) {
  const auto refuse = [](std::string from, const std::string& to) {
    std::string text = kBvh;
    text.replace(text.find(from), from.size(), to);
    return error_of([&] { read_bvh("walk.bvh", text); });
  };
  EXPECT_THAT(refuse("Zposition", "Wposition").problem(), HasSubstr("is no channel"));
  EXPECT_THAT(refuse("Zposition", "Wposition").place(), HasSubstr("walk.bvh:5"));
  EXPECT_THAT(refuse("Frames: 2", "Frames: 2000").problem(), HasSubstr("not there"));
  EXPECT_THAT(refuse("90 0 90\n", "90 0").problem(), HasSubstr("ends after 1 of 2 frames"));
  EXPECT_THAT(refuse("90 0 90\n", "90 0 x").problem(), HasSubstr("not a number"));
  EXPECT_THAT(refuse("Time: 0.5", "Time: 0").problem(), HasSubstr("time between frames"));
  EXPECT_THAT(refuse("MOTION", "").problem(), HasSubstr("expected a joint"));
}

TEST(SkeletonFile, UnknownExtensionsAreRefused) {
  EXPECT_THAT(error_of([] { read_skeleton("walk.fbx"); }).remedy(), HasSubstr(".bvh"));
}

struct Character {
  const char* file;
  std::size_t bound, clips;
  double duration;  ///< of the last clip, s
};

TEST(SkeletonFile, CharactersHaveTheirJointsAndClips) {
  if (!std::filesystem::exists(kCharacters)) GTEST_SKIP() << "no characters at " << kCharacters;
  for (const Character& wanted :
       {Character{"CesiumMan.glb", 19, 1, 2}, Character{"RiggedFigure.glb", 19, 1, 1.25},
        Character{"Fox.glb", 24, 3, 1.158}, Character{"cmu_02_01_walk.bvh", 38, 1, 343.0 / 120}}) {
    SCOPED_TRACE(wanted.file);
    const anatomy::Skeleton skeleton = read_skeleton(kCharacters / wanted.file);
    EXPECT_EQ(std::ranges::count(skeleton.joints, true, &anatomy::Joint::bound),
              static_cast<std::ptrdiff_t>(wanted.bound));
    ASSERT_EQ(skeleton.clips.size(), wanted.clips);
    EXPECT_NEAR(skeleton.clips.back().duration(), wanted.duration, 1e-3);
    for (const anatomy::Transform& m : motions_from_rest(skeleton, rest_pose(skeleton))) {
      EXPECT_LE(norm(m(skeleton.position(0)) - skeleton.position(0)), 1e-5);
    }
  }
}

TEST(SkeletonFile, SkinnedCharactersStayClosedAndOfTheirSize) {
  if (!std::filesystem::exists(kCharacters)) GTEST_SKIP() << "no characters at " << kCharacters;
  for (const char* name : {"CesiumMan.glb", "RiggedFigure.glb", "Fox.glb"}) {
    SCOPED_TRACE(name);
    const anatomy::Skeleton skeleton = read_skeleton(kCharacters / name);
    const SurfaceFile mesh = read_surface(kCharacters / name);
    const auto triangles = geometry::triangulate(mesh.mesh);
    const anatomy::SkinWeights weights = read_gltf_weights(kCharacters / name);
    ASSERT_EQ(weights.count(), mesh.mesh.positions.size());
    const anatomy::Clip& clip = skeleton.clips[0];
    const auto skin = blend_skinning(
        weights, motions_from_rest(skeleton, sample(skeleton, clip, 0.5 * clip.duration())),
        mesh.mesh.positions);
    const double ratio = geometry::enclosed_volume(skin, triangles) /
                         geometry::enclosed_volume(mesh.mesh.positions, triangles);
    EXPECT_NEAR(ratio, 1, 0.1);
  }
}

}  // namespace
}  // namespace isochor::files
