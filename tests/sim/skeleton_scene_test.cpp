#include "isochor/sim/skeleton_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>

#include "isochor/sim/inputs.h"
#include "isochor/sim/lattice_scene.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using ::testing::HasSubstr;

constexpr double kQuarterTurn = std::numbers::pi / 2;

/// A limb along x with two bones, a shoulder that goes up and an elbow that bends.
const std::string kLimb = R"(format = 1
[time]
frames = 4

[[skeleton.joint]]
name = "shoulder"
position = [0, 0, 0]
key = [{ frame = 0 }, { frame = 4, translate = [0, "40 cm", 0] }]

[[skeleton.joint]]
name = "elbow"
parent = "shoulder"
position = ["30 cm", 0, 0]
axis = [0, 0, 1]
ease = "linear"
key = [{ frame = 0 }, { frame = 4, angle = "90 deg" }]

[[skeleton.joint]]
name = "wrist"
parent = "elbow"
position = ["60 cm", 0, 0]

[[body]]
name = "limb"
cell_size = "5 cm"
shape = { kind = "box", center = ["30 cm", 0, 0], size = ["60 cm", "10 cm", "10 cm"] }
material = { young = "20 kPa", poisson = 0.3 }

[[body.hold]]
name = "upper"
where = "bone"
joint = "shoulder"
radius = "3 cm"
select = "surface"
stiffness = 1e7

[[body.hold]]
name = "fore"
where = "bone"
joint = "elbow"
to = "wrist"
radius = "3 cm"
)";

SceneSpec limb(const std::string& from = "", const std::string& to = "") {
  return parse_scene(from.empty() ? kLimb : replaced(kLimb, from, to), "limb.toml");
}

Error refused(const std::string& from, const std::string& to) {
  return error_of([&] { limb(from, to); });
}

TEST(SkeletonScene, JointsBecomeKeysOfWhatTheyMove) {
  const SceneSpec scene = limb();
  const HoldSpec& fore = scene.bodies[0].holds[1];
  ASSERT_EQ(fore.keys.size(), 5u);
  EXPECT_EQ(norm(fore.keys[0].rotate), 0);
  for (int f = 0; f <= 4; ++f) {
    const Pose pose = pose_at(fore, f);
    const double angle = kQuarterTurn * f / 4, s = f / 4.0;
    const Vec3d wanted{0.3 + 0.3 * std::cos(angle),
                       0.4 * s * s * (3 - 2 * s) + 0.3 * std::sin(angle), 0};
    EXPECT_LE(norm(pose({0.6, 0, 0}, fore.pivot) - wanted), 1e-12) << f;
  }
}

TEST(SkeletonScene, BonesAreCapsulesThatTouchTheirJoints) {
  const ShapeSpec bone = limb().bodies[0].holds[1].inside;
  EXPECT_EQ(bone.kind, "capsule");
  EXPECT_LE(norm(bone.center - Vec3d{0.45, 0, 0}), 1e-12);
  EXPECT_NEAR(bone.length + 2 * bone.radius, 0.3, 1e-12);
}

TEST(SkeletonScene, ResolvedScenesAreReadAgain) {
  const SceneSpec scene =
      limb("[[body.hold]]\nname = \"upper\"",
           "[body.bones]\nradius = \"2 cm\"\n\n[[body.hold]]\nname = \"upper\"");
  EXPECT_EQ(scene.bodies[0].holds.size(), 5u);  // two written, two bones, and one beyond the wrist
  const SceneSpec again = parse_scene(resolved_scene(scene), "limb.toml");
  EXPECT_EQ(again.bodies[0].holds.size(), 5u);
  EXPECT_EQ(resolved_scene(again), resolved_scene(scene));
  for (int f = 0; f <= 4; ++f) EXPECT_EQ(frame_inputs(again, f), frame_inputs(scene, f));
}

TEST(SkeletonScene, OnlyFramesThatMoveOtherwiseAreComputedAgain) {
  const SceneSpec before = limb();
  const SceneSpec after =
      limb("{ frame = 4, angle = \"90 deg\" }",
           "{ frame = 2, angle = \"45 deg\" }, { frame = 4, angle = \"60 deg\" }");
  for (int f = 0; f <= 4; ++f) {
    EXPECT_EQ(frame_inputs(before, f) == frame_inputs(after, f), f <= 2) << f;
  }
  EXPECT_TRUE(changed_keys(resolved_scene(before), "limb.toml", after).empty());
  EXPECT_FALSE(changed_keys(resolved_scene(before), "limb.toml",
                            limb("position = [\"60 cm\", 0, 0]", "position = [\"55 cm\", 0, 0]"))
                   .empty());
}

