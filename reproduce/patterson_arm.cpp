/// [Patterson12 sec 6]: muscles contract under the skin. An arm bends at the elbow with its flexors
/// passive and with them active, in equal steps, by the mixed lattice: the generated arm, and the
/// anatomical one of BodyParts3D where its surfaces are there. Bones hold the flesh by springs
/// along their surface; muscles are surfaces of their own with harmonic fibres from bone to bone.
///
/// The bulge is how far the skin above the middle of active muscles stands out beyond that of the
/// passive arm, bent alike, and beyond that of the straight one. Volumes of muscles are measured
/// twice: those of their surfaces, which ride on the cells, and those of their material, which is
/// the part that each cell has of them, by the volume of the cell. The method keeps the latter; how
/// a cell shares out its volume within itself, between a muscle and what lies beside it, is left to
/// the interpolation.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/anatomy/bone_attachments.h"
#include "isochor/geometry/orientation.h"
#include "isochor/geometry/triangle_bvh.h"
#include "isochor/grid/embedding.h"
#include "isochor/grid/solid_shares.h"
#include "isochor/lattice/cell_weights.h"
#include "isochor/math/mat3.h"
#include "isochor/sim/body_builder.h"
#include "isochor/sim/simulation.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kArmId = "patterson/arm";
constexpr std::string_view kArmSource = "Patterson 2012, section 6";

/// An arm that bends, and how it is looked at.
struct ArmCase {
  const char* name;
  sim::SceneSpec scene;
  run::RenderOptions view;
  Vec3d aside;            ///< from the passive arm to the active one in a picture, m
  bool textbook = false;  ///< has muscles that textbooks know
};

// ---- scenes -------------------------------------------------------------------------------------

ArmCase generated_arm(const ExperimentOptions& options) {
  const std::string text = fmt::format(R"(format = 1
[time]
frames = 6
[method]
volume = "mixed"
[[body]]
name = "arm"
cell_size = "{} mm"
shape = {{ kind = "arm", edge = "4 mm" }}
material = {{ preset = "flesh_lee_2009" }}
[[body.muscle]]
name = "biceps"
shape = {{ kind = "arm", part = "biceps", edge = "3 mm" }}
activation = [{{ frame = 0, value = 0 }}, {{ frame = 6, value = 1 }}]
[[body.muscle]]
name = "triceps"
shape = {{ kind = "arm", part = "triceps", edge = "3 mm" }}
[[body.hold]]
name = "humerus"
where = "inside"
inside = {{ kind = "arm", part = "humerus" }}
select = "surface"
stiffness = 1e8
)",
                                       options.full ? 6 : 10);
  std::string bones;
  for (const char* bone : {"radius", "ulna"}) {
    bones += fmt::format(R"([[body.hold]]
name = "{0}"
where = "inside"
inside = {{ kind = "arm", part = "{0}" }}
select = "surface"
stiffness = 1e8
turns_about = "point"
pivot = ["30 cm", 0, 0]
ease = "linear"
key = [{{ frame = 0 }}, {{ frame = 6, rotate = [0, 0, "60 deg"] }}]
)",
                         bone);
  }
  return {"generated",
          sim::parse_scene(text + bones, "patterson_arm.toml"),
          {.width = 1000,
           .height = 560,
           .samples = 32,
           .camera_direction = Vec3d{0.1, 0.25, 1},
           .camera_distance_factor = 0.95,
           .ground = false},
          {0, -0.3, 0}};
}

