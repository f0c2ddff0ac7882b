#include "isochor/geometry/organic_shapes.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "isochor/base/error.h"
#include "isochor/geometry/implicit_surface.h"
#include "isochor/geometry/implicit_surface_bodies.h"

namespace isochor::geometry {
namespace {

template <double (*body)(const Vec3d&)>
SurfaceMesh meshed(const Bounds& box, double edge) {
  return mesh_implicit_body([](const Vec3d& p) { return body(p); }, box, edge);
}

/// The point in a space that is narrower by `factor` > 1 in z: a body there is that much wider
/// here.
Vec3d narrowed(Vec3d p, double factor) {
  p[2] /= factor;
  return p;
}

// ---- Arm ----

double humerus_body(const Vec3d& p) {
  static const BallChain head{{{0.002, 0, 0}, 0.0225}, {{0.012, -0.002, 0.002}, 0.020}};
  static const BallChain shaft{{{0.010, -0.002, 0.002}, 0.0180},
                               {{0.045, -0.004, 0}, 0.0125},
                               {{0.140, -0.004, 0}, 0.0100},
                               {{0.230, -0.004, 0}, 0.0095},
                               {{0.275, -0.003, 0}, 0.0105}};
  static const BallChain condyles{{{0.292, 0, -0.0185}, 0.0105}, {{0.292, 0, 0.0175}, 0.0095}};
  static const BallChain flare{{{0.250, -0.004, 0}, 0.0080}, {{0.285, -0.002, -0.0170}, 0.0085}};
  static const BallChain flare_beside{{{0.250, -0.004, 0}, 0.0080},
                                      {{0.285, -0.002, 0.0160}, 0.0080}};
  double value = shaft.joined(head.distance_to(p), p, 0.010);
  value = condyles.joined(value, p, 0.008);
  return flare_beside.joined(flare.joined(value, p, 0.008), p, 0.008);
}

double ulna_body(const Vec3d& p) {
  static const BallChain bone{
      {{0.311, -0.0190, -0.009}, 0.0080}, {{0.324, -0.0125, -0.010}, 0.0100},
      {{0.350, -0.0080, -0.011}, 0.0085}, {{0.430, -0.0050, -0.013}, 0.0066},
      {{0.520, -0.0010, -0.016}, 0.0058}, {{0.556, 0.0000, -0.017}, 0.0072}};
  return bone.distance_to(p);
}

double radius_body(const Vec3d& p) {
  static const BallChain bone{{{0.319, 0.002, 0.0140}, 0.0098}, {{0.326, 0.002, 0.0140}, 0.0092},
                              {{0.342, 0.001, 0.0125}, 0.0070}, {{0.400, 0.002, 0.0175}, 0.0072},
                              {{0.460, 0.003, 0.0180}, 0.0075}, {{0.520, 0.001, 0.0140}, 0.0095},
                              {{0.550, 0.001, 0.0125}, 0.0125}};
  return bone.distance_to(p);
}

double biceps_body(const Vec3d& p) {
  static const BallChain belly{{{0.045, 0.0195, 0.001}, 0.0045}, {{0.075, 0.0225, 0}, 0.0080},
                               {{0.115, 0.0265, 0}, 0.0155},     {{0.160, 0.0285, 0}, 0.0180},
                               {{0.205, 0.0265, 0}, 0.0150},     {{0.245, 0.0225, 0}, 0.0080},
                               {{0.280, 0.0185, 0.002}, 0.0040}};
  return belly.distance_to(narrowed(p, 1.35));
}

double triceps_body(const Vec3d& p) {
  static const BallChain belly{{{0.040, -0.0250, 0}, 0.0045}, {{0.070, -0.0290, 0}, 0.0095},
                               {{0.105, -0.0335, 0}, 0.0155}, {{0.145, -0.0345, 0}, 0.0165},
                               {{0.190, -0.0315, 0}, 0.0130}, {{0.235, -0.0270, 0}, 0.0075},
                               {{0.278, -0.0240, 0}, 0.0045}};
  return belly.distance_to(narrowed(p, 1.5));
}

double arm_skin(const Vec3d& p) {
  static const BallChain core{
      {{-0.005, -0.002, 0.004}, 0.054}, {{0.050, -0.003, 0.004}, 0.054},  // shoulder
      {{0.120, -0.003, 0}, 0.048},      {{0.200, -0.002, 0}, 0.045},      // upper arm
      {{0.260, -0.002, 0}, 0.041},      {{0.302, -0.002, 0}, 0.0395},     // elbow
      {{0.350, 0.000, 0.003}, 0.0425},  {{0.400, 0.000, 0.003}, 0.0395},  // forearm
      {{0.460, 0.001, 0.001}, 0.0315},  {{0.520, 0.001, 0}, 0.0260},
      {{0.570, 0.001, 0}, 0.0225}};
  static const BallChain biceps{
      {{0.090, 0.012, 0}, 0.034}, {{0.155, 0.020, 0}, 0.034}, {{0.220, 0.012, 0}, 0.032}};
  static const BallChain triceps{
      {{0.060, -0.014, 0}, 0.038}, {{0.130, -0.022, 0}, 0.033}, {{0.210, -0.010, 0}, 0.034}};
  static const BallChain brachioradialis{{{0.290, 0.006, 0.014}, 0.026},
                                         {{0.350, 0.008, 0.017}, 0.029},
                                         {{0.420, 0.004, 0.010}, 0.024}};
  static const BallChain olecranon{{{0.304, -0.026, -0.006}, 0.014},
                                   {{0.322, -0.022, -0.006}, 0.013}};
  static const BallChain wrist{
      {{0.500, 0, 0}, 0.0220}, {{0.545, 0, 0}, 0.0215}, {{0.575, 0, 0}, 0.0200}};
  double value = core.distance_to(p);
  value = triceps.joined(biceps.joined(value, p, 0.016), p, 0.016);
  value = olecranon.joined(brachioradialis.joined(value, p, 0.016), p, 0.012);
  // The wrist is wider than thick.
  return smooth_union(value, wrist.distance_to(narrowed(p, 1.4)), 0.016);
}

// ---- Hand ----

/// A finger from its knuckle on.
struct Finger {
  std::string_view name;
  Vec3d knuckle;
  double radius;
  std::array<double, 3> bones;
  double aside;

