#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numbers>
#include <optional>

#include "isochor/geometry/implicit_surface.h"
#include "isochor/geometry/implicit_surface_bodies.h"
#include "isochor/geometry/organic_shapes.h"

namespace isochor::geometry {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180;

/// The arm of the A-pose leads this far down.
constexpr double kArmAngle = 45 * kDegree;

/// Joints of the middle and of the left side; `parent` names one that comes before.
struct JointPlan {
  const char* name;
  const char* parent;
  Vec3d position;
};
constexpr Vec3d kShoulder{0.180, 1.430, -0.015};
constexpr Vec3d kHip{0.090, 0.920, -0.005}, kKnee{0.104, 0.505, 0.005};
constexpr Vec3d kAnkle{0.116, 0.085, -0.020}, kToes{0.124, 0.025, 0.105};
constexpr double kUpperArm = 0.285, kForearm = 0.255;

Vec3d arm_direction() { return {std::cos(kArmAngle), -std::sin(kArmAngle), 0}; }

std::vector<JointPlan> joint_plans() {
  const Vec3d elbow = kShoulder + kUpperArm * arm_direction();
  const Vec3d wrist = elbow + kForearm * arm_direction();
  return {{"hips", "", {0, 0.960, 0}},
          {"spine", "hips", {0, 1.080, -0.010}},
          {"chest", "spine", {0, 1.230, -0.015}},
          {"neck", "chest", {0, 1.480, -0.020}},
          {"head", "neck", {0, 1.565, -0.005}},
          {"clavicle_left", "chest", {0.030, 1.440, 0.010}},
          {"upper_arm_left", "clavicle_left", kShoulder},
          {"forearm_left", "upper_arm_left", elbow},
          {"hand_left", "forearm_left", wrist},
          {"thigh_left", "hips", kHip},
          {"shin_left", "thigh_left", kKnee},
          {"foot_left", "shin_left", kAnkle},
          {"toes_left", "foot_left", kToes}};
}

// ---- The body. All functions take a point on the left side, where x >= 0. ----

double torso(const Vec3d& p) {
  // Wider than deep.
  static const BallChain trunk{{{0, 0.930, -0.010}, 0.092}, {{0, 0.990, -0.008}, 0.107},
                               {{0, 1.080, 0.000}, 0.092},  {{0, 1.170, 0.000}, 0.096},
                               {{0, 1.290, -0.006}, 0.113}, {{0, 1.375, -0.012}, 0.102},
                               {{0, 1.430, -0.020}, 0.070}};
  static const BallChain pectoral{{{0.025, 1.330, 0.058}, 0.040},
                                  {{0.075, 1.345, 0.056}, 0.046},
                                  {{0.130, 1.375, 0.025}, 0.040}};
  static const BallChain trapezius{{{0, 1.475, -0.030}, 0.055},
                                   {{0.060, 1.462, -0.028}, 0.048},
                                   {{0.165, 1.432, -0.018}, 0.046}};
  static const BallChain gluteus{{{0.060, 0.960, -0.050}, 0.070}, {{0.075, 0.905, -0.048}, 0.075}};
  double value = trunk.distance_to({p[0] / 1.45, p[1], p[2]});
  value = pectoral.joined(value, p, 0.030);
  value = trapezius.joined(value, p, 0.040);
  return gluteus.joined(value, p, 0.040);
}

double head(const Vec3d& p) {
  static const BallChain neck{
      {{0, 1.430, -0.028}, 0.060}, {{0, 1.505, -0.022}, 0.053}, {{0, 1.590, -0.008}, 0.052}};
  static constexpr Ellipsoid kSkull = {{0, 1.657, -0.008}, {0.074, 0.093, 0.096}};
  static const BallChain face{{{0, 1.690, 0.040}, 0.050},
                              {{0, 1.640, 0.048}, 0.046},
                              {{0, 1.592, 0.056}, 0.033},
                              {{0, 1.566, 0.066}, 0.020}};
  static const BallChain jaw{
      {{0, 1.570, 0.060}, 0.020}, {{0.034, 1.588, 0.030}, 0.020}, {{0.055, 1.625, -0.005}, 0.018}};
  static const BallChain nose{
      {{0, 1.660, 0.092}, 0.008}, {{0, 1.635, 0.102}, 0.009}, {{0, 1.622, 0.106}, 0.011}};
  static const BallChain brow{{{0, 1.672, 0.084}, 0.012}, {{0.045, 1.672, 0.066}, 0.012}};
  static const BallChain lips{{{0, 1.598, 0.086}, 0.0075}, {{0.018, 1.598, 0.080}, 0.0045}};
  static constexpr Ellipsoid kEyeSocket = {{0.030, 1.655, 0.104}, {0.018, 0.012, 0.020}};
  static constexpr Ellipsoid kEar = {{0.075, 1.640, -0.012}, {0.010, 0.031, 0.018}};
  double value = face.joined(distance_to(kSkull, p), p, 0.030);
  value = brow.joined(jaw.joined(value, p, 0.025), p, 0.012);
  value = nose.joined(value, p, 0.014);
  value = smooth_difference(value, distance_to(kEyeSocket, p), 0.014);
  value = lips.joined(value, p, 0.010);
  value = smooth_union(value, distance_to(kEar, p), 0.010);
  return neck.joined(value, p, 0.030);
}

double arm(const Vec3d& p) {
  // Along the arm, upward across it, and to the front.
  const double c = std::cos(kArmAngle), s = std::sin(kArmAngle);
  const Vec3d d = p - kShoulder;
  const Vec3d local{c * d[0] - s * d[1], s * d[0] + c * d[1], d[2]};
  static const BallChain limb{{{0, 0.002, 0}, 0.056},     {{0.050, 0.004, 0}, 0.056},  // deltoid
                              {{0.120, 0, 0}, 0.046},     {{0.180, 0, 0.002}, 0.046},  // biceps
                              {{0.240, 0, 0}, 0.039},     {{kUpperArm, 0, 0}, 0.036},  // elbow
                              {{0.335, 0, 0.002}, 0.041}, {{0.400, 0, 0.002}, 0.037},
                              {{0.480, 0, 0}, 0.028},     {{kUpperArm + kForearm, 0, 0}, 0.0235}};
  // Palm and fingers are flat, with the thumb in front.
  static const BallChain hand{{{0.530, 0, 0}, 0.0150},
                              {{0.565, -0.001, 0.001}, 0.0165},
                              {{0.615, -0.003, 0.002}, 0.0180},
                              {{0.665, -0.010, 0.001}, 0.0145},
                              {{0.705, -0.018, 0}, 0.0105}};
  static const BallChain thumb{{{0.560, -0.006, 0.018}, 0.0165},
                               {{0.590, -0.010, 0.038}, 0.0150},
                               {{0.625, -0.013, 0.054}, 0.0115},
                               {{0.655, -0.016, 0.062}, 0.0095}};
  double value = smooth_union(limb.distance_to(local),
                              hand.distance_to({local[0], local[1], local[2] / 2.3}), 0.016);
  return thumb.joined(value, local, 0.012);
}

double leg(const Vec3d& p) {
  static const BallChain limb{{{0.088, 0.930, -0.005}, 0.082},
                              {{0.092, 0.820, 0.004}, 0.084},
                              {{0.097, 0.700, 0.010}, 0.074},
                              {{0.102, 0.580, 0.008}, 0.060},
                              {kKnee, 0.054},
                              {{0.106, 0.440, -0.008}, 0.052},
                              {{0.109, 0.370, -0.018}, 0.054},
                              {{0.112, 0.270, -0.020}, 0.045},
                              {{0.114, 0.170, -0.020}, 0.036},
                              {kAnkle, 0.036}};
  static const BallChain heel{{{0.115, 0.110, -0.030}, 0.030}, {{0.116, 0.040, -0.045}, 0.038},
                              {{0.118, 0.028, 0.020}, 0.036},  {{0.124, 0.026, 0.090}, 0.041},
                              {{0.128, 0.020, 0.135}, 0.034},  {{0.130, 0.018, 0.160}, 0.023}};
  static const BallChain instep{{{0.115, 0.105, -0.005}, 0.034},
                                {{0.118, 0.072, 0.035}, 0.032},
                                {{0.122, 0.042, 0.085}, 0.030}};
  double value = limb.distance_to(p);
  value = instep.joined(heel.joined(value, p, 0.020), p, 0.020);
  // Flat at the ground.
  return smooth_difference(value, p[1], 0.012);
}

double figure_body(const Vec3d& point) {
  static constexpr Ball kHead{{0, 1.580, 0}, 0.20}, kArm{{0.430, 1.170, 0}, 0.46};
  static constexpr Ball kLeg{{0.105, 0.500, 0}, 0.56};
  const Vec3d p{std::abs(point[0]), point[1], point[2]};
  double value = smooth_union(torso(p), p, kHead, head, 0.030);
  value = smooth_union(value, p, kLeg, leg, 0.040);
  return smooth_union(value, p, kArm, arm, 0.030);
}

// ---- Walking ----

/// The rotation vector of one rotation after another, by quaternions.
Vec3d rotated_after(const Vec3d& first, const Vec3d& second) {
  const auto half = [](const Vec3d& v) {
    const double angle = norm(v);
    const double scale = angle > 0 ? std::sin(angle / 2) / angle : 0.5;
    return std::pair{std::cos(angle / 2), v * scale};
  };
  const auto [a, u] = half(second);
  const auto [b, v] = half(first);
  const double real = a * b - dot(u, v);
  const Vec3d imaginary = a * v + b * u + cross(u, v);
  const double length = norm(imaginary);
  return length > 0 ? imaginary * (2 * std::atan2(length, real) / length) : Vec3d{0, 0, 0};
}

/// A smooth hump of height 1 at phase `middle`, repeating with every cycle.
double hump(double phase, double middle, double width) {
  const double away = phase - middle - std::round(phase - middle);
  return std::exp(-away * away / (width * width));
}

/// Angles in degrees of a leg whose heel touches the ground at phase 0: a person at an easy pace.
/// Legs bend forward about -x.
std::optional<Vec3d> leg_rotation(std::string_view joint, double phase) {
  const double turn = 2 * kPi * phase;
  if (joint == "thigh") {
    const double flexion = 7 + 21 * std::cos(turn) - 3 * std::cos(2 * turn);
    return Vec3d{-flexion, 0, 0} * kDegree;
  }
  if (joint == "shin") {
    const double flexion = 4 + 13 * hump(phase, 0.13, 0.09) + 56 * hump(phase, 0.72, 0.13);
    return Vec3d{flexion, 0, 0} * kDegree;
  }
  if (joint == "foot") {
    const double raised = -7 * hump(phase, 0.08, 0.05) + 9 * hump(phase, 0.42, 0.14) -
                          20 * hump(phase, 0.63, 0.07) + 2;
    return Vec3d{-raised, 0, 0} * kDegree;
  }
  if (joint == "toes") return Vec3d{-28 * hump(phase, 0.56, 0.08), 0, 0} * kDegree;
  return std::nullopt;
}

/// The left arm: hangs down from the A-pose and swings against its leg.
std::optional<Vec3d> arm_rotation(std::string_view joint, double phase) {
  const double swing = -std::cos(2 * kPi * phase);  // 1: in front
  if (joint == "upper_arm") {
    constexpr double kDown = 78 * kDegree - kArmAngle;
    return rotated_after({0, 0, -kDown}, Vec3d{-(3 + 20 * swing), 0, 0} * kDegree);
  }
  if (joint == "forearm") {
    // About the direction across the arm, which the elbow has for its axis.
    const double flexion = (20 + 10 * swing) * kDegree;
    return Vec3d{std::sin(kArmAngle), std::cos(kArmAngle), 0} * -flexion;
  }
  return std::nullopt;
}

/// Hips and shoulders turn and tilt against each other, the head keeps still.
Vec3d trunk_rotation(std::string_view joint, double phase) {
  const double turn = 2 * kPi * phase;
  // At phase 0 the left hip is in front, and at 0.15 the left leg carries.
  const Vec3d hips = Vec3d{2, -5 * std::cos(turn), 3 * std::sin(turn)} * kDegree;
  if (joint == "hips") return hips;
  if (joint == "spine") return Vec3d{0, -hips[1], -hips[2]};
  if (joint == "chest") return Vec3d{1 * kDegree, -hips[1], 0};
  if (joint == "neck") return Vec3d{-2 * kDegree, hips[1], 0};
  return {0, 0, 0};
}

constexpr std::string_view kLeft = "_left", kRight = "_right";

Mat3d rotation_in(const JointPose& parent, const Vec3d& vector) {
  return parent.rotation * rotation_from_vector(vector);
}

}  // namespace

