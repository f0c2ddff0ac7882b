#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isochor/base/fields.h"
#include "isochor/materials/material_spec.h"
#include "isochor/math/vec3.h"
#include "isochor/solve/newton.h"

namespace isochor::files {
struct SurfaceFile;
}
namespace isochor::anatomy {
struct Skeleton;
}

/// The scene file as plain data, and its schema: the describe functions. docs/formats/scene.md.
namespace isochor::sim {

inline constexpr int kSceneFormat = 1;

struct TimeSpec {
  int frames = 24;
  double frame_rate = 24;
  std::string integrator = "static";
  int substeps = 1;
  std::string start = "rest";

  bool moves() const { return integrator != "static"; }
  /// Whether frame 0 is a state of rest under all loads, which only what is held has.
  bool starts_in_equilibrium() const { return !moves() || start == "equilibrium"; }
};

struct WorldSpec {
  Vec3d gravity{0, -9.81, 0};
};

struct MethodSpec {
  std::string name = "lattice";
  std::string variant = "best";
  std::string volume = "penalty";
  std::string zones = "exact";
  std::string definiteness = "clamp";
  std::string preconditioner = "multigrid";
  std::string solver = "newton";
  std::string quadrature = "one-point";
  std::string tangent = "exact";
  std::string mean = "measure", mean_points = "four";
  bool stabilise = true;
  bool self_contact = false;
  double friction = 0;
  double recovery_time = 0;
  solve::NewtonParams newton;
  Place place;
};

struct ShapeSpec {
  std::string kind = "box";
  std::string part = "skin";
  Vec3d center{0, 0, 0};
  Vec3d size{1, 1, 1};
  Vec3d axis{1, 0, 0};
  double radius = 0.5, inner_radius = 0.2, length = 1, waist = 0.3;
  int steps = 5;
  Vec3d step{0.3, 0.17, 1};
  std::string file;
  double scale = 1;
  double edge = 0;
  std::shared_ptr<const files::SurfaceFile> given;  ///< what a caller has in place of the file
  Place place;
};

/// Where a hold is at a frame, relative to rest.
struct KeySpec {
  double frame = 0;
  Vec3d translate{0, 0, 0};
  Vec3d rotate{0, 0, 0};
};

/// What a mesh that was animated elsewhere does.
struct AnimationSpec {
  std::string file;
  double scale = 1, start = -1, pre_roll = 0;
  Place place;
};

/// Where the vertices of a mesh that changes its shape are at a frame, m.
struct ShapeKeySpec {
  double frame = 0;
  std::vector<Vec3d> positions;
};

struct HoldSpec {
  std::string name;
  std::string where;
  std::string group;
  double depth = 0;
  Vec3d low{0, 0, 0}, high{0, 0, 0};
  std::string select = "nodes";
  std::string slide = "none";
  Vec3d direction{0, 0, 1};
  double stiffness = 0;
  ShapeSpec inside;
  std::string joint, to;
  double radius = 0;
  std::string turns_about = "middle";
  Vec3d pivot{0, 0, 0};
  std::string ease = "smooth";
  AnimationSpec animation;
  std::vector<KeySpec> keys;  ///< those of its joint or animation, where it has one
  Place place;
  bool from_bones = false;  ///< made from BodySpec::bones, not written

