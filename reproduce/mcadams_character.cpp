/// [McAdams11 fig 1]: a character that a skeleton moves, frame after frame at rest. The paper's is
/// not public: the figure is the project's own, with 20 bones that hold the flesh by springs, and
/// walks; its skin keeps off itself. Linear blend skinning of the same figure stands beside it, and
/// characters of files that others animated, without contact. Times are of this machine, whatever
/// else it does.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/files/skeleton_file.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/sim/simulation.h"
#include "isochor/sim/skeleton_scene.h"
#include "isochor/sim/starter_scene.h"
#include "reproduce/arm.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"

namespace isochor::reproduce {
namespace {

constexpr int kPreRollFrames = 6, kWalkFrames = 8, kFullWalkFrames = 4;
constexpr double kFrameRate = 24;       ///< 1/s
constexpr double kCycle = 1.1;          ///< s for two steps
constexpr double kBoneStiffness = 1e8;  ///< N/m^3
constexpr const char* kScene = "character.toml";
constexpr double kBound = 3;  ///< s per frame on two cores, at the paper's size

/// The joints of the figure, and one cycle of walking as a clip.
anatomy::Skeleton walking_skeleton() {
  constexpr int kKeys = 48;
  const std::vector<geometry::FigureJoint> joints = geometry::figure_joints();
  anatomy::Skeleton skeleton;
  for (const geometry::FigureJoint& joint : joints) {
    const Vec3d origin = joint.parent < 0 ? Vec3d{0, 0, 0} : joints[joint.parent].position;
    skeleton.joints.push_back({.name = joint.name,
                               .parent = joint.parent,
                               .local = {.translation = joint.position - origin},
                               .rest = {.translation = joint.position}});
  }
  anatomy::Clip& walk = skeleton.clips.emplace_back();
  walk.name = "walk";
  walk.joints.resize(joints.size());
  for (int k = 0; k <= kKeys; ++k) {
    const double phase = double(k) / kKeys;
    const Vec3d hips = geometry::walk_pose(joints, phase)[0].position;
    walk.joints[0].translation.times.push_back(phase * kCycle);
    walk.joints[0].translation.values.push_back(hips);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const Mat3d turn = rotation_from_vector(geometry::walk_rotation(joints[j].name, phase));
      walk.joints[j].rotation.times.push_back(phase * kCycle);
      walk.joints[j].rotation.values.push_back(anatomy::quaternion_of(turn));
    }
  }
  return skeleton;
}

sim::SceneSpec make_walk(double cell_size, int frames) {
  sim::SceneSpec scene;
  scene.time = {.frames = kPreRollFrames + frames, .frame_rate = kFrameRate};
  scene.skeleton.given = std::make_shared<const anatomy::Skeleton>(walking_skeleton());
  scene.skeleton.repeat = true;
  scene.method.self_contact = true;
  scene.skeleton.pre_roll = kPreRollFrames / kFrameRate;
  sim::BodySpec& body = scene.bodies.emplace_back();
  body.name = "figure";
  body.cell_size = cell_size;
  body.boundary = "weighted";
  body.shape = {.kind = "figure", .edge = 0.01};
  body.material.young = 20e3;
  body.material.poisson = 0.45;
  for (const geometry::FigurePart& part : geometry::figure_parts()) {
    if (part.tissue != geometry::Tissue::Bone) continue;
    sim::HoldSpec& bone = body.holds.emplace_back();
    bone.name = part.name;
    bone.where = "inside";
    bone.inside = {.kind = "figure", .part = std::string(part.name)};
    bone.select = "surface";
    bone.stiffness = kBoneStiffness;
    bone.joint = part.joint;
  }
  sim::apply_skeleton(scene);
  return scene;
}

/// What the frames after the first poses took.
struct Effort {
  int frames = 0, newton = 0, cycles = 0, cuts = 0;
  double seconds = 0, worst_volume = 0;  ///< s; relative
};

/// All frames of a scene; those up to `first` come from rest to the first pose.
Effort simulate(sim::Simulation& simulation, int first, Context& context) {
  Effort effort;
  while (simulation.frame() < simulation.scene().time.frames && !context.cancelled) {
    const auto report = simulation.advance();
    if (!report) break;
    context.log(LogLevel::Info,
                fmt::format("mcadams/character: frame {}, {} Newton iterations, {:.2f} s",
                            report->frame, report->newton_iterations, report->solve_seconds));
    if (report->frame <= first) continue;
    ++effort.frames;
    effort.newton += report->newton_iterations;
    effort.cycles += report->krylov_iterations;
    effort.cuts += report->cut_steps;
    effort.seconds += report->solve_seconds;
    effort.worst_volume =
        std::max(effort.worst_volume, std::abs(simulation.snapshot().second.volume_error));
  }
  return effort;
}

class Character {
 public:
  Character(const ExperimentOptions& options, Context& context)
      : options_(options), context_(context) {}

