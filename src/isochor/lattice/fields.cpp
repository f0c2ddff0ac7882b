#include "isochor/lattice/fields.h"

#include <cmath>

namespace isochor::lattice {

CellFields cell_fields(const Model& model, const Configuration& at, ThreadArena& arena) {
  const std::size_t count = model.cells.size();
  CellFields out{std::vector<double>(count), std::vector<double>(count),
                 std::vector<double>(count)};
  std::vector<CellStress> stresses(8 * model.blocks.size());
  cell_stresses(model, at, stresses, arena);
  parallel_for(arena, count, 256, [&](std::size_t cell) {
    const auto& [F, P] = stresses[model.cells[cell]];
    // Cauchy stress: J sigma = P F^T.
    const double J = determinant(F);
    const Mat3d sigma = times_transpose(P, F) * (1 / J);
    const double mean = trace(sigma) / 3;
    const Mat3d deviator = sigma - Mat3d::diagonal({mean, mean, mean});
    out.J[cell] = J;
    out.pressure[cell] = -mean;
    out.von_mises[cell] = std::sqrt(1.5 * contract(deviator, deviator));
  });
  return out;
}

std::vector<double> to_nodes(const Model& model, std::span<const double> per_cell) {
  std::vector<double> sum(model.node_count(), 0), weight(model.node_count(), 0);
  for (std::size_t cell = 0; cell < model.cells.size(); ++cell) {
    for (int c = 0; c < 8; ++c) {
      const std::int32_t n = model.corner(model.cells[cell], c);
      sum[n] += per_cell[cell];
      weight[n] += 1;
    }
  }
  for (std::size_t n = 0; n < sum.size(); ++n) sum[n] /= weight[n];
  return sum;
}

std::vector<Reaction> reactions(const Model& model, const Configuration& at, const Vec3d& gravity,
                                ThreadArena& arena) {
  const std::span<const Vec3d> positions = at.positions;
  std::vector<Vec3d> force(model.node_count());
  std::vector<double> block_energy(model.blocks.size());
  elastic_force(model, at, force, block_energy, arena);
  std::vector<Reaction> result;
  for (const Hold& hold : model.holds) {
    Vec3d center{0, 0, 0};
    for (const std::int32_t n : hold.nodes) center += positions[n];
    center *= 1.0 / static_cast<double>(hold.nodes.size());
    Reaction reaction;
    for (const std::int32_t n : hold.nodes) {
      const Vec3d push = -(force[n] + model.mass[n] * gravity);
      reaction.force += push;
      reaction.moment += cross(positions[n] - center, push);
    }
    result.push_back(reaction);
  }
  return result;
}

}  // namespace isochor::lattice