TEST(SkeletonScene, MusclesFollowTheBendOfAJoint) {
  const SceneSpec scene = limb("[[body.hold]]\nname = \"upper\"", R"([[body.muscle]]
name = "biceps"
shape = { kind = "capsule", center = ["15 cm", 0, 0], radius = "2 cm", length = "15 cm" }
joint = "elbow"
bend = [{ angle = 0, value = 0.1 }, { angle = "45 deg", value = 0.5 }]

[[body.hold]]
name = "upper")");
  const auto& keys = scene.bodies[0].muscles[0].activations;
  ASSERT_EQ(keys.size(), 5u);
  EXPECT_NEAR(keys[0].value, 0.1, 1e-12);
  EXPECT_NEAR(keys[1].value, 0.3, 1e-9);
  EXPECT_NEAR(keys[3].value, 0.5, 1e-12);
}

TEST(SkeletonScene, ARigidSkeletonMovesTheBodyRigidly) {
  // Both bones on one joint that turns and rises; no gravity, so that nothing else happens.
  std::string text =
      replaced(kLimb, "[[skeleton.joint]]", "[world]\ngravity = [0, 0, 0]\n\n[[skeleton.joint]]");
  text = replaced(text, "translate = [0, \"40 cm\", 0] }",
                  "angle = \"70 deg\", translate = [0, \"40 cm\", 0] }");
  text = replaced(text, "{ frame = 4, angle = \"90 deg\" }", "{ frame = 4 }");
  Context context(2);
  Simulation simulation(parse_scene(text, "limb.toml"), context);
  while (simulation.frame() < 4) ASSERT_TRUE(simulation.advance());
  const auto frame = simulation.snapshot().first;
  const Mat3d turn = rotation_from_vector({0, 0, 70 * std::numbers::pi / 180});
  const auto& rest = simulation.topology().bodies[0].surface.positions;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    EXPECT_LE(norm(frame.bodies[0].vertices[v] - (turn * rest[v] + Vec3d{0, 0.4, 0})), 1e-5);
  }
}

TEST(SkeletonScene, RemovedRootMotionComesBackInFrames) {
  const auto last_frame = [](const std::string& text) {
    Context context(2);
    Simulation simulation(parse_scene(text, "limb.toml"), context);
    while (simulation.frame() < 4) simulation.advance();
    return simulation.snapshot().first;
  };
  const std::string still = replaced(kLimb, "[[skeleton.joint]]",
                                     "[skeleton]\nroot_motion = \"keep\"\n\n[[skeleton.joint]]");
  const files::Frame kept = last_frame(still);
  const files::Frame restored = last_frame(replaced(still, "\"keep\"", "\"remove\""));
  for (std::size_t v = 0; v < kept.bodies[0].vertices.size(); ++v) {
    EXPECT_LE(norm(kept.bodies[0].vertices[v] - restored.bodies[0].vertices[v]), 1e-5);
  }
  for (std::size_t i = 0; i < kept.bodies[0].fields[0].values.size(); ++i) {
    EXPECT_NEAR(kept.bodies[0].fields[0].values[i], restored.bodies[0].fields[0].values[i], 1e-5);
  }
  const SceneSpec removed = parse_scene(replaced(still, "\"keep\"", "\"remove\""), "limb.toml");
  EXPECT_LE(norm(root_offset(removed, 4) - Vec3d{0, 0.4, 0}), 1e-12);
  EXPECT_TRUE(removed.bodies[0].holds[0].keys.empty());  // the shoulder only rises
}

TEST(SkeletonScene, MistakesAreRefusedWithTheirPlace) {
  EXPECT_THAT(refused("joint = \"shoulder\"", "joint = \"sholder\"").remedy(),
              HasSubstr("shoulder, elbow, wrist"));
  EXPECT_THAT(refused("joint = \"shoulder\"", "joint = \"wrist\"").problem(),
              HasSubstr("0 children"));
  EXPECT_THAT(refused("radius = \"3 cm\"", "radius = \"20 cm\"").problem(), HasSubstr("too thick"));
  EXPECT_THAT(refused("parent = \"elbow\"", "parent = \"hand\"").place(),
              HasSubstr("skeleton.joint[2].parent"));
  EXPECT_THAT(refused("name = \"wrist\"", "name = \"elbow\"").problem(), HasSubstr("taken"));
  EXPECT_THAT(refused("axis = [0, 0, 1]", "axis = [0, 0, 0]").problem(),
              HasSubstr("without length"));
  EXPECT_THAT(error_of([] {
                parse_scene(kBarScene +
                                "\n[[body.hold]]\nname = \"b\"\nwhere = \"bone\"\njoint = "
                                "\"elbow\"\nradius = 0.1\n",
                            "bar.toml");
              }).remedy(),
              HasSubstr("[skeleton]"));
  // A joint has its own motion.
  EXPECT_THAT(refused("radius = \"3 cm\"", "radius = \"3 cm\"\nkey = [{ frame = 0 }]").what(),
              HasSubstr("key"));
}

