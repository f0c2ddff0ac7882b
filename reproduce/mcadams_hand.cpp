/// [McAdams11 fig 6]: a hand closes to a fist. The paper's is not public: the hand is the project's
/// own, with a bone between any two joints that holds the flesh by springs. Linear blend skinning
/// of the same hand stands beside it. Fingers are about 4 mm apart: in cells larger than that, one
/// finger is bent alone to see what the others do.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <set>

#include "isochor/base/error.h"
#include "isochor/contact/crossings.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/sim/body_builder.h"
#include "isochor/sim/simulation.h"
#include "isochor/sim/skeleton_scene.h"
#include "reproduce/arm.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"

namespace isochor::reproduce {
namespace {

constexpr double kFullCell = 0.00149, kCoarseCell = 0.005;  ///< m
constexpr int kFrames = 8, kFullFrames = 16;

constexpr double kDegree = 0.017453292519943295;

/// By how much a joint has bent in a fist, and about which axis of the hand at rest.
struct Bend {
  double angle = 0;  ///< rad
  Vec3d axis{0, 0, -1};
};
Bend fist(std::string_view joint) {
  if (joint == "thumb") return {30 * kDegree, {-1, 0, 0}};
  if (joint == "thumb_middle") return {20 * kDegree, {0, -1, 0}};
  if (joint == "thumb_end") return {30 * kDegree, {0, -1, 0}};
  if (joint.ends_with("_middle")) return {75 * kDegree};
  if (joint.ends_with("_end")) return {40 * kDegree};
  const bool knuckle =
      joint == "index" || joint == "middle" || joint == "ring" || joint == "little";
  return knuckle ? Bend{60 * kDegree} : Bend{};
}

/// A hand that `bend` closes, evenly over its frames.
sim::SceneSpec make_closing_hand(double cell_size, int frames, Bend (*bend)(std::string_view)) {
  sim::SceneSpec scene;
  scene.title = "Closing hand";
  scene.time.frames = frames;
  const std::vector<geometry::FigureJoint> joints = geometry::hand_joints();
  for (const geometry::FigureJoint& joint : joints) {
    sim::JointSpec& spec = scene.skeleton.joints.emplace_back();
    spec.name = joint.name;
    if (joint.parent >= 0) spec.parent = joints[joint.parent].name;
    spec.position = joint.position;
    spec.ease = "linear";
    const auto [angle, axis] = bend(joint.name);
    spec.axis = axis;
    if (angle != 0) spec.keys = {{.frame = 0}, {.frame = double(frames), .angle = angle}};
  }
  sim::BodySpec& body = scene.bodies.emplace_back();
  body.name = "hand";
  body.cell_size = cell_size;
  body.boundary = "weighted";
  body.shape = {.kind = "hand", .edge = 0.002};
  body.material.young = 20e3;
  body.material.poisson = 0.45;
  body.bones = {.radius = 0.0025, .end = 0, .stiffness = 1e8};
  sim::apply_skeleton(scene);
  return scene;
}

/// The finger that each vertex is on, from its second bone on, where neighbours are apart; empty
/// elsewhere.
std::vector<std::string> fingers_of(const sim::SceneSpec& scene, std::span<const Vec3d> rest) {
  const anatomy::Skeleton skeleton = sim::build_skeleton(scene.skeleton, scene.file);
  const anatomy::SkinWeights weights =
      anatomy::weights_by_distance(rest, anatomy::bone_segments(skeleton));
  std::vector<std::string> out;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    const auto nearest = std::ranges::max_element(weights.of(v), {}, &anatomy::Influence::weight);
    const std::string& joint = skeleton.joints[nearest->joint].name;
    const std::size_t end = joint.find('_');
    out.push_back(end == std::string::npos ? "" : joint.substr(0, end));
  }
  return out;
}

/// What came of a skin.
struct Closed {
  double volume_error = 0;  ///< relative
  std::int64_t crossings = 0;
};
Closed measure(const geometry::SurfaceMesh& rest, std::span<const Vec3d> skin, Context& context) {
  const std::vector<geometry::Triangle> triangles = geometry::triangulate(rest);
  contact::SurfaceBvh bvh(contact::make_surface(triangles, skin.size()));
  return {geometry::enclosed_volume(skin, triangles) /
                  geometry::enclosed_volume(rest.positions, triangles) -
              1,
          contact::find_crossings(bvh, skin, context.arena).count()};
}

class Hand {
 public:
  Hand(const ExperimentOptions& options, Context& context) : options_(options), context_(context) {}