std::vector<FigureJoint> figure_joints() {
  std::vector<FigureJoint> joints;
  const auto add = [&](const std::string& name, const std::string& parent, const Vec3d& position) {
    const auto found = std::ranges::find(joints, parent, &FigureJoint::name);
    joints.push_back(
        {name, found == joints.end() ? -1 : static_cast<int>(found - joints.begin()), position});
  };
  // A joint on the left has its image on the right.
  const auto mirrored = [](std::string name) {
    if (name.ends_with(kLeft)) name.replace(name.size() - kLeft.size(), kLeft.size(), kRight);
    return name;
  };
  for (const JointPlan& plan : joint_plans()) add(plan.name, plan.parent, plan.position);
  for (const JointPlan& plan : joint_plans()) {
    if (mirrored(plan.name) == plan.name) continue;
    add(mirrored(plan.name), mirrored(plan.parent),
        {-plan.position[0], plan.position[1], plan.position[2]});
  }
  return joints;
}

FigureShape make_figure(double edge) {
  edge = std::min(edge, 0.02);
  const double room = 2 * edge;
  const Bounds box{{-0.80 - room, -room, -0.20 - room}, {0.80 + room, 1.76 + room, 0.24 + room}};
  return {.skin = mesh_implicit_body([](const Vec3d& p) { return figure_body(p); }, box, edge),
          .joints = figure_joints()};
}