/// Its elbow bends about the line through the middles of trochlea and capitulum, nearly the x axis;
/// the front is at -y, the hand is at -z.
ArmCase anatomical_arm(const ExperimentOptions& options, const std::filesystem::path& folder) {
  const std::string text =
      fmt::format(R"(format = 1
[time]
frames = 6
[method]
volume = "mixed"
[world]
gravity = [0, 0, -9.81]
[[body]]
name = "arm"
cell_size = "{} mm"
shape = {{ kind = "mesh", file = "{}/skin_envelope_derived.obj", scale = 0.001 }}
material = {{ preset = "flesh_lee_2009" }}
[[body.anatomy]]
folder = "{}"
scale = 0.001
touch = "4 mm"
[[body.anatomy.move]]
bones = "bone_ulna bone_radius"
turns_about = "point"
pivot = ["-214 mm", "-67 mm", "1051 mm"]
ease = "linear"
key = [{{ frame = 0 }}, {{ frame = 6, rotate = ["-45 deg", 0, 0] }}]
[[body.anatomy.active]]
muscles = "muscle_biceps_* muscle_brachialis"
activation = [{{ frame = 0, value = 0 }}, {{ frame = 6, value = 1 }}]
)",
                  options.full ? 6 : 7, folder.filename().string(), folder.filename().string());
  return {"anatomical",
          sim::parse_scene(text, folder.parent_path() / "patterson_arm.toml"),
          {.width = 780,
           .height = 660,
           .samples = 32,
           .up = {0, 0, 1},
           .camera_direction = Vec3d{-1, -0.55, 0.1},
           .camera_distance_factor = 0.92,
           .ground = false},
          {0.14, -0.26, 0},
          true};
}

// ---- what is measured ---------------------------------------------------------------------------

/// A bone or a muscle, and where it went.
struct Inside {
  std::string name;
  geometry::SurfaceMesh surface;  ///< at rest
  std::vector<Vec3d> now;
  bool bone = false;
  double material_change = 0;  ///< of the volume of its part of cells, relative

  double volume_change() const {
    const auto triangles = geometry::triangulate(surface);
    return geometry::enclosed_volume(now, triangles) /
               geometry::enclosed_volume(surface.positions, triangles) -
           1;
  }
};

struct BentArm {
  geometry::SurfaceMesh skin;
  std::vector<Vec3d> straight, now;  ///< the skin at frame 0 and in the last frame
  std::vector<Inside> inside;        ///< muscles, then bones
  double volume_change = 0;
  std::vector<sim::PartVolume> parts;
  std::size_t cells = 0;
  int cuts = 0, newton = 0, krylov = 0;
};

/// Volumes of cells by those at rest. J of a trilinear map is a polynomial that two Gauss points
/// per axis integrate.
std::vector<double> cell_ratios(const grid::Lattice& lattice, std::span<const Vec3d> nodes) {
  const double gauss[2] = {0.5 - std::sqrt(1.0 / 12), 0.5 + std::sqrt(1.0 / 12)};
  std::vector<double> ratios;
  for (const auto& corners : lattice.cell_nodes()) {
    double ratio = 0;
    for (int q = 0; q < 8; ++q) {
      const lattice::CellWeights w({gauss[q & 1], gauss[q >> 1 & 1], gauss[q >> 2]});
      Mat3d F = Mat3d::zero();
      for (int c = 0; c < 8; ++c) {
        for (int a = 0; a < 3; ++a) F.column[a] += w.gradient[c][a] * nodes[corners[c]];
      }
      ratio += determinant(F) / (8 * std::pow(lattice.spacing, 3));
    }
    ratios.push_back(ratio);
  }
  return ratios;
}

/// Finds Inside::material_change of parts, muscles before bones, with the rule of overlaps that
/// bodies follow.
void measure_material(const grid::Lattice& lattice, std::span<const Vec3d> nodes,
                      std::vector<Inside>& parts, Context& context) {
  // Bones in their order, then muscles, the last one first.
  const auto bones = std::ranges::find(parts, true, &Inside::bone);
  std::vector<Inside*> order;
  for (auto part = bones; part != parts.end(); ++part) order.push_back(&*part);
  for (auto part = bones; part != parts.begin();) order.push_back(&*--part);
  std::vector<std::vector<geometry::Triangle>> triangles;
  std::vector<grid::SolidSurface> solids;
  for (const Inside* part : order) {
    const auto& positions = part->surface.positions;
    triangles.push_back(
        geometry::oriented_outward(positions, geometry::triangulate(part->surface), context.arena)
            .triangles);
    solids.push_back({positions, triangles.back()});
  }
  auto shares = grid::shares_in_cells(lattice, solids, context.arena);
  grid::give_to_first(lattice, solids, shares, context.arena);
  const std::vector<double> ratios = cell_ratios(lattice, nodes);
  for (std::size_t k = 0; k < order.size(); ++k) {
    double rest = 0, now = 0;
    for (const grid::CellShare& share : shares[k]) {
      rest += share.fraction;
      now += share.fraction * ratios[share.cell];
    }
    order[k]->material_change = now / rest - 1;
  }
}

