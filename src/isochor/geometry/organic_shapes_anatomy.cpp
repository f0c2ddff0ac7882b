/// Bones and muscles of the figure, in the pose of its rest.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numbers>

#include "isochor/base/error.h"
#include "isochor/geometry/implicit_surface.h"
#include "isochor/geometry/implicit_surface_bodies.h"
#include "isochor/geometry/organic_shapes.h"

namespace isochor::geometry {
namespace {

using Chain = std::vector<Ball>;

/// In the middle, or on the left with an image on the right.
enum class Side { Middle, Both };

/// A part as a ball led along a curve.
struct PartPlan {
  std::string_view name, joint;
  Tissue tissue;
  Side side;
  Chain chain;
};

/// Along the left arm from the shoulder, upward across it, and to the front.
Chain along_arm(Chain chain) {
  const double s = std::numbers::sqrt2 / 2;  // the arm leads down by 45 degrees
  for (Ball& ball : chain) {
    const Vec3d p = ball.center;
    ball.center = Vec3d{0.180, 1.430, -0.015} + p[0] * Vec3d{s, -s, 0} + p[1] * Vec3d{s, s, 0} +
                  p[2] * Vec3d{0, 0, 1};
  }
  return chain;
}

const std::vector<PartPlan>& part_plans() {
  using enum Tissue;
  using enum Side;
  static const std::vector<PartPlan> plans{
      {"skull", "head", Bone, Middle, {{{0, 1.640, 0.000}, 0.052}, {{0, 1.672, -0.020}, 0.060}}},
      {"neck", "neck", Bone, Middle, {{{0, 1.460, -0.030}, 0.015}, {{0, 1.545, -0.015}, 0.015}}},
      {"thorax",
       "chest",
       Bone,
       Middle,
       {{{0, 1.225, -0.008}, 0.052}, {{0, 1.290, -0.010}, 0.072}, {{0, 1.370, -0.016}, 0.052}}},
      {"lumbar", "spine", Bone, Middle, {{{0, 1.145, -0.040}, 0.020}, {{0, 1.040, -0.040}, 0.020}}},
      {"pelvis",
       "hips",
       Bone,
       Both,
       {{{0.018, 0.965, -0.020}, 0.017}, {{0.060, 0.975, -0.015}, 0.026}}},
      {"clavicle",
       "clavicle",
       Bone,
       Both,
       {{{0.036, 1.440, 0.015}, 0.008}, {{0.135, 1.438, -0.008}, 0.008}}},
      {"humerus", "upper_arm", Bone, Both,
       along_arm({{{0.012, 0, 0}, 0.020},
                  {{0.050, 0, 0}, 0.012},
                  {{0.200, 0, 0}, 0.010},
                  {{0.262, 0, 0}, 0.013}})},
      {"forearm", "forearm", Bone, Both,
       along_arm({{{0.308, 0, 0}, 0.013},
                  {{0.360, 0, 0}, 0.010},
                  {{0.470, 0, 0}, 0.009},
                  {{0.520, 0, 0}, 0.010}})},
      {"hand", "hand", Bone, Both,
       along_arm({{{0.548, 0, 0.000}, 0.008},
                  {{0.600, -0.003, 0.002}, 0.008},
                  {{0.650, -0.009, 0.001}, 0.006}})},
      {"femur",
       "thigh",
       Bone,
       Both,
       {{{0.096, 0.915, -0.004}, 0.022},
        {{0.094, 0.860, 0.000}, 0.015},
        {{0.098, 0.700, 0.006}, 0.014},
        {{0.103, 0.545, 0.006}, 0.018}}},
      {"shin",
       "shin",
       Bone,
       Both,
       {{{0.105, 0.475, 0.000}, 0.018},
        {{0.108, 0.400, -0.004}, 0.012},
        {{0.113, 0.220, -0.012}, 0.011},
        {{0.116, 0.118, -0.018}, 0.013}}},
      {"foot",
       "foot",
       Bone,
       Both,
       {{{0.117, 0.055, -0.035}, 0.015},
        {{0.119, 0.045, 0.020}, 0.014},
        {{0.124, 0.030, 0.090}, 0.012},
        {{0.127, 0.024, 0.120}, 0.010}}},
      {"biceps", "forearm", Muscle, Both,
       along_arm({{{0.045, 0.002, 0.026}, 0.006},
                  {{0.090, 0, 0.027}, 0.011},
                  {{0.140, 0, 0.028}, 0.014},
                  {{0.190, 0, 0.026}, 0.012},
                  {{0.240, 0, 0.022}, 0.007},
                  {{0.262, 0, 0.021}, 0.005}})},
      {"triceps", "forearm", Muscle, Both,
       along_arm({{{0.050, 0, -0.025}, 0.006},
                  {{0.100, 0, -0.027}, 0.011},
                  {{0.150, 0, -0.028}, 0.013},
                  {{0.200, 0, -0.025}, 0.011},
                  {{0.250, 0, -0.022}, 0.006}})},
      {"deltoid", "upper_arm", Muscle, Both,
       along_arm({{{-0.004, 0.038, 0}, 0.010},
                  {{0.045, 0.036, 0}, 0.013},
                  {{0.095, 0.029, 0}, 0.009},
                  {{0.125, 0.025, 0}, 0.006}})},
      {"pectoral",
       "upper_arm",
       Muscle,
       Both,
       {{{0.032, 1.325, 0.080}, 0.009},
        {{0.080, 1.342, 0.078}, 0.013},
        {{0.125, 1.368, 0.046}, 0.012},
        {{0.158, 1.388, 0.022}, 0.008}}},
      {"abdominal",
       "spine",
       Muscle,
       Both,
       {{{0.030, 1.215, 0.072}, 0.008},
        {{0.032, 1.150, 0.072}, 0.011},
        {{0.031, 1.060, 0.068}, 0.011},
        {{0.026, 0.990, 0.072}, 0.008}}},
      {"gluteus",
       "thigh",
       Muscle,
       Both,
       {{{0.050, 0.985, -0.078}, 0.012},
        {{0.075, 0.945, -0.083}, 0.022},
        {{0.095, 0.895, -0.072}, 0.018},
        {{0.108, 0.850, -0.050}, 0.008}}},
      {"quadriceps",
       "shin",
       Muscle,
       Both,
       {{{0.094, 0.850, 0.046}, 0.010},
        {{0.096, 0.780, 0.052}, 0.020},
        {{0.099, 0.700, 0.052}, 0.021},
        {{0.102, 0.620, 0.044}, 0.015},
        {{0.103, 0.555, 0.038}, 0.008}}},
      {"hamstring",
       "shin",
       Muscle,
       Both,
       {{{0.083, 0.830, -0.038}, 0.008},
        {{0.092, 0.770, -0.040}, 0.017},
        {{0.098, 0.700, -0.036}, 0.018},
        {{0.102, 0.620, -0.032}, 0.013},
        {{0.104, 0.555, -0.028}, 0.007}}},
      {"calf",
       "foot",
       Muscle,
       Both,
       {{{0.106, 0.455, -0.035}, 0.007},
        {{0.108, 0.400, -0.043}, 0.015},
        {{0.110, 0.345, -0.045}, 0.016},
        {{0.112, 0.270, -0.040}, 0.010},
        {{0.114, 0.180, -0.038}, 0.005}}}};
  return plans;
}

/// Names outlive everything, as constants do.
struct Names {
  std::vector<std::string> texts;
  std::vector<FigurePart> parts;
  std::vector<std::string_view> views{"skin"};

