#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isochor/contact/obstacle.h"
#include "isochor/geometry/tet_mesh.h"
#include "isochor/materials/material_spec.h"
#include "isochor/shells/sheets.h"
#include "isochor/solve/block_rows.h"
#include "isochor/solve/newton.h"
#include "isochor/solve/springs.h"
#include "isochor/solve/time_integration.h"
#include "isochor/tets/zones.h"

/// Elastic bodies of tetrahedra with one deformation gradient each.
namespace isochor::tets {

/// Nodes that follow a prescribed motion.
struct HoldSpec {
  std::string name;
  std::vector<std::int32_t> nodes;  ///< numbers within the body's mesh
};

/// Nodes that follow a prescribed motion in a plane's normal alone, or across a line. A node may be
/// in several of them: it then has what all of them leave.
struct SlidingHoldSpec {
  std::string name;
  std::vector<std::int32_t> nodes;  ///< as in HoldSpec; in no hold that does not slide
  bool along_line = false;
};

/// What a body is made of, before it becomes part of a model.
struct BodySpec {
  std::string name;
  geometry::TetMesh mesh;  ///< all tets of positive volume; none: a body of sheets
  std::vector<materials::Material> materials;
  std::vector<std::uint8_t> tet_materials;  ///< per tet, the number of its material; none: 0
  std::vector<double> mu, lambda;           ///< per tet, Pa; none: those of its material
  std::vector<double> stiffness;            ///< per tet, a factor of both moduli; none: 1
  std::vector<Mat3d> axes;         ///< per tet, of laws with directions; none: the material's
  std::vector<double> activation;  ///< per tet, a factor of its material's; none: 1
  std::vector<double> fibres;      ///< per tet, a factor of what its law's fibres do; none: 1
  double mass_damping = 0;         ///< Rayleigh's coefficient of the mass, 1/s
  double stiffness_damping = 0;    ///< that of the stiffness, s
  std::vector<HoldSpec> holds;
  std::vector<SlidingHoldSpec> sliding;
  std::vector<ZoneSpec> zones;  ///< that keep their volume; pressures in them are unknowns
  /// Skin on its surface; or, of a body without tets, the body itself.
  std::vector<shells::SheetSpec> sheets;
};

/// Springs that have a name together: a soft hold, or a tie between bodies.
struct SpringGroupSpec {
  std::string name;
  std::vector<solve::Spring> springs;  ///< nodes numbered through all bodies, one after another
};

enum class Preconditioner {
  Jacobi,   ///< the diagonal blocks: iterations grow with the resolution
  Lattice,  ///< a lattice around the body as auxiliary space: they do not
};

struct Params {
  bool always_definite = false;  ///< never use the exact tangent
  Preconditioner preconditioner = Preconditioner::Lattice;
  double lattice_spacing = 1.5;  ///< edge of the auxiliary lattice's cells, in mean edges of tets
  solve::Integrator integrator = solve::Integrator::Static;
  solve::NewtonParams newton;
  ZoneParams zones;
  /// Newton's method as general optimisers have it, as published with zones [Sheen21 sec 8]: from
  /// where the last step ended or inertia leads, all systems solved as if by a factorisation, no
  /// guesses beside it and no nodes that settle by themselves.
  bool published = false;
};

/// Tets of one material that laws are evaluated for at once.
struct Batch {
  std::int32_t first = 0, count = 0;
  std::int32_t material = 0;  ///< in Model::materials
};
inline constexpr int kBatch = 64;

/// A body's place among the arrays of a model.
struct BodyRange {
  std::string name;
  std::int32_t first_node = 0, node_count = 0;
  std::int32_t first_tet = 0, tet_count = 0;
  std::int32_t first_material = 0;
  double mass_damping = 0, stiffness_damping = 0;  ///< 1/s, s
};

struct Hold {
  std::string name;                 ///< "body.hold"
  std::vector<std::int32_t> nodes;  ///< in the model
};

struct SlidingHold {
  std::string name;                 ///< "body.hold"
  std::vector<std::int32_t> nodes;  ///< in the model
  bool along_line = false;
};

struct SpringGroup {
  std::string name;
  std::int32_t first = 0, count = 0;  ///< in Model::springs
};

class Auxiliary;

/// All that a simulation of tet bodies needs and never changes. Tets stand in the order of their
/// bodies, within a body by material and then as the mesh has them.
struct Model {
  Params params;
  std::vector<BodyRange> bodies;
  std::vector<materials::Material> materials;  ///< those of one body after those of another
  std::vector<Batch> batches;
  std::vector<geometry::Tet> tets;   ///< nodes of the model
  std::vector<std::int32_t> source;  ///< per tet its number in the body's mesh
  std::vector<double> volume;        ///< at rest, m^3
  std::vector<double> mu, lambda;    ///< per tet, Pa
  std::vector<double> activation;    ///< per tet, a factor; none: 1
  std::vector<double> fibres;        ///< the same, of what fibres do
  /// Per tet, G: F Q = (x1 - x0, x2 - x0, x3 - x0) G, with Q the axes of its law: the identity
  /// where that has no directions.
  std::vector<Mat3d> gradient;
  std::vector<Mat3d> axes;  ///< Q, where any law has directions
  /// What tets do to node i: entries [first_use[i], [i + 1]) of `uses`, each 4 tet + corner.
  std::vector<std::int32_t> first_use, uses;
  solve::BlockPattern pattern;  ///< of the stiffness matrix, with sheets and springs
  /// Per entry of `uses` and corner of its tet, the place within the row of the node.
  std::vector<std::array<std::uint16_t, 4>> places;
  std::vector<std::int32_t> mirrored;  ///< per block of the pattern, where its transpose is
  shells::Sheets sheets;
  std::vector<std::array<std::uint16_t, 4>> sheet_places;  ///< the same of Sheets::uses
  solve::Springs springs;
  std::vector<SpringGroup> spring_groups;
  std::vector<Vec3d> rest_positions;  ///< per node, m
  std::vector<double> mass;           ///< per node, kg
  std::vector<std::uint8_t> held;     ///< per node
  std::vector<Hold> holds;
  std::vector<SlidingHold> sliding;
  Zones zones;
  /// What bodies meet with all of their surface. Their vertices are the last nodes, without tets,
  /// each after those of the one before; all are held, where obstacles are (`place_obstacles`).
  std::vector<contact::Obstacle> obstacles;
  std::size_t first_obstacle_node = 0;
  /// What rounding leaves on a node, per metre that it is away from the origin, N/m.
  double rounding_stiffness = 0;
  /// What free sheets pull with, all nodes together, at a strain that counts as slack, N: the scale
  /// of forces where nothing else has any. And what they resist with, the mean of nodes, N/m.
  double slack_force = 0, sheet_stiffness = 0;
  std::shared_ptr<const Auxiliary> auxiliary;  ///< where Preconditioner::Lattice is wanted