std::vector<Inside> find_inside(const sim::SceneSpec& scene, std::span<const Vec3d> nodes,
                                Context& context) {
  const sim::BodySpec& body = scene.bodies[0];
  const grid::Lattice lattice =
      sim::build_cells(body, sim::build_surface(body, scene.file).mesh, context.arena);
  std::vector<Inside> all;
  const auto add = [&](const std::string& name, const sim::ShapeSpec& shape, bool bone) {
    Inside part{.name = name,
                .surface = sim::build_surface(shape, body.cell_size, scene.file).mesh,
                .now = {},
                .bone = bone};
    part.now.resize(part.surface.positions.size());
    grid::embed(lattice, part.surface.positions, grid::Interpolation::Tricubic)
        .interpolate(nodes, part.now);
    all.push_back(std::move(part));
  };
  for (const sim::MuscleSpec& muscle : body.muscles) add(muscle.name, muscle.shape, false);
  for (const sim::HoldSpec& hold : body.holds) add(hold.name, hold.inside, true);
  measure_material(lattice, nodes, all, context);
  return all;
}

BentArm bend(sim::SceneSpec scene, bool active, Context& context) {
  for (sim::MuscleSpec& muscle : scene.bodies[0].muscles) {
    if (!active) muscle.activations.clear();
  }
  sim::Simulation simulation(scene, context);
  BentArm arm{.skin = simulation.topology().bodies[0].surface,
              .parts = simulation.setup().bodies[0].parts,
              .cells = simulation.summary().cells};
  for (int frame = 0; frame <= scene.time.frames; ++frame) {
    const auto report = simulation.advance();
    if (!report) return arm;
    arm.cuts += report->cut_steps;
    arm.newton += report->newton_iterations;
    arm.krylov += report->krylov_iterations;
    if (frame == 0) arm.straight = simulation.snapshot().first.bodies[0].vertices;
  }
  auto [frame, measures] = simulation.snapshot();
  arm.inside = find_inside(scene, frame.bodies[0].nodes, context);
  arm.now = std::move(frame.bodies[0].vertices);
  arm.volume_change = measures.volume_error;
  return arm;
}

/// The vertices of the skin above the middle half of muscles that contract.
std::vector<std::size_t> skin_above(const sim::SceneSpec& scene, const BentArm& arm,
                                    Context& context) {
  constexpr double kDepth = 0.03;
  std::vector<std::size_t> above;
  for (std::size_t m = 0; m < scene.bodies[0].muscles.size(); ++m) {
    if (scene.bodies[0].muscles[m].activations.empty()) continue;
    const geometry::SurfaceMesh& surface = arm.inside[m].surface;
    const auto triangles = geometry::triangulate(surface);
    const std::vector<double> ways = anatomy::ways_along_axis({surface.positions, triangles});
    const geometry::TriangleBvh tree(surface.positions, triangles, context.arena);
    for (std::size_t v = 0; v < arm.skin.positions.size(); ++v) {
      const auto nearest = tree.closest_point(arm.skin.positions[v], kDepth);
      if (nearest.triangle < 0 || std::abs(ways[nearest.triangle] - 0.5) > 0.25) continue;
      above.push_back(v);
    }
  }
  return above;
}

/// How far such vertices have gone outward, at most, m.
double bulge(const geometry::SurfaceMesh& skin, std::span<const std::size_t> vertices,
             std::span<const Vec3d> before, std::span<const Vec3d> after) {
  std::vector<Vec3d> normals(before.size(), Vec3d{0, 0, 0});
  for (const auto& [a, b, c] : geometry::triangulate(skin)) {
    const Vec3d normal = cross(before[b] - before[a], before[c] - before[a]);
    for (const std::int32_t v : {a, b, c}) normals[v] += normal;
  }
  double most = 0;
  for (const std::size_t v : vertices) {
    if (!(norm(normals[v]) > 0)) continue;
    most = std::max(most, dot(after[v] - before[v], normals[v]) / norm(normals[v]));
  }
  return most;
}