  void walk() {
    const double cell_size = options_.full ? 0.0089 : 0.0188;
    const int frames = options_.full ? kFullWalkFrames : kWalkFrames;
    sim::Simulation simulation(make_walk(cell_size, frames), context_);
    const sim::SceneSpec& scene = simulation.scene();
    const std::size_t cells = simulation.summary().cells;
    const Effort effort = simulate(simulation, kPreRollFrames, context_);
    if (effort.frames == 0) return;
    const std::string size = fmt::format("walk, {} cells", cells);
    Row& seconds =
        add(size + ", seconds per frame", effort.seconds / effort.frames, "s",
            fmt::format("{} frames of walking at 24 Hz, {} cut", effort.frames, effort.cuts));
    if (options_.full) {
      seconds.paper = 5.48;
      seconds.relation = Relation::AtMost;
      seconds.bound = kBound;
      seconds.note += "; the paper: 106,567 cells, eight cores, with self-contact";
    }
    Row& newton = add(size + ", Newton iterations per frame", double(effort.newton) / effort.frames,
                      "", "to the scene's tolerance; the paper: 1 to 10");
    newton.relation = Relation::AtMost;
    newton.bound = 10;
    add(size + ", V-cycles per frame", double(effort.cycles) / effort.frames, "",
        "one per iteration of conjugate gradients; the paper: 1 to 2 per Newton iteration");
    Row& crossings =
        add(size + ", pairs of triangles of the skin that cross",
            double(*simulation.snapshot().second.contact->crossings), "", "in the last frame");
    crossings.relation = Relation::AtMost;
    crossings.bound = 0;
    const geometry::SurfaceMesh& skin = simulation.topology().bodies[0].surface;
    const std::vector<Vec3d> blended = blend_skinned(scene, skin.positions, scene.time.frames);
    add_volumes(size, skin, effort.worst_volume, blended);
    draw("walk", skin, simulation.snapshot().first.bodies[0].vertices, blended, {0.9, 0, 0},
         {0.35, 0.1, 1}, {0, 1, 0});
  }