TEST(SkeletonScene, MadeBonesOutsideHoldNothingAndSomeMustBeInside) {
  const std::string limb = kLimb.substr(0, kLimb.find("[[body.hold]]"));
  const std::string flail =
      "[[skeleton.joint]]\nname = \"flail\"\nparent = \"wrist\"\nposition = [\"90 cm\", 0, 0]\n"
      "[[skeleton.joint]]\nname = \"head\"\nparent = \"flail\"\nposition = [\"99 cm\", 0, 0]\n";
  const std::string bones = "[body.bones]\nradius = \"3 cm\"\nend = 0\n";
  std::string said;
  Context context(1);
  context.log = [&](LogLevel, std::string_view line) { said += line; };
  const SceneSpec scene = parse_scene(replaced(limb, "[[body]]", flail + "[[body]]") + bones, "s");
  const LatticeScene built = build_lattice_scene(scene, {}, context);
  EXPECT_EQ(scene.bodies[0].holds.size(), 4u);
  EXPECT_EQ(built.soft_holds.size(), 3u) << "that of the wrist touches the body with its end";
  EXPECT_THAT(said, HasSubstr("'flail' lies outside of 'limb'"));

  const SceneSpec away =
      parse_scene(replaced(limb, "center = [\"30 cm\"", "center = [3") + bones, "s");
  const Error error = error_of([&] { build_lattice_scene(away, {}, context); });
  EXPECT_THAT(error.place(), HasSubstr("body[0].bones"));
  EXPECT_THAT(error.problem(), HasSubstr("no bone lies inside of 'limb'"));
}

TEST(SkeletonScene, PreRollStartsAtRest) {
  files::TemporaryFolder folder;
  files::write_quickly(folder / "walk.bvh", std::string_view(R"(HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 4 Xposition Yposition Zposition Zrotation
  JOINT chest
  {
    OFFSET 30 0 0
    CHANNELS 1 Zrotation
    End Site
    {
      OFFSET 30 0 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 1
100 0 0 0 90
100 0 0 0 45
)"));
  SceneSpec scene;
  scene.time = {.frames = 36, .frame_rate = 12};
  scene.skeleton.file = "walk.bvh";
  scene.skeleton.scale = 0.01;
  scene.skeleton.pre_roll = 1;
  scene.file = folder / "scene.toml";
  const SkeletonMotion motion(scene, build_skeleton(scene.skeleton, scene.file));
  const auto tip_at = [&](double frame) {
    return motions_from_rest(motion.skeleton(), motion.pose_at(frame))[1]({0.6, 0, 0});
  };
  EXPECT_LE(norm(tip_at(0) - Vec3d{0.6, 0, 0}), 1e-12);
  EXPECT_LE(norm(tip_at(12) - Vec3d{1.3, 0.3, 0}), 1e-12);
  const double s = 0.3 * std::numbers::sqrt2 / 2;
  EXPECT_LE(norm(tip_at(6) - Vec3d{0.5 + 0.3 + s, s, 0}), 1e-12);  // half way
  EXPECT_LE(norm(tip_at(24) - Vec3d{1.3 + s, s, 0}), 1e-12);
  EXPECT_LE(norm(tip_at(36) - Vec3d{1.3 + s, s, 0}), 1e-12);  // the clip has ended

  scene.skeleton.start = 1.5;
  const auto start = [&] { SkeletonMotion(scene, build_skeleton(scene.skeleton, scene.file)); };
  EXPECT_THAT(error_of(start).problem(), HasSubstr("1.5 s is beyond the end of the clip"));
  scene.skeleton.repeat = true;
  EXPECT_NO_THROW(start());
}

TEST(SkeletonScene, WhereBonesMeetFleshGoesWithTheNearest) {
  // Two bones without springs whose capsules overlap around the elbow.
  std::string text = kLimb;
  for (std::size_t at = 0; (at = text.find("stiffness = 1e7\n")) != std::string::npos;) {
    text.erase(at, 16);
  }
  for (std::size_t at = 0; (at = text.find("select = \"surface\"\n")) != std::string::npos;) {
    text.erase(at, 19);
  }
  SceneSpec scene = parse_scene(text, "limb.toml");
  auto& holds = scene.bodies[0].holds;
  ASSERT_EQ(holds.size(), 2u);
  for (HoldSpec& hold : holds) hold.inside.length += 0.08;  // 4 cm beyond the joint
  scene.bodies[0].cell_size = 0.02;
  Context context(1);
  const LatticeScene built = build_lattice_scene(scene, {}, context);
  for (const int k : {0, 1}) {
    EXPECT_GT(built.holds[k].points.size(), 10u);
    for (const Vec3d& p : built.holds[k].points) {
      EXPECT_TRUE(k == 0 ? p[0] < 0.3 + 1e-9 : p[0] > 0.3 - 1e-9) << p[0];
    }
  }
}

}  // namespace
}  // namespace isochor::sim
