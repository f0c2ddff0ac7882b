#include "isochor/sim/scene_spec.h"

#include <algorithm>
#include <fmt/format.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/materials/registry.h"
#include "isochor/scene/printer.h"
#include "isochor/scene/reader.h"
#include "isochor/sim/anatomy_spec.h"
#include "isochor/sim/bone_animation.h"
#include "isochor/sim/capabilities.h"
#include "isochor/sim/collider_spec.h"
#include "isochor/sim/motion.h"
#include "isochor/sim/muscles.h"
#include "isochor/sim/scene_check.h"
#include "isochor/sim/sheet_spec.h"
#include "isochor/sim/skeleton_scene.h"
#include "isochor/sim/zone_spec.h"

namespace isochor::sim {
namespace {

constexpr std::array<std::string_view, 2> kVariants{"best", "paper"};
constexpr std::array<std::string_view, 4> kVolumes{"penalty", "mixed", "one-ring", "zones"};
constexpr std::array<std::string_view, 3> kQuadratures{"one-point", "four-points", "gauss"};
constexpr std::array<std::string_view, 4> kTangents{"exact", "surface", "weighted", "whole"};
constexpr std::array<std::string_view, 2> kMeans{"measure", "volume"};
constexpr std::array<std::string_view, 2> kMeanPoints{"four", "eight"};
constexpr std::array<std::string_view, 3> kFixes{"clamp", "absolute", "none"};
constexpr std::array<std::string_view, 14> kShapes{
    "box",   "sphere",  "ellipsoid", "cylinder", "capsule", "puck",   "tube",
    "torus", "bow_tie", "stairs",    "arm",      "hand",    "figure", "mesh"};
constexpr std::array<std::string_view, 11> kHeldRegions{
    "x-", "x+", "y-", "y+", "z-", "z+", "box", "all", "inside", "bone", "group"};
constexpr std::array<std::string_view, 9> kLoadedRegions{"x-", "x+",  "y-",  "y+",   "z-",
                                                         "z+", "box", "all", "group"};
constexpr std::array<std::string_view, 2> kPivots{"middle", "point"};
constexpr std::array<std::string_view, 2> kLoads{"pressure", "traction"};
constexpr std::array<std::string_view, 4> kPainted{"stiffness", "activation", "zone", "thickness"};
constexpr std::array<std::string_view, 2> kPreconditioners{"multigrid", "jacobi"};
constexpr std::array<std::string_view, 2> kSolvers{"newton", "fas"};
constexpr std::array<std::string_view, 2> kEases{"smooth", "linear"};
constexpr std::array<std::string_view, 3> kSelections{"nodes", "cells", "surface"};
constexpr std::array<std::string_view, 4> kSlides{"none", "plane", "line", "surface"};
constexpr std::array<std::string_view, 2> kEmbeddings{"tricubic", "trilinear"};
constexpr std::array<std::string_view, 2> kTetSurfaces{"tets", "shape"};
constexpr std::array<std::string_view, 3> kBoundaries{"cut", "weighted", "whole"};

constexpr std::array<std::string_view, 4> kIntegrators{"static", "backward-euler", "bdf2",
                                                       "midpoint"};
constexpr std::array<std::string_view, 2> kStarts{"rest", "equilibrium"};

constexpr Range kAny{};

}  // namespace

bool SceneSpec::slides_over_bones() const {
  return std::ranges::any_of(bodies, [](const BodySpec& body) {
    return std::ranges::any_of(body.holds, &HoldSpec::slides_over_bone);
  });
}

void describe(FieldVisitor& visitor, TimeSpec& spec) {
  visitor.integer("frames", spec.frames, Range::between(0, 1000000),
                  "frames after frame 0, which is the state of rest under gravity, or where "
                  "motion starts");
  visitor.number("frame_rate", spec.frame_rate, Unit::Frequency, Range::positive(),
                 "frames per second");
  visitor.choice("integrator", spec.integrator, kIntegrators,
                 "how time passes: static, every frame is a state of rest; backward-euler, robust, "
                 "takes energy away; bdf2, takes it from fast vibrations only; midpoint, takes "
                 "none");
  visitor.integer("substeps", spec.substeps, Range::between(1, 100000),
                  "steps per frame; one that fails is cut in two");
  if (spec.moves()) {
    visitor.choice("start", spec.start, kStarts,
                   "frame 0: the shape at rest, on which gravity begins to act, or the state of "
                   "rest under gravity and holds");
  }
}

void describe(FieldVisitor& visitor, WorldSpec& spec) {
  visitor.vector("gravity", spec.gravity.e, Unit::Acceleration, kAny, "acceleration of free fall");
}

void describe(FieldVisitor& visitor, MethodSpec& spec) {
  visitor.place(spec.place);
  visitor.choice("name", spec.name, method_names(), "discretisation, see 'isochor list'");
  visitor.choice("variant", spec.variant, kVariants,
                 "best: ours; paper: the algorithm as published");
  visitor.choice(
      "volume", spec.volume, kVolumes,
      "how bodies keep their volume: an energy that grows with Poisson's ratio; a pressure "
      "per cell of a lattice, for any ratio up to 0.5, solver and preconditioner of its "
      "own; of tets in motion, around every node, whatever the ratio; or, of tets, in zones as a "
      "whole, exactly");
  if (spec.volume == "zones") {
    visitor.choice("zones", spec.zones, zone_methods(),
                   "how: exact, pressures and positions together; multiplier, pressures between "
                   "searches for positions; linear, to first order in each step");
  }
  visitor.choice("definiteness", spec.definiteness, kFixes,
                 "what is done to a tangent that is not positive definite: negative eigenvalues "
                 "become zero, change sign, or stay");
  visitor.choice("preconditioner", spec.preconditioner, kPreconditioners,
                 "what makes linear solves short: multigrid, or the diagonal, whose iterations "
                 "grow with the resolution; in the variant paper cycles alone are the solver");
  visitor.choice("solver", spec.solver, kSolvers,
                 "what finds an equilibrium: Newton's method, or nonlinear multigrid cycles (full "
                 "approximation scheme), which pay for large motions within a frame");
  visitor.choice("quadrature", spec.quadrature, kQuadratures,
                 "where the energy of a cell inside is evaluated: at its centre; at four points, "
                 "as those that the surface cuts are; or at eight Gauss points, a reference that "
                 "takes about eight times as long");
  if (spec.volume == "mixed" && spec.quadrature == "four-points") {
    visitor.choice("tangent", spec.tangent, kTangents,
                   "what the matrix of Newton's method knows of four points: all; those at the "
                   "surface; or none, with one point per cell, cells at the surface by what is in "
                   "them or whole, which is the defect correction of Patterson 2012");
  }
  if (spec.volume == "mixed") {
    visitor.choice("mean", spec.mean, kMeans,
                   "what is averaged over the points of a cell that has several: the measure of "
                   "volume of its law, or the volume, of which it is then taken");
    visitor.choice("mean_points", spec.mean_points, kMeanPoints,
                   "over which points: those of its energy, or these and their images in its "
                   "centroid, which make the volume of a whole cell exact");
  }
  visitor.flag("stabilise", spec.stabilise,
               "off leaves bare one-point quadrature, which hourglasses");
  visitor.flag("self_contact", spec.self_contact,
               "bodies do not pass through each other, nor through themselves");
  if (spec.self_contact) {
    visitor.number("friction", spec.friction, Unit::None, Range::at_least(0),
                   "coefficient, where bodies touch each other or themselves");
  }
  if (spec.volume == "one-ring" && spec.variant == "paper") {
    visitor.number(
        "recovery_time", spec.recovery_time, Unit::Time, Range::at_least(0),
        "volume comes back no faster than all of it in this time; 0: a fifth of a frame");
  }
  visitor.group("newton", spec.newton, "the nonlinear solver");
}

void describe_measures(FieldVisitor& visitor, ShapeSpec& spec) {
  if (spec.kind == "mesh") {
    visitor.text("file", spec.file, "OBJ, PLY, STL, OFF or glTF file, relative to the scene",
                 Need::Required);
    visitor.number("scale", spec.scale, Unit::None, Range::positive(),
                   "metres per unit of the file: 0.001 for millimetres");
    return;
  }
  const auto is = [&](auto... kinds) { return ((spec.kind == kinds) || ...); };
  const bool grown = is("arm", "hand", "figure");
  if (is("arm", "figure")) {
    visitor.choice("part", spec.part,
                   is("arm") ? geometry::arm_part_names() : geometry::figure_part_names(),
                   "the whole, or a bone or muscle inside its skin");
  }
  visitor.vector("center", spec.center.e, Unit::Length, kAny,
                 grown          ? "where the shoulder, the wrist or the soles are"
                 : is("stairs") ? "middle of the lower edge of the first riser"
                 : is("plane")  ? "a point of it"
                                : "middle of the shape");
  if (grown) {
    visitor.number("scale", spec.scale, Unit::None, Range::positive(), "1: of an adult");
  }
  if (is("box", "ellipsoid", "bow_tie")) {
    visitor.vector("size", spec.size.e, Unit::Length, Range::positive(), "along x, y and z");
  }
  if (is("stairs")) {
    visitor.integer("steps", spec.steps, Range::between(1, 10000), "how many; they rise along x");
    visitor.vector("step", spec.step.e, Unit::Length, Range::positive(),
                   "going, rise and width of one step");
  }
  if (is("bow_tie")) {
    visitor.number("waist", spec.waist, Unit::Length, Range::positive(), "height of its middle");
  }
  if (is("cylinder", "capsule", "puck", "tube", "torus")) {
    visitor.vector("axis", spec.axis.e, Unit::None, kAny, "direction of the axis");
  }
  if (is("sphere", "cylinder", "capsule", "puck", "tube", "torus")) {
    visitor.number("radius", spec.radius, Unit::Length, Range::positive(),
                   "of a torus that of the ring");
  }
  if (is("tube", "torus")) {
    visitor.number("inner_radius", spec.inner_radius, Unit::Length, Range::positive(),
                   "of the hole; of a torus that of the tube");
  }
  if (is("cylinder", "capsule", "puck", "tube")) {
    visitor.number("length", spec.length, Unit::Length, Range::positive(),
                   "along the axis; of a capsule without its caps");
  }
}

void describe(FieldVisitor& visitor, ShapeSpec& spec) {
  visitor.place(spec.place);
  visitor.choice("kind", spec.kind, kShapes, "mesh is read from a file, all others are made");
  describe_measures(visitor, spec);
  if (spec.kind == "mesh") return;
  visitor.number("edge", spec.edge, Unit::Length, Range::at_least(0),
                 "edge of the surface quads; 0: as the cells");
}

void describe(FieldVisitor& visitor, KeySpec& spec) {
  visitor.number("frame", spec.frame, Unit::None, Range::at_least(0), "when", Need::Required);
  visitor.vector("translate", spec.translate.e, Unit::Length, kAny, "offset from rest");
  visitor.vector("rotate", spec.rotate.e, Unit::Angle, kAny,
                 "rotation vector, axis times angle, about what turns_about says");
}

namespace {

/// The keys of a part of a body; Spec is a hold or a load.
template <class Spec>
void describe_region(FieldVisitor& visitor, Spec& spec, std::span<const std::string_view> regions,
                     std::string_view where, std::string_view depth) {
  visitor.choice("where", spec.where, regions, where, Need::Required);
  if (spec.where == "box") {
    visitor.vector("low", spec.low.e, Unit::Length, kAny, "corner of the box", Need::Required);
    visitor.vector("high", spec.high.e, Unit::Length, kAny, "opposite corner", Need::Required);
  } else if (spec.where == "group") {
    visitor.text(
        "group", spec.group,
        "name of a group of faces of the mesh; \"paint:color.r\": those whose corners have "
        "more than a half of that vertex attribute",
        Need::Required);
  } else if (spec.where != "all" && spec.where != "inside" && spec.where != "bone") {
    visitor.number("depth", spec.depth, Unit::Length, Range::at_least(0), depth);
  }
}

}  // namespace

void describe(FieldVisitor& visitor, HoldSpec& spec) {
  visitor.place(spec.place);
  visitor.text("name", spec.name, "names the reaction in the diagnostics", Need::Required);
  describe_region(visitor, spec, kHeldRegions,
                  "a side of the body's bounding box, a box, all, what is inside of a closed "
                  "surface, such as a bone, or of a capsule between two joints, or, of the "
                  "surface, a group of faces",
                  "how far in from that side nodes are held; 0: half a cell");
  if (spec.where == "inside") visitor.group("inside", spec.inside, "that surface");
  describe_joint(visitor, spec);
  if (spec.where == "group" && spec.select == "nodes") spec.select = "surface";  // it has no others
  visitor.choice(
      "select", spec.select, kSelections,
      "what is held there: nodes; all nodes of cells with their middle there; or the "
      "surface, wherever it cuts through cells: with where = \"inside\" that of the bone");
  visitor.number("stiffness", spec.stiffness, Unit::Bedding, Range::at_least(0),
                 "of springs that hold the surface, per area; 0: it is held rigidly");
  visitor.choice(
      "slide", spec.slide, kSlides,
      "what is held may move of its own: not at all, in a plane, along a line, or, of flesh "
      "that springs hold at a bone, along the surface of that");
  if (spec.slide == "plane" || spec.slide == "line") {
    visitor.vector("direction", spec.direction.e, Unit::None, kAny,
                   "normal of the plane, or direction of the line; turns with the hold");
  }
  if (!spec.joint.empty()) return;
  if (spec.where == "inside") {
    visitor.group("animation", spec.animation,
                  "of the bone's mesh, which moves it in place of keys");
    if (!spec.animation.file.empty()) return;
  }
  visitor.choice("turns_about", spec.turns_about, kPivots,
                 "what rotations of keys are about: the middle of the held nodes, or a point");
  if (spec.turns_about == "point") {
    visitor.vector("pivot", spec.pivot.e, Unit::Length, kAny, "that point at rest, as a joint",
                   Need::Required);
  }
  visitor.choice("ease", spec.ease, kEases, "motion between keys");
  visitor.list("key", spec.keys, "motion; without keys the nodes stay where they are");
}

void describe(FieldVisitor& visitor, LoadKeySpec& spec) {
  visitor.number("frame", spec.frame, Unit::None, Range::at_least(0), "when", Need::Required);
  visitor.number("scale", spec.scale, Unit::None, kAny, "factor of the load", Need::Required);
}

void describe(FieldVisitor& visitor, LoadSpec& spec) {
  visitor.place(spec.place);
  visitor.text("name", spec.name, "names the load in messages and pictures", Need::Required);
  describe_region(visitor, spec, kLoadedRegions,
                  "the faces of the surface at a side of the body's bounding box, in a box, all, "
                  "or a group of the mesh",
                  "how far in from that side faces are loaded; 0: half a cell");
  visitor.choice("kind", spec.kind, kLoads,
                 "pressure: against the surface, however it turns; traction: in a fixed direction, "
                 "per area at rest");
  if (spec.kind == "pressure") {
    visitor.number("pressure", spec.pressure, Unit::Pressure, kAny,
                   "into the body; negative: it pulls", Need::Required);
  } else {
    visitor.vector("traction", spec.traction.e, Unit::Pressure, kAny, "force per area",
                   Need::Required);
  }
  visitor.choice("ease", spec.ease, kEases, "between keys");
  visitor.list("key", spec.keys, "how it changes; without keys it stays as it is");
}

void describe(FieldVisitor& visitor, PaintSpec& spec) {
  visitor.place(spec.place);
  visitor.choice("quantity", spec.quantity, kPainted,
                 "stiffness and activation are factors; zone and thickness are carried along",
                 Need::Required);
  visitor.text("file", spec.file,
               "NPZ or VTU file with fields, relative to the scene; without it the mesh itself is "
               "looked at");
  if (spec.file.empty()) {
    visitor.text("from", spec.from,
                 "\"group:NAME\" of faces, a vertex attribute of the mesh by its name, or one of "
                 "its components, as \"color.r\"",
                 Need::Required);
  } else {
    visitor.text("from", spec.from,
                 "an array of the file by its name, or one of its components, as \"color.0\"; "
                 "\"point:NAME\" or \"cell:NAME\" where both have one",
                 Need::Required);
    visitor.number("scale", spec.scale, Unit::None, Range::positive(),
                   "metres per unit of the file's points: 0.001 for millimetres");
  }
  visitor.number("low", spec.low, Unit::None, kAny, "what a painted 0 means");
  visitor.number("high", spec.high, Unit::None, kAny,
                 "what a painted 1 means, and the value inside a group");
}

void describe(FieldVisitor& visitor, ActivationSpec& spec) {
  visitor.number("frame", spec.frame, Unit::None, Range::at_least(0), "when", Need::Required);
  visitor.number("value", spec.value, Unit::None, Range::between(0, 1),
                 "0: relaxed, 1: as strong as it can be", Need::Required);
}

void describe(FieldVisitor& visitor, DampingSpec& spec) {
  visitor.number("mass", spec.mass, Unit::Frequency, Range::at_least(0),
                 "times mass: slows all motion, as a fluid around the body does");
  visitor.number("stiffness", spec.stiffness, Unit::Time, Range::at_least(0),
                 "times stiffness: slows deformation");
}

void describe(FieldVisitor& visitor, RegionSpec& spec) {
  visitor.place(spec.place);
  visitor.text("name", spec.name, "as the file has it", Need::Required);
  visitor.group("material", spec.material, "what it is made of");
}

void describe(FieldVisitor& visitor, BodySpec& spec) {
  visitor.place(spec.place);
  visitor.text("name", spec.name, "names the body in files and messages", Need::Required);
  visitor.text("tets", spec.tets,
               "Gmsh, MEDIT, VTK, TetGen or Vega file with the tets that the body is made of, "
               "relative to the scene; without it the method tets fills the shape with some");
  if (spec.tets.empty()) {
    visitor.number("cell_size", spec.cell_size, Unit::Length, Range::positive(),
                   "edge of a lattice cell, and of the cells that tets are cut from",
                   Need::Required);
    visitor.integer("grading", spec.grading, Range::between(0, 8),
                    "how often tets may double their size on the way inward");
  } else {
    visitor.number("tets_scale", spec.tets_scale, Unit::None, Range::positive(),
                   "metres per unit of the file: 0.001 for millimetres");
    visitor.choice("surface", spec.surface, kTetSurfaces,
                   "what is shown and exported: the boundary of the tets, or the shape, which "
                   "rides on them");
    visitor.number("cell_size", spec.cell_size, Unit::Length, Range::at_least(0),
                   "edge of a lattice cell, which methods other than tets need");
    visitor.list("region", spec.regions, "regions of the file with materials of their own");
  }
  visitor.flag("separate", spec.separate,
               "parts of the body in one cell that do not hang together there come apart");
  visitor.flag("sag_free", spec.sag_free,
               "the given shape is that of frame 0, under all that acts there; the one at rest is "
               "computed");
  visitor.choice("boundary", spec.boundary, kBoundaries,
                 "how cells at the surface count: by four points of the part that is inside, which "
                 "is second-order accurate; by how large that part is; or as whole ones");
  visitor.integer("padding", spec.padding, Range::between(0, 4),
                  "layers of cells without material around the body");
  visitor.choice("embedding", spec.embedding, kEmbeddings,
                 "how the surface follows the cells: smoothly, or with creases at their walls");
  if (!spec.shows_tets()) visitor.group("shape", spec.shape, "the surface");
  visitor.group("material", spec.material, "what it is made of");
  visitor.group("damping", spec.damping,
                "Rayleigh's, in scenes with time: a vibration of angular frequency w has the "
                "damping ratio (mass / w + stiffness w) / 2");
  visitor.vector("velocity", spec.velocity.e, Unit::Velocity, kAny, "at frame 0");
  visitor.vector("angular_velocity", spec.angular_velocity.e, Unit::AngularVelocity, kAny,
                 "at frame 0, about the centre of mass");
  visitor.list(
      "paint", spec.paints,
      "quantities painted on the surface or given by a file, carried into the cells; where "
      "they overlap, the later one counts");
  visitor.list("activation", spec.activations,
               "how active a muscle is, with straight lines between keys");
  visitor.list("muscle", spec.muscles,
               "parts of the body with fibres that can contract; where they overlap, the later one "
               "counts");
  visitor.group("bones", spec.bones, "capsules between all joints of the skeleton that hold it");
  visitor.list("anatomy", spec.anatomies,
               "folders of bones and muscles, each of which becomes a hold or a muscle");
  visitor.list("hold", spec.holds, "nodes and surfaces with prescribed motion");
  visitor.list("load", spec.loads, "what pushes at the surface");
  visitor.group("skin", spec.skin, "a membrane on its surface");
  visitor.list("band", spec.bands, "bands of rubber around tets, bodies of their own in files");
  visitor.list("zone", spec.zones,
               "parts that keep their volume with method.volume = \"zones\"; they may overlap; "
               "without any the body is one");
}

void describe(FieldVisitor& visitor, TieSpec& spec) {
  visitor.place(spec.place);
  visitor.text("name", spec.name, "names the force on the first body in the diagnostics",
               Need::Required);
  visitor.text("first", spec.first, "body whose surface is tied", Need::Required);
  visitor.text("second", spec.second, "body that it is tied to", Need::Required);
  visitor.number("distance", spec.distance, Unit::Length, Range::at_least(0),
                 "vertices this close to the other body's surface are tied; 0: half a cell");
  visitor.number("stiffness", spec.stiffness, Unit::Bedding, Range::positive(),
                 "of the springs, per area of the first body's surface", Need::Required);
}

void describe(FieldVisitor& visitor, SceneSpec& spec) {
  Place place;
  visitor.place(place);
  visitor.integer("format", spec.format, Range::at_least(1), "version of the scene format",
                  Need::Required);
  if (spec.format != kSceneFormat) {
    throw Error(
        Fault::Input, place.text("format"),
        fmt::format("the scene has format {}, this program reads {}", spec.format, kSceneFormat),
        "use the version of the program that the scene was written for");
  }
  visitor.text("title", spec.title, "shown in the report");
  visitor.group("time", spec.time, "frames");
  visitor.group("world", spec.world, "what surrounds the bodies");
  visitor.group("method", spec.method, "how the bodies are simulated");
  visitor.group("skeleton", spec.skeleton,
                "joints that move what names them; from a file, or written here");
  visitor.list("body", spec.bodies, "the bodies");
  visitor.list("tie", spec.ties, "springs between bodies, of length zero at rest");
  visitor.list("collider", spec.colliders, "what bodies touch, and what moves as it is told");
}

SceneSpec load_scene(const std::filesystem::path& file, std::span<const std::string> settings) {
  return parse_scene(read_text_file(file), file, settings);
}

SceneSpec parse_scene(std::string_view text, const std::filesystem::path& file,
                      std::span<const std::string> settings) {
  scene::Document document = scene::parse_toml(text, file.string());
  for (const std::string& setting : settings) scene::set_value(document, setting);
  SceneSpec spec;
  spec.file = file;
  scene::read(document, spec);
  expand_anatomies(spec);
  apply_skeleton(spec);
  apply_animations(spec);
  check_scene(spec);
  return spec;
}

std::span<const std::string_view> shape_kinds() { return kShapes; }

std::string resolved_scene(const SceneSpec& scene) {
  return scene::print_resolved(without_made_bones(scene));
}

}  // namespace isochor::sim
