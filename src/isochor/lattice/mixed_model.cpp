#include "isochor/lattice/mixed_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/lattice/cell_law.h"
#include "isochor/lattice/multigrid.h"
#include "isochor/materials/volume_split.h"

namespace isochor::lattice::mixed {
namespace {

using materials::VolumeMeasure;
using materials::VolumeSplit;

/// Part of [McAdams11 (17)] that [Patterson12 sec 3.2] has for modes that are linear in a cell:
/// integrated over it, not along its edges.
constexpr double kIntegrated = 1.0 / 3;

/// From this Poisson's ratio on ln J is replaced by J - 1: lambda = 9 mu.
constexpr double kCloseToIncompressible = 9;

Material material_of(const BodySpec& body, std::size_t cell) {
  const int number = body.cell_materials.empty() ? 0 : body.cell_materials[cell];
  return number == 0 ? Material{body.law, body.shape} : body.more_materials[number - 1];
}

/// 1/kappa per cell of all bodies; leaves their laws with kappa = 0.
std::vector<double> take_kappa(std::vector<BodySpec>& bodies) {
  std::vector<double> compliance;
  for (BodySpec& body : bodies) {
    for (std::size_t c = 0; c < body.mu.size(); ++c) {
      const VolumeSplit& split = materials::volume_split(material_of(body, c).law);
      const double kappa = split.kappa(body.mu[c], body.lambda[c]);
      if (!(kappa > 0)) {
        throw Error(
            Fault::Input, body.name,
            fmt::format("has a cell that does not resist a change of volume: kappa = {} Pa", kappa),
            "give it a larger Poisson's ratio, or no pressures");
      }
      compliance.push_back(1 / kappa);
      body.lambda[c] = -split.mu_share * body.mu[c];
    }
  }
  return compliance;
}

Measure measure_of(const Material& material, const Params& params, bool stiff) {
  const VolumeSplit& split = materials::volume_split(material.law);
  const VolumeMeasure own = split.measure;
  const VolumeMeasure better = own == VolumeMeasure::LogJ && stiff ? VolumeMeasure::J : own;
  const VolumeMeasure chosen = params.measure.value_or(better);
  const bool linear = own == VolumeMeasure::Linear;
  if (linear != (chosen == VolumeMeasure::Linear)) {
    throw Error(Fault::Input, std::string(materials::kLawNames[std::size_t(material.law)]),
                fmt::format("cannot measure volume by '{}'",
                            materials::kVolumeMeasureNames[std::size_t(chosen)]),
                linear ? "linear elasticity goes with the measure 'linear' alone"
                       : "only linear elasticity goes with the measure 'linear'");
  }
  const bool penalised = split.has_penalty && chosen == VolumeMeasure::J;
  return {chosen, penalised ? material.shape[0] : 0.0};
}

/// Whether all cells of each material are close to incompressible, per material of the base.
std::vector<std::uint8_t> find_stiff(const lattice::Model& base,
                                     const std::vector<double>& compliance) {
  std::vector<std::uint8_t> stiff(base.materials.size(), 1);
  for (const BodyRange& body : base.bodies) {
    for (std::int32_t c = 0; c < body.cell_count; ++c) {
      const std::int32_t cell = base.cells[body.first_cell + c];
      const int material = base.blocks[cell / 8].material[cell % 8];
      const double ratio = base.mu(cell) * compliance[body.first_cell + c];
      if (ratio > 1 / kCloseToIncompressible) stiff[body.first_material + material] = 0;
    }
  }
  return stiff;
}

/// Per entry of Model::cells, at block * 8 + lane: whether all its nodes are held. Such a cell has
/// the volume that holds give it: asked to keep its own it would leave no solution where they
/// change it, and any pressure where they do not. It gets a finite modulus and is a region by
/// itself, so that no other cell feels it.
std::vector<std::uint8_t> find_held_cells(const lattice::Model& base) {
  std::vector<std::uint8_t> held(8 * base.blocks.size(), 0);
  for (const std::int32_t cell : base.cells) {
    held[cell] = 1;
    for (int c = 0; c < 8; ++c) held[cell] &= base.freedom[base.corner(cell, c)] == Freedom::Held;
  }
  return held;
}

/// Calls f(group, lane, block of the group) for an entry of Model::cells.
template <class F>
void at_cell(std::vector<GroupVolume>& volumes, std::int32_t cell, F&& f) {
  const std::int32_t block = cell / 8;
  f(volumes[block / kGroupBlocks], cell % 8, block % kGroupBlocks);
}

/// What a cell resists a change of shape with at rest, fully active, as the mu of an isotropic law
/// that would do the same: the trace of its tangent over symmetric F of trace zero, of which that
/// law has 2 mu five times. Jumps of pressures are measured in it: fibres may pull with many mu.
double stiffness_of_shape(const lattice::Model& base, std::int32_t cell) {
  const BlockGroup& group = base.groups[cell / kGroupCells];
  const std::int32_t number = base.material(group, base.blocks[cell / 8], cell % 8);
  if (materials::is_isotropic(base.materials[number].law)) return base.mu(cell);
  const std::vector<double> active(base.materials.size(), 1.0);
  const Mat3d rest = Mat3d::identity();
  CellLaw::Tangent T;
  CellLaw(base, cell, active, nullptr, 0)
      .linearise({&rest, 1}, materials::Definiteness::None, {&T, 1});
  double trace = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const int at = i + 3 * j, mirrored = j + 3 * i;
      trace += 0.5 * (T(at, at) + T(at, mirrored)) - T(4 * i, 4 * j) / 3;
    }
  }
  return std::max(trace / 10, base.mu(cell));
}

