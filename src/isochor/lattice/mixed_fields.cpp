#include "isochor/lattice/mixed_fields.h"

#include "isochor/materials/volume_laws.h"

namespace isochor::lattice::mixed {
namespace {

/// dM/dF.
Mat3d measure_gradient(const Measure& measure, const Mat3d& F) {
  materials::Parameters<double> parameters{};
  parameters.shape[0] = measure.penalty;
  Mat3d Q;
  materials::with_measure(measure.kind, [&]<class V>(V) { Q = V::respond(F, parameters).stress; });
  return Q;
}

}  // namespace

CellFields cell_fields(const Model& model, const Configuration& at, ThreadArena& arena) {
  const lattice::Model& base = model.base;
  std::vector<CellStress> stresses(8 * base.blocks.size());
  cell_stresses(base, {at.positions, at.activations}, stresses, arena);
  for (const BodyRange& body : base.bodies) {
    parallel_for(arena, std::size_t(body.cell_count), 256, [&](std::size_t c) {
      const std::int32_t cell = base.cells[std::size_t(body.first_cell) + c];
      const int material = body.first_material + base.blocks[cell / 8].material[cell % 8];
      auto& [F, P] = stresses[cell];
      P += at.pressure[Model::pressure_at(cell)] * measure_gradient(model.measures[material], F);
    });
  }
  return fields_from_stresses(base, stresses, arena);
}

double stored_energy(const Model& model, const Configuration& at, ThreadArena& arena) {
  std::vector<Vec3d> force(model.node_count());
  std::vector<double> values(model.pressure_count());
  const std::vector<double> none(model.pressure_count(), 0.0);
  BlockValues blocks(model.base.blocks.size());
  const Configuration alone{at.positions, none, at.activations};
  const double energy = evaluate(model, alone, force, values, blocks, arena).energy;
  measure(model, alone, values, arena);
  return energy + volume_energy(model, values, {}, arena);
}

Elasticity elasticity(const Model& model, const Configuration& at, ThreadArena& arena) {
  Elasticity result{.energy = 0, .force = std::vector<Vec3d>(model.node_count())};
  std::vector<double> volume(model.pressure_count());
  BlockValues blocks(model.base.blocks.size());
  evaluate(model, at, result.force, volume, blocks, arena);
  result.energy = stored_energy(model, at, arena);
  return result;
}

}  // namespace isochor::lattice::mixed