  /// A character of a file, as `isochor init` sets it up.
  void follow(const std::string& name, const Vec3d& aside, const Vec3d& camera) {
    const std::filesystem::path file = options_.data / "characters" / (name + ".glb");
    if (!std::filesystem::exists(file)) {
      rows.push_back({.id = "mcadams/character",
                      .quantity = name + ", seconds per frame",
                      .variant = "best",
                      .source = "McAdams 2011, fig. 1",
                      .unit = "s",
                      .note = fmt::format("skipped: no {}", file.string())});
      return;
    }
    const sim::StarterScene starter = sim::make_starter_scene(file, {}, kScene, context_);
    // Smaller than a first scene, except at full size.
    std::vector<std::string> settings{"time.frames=12", "skeleton.pre_roll=0.25"};
    if (!options_.full) {
      const double fine = sim::parse_scene(starter.text, kScene).bodies[0].cell_size;
      settings.push_back(fmt::format("body[0].cell_size={}", 1.6 * fine));
    }
    sim::Simulation simulation(sim::parse_scene(starter.text, kScene, settings), context_);
    const sim::SceneSpec& scene = simulation.scene();
    const Effort effort = simulate(
        simulation, static_cast<int>(scene.skeleton.pre_roll * scene.time.frame_rate), context_);
    if (effort.frames == 0) return;
    const std::string size = fmt::format("{}, {} cells", name, simulation.summary().cells);
    add(size + ", seconds per frame", effort.seconds / effort.frames, "s",
        fmt::format("{:.1f} Newton iterations, {} cut; set up by `isochor init`",
                    double(effort.newton) / effort.frames, effort.cuts));
    const geometry::SurfaceMesh& skin = simulation.topology().bodies[0].surface;
    const std::vector<Vec3d> blended = skinned_by_file(scene, file, skin.positions);
    add_volumes(size, skin, effort.worst_volume, blended);
    draw(name, skin, simulation.snapshot().first.bodies[0].vertices, blended, aside, camera,
         (-1 / norm(scene.world.gravity)) * scene.world.gravity);
  }

  std::vector<Row> rows;

 private:
  Row& add(std::string quantity, double ours, const char* unit, std::string note) {
    rows.push_back({.id = "mcadams/character",
                    .quantity = std::move(quantity),
                    .variant = "best",
                    .source = "McAdams 2011, fig. 1",
                    .ours = ours,
                    .unit = unit,
                    .note = std::move(note)});
    return rows.back();
  }

  /// By the weights that the file's author painted, at the last frame.
  std::vector<Vec3d> skinned_by_file(const sim::SceneSpec& scene, const std::filesystem::path& file,
                                     std::span<const Vec3d> rest) const {
    const sim::SkeletonMotion motion(scene, sim::build_skeleton(scene.skeleton, scene.file));
    return anatomy::blend_skinning(
        files::read_gltf_weights(file),
        motions_from_rest(motion.skeleton(), motion.pose_at(scene.time.frames)), rest);
  }

  void add_volumes(const std::string& size, const geometry::SurfaceMesh& skin, double ours,
                   const std::vector<Vec3d>& blended) {
    add(size + ", largest volume error", 100 * ours, "%", "of the skin, Poisson's ratio 0.45");
    const std::vector<geometry::Triangle> triangles = geometry::triangulate(skin);
    const double ratio = geometry::enclosed_volume(blended, triangles) /
                         geometry::enclosed_volume(skin.positions, triangles);
    add(size + ", |volume error| of blend skinning", 100 * std::abs(ratio - 1), "%",
        "at the last frame")
        .variant = "blend skinning";
  }

  void draw(const std::string& name, const geometry::SurfaceMesh& skin,
            std::span<const Vec3d> simulated, std::span<const Vec3d> blended, const Vec3d& aside,
            const Vec3d& camera, const Vec3d& up) const {
    if (options_.pictures.empty()) return;
    Figure picture;
    picture.add("blend skinning", skin, blended, {0, 0, 0});
    picture.add("elastic", skin, simulated, aside);
    picture.draw(options_.pictures / fmt::format("mcadams_character_{}.png", name),
                 {.width = 800,
                  .height = 640,
                  .samples = 24,
                  .up = up,
                  .camera_direction = camera,
                  .camera_distance_factor = 0.85,
                  .caption = "left: linear blend skinning; right: elastic"},
                 context_);
  }

  const ExperimentOptions& options_;
  Context& context_;
};

}  // namespace

std::vector<Row> mcadams_character(const ExperimentOptions& options, Context& context) {
  Character character(options, context);
  character.walk();
  if (!context.cancelled) character.follow("CesiumMan", {0, 0.9, 0}, {1, 0, 0.1});
  if (!context.cancelled) character.follow("RiggedFigure", {0.9, 0, 0}, {0.2, -1, 0.1});
  if (!context.cancelled) character.follow("Fox", {0.7, 0, 0}, {0.5, 0.25, 1});
  return std::move(character.rows);
}

}  // namespace isochor::reproduce