  /// Its knuckle, its two joints and its tip: bent down a little at each.
  std::array<Vec3d, 4> joints() const {
    constexpr double kBend[] = {0.16, 0.20, 0.16};  // rad
    std::array<Vec3d, 4> out{knuckle};
    double bent = 0;
    for (int i = 0; i < 3; ++i) {
      bent += kBend[i];
      const double forward = bones[i] * std::cos(bent);
      out[i + 1] = out[i] + Vec3d{forward, -bones[i] * std::sin(bent), forward * aside};
    }
    return out;
  }

  /// Thicker at its joints.
  BallChain chain() const {
    constexpr double kJoint[] = {1.00, 1.01, 0.93, 0.80}, kMiddle[] = {0.98, 0.95, 0.92};
    const std::array<Vec3d, 4> at = joints();
    std::vector<Ball> balls{{at[0], radius * kJoint[0]}};
    for (int i = 0; i < 3; ++i) {
      balls.push_back({at[i] + 0.5 * (at[i + 1] - at[i]), radius * kMiddle[i]});
      balls.push_back({at[i + 1], radius * kJoint[i + 1]});
    }
    return BallChain(balls);
  }
};
constexpr Finger kFingers[] = {
    {"index", {0.0870, 0.0020, -0.0322}, 0.0092, {0.043, 0.025, 0.017}, -0.012},
    {"middle", {0.0905, 0.0035, -0.0098}, 0.0094, {0.047, 0.029, 0.018}, 0.000},
    {"ring", {0.0870, 0.0020, 0.0124}, 0.0090, {0.044, 0.027, 0.018}, 0.010},
    {"little", {0.0790, -0.0010, 0.0330}, 0.0080, {0.035, 0.021, 0.016}, 0.024}};
/// Its root near the wrist, two joints and the tip.
constexpr Vec3d kThumb[] = {{0.015, -0.009, -0.018},
                            {0.052, -0.015, -0.050},
                            {0.080, -0.018, -0.0645},
                            {0.102, -0.019, -0.0715}};

double hand_body(const Vec3d& p) {
  static const BallChain fingers[] = {kFingers[0].chain(), kFingers[1].chain(), kFingers[2].chain(),
                                      kFingers[3].chain()};
  static const BallChain thumb{{kThumb[0], 0.0150}, {{0.034, -0.013, -0.036}, 0.0150},
                               {kThumb[1], 0.0122}, {{0.066, -0.017, -0.058}, 0.0108},
                               {kThumb[2], 0.0112}, {{0.092, -0.019, -0.0690}, 0.0100},
                               {kThumb[3], 0.0080}};
  // The bones from the wrist to the knuckles, and the cushion on the side of the little finger.
  static const BallChain palm[] = {{{{0.010, 0, -0.012}, 0.0135},
                                    {{0.050, 0.001, -0.022}, 0.0120},
                                    {{0.084, 0.001, -0.0310}, 0.0100}},
                                   {{{0.010, 0, -0.004}, 0.0140},
                                    {{0.050, 0.003, -0.007}, 0.0125},
                                    {{0.088, 0.002, -0.0098}, 0.0102}},
                                   {{{0.010, 0, 0.005}, 0.0140},
                                    {{0.050, 0.002, 0.009}, 0.0122},
                                    {{0.084, 0.001, 0.0122}, 0.0098}},
                                   {{{0.010, 0, 0.013}, 0.0130},
                                    {{0.045, 0.000, 0.022}, 0.0112},
                                    {{0.076, -0.002, 0.0320}, 0.0088}},
                                   {{{0.018, -0.008, 0.018}, 0.0120},
                                    {{0.040, -0.009, 0.025}, 0.0115},
                                    {{0.066, -0.007, 0.028}, 0.0090}}};
  static const BallChain wrist{
      {{-0.045, 0, 0}, 0.0200}, {{-0.010, 0, 0}, 0.0188}, {{0.012, 0, 0}, 0.0175}};
  double value = wrist.distance_to(narrowed(p, 1.42));
  for (const BallChain& bone : palm) value = bone.joined(value, p, 0.012);
  // Fingers flow into the palm; between each other only the webs are rounded.
  double all_fingers = fingers[0].distance_to(p);
  for (const BallChain& finger : std::span(fingers).subspan(1)) {
    all_fingers = finger.joined(all_fingers, p, 0.004);
  }
  return thumb.joined(smooth_union(value, all_fingers, 0.008), p, 0.012);
}

}  // namespace

std::span<const std::string_view> arm_part_names() {
  static constexpr std::array<std::string_view, 6> kNames{"skin", "humerus", "radius",
                                                          "ulna", "biceps",  "triceps"};
  return kNames;
}

SurfaceMesh make_arm_part(std::string_view name, double edge) {
  const double fine = std::min(edge, 0.003);
  const Bounds upper{{-0.10, -0.09, -0.09}, {0.32, 0.09, 0.09}};
  const Bounds fore{{0.28, -0.09, -0.09}, {0.61, 0.09, 0.09}};
  if (name == "skin") return meshed<arm_skin>({upper.low, fore.high}, edge);
  if (name == "humerus") return meshed<humerus_body>(upper, fine);
  if (name == "radius") return meshed<radius_body>(fore, fine);
  if (name == "ulna") return meshed<ulna_body>(fore, fine);
  if (name == "biceps") return meshed<biceps_body>(upper, fine);
  if (name == "triceps") return meshed<triceps_body>(upper, fine);
  throw Error(Fault::Input, std::string(name), "is no part of the arm",
              fmt::format("use one of: {}", fmt::join(arm_part_names(), ", ")));
}

ArmShape make_arm(double edge) {
  return {.skin = make_arm_part("skin", edge),
          .humerus = make_arm_part("humerus", edge),
          .radius = make_arm_part("radius", edge),
          .ulna = make_arm_part("ulna", edge),
          .biceps = make_arm_part("biceps", edge),
          .triceps = make_arm_part("triceps", edge),
          .shoulder = {0, 0, 0},
          .elbow = {0.30, 0, 0},
          .wrist = {0.57, 0, 0}};
}

SurfaceMesh make_hand(double edge) {
  return meshed<hand_body>({{-0.08, -0.10, -0.11}, {0.21, 0.05, 0.08}}, std::min(edge, 0.002));
}

std::vector<FigureJoint> hand_joints() {
  std::vector<FigureJoint> out{{"forearm", -1, {-0.045, 0, 0}}, {"wrist", 0, {0, 0, 0}}};
  const auto add = [&](std::string_view finger, std::span<const Vec3d> joints) {
    static constexpr std::string_view kNames[] = {"", "_middle", "_end", "_tip"};
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const int parent = j == 0 ? 1 : static_cast<int>(out.size()) - 1;
      out.push_back({fmt::format("{}{}", finger, kNames[j]), parent, joints[j]});
    }
  };
  for (const Finger& finger : kFingers) add(finger.name, finger.joints());
  add("thumb", kThumb);
  return out;
}

}  // namespace isochor::geometry
