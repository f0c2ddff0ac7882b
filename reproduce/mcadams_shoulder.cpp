/// [McAdams11 fig 8]: bones show under the skin: the clavicle in a shrug, the ulna at a bent elbow.
/// Bones and skin of BodyParts3D, where they are there; the skin ends below the clavicle, so that
/// it is grown around that and the scapula first. Bones hold the flesh by springs along their
/// surface, or flesh slides over clavicle and ulna as over internal colliders [McAdams11 sec 10].
/// Linear blend skinning of the same skin stands beside it.
///
/// What is measured is how deep bones lie under the skin that was close above them at rest.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/contact/crossings.h"
#include "isochor/files/surface_file.h"
#include "isochor/geometry/implicit_surface.h"
#include "isochor/geometry/implicit_surface_bodies.h"
#include "isochor/geometry/signed_distance.h"
#include "isochor/sim/anatomy_spec.h"
#include "isochor/sim/simulation.h"
#include "isochor/sim/skeleton_scene.h"
#include "reproduce/arm.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"

namespace isochor::reproduce {
namespace {

constexpr const char* kFolder = "anatomy_right_arm";
constexpr double kMillimetre = 0.001;
constexpr int kFrames = 8;
constexpr double kDegree = 0.017453292519943295;

/// Joints of the right arm of BodyParts3D, mm: from its surfaces' ends.
constexpr Vec3d kSternal{-16.4, -131.2, 1343.4}, kAcromial{-145.5, -63.2, 1359.6},
    kShoulder{-152.8, -73.3, 1325.2}, kElbow{-214, -67, 1051}, kWrist{-252, -110, 821};

/// The clavicle rises by 25 degrees about its inner end and takes the scapula along, which turns by
/// ten; the upper arm keeps hanging, and its elbow bends by 90 degrees.
sim::SkeletonSpec shrugging_skeleton() {
  const Vec3d along = kAcromial - kSternal, up{0, 0, 1}, upward = cross(along, up);
  const auto turning = [](const char* name, const char* parent, const Vec3d& at, const Vec3d& axis,
                          double degrees) {
    sim::JointSpec joint{.name = name, .parent = parent, .position = kMillimetre * at};
    joint.axis = axis;
    joint.ease = "linear";
    joint.keys = {{.frame = 0}, {.frame = kFrames, .angle = degrees * kDegree}};
    return joint;
  };
  sim::SkeletonSpec skeleton;
  skeleton.joints = {turning("clavicle", "", kSternal, upward, 25),
                     turning("scapula", "clavicle", kAcromial, upward, -15),
                     turning("shoulder", "scapula", kShoulder, upward, -10),
                     turning("elbow", "shoulder", kElbow, {-1, 0, 0}, 90),
                     {.name = "wrist", .parent = "elbow", .position = kMillimetre * kWrist}};
  return skeleton;
}

geometry::SurfaceMesh read_part(const std::filesystem::path& file) {
  geometry::SurfaceMesh mesh = files::read_surface(file).mesh;
  for (Vec3d& p : mesh.positions) p *= kMillimetre;
  return mesh;
}

geometry::SignedDistance distance_to(const geometry::SurfaceMesh& mesh, Context& context) {
  return {mesh.positions, geometry::triangulate(mesh), context.arena};
}

/// The skin of the arm, grown around the bones of the shoulder.
geometry::SurfaceMesh grown_skin(const std::filesystem::path& folder, double edge,
                                 Context& context) {
  constexpr double kAbove = 0.007, kRounding = 0.03;
  std::vector<Vec3d> all;
  const auto read = [&](const char* file) {
    const geometry::SurfaceMesh mesh = read_part(folder / file);
    all.insert(all.end(), mesh.positions.begin(), mesh.positions.end());
    return distance_to(mesh, context);
  };
  const geometry::SignedDistance skin = read("skin_envelope_derived.obj"),
                                 clavicle = read("bone_clavicle.stl"),
                                 scapula = read("bone_scapula.stl");
  geometry::Bounds box = geometry::bounds_of(all);
  const Vec3d around{3 * kAbove, 3 * kAbove, 3 * kAbove};
  box = {box.low - around, box.high + around};
  return geometry::mesh_implicit_body(
      [&](const Vec3d& p) {
        const double shoulder = geometry::smooth_union(clavicle(p).distance - kAbove,
                                                       scapula(p).distance - kAbove, kRounding);
        return geometry::smooth_union(skin(p).distance, shoulder, kRounding);
      },
      box, edge);
}

/// Skin close above a bone at rest, or a part of it.
struct Above {
  const char* bone;
  const char* joint;
  const char* what;
  double lowest;  ///< of the part, m above ground
  /// Of its depth at rest, by which it may change; 0: by less than with blend skinning. That has a
  /// joint along the clavicle, around which there is nothing but 7 mm of flesh, and moves all of it
  /// rigidly: it is no bound there.
  double most;
};
constexpr Above kAbove[] = {{"bone_clavicle", "clavicle", "shrug: the clavicle", 0, 0.1},
                            {"bone_ulna", "elbow", "bent elbow: the ulna's end", 1.03, 0}};

/// How flesh is held: by all bones, sliding over two of them, or by all with a pressure per cell.
struct Flesh {
  const char* name;
  const char* slides;
  bool mixed;
};
constexpr Flesh kFlesh[] = {
    {"elastic", "", false}, {"sliding", "bone_clavicle bone_ulna", false}, {"mixed", "", true}};

class Shoulder {
 public:
  Shoulder(const ExperimentOptions& options, const std::filesystem::path& folder, Context& context)
      : options_(options), folder_(folder), context_(context) {}

