#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isochor/grid/lattice.h"
#include "isochor/lattice/skin.h"
#include "isochor/lattice/surfaces.h"
#include "isochor/materials/parameters.h"
#include "isochor/materials/tangent.h"
#include "isochor/math/mat3.h"
#include "isochor/solve/newton.h"
#include "isochor/solve/springs.h"
#include "isochor/solve/time_integration.h"

namespace isochor::lattice {

/// Points of a cell that has some of its own.
inline constexpr int kCutPoints = 4;

/// Which motions a hold leaves to its nodes, along or across a direction that comes with each step.
/// A node may be in several holds that slide: it then has what all of them leave. What a hold does
/// not leave goes before what another one does.
enum class Slide {
  None,
  InPlane,    ///< any that keep the distance along the direction
  AlongLine,  ///< along the direction only
};

/// Nodes that follow a prescribed motion.
struct HoldSpec {
  std::string name;
  std::vector<std::int32_t> nodes;  ///< numbers within the body's lattice
  std::string place;                ///< names the hold in errors
  Slide slide = Slide::None;
};

/// A part of the surface that a follower pressure pushes at.
struct PressureSpec {
  std::string name;
  std::vector<grid::SurfaceFacet> facets;  ///< turned outward; cells of the body's lattice
};

/// A part of the surface that follows a prescribed motion, wherever it cuts through cells.
struct HeldSurfaceSpec {
  std::string name;
  std::vector<grid::SurfaceFacet> facets;
  Slide slide = Slide::None;
  Vec3d direction{0, 0, 1};  ///< unit, at rest; read where it slides
};

/// Springs that belong together: a soft hold, or what ties one body to another.
struct SpringGroupSpec {
  std::string name;
  std::vector<solve::Spring> springs;  ///< nodes numbered through all bodies, one after another
};

/// A law with its numbers; the two moduli are per cell.
struct Material {
  int law = 0;                                       ///< index in materials::Laws
  std::array<double, materials::kMaxShape> shape{};  ///< the law's further numbers
};

/// What a body is made of, before it becomes part of a model.
struct BodySpec {
  std::string name;
  grid::Lattice lattice;
  int law = 0;                                       ///< index in materials::Laws
  std::array<double, materials::kMaxShape> shape{};  ///< the law's further numbers
  std::vector<Material> more_materials;      ///< numbers 1, 2, ...; 0 is law and shape above
  std::vector<std::uint8_t> cell_materials;  ///< per cell, the number of its material; none: 0
  std::vector<double> mu, lambda;            ///< per cell in Lattice::for_each_cell order, Pa
  std::vector<Mat3d> axes;  ///< per cell, of laws with directions: fibre, sheet, normal
  /// The same at the points of cells that have some of their own; none: as all over the cell.
  std::vector<std::array<Mat3d, kCutPoints>> point_axes;
  std::vector<double> activation;  ///< per cell, a factor of its material's; none: 1
  std::vector<double> fibres;      ///< per cell, a factor of all that fibres do; none: 1
  /// Per cell, from 0 to 1, where FibrePoint::Centroid has its fibres; none: the centroid of its
  /// points.
  std::vector<Vec3d> fibre_points;
  std::vector<double> fill;      ///< per cell, the part of it that is material; none: 1
  double density = 1000;         ///< kg/m^3
  double mass_damping = 0;       ///< Rayleigh's coefficient of the mass, 1/s
  double stiffness_damping = 0;  ///< that of the stiffness, s
  std::vector<HoldSpec> holds;
  std::vector<PressureSpec> pressures;
  std::vector<HeldSurfaceSpec> held_surfaces;
  SkinSpec skin;
};

/// Where a cell's energy is evaluated. Cells of grid::Lattice::cut_cells and those with skin have
/// points of their own.
enum class Quadrature {
  OnePoint,    ///< at its centre, stabilised: the others
  Gauss,       ///< at eight Gauss points, all of them: a reference
  FourPoints,  ///< at every other Gauss point, the others [Patterson12 sec 3.1]
};

/// What the stiffness matrix knows of a cell's four points. With less than all of them Newton's
/// method becomes a defect correction [Patterson12 (13)].
enum class FourPointTangent {
  Exact,
  AtSurface,  ///< at the surface only: inside, one point, stabilised
  None,       ///< one point, stabilised, everywhere: the published K1
};

/// Where the fibres of a cell with points of its own are.
enum class FibrePoint {
  Points,    ///< with the rest of the law
  Centroid,  ///< at one point, that of the muscle in the cell [Patterson12 sec 5]
};

/// What makes a linear solve short. Cycles know one point per cell: with Gauss quadrature the
/// diagonal is what there is, and Newton's method the solver.
enum class Preconditioner {
  Jacobi,     ///< the diagonal: iterations grow with the resolution
  Multigrid,  ///< one cycle: they do not
};

/// Which cycle of multigrid, and what it is used for.
enum class Cycle {
  Best,       ///< ours, as the preconditioner of conjugate gradients
  Published,  ///< [McAdams11 alg 2], repeated until the residual is small
};

/// What finds the equilibrium.
enum class Solver {
  Newton,  ///< linear systems one after another
  Fas,     ///< nonlinear cycles of multigrid [McAdams11 alg 3], Newton's method where they stall
};

struct Params {
  Quadrature quadrature = Quadrature::OnePoint;
  FourPointTangent four_point_tangent = FourPointTangent::Exact;
  FibrePoint fibre_point = FibrePoint::Points;
  bool stabilise = true;         ///< off shows the hourglass modes of bare one-point quadrature
  bool always_definite = false;  ///< never use the exact tangent: the published method
  /// What is done about negative curvature. None: a search ends where it is met.
  materials::Definiteness definiteness = materials::Definiteness::Clamp;
  Preconditioner preconditioner = Preconditioner::Jacobi;
  Cycle cycle = Cycle::Best;
  int sweeps = 5;        ///< of damped Jacobi per grid transfer of the published cycle
  int least_levels = 1;  ///< of multigrid, before one is solved directly
  Solver solver = Solver::Newton;
  solve::Integrator integrator = solve::Integrator::Static;
  solve::NewtonParams newton;
};

struct Hierarchy;

/// Blocks side by side in a group: one lane of the widest registers each.
inline constexpr int kGroupBlocks = 16;

/// What is special to a block of eight cells.
struct Block {
  std::uint8_t active = 0;                 ///< bit per cell; none in the padding of a group
  std::array<std::uint8_t, 8> material{};  ///< per cell, among those of the body
  double h = 0;
};

/// Blocks of one body that share no node, structure of arrays: what kernels work on. A group is
/// filled up with blocks that have no cell. Aligned and without the moduli, which only laws read:
/// applying a stiffness streams through all groups.
struct alignas(64) BlockGroup {
  /// Three times the number of a node in the model: where its vectors begin. An unused one repeats
  /// a used one of its block, and blocks that are only padding repeat the others in turn: nothing
  /// is added there, so that kernels need not ask.
  std::int32_t nodes[27][kGroupBlocks];
  double h = 0;
  std::int32_t body = 0;
  std::int32_t tangent = 0;     ///< in Tangents::principal, or in Tangents::dense and Model::axes
  bool dense = false;           ///< some law in it has directions of its own
  bool whole = false;           ///< all cells are there
  bool has_last_node = false;   ///< of the model: nothing may be read behind its vectors
  std::uint64_t materials = 0;  ///< bit per material of the body that occurs
};

/// What the cells of a group are made of; those that are not there have only zeros.
struct GroupModuli {
  double mu[8][kGroupBlocks], lambda[8][kGroupBlocks];  ///< Pa
  double fill[8][kGroupBlocks];                         ///< the part of a cell that is material
  /// The part of a cell that its centre stands for: all that is material, or nothing where the cell
  /// has points of its own.
  double weight[8][kGroupBlocks];
};

/// The laws' own axes in the cells of a group, by columns, how much of their material's activation
/// they get, and how much of its fibres they have.
struct GroupAxes {
  double Q[9][8][kGroupBlocks];
  double activation[8][kGroupBlocks], fibres[8][kGroupBlocks];
};

/// Cells with points of their own, one per lane: some of one tile, of one material of one body. A
/// group is filled up with cells that have no volume and repeat the first.
struct alignas(64) CutGroup {
  std::int32_t nodes[8][kGroupBlocks];            ///< at the corners, as in BlockGroup
  std::int32_t cell[kGroupBlocks];                ///< block * 8 + lane
  double point[kCutPoints][3][kGroupBlocks];      ///< in the cell, from 0 to 1
  double volume[kGroupBlocks];                    ///< of its material, m^3
  double mu[kGroupBlocks], lambda[kGroupBlocks];  ///< Pa
  double h = 0;
  std::int32_t body = 0;
  std::int32_t material = 0;  ///< in Model::materials
  std::int32_t axes = -1;     ///< in Model::cut_axes, of laws with directions
  std::int32_t matrix = -1;   ///< in Tangents::cut; none where the centre stands for the points
  std::int32_t fibres = -1;   ///< in Model::fibre_groups; none where fibres are at the points
};

/// A body's place among the arrays of a model.
struct BodyRange {
  std::string name;
  std::int32_t first_node = 0, node_count = 0;
  std::int32_t first_cell = 0, cell_count = 0;
  std::int32_t first_material = 0;
  double mass_damping = 0, stiffness_damping = 0;  ///< 1/s, s
};

struct Hold {
  std::string name;                 ///< "body.hold"
  std::vector<std::int32_t> nodes;  ///< in the model
  Slide slide = Slide::None;
};

struct SpringGroup {
  std::string name;
  std::int32_t first = 0, count = 0;  ///< in Model::springs
};

/// Nodes one after another.
struct NodeRun {
  std::int32_t begin = 0, end = 0;
};

/// Some nodes of every tile.
struct TileNodes {
  std::vector<NodeRun> runs;
  std::vector<std::int32_t> first{0};  ///< tile t: [first[t], [t + 1])