  void close() {
    // Small cells meet in shorter steps.
    const int last = options_.full ? kFullFrames : kFrames;
    sim::SceneSpec scene = make_closing_hand(options_.full ? kFullCell : kCoarseCell, last, fist);
    scene.method.self_contact = true;
    sim::Simulation simulation(std::move(scene), context_);
    int newton = 0, cycles = 0, cuts = 0, most = 0;
    double seconds = 0;
    std::string trouble;
    try {
      while (simulation.frame() < last) {
        const auto report = simulation.advance();
        if (!report) return;  // cancelled
        context_.log(
            LogLevel::Info,
            fmt::format("mcadams/hand: frame {}, {} Newton iterations, {} V-cycles, {} "
                        "cuts, {:.2f} s",
                        report->frame, report->newton_iterations, report->krylov_iterations,
                        report->cut_steps, report->solve_seconds));
        newton += report->newton_iterations;
        cycles += report->krylov_iterations;
        cuts += report->cut_steps;
        seconds += report->solve_seconds;
        most = std::max(most, report->newton_iterations);
      }
    } catch (const Error& error) {
      trouble = error.place() + ": " + error.problem();
    }
    const int frames = std::max(1, simulation.frame());
    Row& reached = add("elastic", "frames of the fist that have an equilibrium", frames, "",
                       std::move(trouble));
    reached.relation = Relation::AtLeast;
    reached.bound = last;
    const geometry::SurfaceMesh& skin = simulation.topology().bodies[0].surface;
    const std::vector<Vec3d> closed = simulation.snapshot().first.bodies[0].vertices;
    const std::vector<Vec3d> blended = blend_skinned(simulation.scene(), skin.positions, frames);
    const Closed ours = measure(skin, closed, context_), theirs = measure(skin, blended, context_);
    const std::string size = fmt::format("{} cells", simulation.summary().cells);
    Row& time = add("elastic", "seconds per frame", seconds / frames, "s",
                    fmt::format("{}, a fist in {} frames, {} cut", size, last, cuts));
    if (options_.full) {
      time.paper = 12.6;
      time.note += "; the paper: 117,607 cells, eight cores";
    }
    add("elastic", "Newton iterations per frame", double(newton) / frames, "",
        fmt::format("at most {}; to the scene's tolerance", most));
    add("elastic", "V-cycles per frame", double(cycles) / frames, "");
    Row& crossings =
        add("elastic", "pairs of triangles of the skin that cross", double(ours.crossings), "");
    crossings.relation = Relation::AtMost;
    crossings.bound = 0;
    add("blend skinning", "pairs of triangles of the skin that cross", double(theirs.crossings), "",
        "weights 1/distance^4 from bones");
    add("elastic", "volume error of the fist", 100 * ours.volume_error, "%",
        "Poisson's ratio 0.45");
    add("blend skinning", "volume error of the fist", 100 * theirs.volume_error, "%");
    draw(skin, closed, blended);
  }

