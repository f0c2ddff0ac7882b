#include "isochor/lattice/fields.h"

#include <cmath>

#include "isochor/lattice/element_kernel.h"
#include "isochor/lattice/operator.h"
#include "isochor/materials/registry.h"
#include "isochor/math/svd.h"

namespace isochor::lattice {

CellFields cell_fields(const Model& model, std::span<const Vec3d> positions, ThreadArena& arena) {
  const std::size_t count = model.cells.size();
  CellFields out{std::vector<double>(count), std::vector<double>(count),
                 std::vector<double>(count)};
  parallel_for(arena, count, 64, [&](std::size_t cell) {
    const Block& block = model.blocks[model.cells[cell] / 8];
    const int lane = model.cells[cell] % 8;
    Vec3d x[8];
    for (int c = 0; c < 8; ++c) x[c] = positions[block.nodes[grid::block_node(lane, c)]];
    const Mat3d F = deformation_gradient(x, 1 / block.h);
    const Svd<double> s = svd(F);
    const double J = s.sigma[0] * s.sigma[1] * s.sigma[2];
    Vec3d p{0, 0, 0};
    materials::with_law(block.law, [&]<class Law>(Law) {
      p = Law::stress(s.sigma, block.mu[lane], block.lambda[lane]);
    });
    // Principal Cauchy stresses: J sigma = P F^T, diagonal in the frame of U.
    Vec3d cauchy;
    for (int a = 0; a < 3; ++a) cauchy[a] = p[a] * s.sigma[a] / J;
    const double mean = (cauchy[0] + cauchy[1] + cauchy[2]) / 3;
    double deviator = 0;
    for (int a = 0; a < 3; ++a) deviator += (cauchy[a] - mean) * (cauchy[a] - mean);
    out.J[cell] = J;
    out.pressure[cell] = -mean;
    out.von_mises[cell] = std::sqrt(1.5 * deviator);
  });
  return out;
}

std::vector<double> to_nodes(const Model& model, std::span<const double> per_cell) {
  std::vector<double> sum(model.node_count(), 0), weight(model.node_count(), 0);
  for (std::size_t cell = 0; cell < model.cells.size(); ++cell) {
    const Block& block = model.blocks[model.cells[cell] / 8];
    for (int c = 0; c < 8; ++c) {
      const std::int32_t n = block.nodes[grid::block_node(model.cells[cell] % 8, c)];
      sum[n] += per_cell[cell];
      weight[n] += 1;
    }
  }
  for (std::size_t n = 0; n < sum.size(); ++n) sum[n] /= weight[n];
  return sum;
}

std::vector<Reaction> reactions(const Model& model, std::span<const Vec3d> positions,
                                const Vec3d& gravity, ThreadArena& arena) {
  std::vector<Vec3d> force(model.node_count());
  std::vector<double> block_energy(model.blocks.size());
  elastic_force(model, positions, force, block_energy, arena);
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