Vec3d walk_rotation(std::string_view joint, double phase) {
  const bool is_right = joint.ends_with(kRight);
  if (!is_right && !joint.ends_with(kLeft)) return trunk_rotation(joint, phase);
  joint.remove_suffix(is_right ? kRight.size() : kLeft.size());
  // The right side does the same half a cycle later, seen in a mirror.
  if (is_right) phase += 0.5;
  const std::optional<Vec3d> leg = leg_rotation(joint, phase);
  const Vec3d left = leg ? *leg : arm_rotation(joint, phase).value_or(Vec3d{0, 0, 0});
  return is_right ? Vec3d{left[0], -left[1], -left[2]} : left;
}

std::vector<JointPose> walk_pose(std::span<const FigureJoint> joints, double phase) {
  std::vector<JointPose> poses;
  double lowest = 1;
  for (const FigureJoint& joint : joints) {
    const Vec3d vector = walk_rotation(joint.name, phase);
    if (joint.parent < 0) {
      poses.push_back({rotation_from_vector(vector), joint.position});
    } else {
      const JointPose& parent = poses[joint.parent];
      const Vec3d arm = joint.position - joints[joint.parent].position;
      poses.push_back({rotation_in(parent, vector), parent.position + parent.rotation * arm});
    }
    // The ends of the sole: the heel below the ankle, the tips below the toes.
    const bool is_foot = joint.name.starts_with("foot"), is_toes = joint.name.starts_with("toes");
    if (!is_foot && !is_toes) continue;
    for (const double ahead : is_foot ? std::array{-0.06, 0.10} : std::array{0.0, 0.06}) {
      const Vec3d sole = poses.back().rotation * Vec3d{0, -joint.position[1], ahead};
      lowest = std::min(lowest, poses.back().position[1] + sole[1]);
    }
  }
  for (JointPose& pose : poses) pose.position[1] -= lowest;
  return poses;
}

}  // namespace isochor::geometry