  std::span<const NodeRun> of(std::size_t tile) const {
    return std::span(runs).subspan(first[tile], first[tile + 1] - first[tile]);
  }
};

/// What a node may do of its own.
enum class Freedom : std::uint8_t { Free, Held, Sliding };

/// All that a simulation of lattice bodies needs and never changes.
struct Model {
  Params params;
  std::vector<BodyRange> bodies;
  std::vector<Material> materials;   ///< those of one body after those of another
  std::vector<Block> blocks;         ///< group g: [kGroupBlocks g, kGroupBlocks (g + 1))
  std::vector<BlockGroup> groups;    ///< tile t: [tile_starts[t], [t + 1])
  std::vector<GroupModuli> moduli;   ///< per group
  std::vector<GroupAxes> axes;       ///< of groups that are dense
  std::vector<CutGroup> cut_groups;  ///< those of tile t: [first_cut[t], [t + 1])
  std::vector<std::int32_t> first_cut;
  /// The same cells with all four points where their fibres are, and of their law only these.
  std::vector<CutGroup> fibre_groups;
  /// Axes of their points, as if point q of lane l were number kGroupBlocks q + l of a half group.
  std::vector<GroupAxes> cut_axes;
  std::int32_t matrix_count = 0;  ///< cut groups with a matrix
  /// Tiles are groups close to each other, whose nodes a cache holds. Tiles of one colour share no
  /// node; colour c: tiles [color_starts[c], [c + 1]).
  std::vector<std::int32_t> tile_starts, color_starts;
  TileNodes tile_nodes;
  /// Those that no tile before has: what is added up over tiles begins with zeros there.
  TileNodes opened_nodes;
  /// Per cell, in the order of bodies and of Lattice::for_each_cell: block * 8 + lane.
  std::vector<std::int32_t> cells;
  std::vector<Vec3d> rest_positions;  ///< per node, m
  std::vector<double> mass;           ///< per node, kg
  std::vector<Freedom> freedom;       ///< per node
  std::vector<std::int32_t> sliding;  ///< nodes that slide, ascending
  std::vector<Hold> holds;
  solve::Springs springs;
  std::vector<SpringGroup> spring_groups;
  Surfaces surfaces;  ///< that are pushed at or held
  Skin skin;
  /// What rounding leaves on a node, per metre that it is away from the origin, N/m.
  double rounding_stiffness = 0;
  std::shared_ptr<const Hierarchy> hierarchy;  ///< of coarser models, where multigrid is wanted

