/// The animations of [Zhu10 sec 9.3] with bodies of our own: a figure that walks on its bones
/// [Zhu10 fig 9], a dragon that shakes its head [Zhu10 fig 27], a soft car [Zhu10 fig 26] and a
/// face that something hits [Zhu10 fig 25]. Each frame is solved to 1e-3 of its first residual.
#include <cmath>
#include <fmt/core.h>

#include "isochor/geometry/implicit_surface.h"
#include "isochor/geometry/implicit_surface_bodies.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/geometry/shapes.h"
#include "isochor/geometry/winding_number.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"
#include "reproduce/zhu_flesh.h"

namespace isochor::reproduce {
namespace {

using geometry::BallChain;
using geometry::SurfaceMesh;

constexpr double kTolerance = 1e-3;
constexpr int kMostCycles = 25;

/// Means over the frames of an animation.
struct Animation {
  std::string id, name, source;
  std::optional<double> paper;  ///< factor per cycle
  double bound = 1;             ///< of ours
  std::vector<Row> rows;

  void add(const Flesh& flesh, const std::vector<FleshFrame>& frames, const FleshSpec& spec,
           const std::string& more) {
    double logs = 0, seconds = 0, cycles = 0, solved = 0;
    bool all = true;
    for (const FleshFrame& f : frames) {
      // Where nothing moves yet there is nothing to solve.
      if (f.cycles > 0) logs += std::log(f.factor), ++solved;
      seconds += f.seconds;
      cycles += f.cycles;
      all = all && f.converged;
    }
    const double count = double(frames.size());
    const char* variant = spec.published ? "paper" : "best";
    const bool turns = spec.law == staggered::Law::Corotated;
    const std::string law = turns ? "corotated" : "linear";
    // The paper's factors are those of linear elasticity.
    const std::optional<double> printed = turns ? std::nullopt : paper;
    const bool claimed = printed && !spec.published;
    Row row{.id = id,
            .quantity = fmt::format("factor/{}, {}", name, law),
            .variant = variant,
            .source = printed ? source : "ours",
            .paper = printed,
            .ours = std::exp(logs / solved),
            .relation = claimed ? Relation::AtMost : Relation::Shown,
            .bound = claimed ? std::optional(bound) : std::nullopt,
            .note = fmt::format("per cycle, mean of {} frames to {}; {} cells of {:.3g} mm, {:.1f} "
                                "cycles a frame{}{}",
                                frames.size(), kTolerance, flesh.cells(), 1e3 * spec.spacing,
                                cycles / count, more, all ? "" : "; NOT ALL FRAMES REACHED IT")};
    rows.push_back(row);
    row.quantity = fmt::format("time of a frame/{}, {}", name, law);
    row.source = "ours";
    row.paper.reset();
    row.ours = seconds / count;
    row.unit = "s";
    row.relation = Relation::Shown;
    row.bound.reset();
    rows.push_back(std::move(row));
  }
};

FleshSpec variant_of(FleshSpec spec, bool published, staggered::Law law) {
  spec.published = published;
  spec.law = law;
  return spec;
}

run::RenderOptions portrait(const Vec3d& towards, int width = 900, int height = 700) {
  run::RenderOptions options;
  options.width = width;
  options.height = height;
  options.camera_direction = towards;
  return options;
}

/// The joints of a figure in mid-walk, from its pose at rest by a part of the way; its hips stay.
std::vector<RigidMotion> walking(const std::vector<geometry::FigureJoint>& joints, double phase,
                                 double part) {
  std::vector<RigidMotion> motions;
  for (const geometry::FigureJoint& joint : joints) {
    const Mat3d turn = rotation_from_vector(part * geometry::walk_rotation(joint.name, phase));
    if (joint.parent < 0) {
      motions.push_back({turn, joint.position, joint.position});
      continue;
    }
    const RigidMotion& parent = motions[std::size_t(joint.parent)];
    motions.push_back({parent.rotation * turn, joint.position, parent(joint.position)});
  }
  return motions;
}

}  // namespace

/// A figure of 1.75 m, all of whose bones walk; 9 mm cells in full, as the paper's.
std::vector<Row> zhu_character(const ExperimentOptions& options, Context& context) {
  using namespace geometry;
  const FigureShape figure = make_figure(options.full ? 0.006 : 0.016);
  struct Bone {
    std::size_t joint;
    WindingNumber inside;
    Bounds bounds;
  };
  std::vector<Bone> bones;
  for (const FigurePart& part : figure_parts()) {
    if (part.tissue != Tissue::Bone) continue;
    const SurfaceMesh mesh = make_figure_part(part.name, 0.012);
    const auto joint = std::ranges::find(figure.joints, part.joint, &FigureJoint::name);
    bones.push_back({std::size_t(joint - figure.joints.begin()),
                     WindingNumber(mesh.positions, triangulate(mesh)), bounds_of_faces(mesh)});
  }
  FleshSpec spec{.surface = &figure.skin, .spacing = options.full ? 0.009 : 0.024};
  spec.piece = [&](const Vec3d& x) {
    for (const Bone& bone : bones) {
      bool near = true;
      for (int k = 0; k < 3; ++k) {
        near = near && x[k] > bone.bounds.low[k] && x[k] < bone.bounds.high[k];
      }
      if (near && bone.inside(x) > 0.5) return int(bone.joint);
    }
    return -1;
  };
  Animation animation{"zhu/character", "walking figure", "fig 10", 0.24, 0.35, {}};
  const int frames = options.full ? 12 : 4;
  for (const bool published : {true, false}) {
    for (const staggered::Law law : {staggered::Law::Linear, staggered::Law::Corotated}) {
      if (context.cancelled) break;
      const FleshSpec own = variant_of(spec, published, law);
      Flesh flesh(own, context);
      std::vector<FleshFrame> done;
      for (int f = 0; f < frames; ++f) {
        const std::vector<RigidMotion> pieces =
            walking(figure.joints, f / 24.0, std::min(1.0, (f + 1) / 4.0));
        done.push_back(flesh.move(pieces, kTolerance, kMostCycles));
      }
      animation.add(flesh, done, own, "; bones are held");
      if (options.pictures.empty() || published) continue;
      Figure picture;
      picture.add("rest", figure.skin, figure.skin.positions, {0, 0, 0});
      picture.add("walking", figure.skin, flesh.surface(), {1.3, 0, 0});
      picture.draw(options.pictures / (law == staggered::Law::Linear ? "zhu_character_linear.png"
                                                                     : "zhu_character.png"),
                   portrait({0.45, 0.15, 1}), context);
    }
  }
  return animation.rows;
}

namespace {

/// 60 cm long, head at x > 0.
SurfaceMesh make_dragon(double edge) {
  const BallChain parts[] = {
      {{{-0.12, 0.16, 0}, 0.060}, {{0.0, 0.17, 0}, 0.072}, {{0.12, 0.19, 0}, 0.058}},
      {{{0.12, 0.20, 0}, 0.050}, {{0.19, 0.28, 0}, 0.036}, {{0.22, 0.36, 0}, 0.034}},
      {{{0.22, 0.38, 0}, 0.045}, {{0.28, 0.375, 0}, 0.034}, {{0.34, 0.36, 0}, 0.024}},
      {{{-0.12, 0.15, 0}, 0.045}, {{-0.24, 0.10, 0.02}, 0.028}, {{-0.36, 0.06, -0.04}, 0.014}},
      {{{0.20, 0.41, 0.025}, 0.016}, {{0.15, 0.45, 0.05}, 0.009}},
      {{{0.20, 0.41, -0.025}, 0.016}, {{0.15, 0.45, -0.05}, 0.009}},
      {{{0.10, 0.16, 0.04}, 0.034}, {{0.12, 0.08, 0.07}, 0.022}, {{0.13, 0.02, 0.075}, 0.022}},
      {{{0.10, 0.16, -0.04}, 0.034}, {{0.12, 0.08, -0.07}, 0.022}, {{0.13, 0.02, -0.075}, 0.022}},
      {{{-0.10, 0.14, 0.04}, 0.036}, {{-0.11, 0.07, 0.075}, 0.024}, {{-0.10, 0.02, 0.08}, 0.022}},
      {{{-0.10, 0.14, -0.04}, 0.036},
       {{-0.11, 0.07, -0.075}, 0.024},
       {{-0.10, 0.02, -0.08}, 0.022}},
      {{{0.0, 0.23, 0.03}, 0.020}, {{-0.04, 0.33, 0.12}, 0.013}, {{-0.13, 0.36, 0.20}, 0.010}},
      {{{0.0, 0.23, -0.03}, 0.020}, {{-0.04, 0.33, -0.12}, 0.013}, {{-0.13, 0.36, -0.20}, 0.010}}};
  return geometry::mesh_implicit_body(
      [&](const Vec3d& x) {
        double value = 1;
        for (const BallChain& part : parts) value = part.joined(value, x, 0.02);
        return value;
      },
      {{-0.42, -0.03, -0.26}, {0.42, 0.52, 0.26}}, edge);
}

/// 1.2 m long, on four wheels.
SurfaceMesh make_car(double edge) {
  const auto box = [](const Vec3d& x, const Vec3d& middle, const Vec3d& half, double round) {
    Vec3d out{0, 0, 0};
    double inner = -1e9;
    for (int k = 0; k < 3; ++k) {
      const double d = std::abs(x[k] - middle[k]) - half[k] + round;
      out[k] = std::max(d, 0.0);
      inner = std::max(inner, d);
    }
    return norm(out) + std::min(inner, 0.0) - round;
  };
  return geometry::mesh_implicit_body(
      [&](const Vec3d& x) {
        double value = box(x, {0, 0.24, 0}, {0.6, 0.12, 0.24}, 0.06);
        value =
            geometry::smooth_union(value, box(x, {-0.05, 0.40, 0}, {0.32, 0.12, 0.20}, 0.08), 0.06);
        for (const double side : {-1.0, 1.0}) {
          for (const double end : {-0.38, 0.38}) {
            const double disc = std::hypot(x[0] - end, x[1] - 0.13) - 0.12;
            const double slab = std::abs(x[2] - side * 0.20) - 0.06;
            // Both at a time, with a rounded edge that the mesh can follow.
            const double wheel = -geometry::smooth_union(-disc, -slab, 0.04);
            value = geometry::smooth_union(value, wheel, 0.02);
          }
        }
        return value;
      },
      {{-0.7, -0.06, -0.36}, {0.7, 0.62, 0.36}}, edge);
}

/// A head of 24 cm that looks towards z.
SurfaceMesh make_face(double edge) {
  using geometry::distance_to;
  return geometry::mesh_implicit_body(
      [&](const Vec3d& x) {
        double value = distance_to(geometry::Ellipsoid{{0, 0, 0}, {0.078, 0.115, 0.095}}, x);
        const auto join = [&](const BallChain& part, double width) {
          value = part.joined(value, x, width);
        };
        join({{{0, 0.03, 0.090}, 0.010}, {{0, -0.015, 0.112}, 0.015}}, 0.02);              // nose
        join({{{-0.024, -0.055, 0.082}, 0.011}, {{0.024, -0.055, 0.082}, 0.011}}, 0.015);  // lips
        join({{{-0.02, -0.10, 0.060}, 0.022}, {{0.02, -0.10, 0.060}, 0.022}}, 0.03);       // chin
        join({{{-0.05, 0.042, 0.078}, 0.012}, {{0.05, 0.042, 0.078}, 0.012}}, 0.02);       // brow
        join({{{-0.08, 0.02, 0}, 0.012}, {{-0.086, -0.02, -0.005}, 0.012}}, 0.01);         // ears
        join({{{0.08, 0.02, 0}, 0.012}, {{0.086, -0.02, -0.005}, 0.012}}, 0.01);
        join({{{0, -0.06, -0.03}, 0.052}, {{0, -0.19, -0.04}, 0.055}}, 0.03);  // neck
        for (const double side : {-1.0, 1.0}) {
          value = geometry::smooth_difference(
              value, distance_to(geometry::Ball{{side * 0.032, 0.02, 0.103}, 0.018}, x), 0.02);
        }
        return value;
      },
      {{-0.14, -0.28, -0.14}, {0.14, 0.15, 0.16}}, edge);
}

}  // namespace

/// Feet stand still, the middle of the head is turned to and fro.
std::vector<Row> zhu_dragon(const ExperimentOptions& options, Context& context) {
  const SurfaceMesh surface =
      subdivided(make_dragon(options.full ? 0.004 : 0.008), options.full ? 3 : 0);
  FleshSpec spec{.surface = &surface, .spacing = options.full ? 0.006 : 0.012, .dt = 1.0 / 48};
  spec.young = 2e4;
  const Vec3d head{0.24, 0.375, 0};
  spec.piece = [&](const Vec3d& x) { return x[1] < 0.012 ? 0 : norm(x - head) < 0.024 ? 1 : -1; };
  Animation animation{"zhu/dragon", "dragon that shakes its head", "sec 9.3", {}, 0.5, {}};
  const int frames = options.full ? 12 : 6;
  for (const bool published : {true, false}) {
    if (context.cancelled) break;
    const FleshSpec own = variant_of(spec, published, staggered::Law::Corotated);
    Flesh flesh(own, context);
    std::vector<FleshFrame> done;
    for (int f = 1; f <= frames; ++f) {
      const double angle = 0.9 * std::sin(2 * M_PI * f / 16.0);
      const RigidMotion pieces[] = {{},
                                    {rotation_from_vector({0.3 * angle, angle, 0}), head, head}};
      done.push_back(flesh.move(pieces, kTolerance, kMostCycles));
    }
    animation.add(flesh, done, own,
                  fmt::format("; surface of {:.3g} million triangles; the paper: 402K cells, 7.2M "
                              "triangles, 8.2 s",
                              double(surface.face_count()) * 1e-6));
    if (options.pictures.empty() || published) continue;
    Figure picture;
    picture.add("dragon", surface, flesh.surface(), {0, 0, 0});
    picture.draw(options.pictures / "zhu_dragon.png", portrait({0.6, 0.35, 1}, 1000, 700), context);
  }
  return animation.rows;
}

/// Wheels are carried over a bump, a step as long as a frame.
std::vector<Row> zhu_car(const ExperimentOptions& options, Context& context) {
  const SurfaceMesh surface = subdivided(make_car(0.02), 1);
  FleshSpec spec{.surface = &surface, .spacing = options.full ? 0.016 : 0.03, .dt = 1.0 / 24};
  spec.poisson = 0.4;
  spec.young = 3e4;
  spec.piece = [](const Vec3d& x) {
    const double wheel = std::hypot(std::abs(x[0]) - 0.38, x[1] - 0.13);
    return wheel < 0.1 && std::abs(x[2]) > 0.14 ? int(x[0] > 0) : -1;
  };
  Animation animation{"zhu/car", "soft car", "fig 10", 0.08, 0.2, {}};
  const int frames = options.full ? 24 : 12;
  for (const bool published : {true, false}) {
    if (context.cancelled) break;
    const FleshSpec own = variant_of(spec, published, staggered::Law::Linear);
    Flesh flesh(own, context);
    std::vector<FleshFrame> done;
    for (int f = 1; f <= frames; ++f) {
      const auto lift = [&](double late) {
        const double t = f / 8.0 - late;
        return Vec3d{0, t > 0 && t < 1 ? 0.08 * std::sin(M_PI * t) : 0, 0};
      };
      const RigidMotion pieces[] = {{Mat3d::identity(), {0, 0, 0}, lift(0.4)},
                                    {Mat3d::identity(), {0, 0, 0}, lift(0)}};
      done.push_back(flesh.move(pieces, kTolerance, kMostCycles));
      if (f == 6 && !published && !options.pictures.empty()) {
        Figure picture;
        picture.add("car", surface, flesh.surface(), {0, 0, 0});
        picture.draw(options.pictures / "zhu_car.png", portrait({0.7, 0.4, 1}, 900, 600), context);
      }
    }
    animation.add(flesh, done, own,
                  fmt::format("; step of a frame, c h^2/mu = {:.3g}",
                              own.density / (own.dt * own.dt) * own.spacing * own.spacing /
                                  (own.young / (2 + 2 * own.poisson))));
  }
  return animation.rows;
}

/// A ball hits a cheek and draws back; cells that it meets are captured, as in the paper.
std::vector<Row> zhu_face(const ExperimentOptions& options, Context& context) {
  const SurfaceMesh surface =
      subdivided(make_face(options.full ? 0.003 : 0.006), options.full ? 3 : 0);
  FleshSpec spec{.surface = &surface, .spacing = options.full ? 0.003 : 0.010, .dt = 1.0 / 480};
  spec.young = 1e4;
  spec.piece = [](const Vec3d& x) { return x[1] < -0.22 ? 0 : -1; };
  Animation animation{"zhu/face", "face that a ball hits", "sec 9.3", {}, 0.5, {}};
  const int frames = options.full ? 24 : 8;
  for (const bool published : {true, false}) {
    if (context.cancelled) break;
    const FleshSpec own = variant_of(spec, published, staggered::Law::Corotated);
    Flesh flesh(own, context);
    std::vector<FleshFrame> done;
    const Vec3d start{0.16, -0.03, 0.10}, way{-0.10, 0, -0.055};
    const double radius = 0.035;
    std::size_t most = 0;
    for (int f = 1; f <= frames; ++f) {
      // In within half of the time, then away.
      const double t = double(f) / frames, in = t < 0.5 ? 2 * t : 1 - 3 * (t - 0.5);
      const Vec3d ball = start + in * way;
      flesh.carry(in * way);
      flesh.capture([&](const Vec3d& x) { return t <= 0.55 && norm(x - ball) < radius; });
      most = std::max(most, flesh.captured());
      done.push_back(flesh.move(std::array{RigidMotion{}}, kTolerance, kMostCycles));
      if (published || options.pictures.empty() || f != frames / 2) continue;
      const SurfaceMesh sphere = geometry::make_sphere(ball, radius, 0.004);
      Figure picture;
      picture.add("face", surface, flesh.surface(), {0, 0, 0});
      picture.add("ball", sphere, sphere.positions, {0, 0, 0});
      picture.draw(options.pictures / "zhu_face.png", portrait({0.1, 0.05, 1}, 700, 800), context);
    }
    animation.add(flesh, done, own,
                  fmt::format("; up to {} cells captured; surface of {:.3g} million triangles; the "
                              "paper: 915K cells, 10.1M triangles, 21 s",
                              most, double(surface.face_count()) * 1e-6));
  }
  return animation.rows;
}

}  // namespace isochor::reproduce
