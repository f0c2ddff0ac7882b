#pragma once

#include <optional>

#include "isochor/lattice/model.h"
#include "isochor/materials/volume_measure.h"

/// The lattice with a pressure in every cell [Patterson12 sec 2.2]: any law at any degree of
/// incompressibility, up to exactly incompressible. With one point per cell the energy is
///     sum_k W_k (Psi0(F_k) + p_k M(F_k) - p_k^2 / (2 kappa))       [Patterson12 (7)]
///     - delta / (2 mu) sum_k W_k (p_k - mean of p in its block)^2  (Silvester and Kechkar 1990)
///     + what resists modes that the point does not see,
/// to be minimised by positions and maximised by pressures. The second line is not the paper's:
/// cells with one pressure each allow for checkerboards, and it takes them away without touching
/// the volume of a block. Pressures are positive in tension here, Pa.
namespace isochor::lattice::mixed {

/// How tangents are made definite enough where the exact one fails.
enum class Variant {
  Best,       ///< exact first; block-triangular GMRES with a cycle of multigrid
  Published,  ///< with the fix of [Patterson12 sec 5] always; symmetric QMR [Patterson12 sec 4]
};

/// What is averaged over the points of a cell that has several: Mbar.
enum class Mean {
  OfMeasure,  ///< M itself [Patterson12 (5)]
  OfVolume,   ///< J, of which M is then taken [Patterson12 (6)]; for measures of J only
};

/// What resists the modes of a cell that its centre does not see.
enum class Hourglass {
  Strain,  ///< their own deviatoric strain, as it is seen from the deformed cell: docs/mixed.md
  Spread,  ///< all that edges differ by [McAdams11 (17)], rotations too
};

/// The points of such a cell over which Mbar is taken.
enum class MeanPoints {
  Four,   ///< those of its energy
  Eight,  ///< these and their images in the cell's centroid: Gauss's eight of a whole cell, by
          ///< which the mean of J is exact [Patterson12 sec 3.1]
};

struct Params {
  Variant variant = Variant::Best;
  /// None: that of each law, but J - 1 for ln J where a material is close to incompressible, which
  /// then keeps the volume of blocks exactly and is solved faster.
  std::optional<materials::VolumeMeasure> measure;
  Mean mean = Mean::OfMeasure;
  MeanPoints mean_points = MeanPoints::Four;
  /// Spread, whatever is asked for, with Variant::Published and for linear elasticity, which
  /// rotations do strain.
  Hourglass hourglass = Hourglass::Strain;
  double stabilise = 1;  ///< part of that resistance; 0: bare one-point quadrature
  /// Where matrices know one point per cell only (FourPointTangent::None), cells at the surface
  /// count whole there: the published K1. Otherwise by what is in them.
  bool whole_in_matrix = false;
  double jumps = 0.1;        ///< delta; 0: no stabilisation of pressures
  double tolerance = 1e-6;   ///< of forces, relative, and of the volume of cells
  int max_iterations = 100;  ///< linear systems per step
  int max_krylov = 40;       ///< iterations per linear system; then the fallback
  int max_qmr = 5000;        ///< the same of the published variant, which takes what it has then
  double krylov_tolerance = 1e-3;
};

/// Pressures lie as kernels want them: cell c of block b in group g at
/// [kGroupCells g + kGroupBlocks c + b]. Cells that are not there have the pressure zero.
inline constexpr int kGroupCells = 8 * kGroupBlocks;

/// What the pressures of a group are coupled by; all zero for cells that are not there.
struct GroupVolume {
  double volume[8][kGroupBlocks];      ///< W, m^3
  double compliance[8][kGroupBlocks];  ///< 1/kappa, 1/Pa
  double jump[8][kGroupBlocks];        ///< W delta / mu, m^3/Pa, mu as the block's shape has it
  std::uint8_t region[8][kGroupBlocks];
  int regions = 1;  ///< most that a block of the group has: pressures jump freely between them
};

/// How a material measures volume.
struct Measure {
  materials::VolumeMeasure kind = materials::VolumeMeasure::J;
  double penalty = 0;  ///< beta of materials::RatioVolume
};

struct Model {
  /// Bodies without what resists a change of volume: laws with kappa = 0, on all levels.
  lattice::Model base;
  Params params;
  std::vector<Measure> measures;     ///< per Model::materials of the base
  std::vector<GroupVolume> volumes;  ///< per group
  /// The same as matrices have it, where they count cells at the surface whole.
  std::vector<GroupVolume> whole_volumes;
  /// Unit of the unknown pressure, Pa/m: [Patterson12 (7)]'s alpha, mu by the size of the body.
  /// With mu/h, which would weigh volumes and forces alike, roundings of a preconditioner in single
  /// precision count too much: 26 iterations instead of 18 on 64^3 cells.
  double alpha = 1;
  /// Per body whether a constant pressure does nothing: held all over and incompressible.
  std::vector<std::uint8_t> has_constant_pressure;

  /// Parts of Hourglass::Strain, and of [McAdams11 (17)] in the energy, in cycles of multigrid, and
  /// on their coarse levels.
  double strain_part() const;
  double spread_part() const;
  double cycle_spread() const;
  double coarse_spread() const;

  const GroupVolume& matrix_volume(std::size_t group) const {
    return whole_volumes.empty() ? volumes[group] : whole_volumes[group];
  }
  std::size_t node_count() const { return base.node_count(); }
  std::size_t pressure_count() const { return std::size_t(kGroupCells) * base.groups.size(); }
  /// Where the pressure of an entry of Model::cells is.
  static std::size_t pressure_at(std::int32_t cell) {
    const std::int32_t block = cell / 8;
    return std::size_t(block / kGroupBlocks) * kGroupCells +
           std::size_t(cell % 8 * kGroupBlocks + block % kGroupBlocks);
  }
};

/// As lattice::build_model. Lambda may be infinite. A law that cannot be combined with the measure
/// asked for is an input error.
Model build_model(std::vector<BodySpec> bodies, lattice::Params lattice_params,
                  const Params& params, const std::vector<SpringGroupSpec>& springs = {});

}  // namespace isochor::lattice::mixed