/// Muscles of BodyParts3D whose two bones are there, by any textbook; those that end at the hand or
/// in another muscle are left out.
struct Textbook {
  std::string_view muscle, distal, proximal;
};
constexpr Textbook kTextbook[] = {
    {"muscle_anconeus", "bone_ulna", "bone_humerus"},
    {"muscle_biceps_brachii_long_head", "bone_radius", "bone_scapula"},
    {"muscle_brachialis", "bone_ulna", "bone_humerus"},
    {"muscle_brachioradialis", "bone_radius", "bone_humerus"},
    {"muscle_coracobrachialis", "bone_humerus", "bone_scapula"},
    {"muscle_deltoid_acromial", "bone_humerus", "bone_scapula"},
    {"muscle_deltoid_clavicular", "bone_humerus", "bone_clavicle"},
    {"muscle_deltoid_spinal", "bone_humerus", "bone_scapula"},
    {"muscle_pronator_teres_humeral_head", "bone_radius", "bone_humerus"},
    {"muscle_pronator_teres_ulnar_head", "bone_radius", "bone_ulna"},
    {"muscle_supinator", "bone_radius", "bone_humerus"},
    {"muscle_triceps_lateral_head", "bone_ulna", "bone_humerus"},
    {"muscle_triceps_long_head", "bone_ulna", "bone_scapula"},
    {"muscle_triceps_medial_head", "bone_ulna", "bone_humerus"},
};

/// How many of them end where the textbook says, and which do not.
std::pair<int, std::string> count_attached(const sim::SceneSpec& scene, const BentArm& arm,
                                           Context& context) {
  std::vector<anatomy::BoneSurface> bones;
  std::vector<std::string_view> names;
  for (const Inside& part : arm.inside) {
    if (!part.bone) continue;
    const auto triangles = geometry::triangulate(part.surface);
    bones.emplace_back(anatomy::Solid{part.surface.positions, triangles}, context.arena);
    names.push_back(part.name);
  }
  int right = 0;
  std::string wrong;
  for (std::size_t m = 0; m < scene.bodies[0].muscles.size(); ++m) {
    const auto known =
        std::ranges::find(kTextbook, scene.bodies[0].muscles[m].name, &Textbook::muscle);
    if (known == std::end(kTextbook)) continue;
    const auto triangles = geometry::triangulate(arm.inside[m].surface);
    // Upward, as the longest axes of all of them point.
    const anatomy::AttachedEnds ends =
        anatomy::ends_at_bones({arm.inside[m].surface.positions, triangles}, bones,
                               scene.bodies[0].muscles[m].origin.touch);
    const auto is = [&](int bone, std::string_view name) {
      return bone >= 0 && names[bone] == name;
    };
    if (is(ends.origin_bone, known->distal) && is(ends.insertion_bone, known->proximal)) {
      ++right;
    } else {
      wrong += fmt::format("{}{}", wrong.empty() ? "not " : ", ", known->muscle);
    }
  }
  return {right, wrong};
}

// ---- rows and pictures --------------------------------------------------------------------------

void draw(const ArmCase& wanted, const BentArm& passive, const BentArm& active,
          const std::filesystem::path& folder, Context& context) {
  Figure skin, inside;
  for (const BentArm* arm : {&passive, &active}) {
    const Vec3d aside = arm == &active ? wanted.aside : Vec3d{0, 0, 0};
    skin.add("arm", arm->skin, arm->now, aside);
  }
  // One body for all muscles and one for all bones: two colours.
  for (const bool bone : {false, true}) {
    geometry::SurfaceMesh all;
    std::vector<Vec3d> now;
    for (const BentArm* arm : {&passive, &active}) {
      const Vec3d aside = arm == &active ? wanted.aside : Vec3d{0, 0, 0};
      for (const Inside& part : arm->inside) {
        if (part.bone != bone) continue;
        const auto first = static_cast<std::int32_t>(all.positions.size());
        for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
          std::vector<std::int32_t> face(part.surface.face(f).begin(), part.surface.face(f).end());
          for (std::int32_t& v : face) v += first;
          all.add_face(face);
        }
        for (std::size_t v = 0; v < part.now.size(); ++v) {
          all.positions.push_back(part.surface.positions[v]);
          now.push_back(part.now[v] + aside);
        }
      }
    }
    inside.add(bone ? "bones" : "muscles", all, now, {0, 0, 0});
  }
  run::RenderOptions view = wanted.view;
  view.caption = "bent alike, muscles passive and active";
  skin.draw(folder / fmt::format("patterson_arm_{}.png", wanted.name), view, context);
  inside.draw(folder / fmt::format("patterson_arm_{}_inside.png", wanted.name), view, context);
}