  std::size_t node_count() const { return rest_positions.size(); }
  std::size_t obstacle_node_count() const { return node_count() - first_obstacle_node; }
  /// Where the pattern has the block of two nodes.
  std::int32_t place_of(std::size_t row, std::int32_t column) const;
  std::int32_t diagonal_place(std::size_t node) const { return place_of(node, std::int32_t(node)); }
  /// Whether a tet or a sheet has the node.
  bool is_used(std::size_t node) const {
    return first_use[node] < first_use[node + 1] ||
           sheets.first_use[node] < sheets.first_use[node + 1];
  }
  /// Whether sheets alone have the node, and nothing holds it.
  bool is_free_sheet(std::size_t node) const {
    return first_use[node] == first_use[node + 1] && !held[node];
  }
  bool moves() const { return params.integrator != solve::Integrator::Static; }
  std::size_t held_count() const;
  std::size_t sliding_count() const;
  /// Per node, whether a hold has it that slides or not: nothing else may move it.
  std::vector<std::uint8_t> is_held_at_all() const;
  /// The largest of all bodies, s.
  double stiffness_damping() const;
};

/// Puts bodies together. Input errors that name the body: tets of no or negative volume (with their
/// number), neither tets nor sheets, a material that keeps its volume exactly, a node in two holds,
/// a zone without tets or with numbers that are no tets.
Model build_model(const std::vector<BodySpec>& bodies, const Params& params, ThreadArena& arena,
                  const std::vector<SpringGroupSpec>& springs = {},
                  std::vector<contact::Obstacle> obstacles = {});

/// Where the nodes of obstacles are at `time`, s.
void place_obstacles(const Model& model, double time, std::span<Vec3d> obstacle_nodes);

/// Memory that a model holds without its auxiliary lattice, bytes.
std::size_t bytes_allocated(const Model& model);

}  // namespace isochor::tets