  /// Whether it speaks of what is inside of a surface, `inside`.
  bool encloses() const { return where == "inside" || where == "bone"; }
  /// Whether what it holds slides along that surface.
  bool slides_over_bone() const { return slide == "surface"; }
};

/// Bones between all joints of the skeleton.
struct BonesSpec {
  double radius = 0;
  double slenderness = 0.25;
  double end = 0.5;
  double stiffness = 1e8;
  Place place;
};

/// How large a load is at a frame, in parts of what it says.
struct LoadKeySpec {
  double frame = 0;
  double scale = 1;
};

/// What pushes at a part of a body's surface.
struct LoadSpec {
  std::string name;
  std::string where;
  std::string group;
  double depth = 0;
  Vec3d low{0, 0, 0}, high{0, 0, 0};
  std::string kind = "pressure";
  double pressure = 0;
  Vec3d traction{0, 0, 0};
  std::string ease = "linear";
  std::vector<LoadKeySpec> keys;
  Place place;
};

/// A quantity painted on the surface (the colour of its vertices, a group of its faces), or given
/// by a file of fields.
struct PaintSpec {
  std::string quantity;
  std::string from;
  double low = 0, high = 1;
  std::string file;
  double scale = 1;
  Place place;
};

/// How active a muscle is at a frame.
struct ActivationSpec {
  double frame = 0;
  double value = 0;
};

/// How active a muscle is where a joint is bent.
struct BendSpec {
  double angle = 0;
  double value = 0;
};

/// Where on its surface an end of a muscle is.
struct EndSpec {
  std::string from = "auto";
  double part = 0.1;
  double touch = 0;
  std::string group;
  Vec3d low{0, 0, 0}, high{0, 0, 0};
  Place place;
};

/// A line that fibres follow.
struct LineSpec {
  struct Point {
    Vec3d at{0, 0, 0};
  };
  std::vector<Point> points;
  Place place;
};

/// A part of a body with fibres that can contract.
struct MuscleSpec {
  std::string name;
  ShapeSpec shape;
  std::string fibres = "harmonic";
  Vec3d direction{1, 0, 0};
  EndSpec origin, insertion;
  std::string file;
  double scale = 1;
  std::vector<LineSpec> lines;
  materials::MaterialSpec material{.preset = "muscle_lee_2009"};
  std::string joint;
  Vec3d axis{0, 0, 0};
  std::vector<BendSpec> bends;
  std::vector<ActivationSpec> activations;  ///< those of its joint, where it has one
  Place place;
};

/// Rayleigh's two coefficients.
struct DampingSpec {
  double mass = 0;
  double stiffness = 0;
};

/// A region of a file of tets with a material of its own.
struct RegionSpec {
  std::string name;
  materials::MaterialSpec material;
  Place place;
};

/// A membrane on the surface of a body.
struct SkinSpec {
  std::string law = "none";
  double thickness = 2e-3, modulus = 1e5, steepness = 1;
};

/// A closed band of rubber around a body.
struct BandSpec {
  std::string name;
  Vec3d center{0, 0, 0}, axis{0, 1, 0};
  double width = 0.05, within = 0, girth = 0;
  double thickness = 1e-3, young = 1e6, density = 1000, friction = 0;
  double edge = 0;
  double tight_at = 0;
  Place place;
};

/// The volume that a zone is to have at a frame, over that at rest.
struct ZoneKeySpec {
  double frame = 0;
  double volume = 1;
};

/// A part of a body of tets that keeps its volume as a whole.
struct ZoneSpec {
  std::string name;
  std::string where = "all";
  int painted = 1;
  std::string region;
  Vec3d low{0, 0, 0}, high{0, 0, 0};
  int rings = 1;
  std::vector<ZoneKeySpec> keys;
  Place place;
};

/// What a search for a rest shape has found beside the surface that fills the cells.
struct RestShape {
  Vec3d anchor;  ///< a corner of a cell: cells lie as they would about the given shape, m
  /// Where vertices are at rest: not quite on that surface, by what the search leaves. None while
  /// it goes on.
  std::vector<Vec3d> vertices;
};

/// Bones of an anatomy that move.
struct MovedBonesSpec {
  std::string bones;
  std::string joint;
  AnimationSpec animation;  ///< of each bone, "{}" standing for its name
  std::string turns_about = "middle";
  Vec3d pivot{0, 0, 0};
  std::string ease = "smooth";
  std::vector<KeySpec> keys;
  Place place;
};

/// Muscles of an anatomy that contract.
struct ActiveMusclesSpec {
  std::string muscles;
  std::string joint;
  Vec3d axis{0, 0, 0};
  std::vector<BendSpec> bends;
  std::vector<ActivationSpec> activations;
  Place place;
};

/// Bones and muscles of a folder of surfaces: short for a hold or a muscle for each of them.
struct AnatomySpec {
  std::string folder;
  double scale = 1;
  std::string bones = "bone_*", muscles = "muscle_*", without, slide;
  double touch = 0;
  double stiffness = 1e8;
  materials::MaterialSpec material{.preset = "muscle_lee_2009"};
  std::vector<MovedBonesSpec> moves;
  std::vector<ActiveMusclesSpec> active;
  Place place;
};

struct BodySpec {
  std::string name;
  std::string tets;
  double tets_scale = 1;
  std::string surface = "tets";
  int grading = 0;
  ShapeSpec shape;
  double cell_size = 0;
  std::string embedding = "tricubic";
  std::string boundary = "cut";
  int padding = 0;
  bool separate = true;
  bool sag_free = false;
  std::shared_ptr<const RestShape> rest;  ///< of one that was searched for
  materials::MaterialSpec material;
  DampingSpec damping;
  Vec3d velocity{0, 0, 0}, angular_velocity{0, 0, 0};
  std::vector<PaintSpec> paints;
  std::vector<ActivationSpec> activations;
  std::vector<MuscleSpec> muscles;
  BonesSpec bones;
  std::vector<AnatomySpec> anatomies;  ///< none after a scene is read
  std::vector<HoldSpec> holds;
  std::vector<LoadSpec> loads;
  std::vector<RegionSpec> regions;
  SkinSpec skin;
  std::vector<BandSpec> bands;
  std::vector<ZoneSpec> zones;
  Place place;