void measure(const ArmCase& wanted, const ExperimentOptions& options, Context& context,
             std::vector<Row>& rows) {
  const auto add = [&](const std::string& quantity, std::optional<double> ours, const char* unit,
                       std::string note = {}) -> Row& {
    rows.push_back({.id = std::string(kArmId),
                    .quantity = fmt::format("{}/{}", wanted.name, quantity),
                    .variant = "best",
                    .source = std::string(kArmSource),
                    .ours = ours,
                    .unit = unit,
                    .note = std::move(note)});
    return rows.back();
  };
  const BentArm passive = bend(wanted.scene, false, context);
  const BentArm active = bend(wanted.scene, true, context);
  if (context.cancelled) return;
  const std::vector<std::size_t> above = skin_above(wanted.scene, active, context);
  add("bulge beyond the passive arm", 1000 * bulge(active.skin, above, passive.now, active.now),
      "mm",
      fmt::format("{} cells of {:g} mm; active: {} systems, {} iterations, {} cuts", active.cells,
                  1000 * wanted.scene.bodies[0].cell_size, active.newton, active.krylov,
                  active.cuts));
  add("bulge beyond the straight arm, active",
      1000 * bulge(active.skin, above, active.straight, active.now), "mm");
  add("bulge beyond the straight arm, passive",
      1000 * bulge(active.skin, above, passive.straight, passive.now), "mm");
  for (const auto& [name, arm] : {std::pair("passive", &passive), std::pair("active", &active)}) {
    const auto add_worst = [&](const std::string& quantity, auto&& change, std::string note) {
      const Inside* worst = nullptr;
      for (const Inside& part : arm->inside) {
        if (part.bone) continue;
        if (!worst || std::abs(change(part)) > std::abs(change(*worst))) worst = &part;
      }
      Row& row = add(quantity, 100 * std::abs(change(*worst)), "%",
                     fmt::format("'{}'{}", worst->name, note));
      row.relation = Relation::AtMost;
      row.bound = 0.5;
    };
    add_worst(
        fmt::format("largest volume change of a muscle, {}", name),
        [](const Inside& part) { return part.volume_change(); },
        fmt::format(", {} muscles, by their embedded surfaces; skin {:.3f} %",
                    wanted.scene.bodies[0].muscles.size(), 100 * arm->volume_change));
    add_worst(
        fmt::format("largest volume change of a muscle's material, {}", name),
        [](const Inside& part) { return part.material_change; }, ", by its part of cells");
  }
  double bones = 0;
  const sim::PartVolume* least = nullptr;
  for (const sim::PartVolume& part : active.parts) {
    const double kept = part.in_cells / part.enclosed;
    if (part.tissue == "bone") {
      bones = std::max(bones, std::abs(kept - 1));
    } else if (!least || kept < least->in_cells / least->enclosed) {
      least = &part;
    }
  }
  add("largest error of a bone's volume in cells", 100 * bones, "%",
      "those that reach out of the skin count only what is inside");
  add("least part of a muscle that overlaps leave to it", 100 * least->in_cells / least->enclosed,
      "%", fmt::format("'{}'", least->name));
  if (wanted.textbook) {
    const auto [right, wrong] = count_attached(wanted.scene, active, context);
    Row& row = add("muscles that are attached where textbooks say", right, "", wrong);
    row.relation = Relation::AtLeast;
    row.bound = std::size(kTextbook);
  }
  if (!options.pictures.empty()) draw(wanted, passive, active, options.pictures, context);
}

}  // namespace

std::vector<Row> patterson_arm(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  measure(generated_arm(options), options, context, rows);
  const std::filesystem::path folder = options.data / "anatomy_right_arm";
  if (options.data.empty() || !std::filesystem::is_directory(folder)) {
    rows.push_back(
        {.id = std::string(kArmId),
         .quantity = "anatomical",
         .variant = "best",
         .source = std::string(kArmSource),
         .note = fmt::format("skipped: no folder {} here; see --data", folder.string())});
  } else if (!context.cancelled) {
    measure(anatomical_arm(options, folder), options, context, rows);
  }
  return rows;
}

}  // namespace isochor::reproduce
