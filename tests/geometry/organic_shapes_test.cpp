#include "isochor/geometry/organic_shapes.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "isochor/base/error.h"
#include "isochor/base/parallel.h"
#include "isochor/geometry/signed_distance.h"
#include "tests/geometry/surface_checks.h"

namespace isochor::geometry {
namespace {

constexpr double kLitre = 1e-3;

/// Closed and of one piece without holes.
void expect_one_body(const SurfaceMesh& mesh, const char* name) {
  EXPECT_TRUE(is_closed(mesh)) << name;
  const auto euler = static_cast<int>(mesh.positions.size()) -
                     static_cast<int>(mesh.corners.size() / 2) +
                     static_cast<int>(mesh.face_count());
  EXPECT_EQ(euler, 2) << name;
  EXPECT_GT(enclosed_volume(mesh), 0) << name;
}

/// The smallest and largest signed distance of the vertices of `inner` from `outer`.
std::pair<double, double> distances(const SurfaceMesh& inner, const SurfaceMesh& outer,
                                    ThreadArena& arena) {
  const SignedDistance distance(outer.positions, triangulate(outer), arena);
  std::pair<double, double> range{1, -1};
  for (std::size_t i = 0; i < inner.positions.size(); i += 3) {
    const double d = distance(inner.positions[i]).distance;
    range = {std::min(range.first, d), std::max(range.second, d)};
  }
  return range;
}

const ArmShape& sample_arm() {
  static const ArmShape arm = make_arm(0.006);
  return arm;
}

TEST(OrganicArm, PartsAreWholeAndOfPlausibleSize) {
  const ArmShape& arm = sample_arm();
  const std::map<const char*, std::tuple<const SurfaceMesh*, double, double>> parts{
      {"skin", {&arm.skin, 3.0, 4.5}},       {"humerus", {&arm.humerus, 0.10, 0.25}},
      {"radius", {&arm.radius, 0.03, 0.08}}, {"ulna", {&arm.ulna, 0.03, 0.08}},
      {"biceps", {&arm.biceps, 0.12, 0.25}}, {"triceps", {&arm.triceps, 0.12, 0.35}}};
  for (const auto& [name, part] : parts) {
    const auto& [mesh, least, most] = part;
    expect_one_body(*mesh, name);
    EXPECT_GT(enclosed_volume(*mesh), least * kLitre) << name;
    EXPECT_LT(enclosed_volume(*mesh), most * kLitre) << name;
  }
  EXPECT_DOUBLE_EQ(norm(arm.elbow - arm.shoulder), 0.30);
  EXPECT_DOUBLE_EQ(norm(arm.wrist - arm.elbow), 0.27);
}

TEST(OrganicArm, PartsLieInsideTheSkinAndApart) {
  const ArmShape& arm = sample_arm();
  ThreadArena arena(1);
  const SurfaceMesh* parts[] = {&arm.humerus, &arm.radius, &arm.ulna, &arm.biceps, &arm.triceps};
  for (std::size_t a = 0; a < std::size(parts); ++a) {
    EXPECT_LT(distances(*parts[a], arm.skin, arena).second, -0.002) << a;
    for (std::size_t b = 0; b < std::size(parts); ++b) {
      if (a == b) continue;
      EXPECT_GT(distances(*parts[a], *parts[b], arena).first, 0.0008) << a << " " << b;
    }
  }
}

TEST(OrganicHand, HasFiveFingersFourMillimetresApart) {
  const SurfaceMesh hand = make_hand(0.01);  // taken as 2 mm
  expect_one_body(hand, "hand");
  EXPECT_NEAR(enclosed_volume(hand), 0.40 * kLitre, 0.06 * kLitre);
  const Bounds bounds = bounds_of(hand.positions);
  EXPECT_NEAR(bounds.high[0], 0.19, 0.01) << "from the wrist to the middle finger";

  // A cut across the fingers: stretches of z with vertices, and gaps between them.
  std::vector<double> across;
  for (const Vec3d& p : hand.positions) {
    if (std::abs(p[0] - 0.12) < 0.0015) across.push_back(p[2]);
  }
  std::ranges::sort(across);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < across.size(); ++i) {
    if (const double gap = across[i] - across[i - 1]; gap > 0.0025) gaps.push_back(gap);
  }
  ASSERT_EQ(gaps.size(), 3u);
  for (const double gap : gaps) EXPECT_NEAR(gap, 0.004, 0.0015);