  Names() {
    const auto sided = [](std::string_view name, std::string_view side) {
      return fmt::format("{}{}", name, side);
    };
    // Joints of the middle have no side.
    const auto joint_sided = [&](std::string_view joint, std::string_view side) {
      for (const FigureJoint& j : figure_joints()) {
        if (j.name == joint) return std::string(joint);
      }
      return sided(joint, side);
    };
    texts.reserve(4 * part_plans().size());
    for (const PartPlan& plan : part_plans()) {
      for (const std::string_view side : {"_left", "_right"}) {
        const bool middle = plan.side == Side::Middle;
        if (middle && side == "_right") continue;
        const std::string_view name =
            texts.emplace_back(middle ? std::string(plan.name) : sided(plan.name, side));
        const std::string_view joint = texts.emplace_back(joint_sided(plan.joint, side));
        parts.push_back({name, plan.tissue, joint});
        views.push_back(name);
      }
    }
  }
};

const Names& names() {
  static const Names names;
  return names;
}

SurfaceMesh mesh_chain(const Chain& balls, double edge) {
  const BallChain chain{std::span(balls)};
  const Ball& around = chain.around();
  const double reach = around.radius + 2 * edge;
  const Bounds box{around.center - reach * Vec3d{1, 1, 1}, around.center + reach * Vec3d{1, 1, 1}};
  return mesh_implicit_body([&](const Vec3d& p) { return chain.distance_to(p); }, box, edge);
}

}  // namespace

std::span<const FigurePart> figure_parts() { return names().parts; }
std::span<const std::string_view> figure_part_names() { return names().views; }

SurfaceMesh make_figure_part(std::string_view name, double edge) {
  if (name == "skin") return make_figure(edge).skin;
  const bool right = name.ends_with("_right");
  const std::string_view stem = name.substr(0, name.rfind('_'));
  for (const PartPlan& plan : part_plans()) {
    const bool middle = plan.side == Side::Middle;
    if (std::ranges::find(figure_part_names(), name) == figure_part_names().end()) break;
    if (plan.name != (middle ? name : stem)) continue;
    Chain chain = plan.chain;
    for (Ball& ball : chain) ball.center[0] *= right ? -1 : 1;
    const double thinnest = std::ranges::min(chain, {}, &Ball::radius).radius;
    return mesh_chain(chain, std::min(edge, std::clamp(0.8 * thinnest, 0.004, 0.012)));
  }
  throw Error(Fault::Input, std::string(name), "is no part of the figure",
              fmt::format("use one of: {}", fmt::join(figure_part_names(), ", ")));
}

}  // namespace isochor::geometry
