#include "isochor/lattice/operator.h"

#include <numeric>

#include "isochor/lattice/element_kernel.h"
#include "isochor/materials/registry.h"
#include "isochor/math/svd.h"

namespace isochor::lattice {
namespace {

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

template <class Law>
double cell_energy(const Model& model, const Block& block, int lane, const Vec3d (&x)[8],
                   const Mat3d& F, const Vec3d& sigma) {
  const double h = block.h;
  return h * h * h * Law::energy(sigma, block.mu[lane], block.lambda[lane]) +
         stabilisation_energy(x, F, h, stabilising_mu(model, block, lane));
}

double sum_of(std::span<const double> values, ThreadArena& arena) {
  return deterministic_sum(arena, values.size(), [&](std::size_t begin, std::size_t end) {
    return std::accumulate(values.begin() + begin, values.begin() + end, 0.0);
  });
}

constexpr int kSymmetric[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};

void store(const Svd<double>& f, const PrincipalTangent<double>& t, int lane, BlockTangent& out) {
  for (int i = 0; i < 9; ++i) {
    out.U[i][lane] = f.U(i % 3, i / 3);
    out.V[i][lane] = f.V(i % 3, i / 3);
  }
  for (int i = 0; i < 6; ++i) {
    out.stretch[i][lane] = t.stretch(kSymmetric[i][0], kSymmetric[i][1]);
  }
  for (int i = 0; i < 3; ++i) {
    out.flip[i][lane] = t.flip[i];
    out.twist[i][lane] = t.twist[i];
  }
}

void load(const BlockTangent& in, int lane, Mat3d& U, Mat3d& V, PrincipalTangent<double>& t) {
  for (int i = 0; i < 9; ++i) {
    U(i % 3, i / 3) = in.U[i][lane];
    V(i % 3, i / 3) = in.V[i][lane];
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

}  // namespace

double elastic_energy(const Model& model, std::span<const Vec3d> positions,
                      std::span<double> block_energy, ThreadArena& arena) {
  for_each_block(model, arena, [&](std::size_t b) {
    const Block& block = model.blocks[b];
    block_energy[b] = 0;
    materials::with_law(block.law, [&]<class Law>(Law) {
      for_each_lane(block, [&](int lane) {
        Vec3d x[8];
        gather(block, lane, positions, x);
        const Mat3d F = deformation_gradient(x, 1 / block.h);
        block_energy[b] += cell_energy<Law>(model, block, lane, x, F, svd(F).sigma);
      });
    });
  });
  return sum_of(block_energy, arena);
}

double elastic_force(const Model& model, std::span<const Vec3d> positions, std::span<Vec3d> force,
                     std::span<double> block_energy, ThreadArena& arena) {
  clear(force, arena);
  for_each_block(model, arena, [&](std::size_t b) {
    const Block& block = model.blocks[b];
    block_energy[b] = 0;
    materials::with_law(block.law, [&]<class Law>(Law) {
      for_each_lane(block, [&](int lane) {
        Vec3d x[8], f[8] = {};
        gather(block, lane, positions, x);
        const Mat3d F = deformation_gradient(x, 1 / block.h);
        const Svd<double> s = svd(F);
        block_energy[b] += cell_energy<Law>(model, block, lane, x, F, s.sigma);
        const Vec3d p = Law::stress(s.sigma, block.mu[lane], block.lambda[lane]);
        const Mat3d P = times_transpose(s.U * Mat3d::diagonal(p), s.V);
        add_corner_forces(x, F, P, block.h, stabilising_mu(model, block, lane), f);
        scatter(block, lane, f, force);
      });
    });
  });
  return sum_of(block_energy, arena);
}

void linearise(const Model& model, std::span<const Vec3d> positions, bool definite,
               std::span<BlockTangent> tangents, ThreadArena& arena) {
  for_each_block(model, arena, [&](std::size_t b) {
    const Block& block = model.blocks[b];
    materials::with_law(block.law, [&]<class Law>(Law) {
      for_each_lane(block, [&](int lane) {
        Vec3d x[8];
        gather(block, lane, positions, x);
        const Svd<double> s = svd(deformation_gradient(x, 1 / block.h));
        PrincipalTangent<double> t = Law::tangent(s.sigma, block.mu[lane], block.lambda[lane]);
        if (definite) Law::make_definite(t);
        store(s, t, lane, tangents[b]);
      });
    });
  });
}

void apply_stiffness(const Model& model, std::span<const BlockTangent> tangents,
                     std::span<const Vec3d> displacements, std::span<Vec3d> out,
                     ThreadArena& arena) {
  clear(out, arena);
  for_each_block(model, arena, [&](std::size_t b) {
    const Block& block = model.blocks[b];
    for_each_lane(block, [&](int lane) {
      Vec3d d[8], f[8] = {};
      // Negative displacements: a force differential with the sign of K.
      gather(block, lane, displacements, d);
      for (Vec3d& v : d) v = -v;
      Mat3d U, V;
      PrincipalTangent<double> t;
      load(tangents[b], lane, U, V, t);
      const Mat3d dF = deformation_gradient(d, 1 / block.h);
      const Mat3d dP = materials::stress_differential(t, U, V, dF);
      add_corner_forces(d, dF, dP, block.h, stabilising_mu(model, block, lane), f);
      scatter(block, lane, f, out);
    });
  });
}

void stiffness_diagonal(const Model& model, std::span<const BlockTangent> tangents,
                        std::span<Vec3d> diagonal, ThreadArena& arena) {
  clear(diagonal, arena);
  for_each_block(model, arena, [&](std::size_t b) {
    const Block& block = model.blocks[b];
    for_each_lane(block, [&](int lane) {
      Mat3d U, V;
      PrincipalTangent<double> t;
      load(tangents[b], lane, U, V, t);
      Vec3d d[8];
      for (int c = 0; c < 8; ++c) {
        d[c] = corner_diagonal(t, U, V, block.h, stabilising_mu(model, block, lane), c);
      }
      scatter(block, lane, d, diagonal);
    });
  });
}

}  // namespace isochor::lattice