  // The thumb stands off to the other side.
  double thumb = 0;
  for (const Vec3d& p : hand.positions) {
    if (p[2] < -0.06) thumb = std::max(thumb, p[0]);
  }
  EXPECT_NEAR(thumb, 0.11, 0.01);
}

TEST(OrganicHand, JointsAreATreeInsideIt) {
  const SurfaceMesh hand = make_hand(0.002);
  ThreadArena arena(1);
  const SignedDistance skin(hand.positions, triangulate(hand), arena);
  const std::vector<FigureJoint> joints = hand_joints();
  std::set<std::string> names;
  ASSERT_EQ(joints.size(), 22u);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    EXPECT_TRUE(names.insert(joints[j].name).second) << joints[j].name;
    EXPECT_LT(joints[j].parent, static_cast<int>(j));
    EXPECT_EQ(joints[j].parent < 0, j == 0) << joints[j].name;
    EXPECT_LT(skin(joints[j].position).distance, -0.005) << joints[j].name;
  }
}

TEST(OrganicFigure, IsAPersonOf175Centimetres) {
  for (const double edge : {0.1, 0.015}) {
    const FigureShape figure = make_figure(edge);
    expect_one_body(figure.skin, "figure");
    EXPECT_NEAR(enclosed_volume(figure.skin), 64 * kLitre, 2 * kLitre);
    const Bounds bounds = bounds_of(figure.skin.positions);
    EXPECT_NEAR(bounds.high[1], 1.75, 0.005);
    EXPECT_NEAR(bounds.low[1], 0, 0.003);
    EXPECT_NEAR(bounds.high[0], -bounds.low[0], 0.005);
  }
}

TEST(OrganicFigure, JointsAreATreeInsideTheBody) {
  const FigureShape figure = make_figure(0.02);
  ThreadArena arena(1);
  const SignedDistance skin(figure.skin.positions, triangulate(figure.skin), arena);
  std::set<std::string> names;
  ASSERT_EQ(figure.joints.size(), 21u);
  for (std::size_t j = 0; j < figure.joints.size(); ++j) {
    const FigureJoint& joint = figure.joints[j];
    EXPECT_TRUE(names.insert(joint.name).second) << joint.name;
    EXPECT_LT(joint.parent, static_cast<int>(j));
    EXPECT_EQ(joint.parent < 0, j == 0) << joint.name;
    EXPECT_LT(skin(joint.position).distance, -0.01) << joint.name;
    if (!joint.name.ends_with("_left")) continue;
    // Its image is there, with the image of its parent.
    const std::string right = joint.name.substr(0, joint.name.size() - 4) + "right";
    const auto image = std::ranges::find(figure.joints, right, &FigureJoint::name);
    ASSERT_NE(image, figure.joints.end()) << right;
    EXPECT_EQ(image->position[0], -joint.position[0]);
    EXPECT_EQ(image->position[1], joint.position[1]);
  }
  EXPECT_EQ(figure.joints[0].name, "hips");
}

/// Positions of all joints by name.
std::map<std::string, Vec3d> walking(double phase) {
  const std::vector<FigureJoint> joints = figure_joints();
  const std::vector<JointPose> poses = walk_pose(joints, phase);
  std::map<std::string, Vec3d> positions;
  for (std::size_t j = 0; j < joints.size(); ++j) positions[joints[j].name] = poses[j].position;
  return positions;
}

TEST(OrganicWalk, RepeatsAndIsMirroredAfterHalfACycle) {
  for (const double phase : {0.0, 0.17, 0.5, 0.83}) {
    const auto now = walking(phase), next = walking(phase + 1), half = walking(phase + 0.5);
    for (const auto& [name, p] : now) {
      EXPECT_LT(norm(p - next.at(name)), 1e-12) << name;
      std::string other = name;
      if (name.ends_with("_left")) other.replace(name.size() - 4, 4, "right");
      if (name.ends_with("_right")) other.replace(name.size() - 5, 5, "left");
      const Vec3d image{-p[0], p[1], p[2]};
      EXPECT_LT(norm(image - half.at(other)), 1e-12) << name << " " << phase;
    }
  }
}