  /// Whether its surface is the boundary of its tets.
  bool shows_tets() const { return !tets.empty() && surface == "tets"; }
};

/// Two bodies that hang together where they are close.
struct TieSpec {
  std::string name;
  std::string first, second;
  double distance = 0;
  double stiffness = 0;
  Place place;
};

/// What bodies touch, and what moves as it is told.
struct ColliderSpec {
  std::string name;
  ShapeSpec shape{.kind = "plane", .axis = {0, 1, 0}};  ///< with kinds of its own
  Vec3d normal{0, 1, 0};
  std::string sides = "solid";
  std::string meets = "auto";
  double friction = 0, thickness = 0;
  std::string joint;
  AnimationSpec animation;
  bool deforms = false;
  std::vector<KeySpec> keys;  ///< those of its joint or animation, where it has one
  /// Those of its animation in place of keys, where it deforms.
  std::shared_ptr<const std::vector<ShapeKeySpec>> shapes;
  Place place;
};

/// How far a joint has turned about its axis at a frame, and where it is.
struct JointKeySpec {
  double frame = 0;
  double angle = 0;
  Vec3d translate{0, 0, 0};
};

/// A joint written in the scene, in place of those of a file.
struct JointSpec {
  std::string name, parent;
  Vec3d position{0, 0, 0};
  Vec3d axis{0, 0, 1};
  std::string ease = "smooth";
  std::vector<JointKeySpec> keys;
  Place place;
};

/// What moves holds, muscles and colliders that name one of its joints.
struct SkeletonSpec {
  std::string file;
  double scale = 1;
  std::string clip;
  double start = 0, speed = 1;
  bool repeat = false;
  double pre_roll = 0;
  std::string root_motion = "keep";
  std::vector<JointSpec> joints;
  std::shared_ptr<const anatomy::Skeleton> given;  ///< what a caller has in place of the file
  std::vector<KeySpec> root_keys;  ///< where the root goes, where its motion is removed
  Place place;