/// Volumes, compliances and regions, and what pressures of a block are tied to their mean with. One
/// number per block: otherwise the tie would move volume from one cell to another. `part` is what
/// counts of a cell.
std::vector<GroupVolume> make_volumes(const lattice::Model& base, const Params& params,
                                      const std::vector<double>& compliance,
                                      double (GroupModuli::*part)[8][kGroupBlocks]) {
  constexpr double kHeldModulus = 100;  // in multiples of mu
  const std::vector<std::uint8_t> held = find_held_cells(base);
  std::vector<GroupVolume> volumes(base.groups.size(), GroupVolume{});
  std::vector<double> stiffness(8 * base.blocks.size(), 0);  // Pa
  for (std::size_t c = 0; c < base.cells.size(); ++c) {
    const std::int32_t cell = base.cells[c];
    const Block& block = base.blocks[cell / 8];
    stiffness[cell] = stiffness_of_shape(base, cell);
    at_cell(volumes, cell, [&](GroupVolume& v, int lane, int b) {
      v.volume[lane][b] =
          (base.moduli[cell / kGroupCells].*part)[lane][b] * block.h * block.h * block.h;
      const double softest = held[cell] ? 1 / (kHeldModulus * base.mu(cell)) : 0;
      v.compliance[lane][b] = std::max(compliance[c], softest);
      // Numbered in the order in which the block's cells have them.
      int region = 0;
      for (int other = 0; other < lane; ++other) {
        if (!(block.active >> other & 1)) continue;
        if (block.material[other] == block.material[lane] &&
            held[cell - lane + other] == held[cell]) {
          region = v.region[other][b];
          break;
        }
        region = std::max(region, v.region[other][b] + 1);
      }
      v.region[lane][b] = static_cast<std::uint8_t>(region);
      v.regions = std::max(v.regions, region + 1);
    });
  }
  for (std::size_t b = 0; b < base.blocks.size(); ++b) {
    GroupVolume& v = volumes[b / kGroupBlocks];
    const std::size_t at = b % kGroupBlocks;
    double mass = 0, whole = 0;
    for (int lane = 0; lane < 8; ++lane) {
      mass += v.volume[lane][at] * stiffness[8 * b + std::size_t(lane)];
      whole += v.volume[lane][at];
    }
    for (int lane = 0; lane < 8 && whole > 0; ++lane) {
      v.jump[lane][at] = params.jumps * v.volume[lane][at] * whole / mass;
    }
  }
  return volumes;
}