TEST(OrganicWalk, MovesSmoothlyAndKeepsBonesTheirLength) {
  const std::vector<FigureJoint> joints = figure_joints();
  constexpr int kSteps = 200;
  std::vector<JointPose> last = walk_pose(joints, 0);
  for (int i = 1; i <= kSteps; ++i) {
    const std::vector<JointPose> pose = walk_pose(joints, double(i) / kSteps);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      // A cycle takes about a second; nothing is faster than 5 m/s.
      EXPECT_LT(norm(pose[j].position - last[j].position), 5.0 / kSteps) << joints[j].name;
      EXPECT_NEAR(determinant(pose[j].rotation), 1, 1e-12);
      if (joints[j].parent < 0) continue;
      EXPECT_NEAR(norm(pose[j].position - pose[joints[j].parent].position),
                  norm(joints[j].position - joints[joints[j].parent].position), 1e-12);
    }
    last = pose;
  }
}

TEST(OrganicWalk, StepsLikeAPerson) {
  const auto strike = walking(0);
  const double step = strike.at("foot_left")[2] - strike.at("foot_right")[2];
  EXPECT_GT(step, 0.45);
  EXPECT_LT(step, 0.80);
  EXPECT_LT(strike.at("hand_left")[2], strike.at("hand_right")[2]) << "arms swing against legs";
  double lowest_hips = 2, highest_hips = 0;
  for (int i = 0; i < 100; ++i) {
    const double phase = i / 100.0;
    const auto pose = walking(phase);
    // One foot carries, near the ground; knees bend backwards only; arms hang beside the body.
    const double carrying = std::min(pose.at("foot_left")[1], pose.at("foot_right")[1]);
    EXPECT_GT(carrying, 0.05) << phase;
    EXPECT_LT(carrying, 0.14) << phase;
    EXPECT_GE(walk_rotation("shin_left", phase)[0], 0) << phase;
    EXPECT_LT(pose.at("hand_left")[1], pose.at("upper_arm_left")[1] - 0.35) << phase;
    EXPECT_GT(pose.at("hand_left")[0], 0.15) << phase;
    EXPECT_LT(std::abs(pose.at("head")[0]), 0.06) << phase;
    lowest_hips = std::min(lowest_hips, pose.at("hips")[1]);
    highest_hips = std::max(highest_hips, pose.at("hips")[1]);
  }
  EXPECT_GT(lowest_hips, 0.86);
  EXPECT_LT(highest_hips - lowest_hips, 0.08);
  EXPECT_EQ(norm(walk_rotation("tail", 0.3)), 0);
}

TEST(OrganicFigure, BonesAndMusclesAreWholeInsideTheSkinAndApart) {
  ThreadArena arena(2);
  const SurfaceMesh skin = make_figure(0.02).skin;
  const std::vector<FigureJoint> joints = figure_joints();
  std::vector<SurfaceMesh> left;
  std::vector<std::string_view> names;
  int muscles = 0;
  for (const FigurePart& part : figure_parts()) {
    EXPECT_NE(std::ranges::find(joints, part.joint, &FigureJoint::name), joints.end())
        << part.name << " " << part.joint;
    muscles += part.tissue == Tissue::Muscle;
    // The right side is the image of the left one.
    if (part.name.ends_with("_right")) continue;
    const SurfaceMesh mesh = make_figure_part(part.name, 0.02);
    expect_one_body(mesh, part.name.data());
    EXPECT_LT(distances(mesh, skin, arena).second, -0.002) << part.name;
    for (std::size_t other = 0; other < left.size(); ++other) {
      const Bounds a = bounds_of(mesh.positions), b = bounds_of(left[other].positions);
      bool close = true;
      for (int k = 0; k < 3; ++k) close = close && a.low[k] < b.high[k] && b.low[k] < a.high[k];
      if (!close) continue;
      EXPECT_GT(distances(mesh, left[other], arena).first, 0.0005)
          << part.name << " " << names[other];
    }
    left.push_back(mesh);
    names.push_back(part.name);
  }
  EXPECT_EQ(muscles, 18);
  EXPECT_EQ(figure_part_names().size(), figure_parts().size() + 1);
  const Bounds biceps = bounds_of(make_figure_part("biceps_right", 0.02).positions);
  EXPECT_LT(biceps.high[0], -0.1);
  EXPECT_THROW(make_figure_part("tail", 0.02), Error);
}

}  // namespace
}  // namespace isochor::geometry