  void shrug(const Flesh& flesh) {
    const char* name = flesh.name;
    sim::SceneSpec scene = make_scene(flesh);
    if (flesh.mixed) {
      scene.method.volume = "mixed";
      scene.bodies[0].material.law = "stable_neo_hookean";
      scene.bodies[0].material.poisson = 0.499;
    }
    sim::Simulation simulation(std::move(scene), context_);
    const geometry::SurfaceMesh& skin = simulation.topology().bodies[0].surface;
    int newton = 0, cuts = 0;
    double seconds = 0;
    try {
      while (simulation.frame() < kFrames) {
        const auto report = simulation.advance();
        if (!report) return;  // cancelled
        context_.log(
            LogLevel::Info,
            fmt::format("mcadams/shoulder: {}, frame {}, {} Newton iterations, {:.2f} s", name,
                        report->frame, report->newton_iterations, report->solve_seconds));
        if (report->frame == 0) continue;
        newton += report->newton_iterations;
        cuts += report->cut_steps;
        seconds += report->solve_seconds;
      }
    } catch (const Error& error) {
      Row& row = add(name, "frames that have an equilibrium", simulation.frame(), "",
                     error.place() + ": " + error.problem());
      row.relation = Relation::AtLeast;
      row.bound = kFrames;
      return;
    }
    const auto [frame, measures] = simulation.snapshot();
    const std::vector<Vec3d>& moved = frame.bodies[0].vertices;
    const std::vector<Vec3d> blended = blend_skinned(simulation.scene(), skin.positions, kFrames);
    Row& time = add(name, "seconds per frame", seconds / kFrames, "s",
                    fmt::format("{} cells, {:.1f} Newton iterations, {} cuts",
                                simulation.summary().cells, double(newton) / kFrames, cuts));
    if (options_.full && !flesh.mixed) {
      time.paper = 3.22;
      time.note += "; the paper: 30,904 cells, eight cores";
    }
    const bool first = shapes_.empty();
    for (const Above& above : kAbove) {
      const Depth ours = depth_change(simulation.scene(), above, skin.positions, moved);
      const Depth theirs = depth_change(simulation.scene(), above, skin.positions, blended);
      const std::string what = fmt::format("{}: change of its depth", above.what);
      Row& row = add(name, what, ours.change, "mm",
                     fmt::format("root mean square, under skin that was at most 12 mm above it, "
                                 "{:.1f} mm in the mean; bound: ",
                                 ours.at_rest));
      row.relation = Relation::Below;
      row.bound = above.most > 0 ? above.most * ours.at_rest : theirs.change;
      row.note += above.most > 0 ? "a tenth of that" : "blend skinning's";
      if (first)
        add("blend skinning", what, theirs.change, "mm", "weights 1/distance^4 from joints");
    }
    const double lost = add_skin(name, skin, moved);
    if (flesh.mixed) {
      Row& row = add(name, "volume error, by that of blend skinning",
                     std::abs(lost / volume_error(skin, blended)), "");
      row.relation = Relation::Below;
      row.bound = 1;
    }
    if (first) {
      add_skin("blend skinning", skin, blended);
      shapes_ = {{"rest", skin.positions}, {"blend skinning", blended}};
      skin_ = skin;
    }
    shapes_.push_back({name, moved});
  }

  void draw() const {
    if (options_.pictures.empty() || shapes_.empty()) return;
    const auto picture = [&](const char* file, const Vec3d& camera, const Vec3d& aside) {
      Figure figure;
      for (std::size_t k = 0; k < shapes_.size(); ++k) {
        figure.add(shapes_[k].name, skin_, shapes_[k].positions, double(k) * aside);
      }
      figure.draw(options_.pictures / file,
                  {.width = 1500,
                   .height = 600,
                   .samples = 32,
                   .up = {0, 0, 1},
                   .camera_direction = camera,
                   .camera_distance_factor = 0.85,
                   .ground = false,
                   .caption = "at rest, linear blend skinning; held by bones, sliding, mixed"},
                  context_);
    };
    picture("mcadams_shoulder_front.png", {-0.1, -1, 0.2}, {0.42, 0, 0});
    picture("mcadams_shoulder_side.png", {-1, 0.35, 0.1}, {0, -0.45, 0});
  }

  std::vector<Row> rows;

 private:
  Row& add(const char* variant, std::string quantity, double ours, const char* unit,
           std::string note = {}) {
    rows.push_back({.id = "mcadams/shoulder",
                    .quantity = std::move(quantity),
                    .variant = variant,
                    .source = "McAdams 2011, fig. 8",
                    .ours = ours,
                    .unit = unit,
                    .note = std::move(note)});
    return rows.back();
  }

