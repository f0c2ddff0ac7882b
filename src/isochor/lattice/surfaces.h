#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/grid/surface_patches.h"
#include "isochor/solve/springs.h"

/// Parts of embedded surfaces that are pushed at or held, whatever way they cut through cells: all
/// that solvers need of them, as exact integrals over the piece of surface in each cell. What a
/// cell costs does not depend on how many triangles it has.
namespace isochor::lattice {

struct BodySpec;
struct Model;
enum class Slide;

/// Pairs (i, j) of corners of a cell with i < j, as (0, 1), (0, 2), ..., (6, 7).
inline constexpr int kCornerPairs = 28;

/// A piece of surface under pressure, in one cell.
struct PressurePart {
  std::int32_t load = 0;            ///< in Surfaces::pressures
  double pairs[8][kCornerPairs]{};  ///< integral of w_c (grad w_i x grad w_j) . N dA
};

/// A piece of surface that is held, in one cell.
struct HeldPart {
  std::int32_t hold = 0;    ///< in Surfaces::holds
  Vec3d normals[8]{};       ///< integral of w_c N dA, m^2
  double overlaps[8][8]{};  ///< integral of w_c w_d dA, m^2
};

/// Holds that may share a cell.
inline constexpr int kMostHolds = 8;

/// A cell with such pieces.
struct SurfaceCell {
  std::int32_t cell;  ///< as an entry of Model::cells
  std::array<std::int32_t, 8> nodes;
  std::int32_t first_pressure = 0, pressure_end = 0;  ///< in Surfaces::pressure_parts
  std::int32_t first_held = 0, held_end = 0;          ///< in Surfaces::held_parts
  double h = 0;
  double volume = 0;     ///< of the material in it, m^3
  int points = 1;        ///< where its energy is evaluated: the middle, or those of a cut cell
  Vec3d slopes[4][8]{};  ///< grad w_c there, 1/m
  double penalty = 0;    ///< per held area, N/m^3
};

struct HeldSurface {
  std::string name;  ///< "body.hold"
  Slide slide;
  Vec3d center{0, 0, 0};  ///< of its area at rest, m
};

/// All such pieces of a model.
struct Surfaces {
  std::vector<std::string> pressures;  ///< names of loads: "body.load"
  std::vector<HeldSurface> holds;
  std::vector<SurfaceCell> cells;        ///< by the tile of their block
  std::vector<std::int32_t> tile_first;  ///< tile t has cells [tile_first[t], [t + 1])
  std::vector<PressurePart> pressure_parts;
  std::vector<HeldPart> held_parts;
  /// What holds are to preconditioners: one spring per held part, at the middle of its area.
  solve::Springs springs;

  bool empty() const { return cells.empty(); }
  std::size_t bytes() const;
};

/// Where the points of a held surface have to be: x = rotation X + translation.
struct SurfaceMotion {
  Mat3d rotation = Mat3d::identity();
  Vec3d translation{0, 0, 0};  ///< m
  Vec3d direction{0, 0, 1};    ///< unit; read where the hold slides
};

/// What a step asks of surfaces.
struct SurfaceDemands {
  std::span<const double> pressures;       ///< per load, Pa, against the surface; none: all zero
  std::span<const SurfaceMotion> motions;  ///< per hold; none: all stay where they are
};

/// Of bodies whose cells are in the model already. Makes the model's rounding what holds ask for.
Surfaces build_surfaces(const std::vector<BodySpec>& bodies, Model& model);

/// Per node of a lattice the integral of its weight over facets, m^2: a dead traction pushes with
/// this times itself.
std::vector<double> nodal_areas(const grid::Lattice& lattice,
                                std::span<const grid::SurfaceFacet> facets);

/// Which components of a displacement a hold prescribes, as a projection.
Mat3d held_components(Slide slide, const Vec3d& direction);

}  // namespace isochor::lattice