/// Lets the centres of cells at the surface, of which only matrices take notice, stand for all of
/// a cell.
void make_surface_whole(const std::vector<BodySpec>& bodies, lattice::Model& base) {
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    for (const grid::CutCell& cut : bodies[b].lattice.cut_cells) {
      const std::int32_t cell = base.cells[std::size_t(base.bodies[b].first_cell + cut.cell)];
      base.moduli[cell / kGroupCells].weight[cell % 8][cell / 8 % kGroupBlocks] = 1;
    }
  }
}

/// The mean mu by the edge of a cube that has all the volume.
double natural_unit(const lattice::Model& base, const std::vector<GroupVolume>& volumes) {
  double mu = 0, whole = 0;
  for (std::size_t g = 0; g < volumes.size(); ++g) {
    for (int i = 0; i < kGroupCells; ++i) {
      const int c = i / kGroupBlocks, b = i % kGroupBlocks;
      mu += base.moduli[g].mu[c][b] * volumes[g].volume[c][b];
      whole += volumes[g].volume[c][b];
    }
  }
  return mu / (whole * std::cbrt(whole));
}

/// A body is held all over if every node with fewer than eight cells is.
std::vector<std::uint8_t> find_constant_pressures(const lattice::Model& base,
                                                  const std::vector<double>& compliance) {
  std::vector<int> cells_around(base.node_count(), 0);
  for (const std::int32_t cell : base.cells) {
    for (int c = 0; c < 8; ++c) ++cells_around[base.corner(cell, c)];
  }
  std::vector<std::uint8_t> result;
  for (const BodyRange& body : base.bodies) {
    bool constant = true;
    for (std::int32_t n = 0; n < body.node_count; ++n) {
      const std::int32_t node = body.first_node + n;
      constant = constant && (cells_around[node] == 8 || base.freedom[node] == Freedom::Held);
    }
    for (std::int32_t c = 0; c < body.cell_count; ++c) {
      constant = constant && compliance[body.first_cell + c] == 0;
    }
    result.push_back(constant);
  }
  return result;
}

}  // namespace

double Model::strain_part() const {
  return params.hourglass == Hourglass::Strain ? params.stabilise : 0;
}

double Model::spread_part() const {
  return params.hourglass == Hourglass::Spread ? kIntegrated * params.stabilise : 0;
}

double Model::cycle_spread() const {
  // Between what twist and what bending is resisted with: 1/12 and 7/36.
  constexpr double kBetween = 0.15;
  return params.hourglass == Hourglass::Strain ? kBetween * params.stabilise : spread_part();
}

double Model::coarse_spread() const {
  return coarse_stabilisation(base.params) * kIntegrated * params.stabilise;
}

Model build_model(std::vector<BodySpec> bodies, lattice::Params lattice_params,
                  const Params& params, const std::vector<SpringGroupSpec>& springs) {
  if (lattice_params.quadrature == Quadrature::Gauss)
    lattice_params.quadrature = Quadrature::OnePoint;
  lattice_params.preconditioner = Preconditioner::Multigrid;
  lattice_params.cycle = Cycle::Best;
  lattice_params.solver = Solver::Newton;
  const std::vector<double> compliance = take_kappa(bodies);
  Model model{.base = lattice::build_model(bodies, lattice_params, springs), .params = params};
  const std::vector<std::uint8_t> stiff = find_stiff(model.base, compliance);
  for (std::size_t m = 0; m < model.base.materials.size(); ++m) {
    model.measures.push_back(measure_of(model.base.materials[m], params, stiff[m]));
  }
  for (const Measure& measure : model.measures) {
    if (measure.kind == VolumeMeasure::Linear) model.params.hourglass = Hourglass::Spread;
  }
  if (params.variant == Variant::Published) model.params.hourglass = Hourglass::Spread;
  model.volumes = make_volumes(model.base, params, compliance, &GroupModuli::fill);
  if (params.whole_in_matrix && !model.base.has_centres() &&
      lattice_params.four_point_tangent == FourPointTangent::None) {
    make_surface_whole(bodies, model.base);
    model.whole_volumes = make_volumes(model.base, params, compliance, &GroupModuli::weight);
  }
  model.alpha = natural_unit(model.base, model.volumes);
  model.has_constant_pressure = find_constant_pressures(model.base, compliance);
  return model;
}

}  // namespace isochor::lattice::mixed