  sim::SceneSpec make_scene(const Flesh& flesh) {
    sim::SceneSpec scene;
    scene.title = "Shrug";
    scene.file = folder_.parent_path() / "shrug.toml";
    scene.time.frames = kFrames;
    scene.world.gravity = {0, 0, -9.81};
    scene.method.self_contact = true;
    scene.skeleton = shrugging_skeleton();
    sim::BodySpec& body = scene.bodies.emplace_back();
    body.name = "arm";
    body.cell_size = options_.full ? 0.0045 : 0.009;
    body.boundary = "weighted";
    body.shape.kind = "mesh";
    body.shape.given = std::make_shared<const files::SurfaceFile>(
        files::SurfaceFile{.mesh = grown_skin(folder_, 0.005, context_)});
    body.material.young = 20e3;
    body.material.poisson = 0.45;
    sim::AnatomySpec& bones = body.anatomies.emplace_back();
    bones.folder = kFolder;
    bones.scale = kMillimetre;
    bones.muscles = "";
    bones.slide = flesh.slides;
    const auto move = [&](const char* names, const char* joint) {
      sim::MovedBonesSpec& moved = bones.moves.emplace_back();
      moved.bones = names;
      moved.joint = joint;
    };
    move("bone_clavicle", "clavicle");
    move("bone_scapula", "scapula");
    move("bone_humerus", "shoulder");
    move("bone_ulna bone_radius", "elbow");
    sim::expand_anatomies(scene);
    sim::apply_skeleton(scene);
    return scene;
  }

  struct Depth {
    double change;   ///< root mean square over the skin close above a bone, mm
    double at_rest;  ///< mean, mm
  };
  Depth depth_change(const sim::SceneSpec& scene, const Above& above, std::span<const Vec3d> rest,
                     std::span<const Vec3d> now) {
    constexpr double kClose = 0.012;
    const geometry::SignedDistance bone =
        distance_to(read_part(folder_ / fmt::format("{}.stl", above.bone)), context_);
    const sim::SkeletonMotion motion(scene, sim::build_skeleton(scene.skeleton, scene.file));
    const auto moves = anatomy::motions_from_rest(motion.skeleton(), motion.pose_at(kFrames));
    const anatomy::Transform back = inverse(moves[*motion.skeleton().find(above.joint)]);
    double sum = 0, depth = 0;
    int count = 0;
    for (std::size_t v = 0; v < rest.size(); ++v) {
      const auto before = bone(rest[v]);
      if (before.distance > kClose || before.closest.point[2] < above.lowest) continue;
      // Bones are rigid: what they are to the skin now, they are to the skin taken back at rest.
      const double change = bone(back(now[v])).distance - before.distance;
      sum += change * change;
      depth += before.distance;
      ++count;
    }
    if (count == 0) throw Error(Fault::Input, above.bone, "no skin is above it", "use other bones");
    return {std::sqrt(sum / count) / kMillimetre, depth / count / kMillimetre};
  }

  static double volume_error(const geometry::SurfaceMesh& skin, std::span<const Vec3d> now) {
    const std::vector<geometry::Triangle> triangles = geometry::triangulate(skin);
    return geometry::enclosed_volume(now, triangles) /
               geometry::enclosed_volume(skin.positions, triangles) -
           1;
  }

  /// Returns the change of its volume, relative.
  double add_skin(const char* name, const geometry::SurfaceMesh& skin, std::span<const Vec3d> now) {
    const std::vector<geometry::Triangle> triangles = geometry::triangulate(skin);
    const double change = volume_error(skin, now);
    add(name, "volume error", 100 * change, "%");
    contact::SurfaceBvh bvh(contact::make_surface(triangles, now.size()));
    Row& row = add(name, "pairs of triangles of the skin that cross",
                   double(contact::find_crossings(bvh, now, context_.arena).count()), "");
    if (std::string_view(name) != "blend skinning") {
      row.relation = Relation::AtMost;
      row.bound = 0;
    }
    return change;
  }

  const ExperimentOptions& options_;
  const std::filesystem::path folder_;
  Context& context_;
  geometry::SurfaceMesh skin_;
  struct Shape {
    const char* name;
    std::vector<Vec3d> positions;
  };
  std::vector<Shape> shapes_;  ///< of it, as drawn
};

}  // namespace

std::vector<Row> mcadams_shoulder(const ExperimentOptions& options, Context& context) {
  const std::filesystem::path folder = options.data / kFolder;
  if (options.data.empty() || !std::filesystem::is_directory(folder)) {
    return {{.id = "mcadams/shoulder",
             .quantity = "clavicle and ulna",
             .variant = "elastic",
             .source = "McAdams 2011, fig. 8",
             .note = fmt::format("skipped: no folder {} here; see --data", folder.string())}};
  }
  Shoulder shoulder(options, folder, context);
  for (const Flesh& flesh : kFlesh) {
    if (!context.cancelled) shoulder.shrug(flesh);
  }
  shoulder.draw();
  return std::move(shoulder.rows);
}

}  // namespace isochor::reproduce