  bool exists() const { return given || !file.empty() || !joints.empty(); }
  /// Whether joints and their motion are written in the scene.
  bool written() const { return !given && file.empty(); }
};

struct SceneSpec {
  int format = kSceneFormat;
  std::string title;
  TimeSpec time;
  WorldSpec world;
  MethodSpec method;
  SkeletonSpec skeleton;
  std::vector<BodySpec> bodies;
  std::vector<TieSpec> ties;
  std::vector<ColliderSpec> colliders;
  std::filesystem::path file;  ///< where it was read from; meshes are found beside it

  /// Whether its bodies meet anything: colliders, each other, or themselves.
  bool touches() const { return !colliders.empty() || method.self_contact; }
  /// Or bones that they slide over.
  bool has_contact() const { return touches() || slides_over_bones(); }
  /// Whether flesh slides over any bone.
  bool slides_over_bones() const;
};

void describe(FieldVisitor& visitor, TimeSpec& spec);
void describe(FieldVisitor& visitor, WorldSpec& spec);
void describe(FieldVisitor& visitor, MethodSpec& spec);
void describe(FieldVisitor& visitor, ShapeSpec& spec);
/// Where a shape of its kind is, and how large: what is left without kind and edge.
void describe_measures(FieldVisitor& visitor, ShapeSpec& spec);
void describe(FieldVisitor& visitor, KeySpec& spec);
void describe(FieldVisitor& visitor, HoldSpec& spec);
void describe(FieldVisitor& visitor, LoadKeySpec& spec);
void describe(FieldVisitor& visitor, LoadSpec& spec);
void describe(FieldVisitor& visitor, PaintSpec& spec);
void describe(FieldVisitor& visitor, ActivationSpec& spec);
void describe(FieldVisitor& visitor, EndSpec& spec);
void describe(FieldVisitor& visitor, LineSpec::Point& spec);
void describe(FieldVisitor& visitor, LineSpec& spec);
void describe(FieldVisitor& visitor, MuscleSpec& spec);
void describe(FieldVisitor& visitor, AnimationSpec& spec);
void describe(FieldVisitor& visitor, MovedBonesSpec& spec);
void describe(FieldVisitor& visitor, ActiveMusclesSpec& spec);
void describe(FieldVisitor& visitor, AnatomySpec& spec);
void describe(FieldVisitor& visitor, DampingSpec& spec);
void describe(FieldVisitor& visitor, RegionSpec& spec);
void describe(FieldVisitor& visitor, SkinSpec& spec);
void describe(FieldVisitor& visitor, BandSpec& spec);
void describe(FieldVisitor& visitor, ZoneKeySpec& spec);
void describe(FieldVisitor& visitor, ZoneSpec& spec);
void describe(FieldVisitor& visitor, BodySpec& spec);
void describe(FieldVisitor& visitor, TieSpec& spec);
void describe(FieldVisitor& visitor, ColliderSpec& spec);
void describe(FieldVisitor& visitor, BonesSpec& spec);
void describe(FieldVisitor& visitor, BendSpec& spec);
void describe(FieldVisitor& visitor, JointKeySpec& spec);
void describe(FieldVisitor& visitor, JointSpec& spec);
void describe(FieldVisitor& visitor, SkeletonSpec& spec);
void describe(FieldVisitor& visitor, SceneSpec& spec);

/// Reads and checks a scene file. `settings` are "key=value" pairs that override it.
SceneSpec load_scene(const std::filesystem::path& file, std::span<const std::string> settings = {});

/// The same from text; `file` is where meshes are looked for and what messages name.
SceneSpec parse_scene(std::string_view text, const std::filesystem::path& file,
                      std::span<const std::string> settings = {});

/// The scene as TOML with every default resolved.
std::string resolved_scene(const SceneSpec& scene);

/// Every key of a scene with its unit, default, range and meaning, as Markdown.
std::string scene_reference();

/// What `shape.kind` may be.
std::span<const std::string_view> shape_kinds();

}  // namespace isochor::sim
