#include "isochor/lattice/operator.h"

#include <numeric>

#include "isochor/lattice/element_kernel.h"
#include "isochor/materials/registry.h"

namespace isochor::lattice {
namespace {

using materials::DenseTangent;
using materials::PrincipalTangent;

constexpr std::size_t kBlockGrain = 16;

/// Calls f(block index) for all blocks, colour after colour.
template <class F>
void for_each_block(const Model& model, ThreadArena& arena, F&& f) {
  for (std::size_t c = 0; c + 1 < model.color_starts.size(); ++c) {
    const std::size_t begin = model.color_starts[c], end = model.color_starts[c + 1];
    parallel_for(arena, end - begin, kBlockGrain, [&](std::size_t i) { f(begin + i); });
  }
}

/// The corners of one cell.
void gather(const Block& block, int lane, std::span<const Vec3d> nodal, Vec3d (&corner)[8]) {
  for (int c = 0; c < 8; ++c) corner[c] = nodal[block.nodes[grid::block_node(lane, c)]];
}

void scatter(const Block& block, int lane, const Vec3d (&corner)[8], std::span<Vec3d> nodal) {
  for (int c = 0; c < 8; ++c) nodal[block.nodes[grid::block_node(lane, c)]] += corner[c];
}

template <class F>
void for_each_lane(const Block& block, F&& f) {
  for (int lane = 0; lane < 8; ++lane) {
    if (block.active >> lane & 1) f(lane);
  }
}

double stabilising_mu(const Model& model, const Block& block, int lane) {
  return model.params.stabilise ? block.mu[lane] : 0.0;
}

void clear(std::span<Vec3d> nodal, ThreadArena& arena) {
  parallel_for(arena, nodal.size(), solve::kVectorGrain, [&](std::size_t i) {
    nodal[i] = {0, 0, 0};
  });
}

/// A law at work in one cell: parameters and axes filled in.
template <class Law>
class CellLaw {
 public:
  CellLaw(const Model& model, const Configuration& at, const Block& block, int lane)
      : parameters_{block.mu[lane], block.lambda[lane]} {
    const auto& shape = model.materials[block.material].shape;
    std::copy(shape.begin(), shape.end(), parameters_.shape);
    if constexpr (!materials::kIsotropic<Law>) {
      const BlockAxes& axes = model.axes[block.tangent];
      for (int i = 0; i < 9; ++i) axes_(i % 3, i / 3) = axes.Q[i][lane];
      if (!at.activations.empty()) {
        parameters_.activation = axes.activation[lane] * at.activations[block.material];
      }
    }
  }

  double energy(const Mat3d& F) const { return Law::energy(turned(F), parameters_); }
  materials::Response<double> respond(const Mat3d& F) const {
    materials::Response<double> response = Law::respond(turned(F), parameters_);
    if constexpr (!materials::kIsotropic<Law>) {
      response.stress = times_transpose(response.stress, axes_);
    }
    return response;
  }
  auto linearise(const Mat3d& F, materials::Definiteness fix) const {
    auto tangent = Law::linearise(turned(F), parameters_);
    materials::make_definite(tangent, fix);
    if constexpr (materials::kIsotropic<Law>) {
      return tangent;
    } else {
      return materials::turned(tangent, axes_);
    }
  }

 private:
  Mat3d turned(const Mat3d& F) const {
    if constexpr (materials::kIsotropic<Law>) {
      return F;
    } else {
      return F * axes_;
    }
  }