  /// The index finger bends, the others do not. By no more than fingers that share cells survive:
  /// from 0.31 of a fist on these have no equilibrium.
  void bend_alone(bool separate) {
    constexpr int kSteps = 3;
    sim::SceneSpec scene = make_closing_hand(kCoarseCell, kSteps, [](std::string_view joint) {
      return joint.starts_with("index") ? Bend{0.25 * fist(joint).angle} : Bend{};
    });
    scene.bodies[0].separate = separate;
    const sim::BodySpec& body = scene.bodies[0];
    const geometry::SurfaceMesh skin = sim::build_surface(body, scene.file).mesh;
    const std::vector<std::string> fingers = fingers_of(scene, skin.positions);
    const std::size_t shared = shared_nodes(body, skin, fingers);
    sim::Simulation simulation(std::move(scene), context_);
    std::vector<Vec3d> before;
    const char* variant = separate ? "elastic" : "one cell per place";
    while (simulation.frame() < kSteps) {
      try {
        if (!simulation.advance()) return;  // cancelled
      } catch (const Error& error) {
        Row& row = add(variant, "the index finger bends alone: other fingers move by", 0, "%",
                       error.place() + ": " + error.problem());
        row.ours.reset();
        if (separate) {  // fingers that hang together need not have an equilibrium
          row.relation = Relation::AtMost;
          row.bound = 1;
        }
        return;
      }
      if (simulation.frame() == 0) before = simulation.snapshot().first.bodies[0].vertices;
    }
    const std::vector<Vec3d> after = simulation.snapshot().first.bodies[0].vertices;
    double bent = 0, others = 0;
    for (std::size_t v = 0; v < after.size(); ++v) {
      const double way = norm(after[v] - before[v]);
      if (fingers[v] == "index") bent = std::max(bent, way);
      if (fingers[v] == "middle" || fingers[v] == "ring" || fingers[v] == "little") {
        others = std::max(others, way);
      }
    }
    const std::string note = fmt::format("{} cells of {:g} mm, gaps of 4 mm",
                                         simulation.summary().cells, 1000 * kCoarseCell);
    const auto claim = [&](Row& row, double bound) {
      if (!separate) return;
      row.relation = Relation::AtMost;
      row.bound = bound;
    };
    claim(add(variant, "nodes that fingers share beyond their first joints", double(shared), "",
              note),
          0);
    claim(add(variant, "the index finger bends alone: other fingers move by", 100 * others / bent,
              "%", fmt::format("of {:.1f} mm", 1000 * bent)),
          1);
  }

  std::vector<Row> rows;

 private:
  Row& add(const char* variant, std::string quantity, double ours, const char* unit,
           std::string note = {}) {
    rows.push_back({.id = "mcadams/hand",
                    .quantity = std::move(quantity),
                    .variant = variant,
                    .source = "McAdams 2011, fig. 6",
                    .ours = ours,
                    .unit = unit,
                    .note = std::move(note)});
    return rows.back();
  }

  std::size_t shared_nodes(const sim::BodySpec& body, const geometry::SurfaceMesh& skin,
                           std::span<const std::string> fingers) {
    const grid::Lattice lattice = sim::build_cells(body, skin, context_.arena);
    const auto cell_nodes = lattice.cell_nodes();
    std::map<std::int32_t, std::set<std::string_view>> users;
    for (std::size_t v = 0; v < fingers.size(); ++v) {
      if (fingers[v].empty()) continue;
      for (const std::int32_t n : cell_nodes[lattice.vertex_cells[v]]) users[n].insert(fingers[v]);
    }
    return std::ranges::count_if(users, [](const auto& user) { return user.second.size() > 1; });
  }

  void draw(const geometry::SurfaceMesh& skin, std::span<const Vec3d> closed,
            std::span<const Vec3d> blended) const {
    if (options_.pictures.empty()) return;
    const auto picture = [&](const char* file, const Vec3d& camera, const Vec3d& aside) {
      Figure figure;
      figure.add("blend skinning", skin, blended, {0, 0, 0});
      figure.add("elastic", skin, closed, aside);
      figure.draw(options_.pictures / file,
                  {.width = 1100,
                   .height = 560,
                   .samples = 32,
                   .camera_direction = camera,
                   .camera_distance_factor = 0.85,
                   .ground = false,
                   .caption = "a fist: linear blend skinning, and elastic"},
                  context_);
    };
    picture("mcadams_hand.png", {0.25, -0.35, -1}, {-0.19, 0, 0});
    picture("mcadams_hand_front.png", {1, -0.35, -0.15}, {0, 0, -0.14});
  }

  const ExperimentOptions& options_;
  Context& context_;
};

}  // namespace

std::vector<Row> mcadams_hand(const ExperimentOptions& options, Context& context) {
  Hand hand(options, context);
  for (const bool separate : {true, false}) {
    if (!context.cancelled) hand.bend_alone(separate);
  }
  if (!context.cancelled) hand.close();
  return std::move(hand.rows);
}

}  // namespace isochor::reproduce