  std::size_t node_count() const { return rest_positions.size(); }
  /// Whether the centres of cells count in the energy.
  bool has_centres() const { return params.quadrature != Quadrature::FourPoints; }
  bool moves() const { return params.integrator != solve::Integrator::Static; }
  bool has_stiffness_damping() const;
  std::size_t held_count() const;  ///< nodes of all holds; one in several counts for each
  /// The node at a corner of an entry of `cells`.
  std::int32_t corner(std::int32_t cell, int c) const {
    const std::int32_t block = cell / 8;
    const BlockGroup& group = groups[block / kGroupBlocks];
    return group.nodes[grid::block_node(cell % 8, c)][block % kGroupBlocks] / 3;
  }
  /// The moduli of an entry of `cells`, Pa.
  double mu(std::int32_t cell) const {
    return moduli[cell / (8 * kGroupBlocks)].mu[cell % 8][cell / 8 % kGroupBlocks];
  }
  double lambda(std::int32_t cell) const {
    return moduli[cell / (8 * kGroupBlocks)].lambda[cell % 8][cell / 8 % kGroupBlocks];
  }
  /// Where the material of a cell of a block of this group is in `materials`.
  std::int32_t material(const BlockGroup& group, const Block& block, int lane) const {
    return bodies[group.body].first_material + block.material[lane];
  }
};

/// Puts bodies together. A node in two holds that do not slide is an input error that
/// names both.
Model build_model(const std::vector<BodySpec>& bodies, const Params& params,
                  const std::vector<SpringGroupSpec>& springs = {});

/// What rounding leaves on a node, N. Positions are rounded relative to their size: a body may have
/// travelled, or have collapsed to a point.
double rounding_force(const Model& model, std::span<const Vec3d> positions);

/// Memory that a model holds, bytes.
std::size_t bytes_allocated(const Model& model);

}  // namespace isochor::lattice