  materials::Parameters<double> parameters_;
  Mat3d axes_ = Mat3d::identity();
};

/// Calls f(lane, law of the cell, corner positions, F) for the cells of a block.
template <class F>
void for_each_cell(const Model& model, const Configuration& at, const Block& block, F&& f) {
  materials::with_law(model.materials[block.material].law, [&]<class Law>(Law) {
    for_each_lane(block, [&](int lane) {
      Vec3d x[8];
      gather(block, lane, at.positions, x);
      f(lane, CellLaw<Law>(model, at, block, lane), x, deformation_gradient(x, 1 / block.h));
    });
  });
}

double sum_of(std::span<const double> values, ThreadArena& arena) {
  return deterministic_sum(arena, values.size(), [&](std::size_t begin, std::size_t end) {
    return std::accumulate(values.begin() + begin, values.begin() + end, 0.0);
  });
}

constexpr int kSymmetric[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};

void store(const PrincipalTangent<double>& t, const Block& block, int lane, Tangents& to) {
  BlockTangent& out = to.principal[block.tangent];
  for (int i = 0; i < 9; ++i) {
    out.U[i][lane] = t.U(i % 3, i / 3);
    out.V[i][lane] = t.V(i % 3, i / 3);
  }
  for (int i = 0; i < 6; ++i) {
    out.stretch[i][lane] = t.stretch(kSymmetric[i][0], kSymmetric[i][1]);
  }
  for (int i = 0; i < 3; ++i) {
    out.flip[i][lane] = t.flip[i];
    out.twist[i][lane] = t.twist[i];
  }
}

void store(const DenseTangent<double>& t, const Block& block, int lane, Tangents& to) {
  for (int i = 0; i < 45; ++i) to.dense[block.tangent].entry[i][lane] = t.entry[i];
}

void load(const BlockTangent& in, int lane, PrincipalTangent<double>& t) {
  for (int i = 0; i < 9; ++i) {
    t.U(i % 3, i / 3) = in.U[i][lane];
    t.V(i % 3, i / 3) = in.V[i][lane];
  }
  for (int i = 0; i < 6; ++i) {
    const auto [row, column] = kSymmetric[i];
    t.stretch(row, column) = t.stretch(column, row) = in.stretch[i][lane];
  }
  for (int i = 0; i < 3; ++i) {
    t.flip[i] = in.flip[i][lane];
    t.twist[i] = in.twist[i][lane];
  }
}

/// Calls f(lane, tangent) for the cells of a block.
template <class F>
void for_each_tangent(const Block& block, const Tangents& tangents, F&& f) {
  for_each_lane(block, [&](int lane) {
    if (block.has_axes) {
      DenseTangent<double> t;
      for (int i = 0; i < 45; ++i) t.entry[i] = tangents.dense[block.tangent].entry[i][lane];
      f(lane, t);
    } else {
      PrincipalTangent<double> t;
      load(tangents.principal[block.tangent], lane, t);
      f(lane, t);
    }
  });
}

}  // namespace

double elastic_energy(const Model& model, const Configuration& at, std::span<double> block_energy,
                      ThreadArena& arena) {
  for_each_block(model, arena, [&](std::size_t b) {
    const Block& block = model.blocks[b];
    const double h = block.h;
    block_energy[b] = 0;
    for_each_cell(model, at, block, [&](int lane, const auto& law, const auto& x, const Mat3d& F) {
      block_energy[b] += h * h * h * law.energy(F) +
                         stabilisation_energy(x, F, h, stabilising_mu(model, block, lane));
    });
  });
  return sum_of(block_energy, arena);
}

double elastic_force(const Model& model, const Configuration& at, std::span<Vec3d> force,
                     std::span<double> block_energy, ThreadArena& arena) {
  clear(force, arena);
  for_each_block(model, arena, [&](std::size_t b) {
    const Block& block = model.blocks[b];
    const double h = block.h;
    block_energy[b] = 0;
    for_each_cell(model, at, block, [&](int lane, const auto& law, const auto& x, const Mat3d& F) {
      const double mu = stabilising_mu(model, block, lane);
      const materials::Response<double> response = law.respond(F);
      block_energy[b] += h * h * h * response.energy + stabilisation_energy(x, F, h, mu);
      Vec3d f[8] = {};
      add_corner_forces(x, F, response.stress, h, mu, f);
      scatter(block, lane, f, force);
    });
  });
  return sum_of(block_energy, arena);
}

void cell_stresses(const Model& model, const Configuration& at, std::span<CellStress> stresses,
                   ThreadArena& arena) {
  for_each_block(model, arena, [&](std::size_t b) {
    for_each_cell(model, at, model.blocks[b],
                  [&](int lane, const auto& law, const auto&, const Mat3d& F) {
                    stresses[8 * b + lane] = {F, law.respond(F).stress};
                  });
  });
}

void linearise(const Model& model, const Configuration& at, materials::Definiteness fix,
               Tangents& tangents, ThreadArena& arena) {
  for_each_block(model, arena, [&](std::size_t b) {
    const Block& block = model.blocks[b];
    for_each_cell(model, at, block, [&](int lane, const auto& law, const auto&, const Mat3d& F) {
      store(law.linearise(F, fix), block, lane, tangents);
    });
  });
}

void apply_stiffness(const Model& model, const Tangents& tangents,
                     std::span<const Vec3d> displacements, std::span<Vec3d> out,
                     ThreadArena& arena) {
  clear(out, arena);
  for_each_block(model, arena, [&](std::size_t b) {
    const Block& block = model.blocks[b];
    for_each_tangent(block, tangents, [&](int lane, const auto& tangent) {
      Vec3d d[8], f[8] = {};
      // Negative displacements: a force differential with the sign of K.
      gather(block, lane, displacements, d);
      for (Vec3d& v : d) v = -v;
      const Mat3d dF = deformation_gradient(d, 1 / block.h);
      const Mat3d dP = materials::stress_differential(tangent, dF);
      add_corner_forces(d, dF, dP, block.h, stabilising_mu(model, block, lane), f);
      scatter(block, lane, f, out);
    });
  });
}

void stiffness_diagonal(const Model& model, const Tangents& tangents, std::span<Vec3d> diagonal,
                        ThreadArena& arena) {
  clear(diagonal, arena);
  for_each_block(model, arena, [&](std::size_t b) {
    const Block& block = model.blocks[b];
    for_each_tangent(block, tangents, [&](int lane, const auto& tangent) {
      Vec3d d[8];
      for (int c = 0; c < 8; ++c) {
        d[c] = corner_diagonal(tangent, block.h, stabilising_mu(model, block, lane), c);
      }
      scatter(block, lane, d, diagonal);
    });
  });
}

}  // namespace isochor::lattice
