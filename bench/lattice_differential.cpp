/// How fast the lattice applies its stiffness, beside an assembled sparse matrix and the machine.
/// Run on a deformed, inhomogeneous bar and on a ball, whose boundary leaves blocks half empty.
#include <Eigen/Sparse>
#include <cmath>
#include <fmt/core.h>
#include <vector>

#include "bench/benchmark.h"
#include "isochor/geometry/shapes.h"
#include "isochor/lattice/operator.h"
#include "isochor/materials/registry.h"
#include "isochor/math/mat3.h"

namespace isochor::bench {
namespace {

/// Arithmetic per cell of lattice::apply_stiffness, counted from its kernels: deformation gradient
/// 12 x 6 + 9, stress differential 4 x 45 + 15 + 3 x 10, corner forces 12 x (3 x 6 + 6).
constexpr double kFlopsPerCell = 81 + 225 + 288;

struct Body {
  const char* name;
  geometry::SurfaceMesh surface;
  double spacing;
};

lattice::Model make_model(const Body& body, Context& context) {
  grid::Lattice lattice = grid::build_lattice(body.surface, body.spacing, body.name, context.arena);
  const std::size_t cells = lattice.cell_count();
  lattice::BodySpec spec{
      .name = body.name, .lattice = std::move(lattice), .law = materials::law_index("corotated")};
  for (std::size_t c = 0; c < cells; ++c) {
    const double stiffness = 1e4 * (1 + 9 * (0.5 + 0.5 * std::sin(0.1 * double(c))));
    spec.mu.push_back(stiffness);
    spec.lambda.push_back(2 * stiffness);
  }
  return lattice::build_model({std::move(spec)}, {});
}

/// Twisted and stretched, so that no cell is at rest.
std::vector<Vec3d> deformed(const lattice::Model& model) {
  std::vector<Vec3d> x = model.rest_positions;
  for (Vec3d& p : x) {
    const Mat3d twist = rotation_from_vector({0.8 * p[0], 0, 0});
    p = twist * Vec3d{1.3 * p[0], 0.9 * p[1], 1.1 * p[2] + 0.1 * p[0] * p[0]};
  }
  return x;
}

/// The stiffness matrix itself, from columns of the matrix-free operator on one cell at a time.
Eigen::SparseMatrix<double, Eigen::RowMajor> assemble(const lattice::Model& model,
                                                      const lattice::Tangents& tangents) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(model.cells.size() * 576);
  ThreadArena one(1);
  for (const std::int32_t cell : model.cells) {
    // A model of this cell alone, on eight nodes.
    lattice::Model single;
    lattice::Block block = model.blocks[cell / 8];
    const int lane = cell % 8;
    std::int32_t nodes[8];
    for (int c = 0; c < 8; ++c) {
      std::int32_t& n = block.nodes[grid::block_node(lane, c)];
      nodes[c] = n;
      n = c;
    }
    block.active = static_cast<std::uint8_t>(1 << lane);
    single.params = model.params;
    block.tangent = 0;
    single.blocks = {block};
    lattice::Tangents own(single);
    own.principal[0] = tangents.principal[model.blocks[cell / 8].tangent];
    single.color_starts = {0, 1};
    Vec3d unit[8] = {}, column[8];
    for (int c = 0; c < 8; ++c) {
      for (int a = 0; a < 3; ++a) {
        unit[c][a] = 1;
        lattice::apply_stiffness(single, own, unit, column, one);
        unit[c][a] = 0;
        for (int r = 0; r < 8; ++r) {
          for (int b = 0; b < 3; ++b) {
            entries.emplace_back(3 * nodes[r] + b, 3 * nodes[c] + a, column[r][b]);
          }
        }
      }
    }
  }
  const auto size = static_cast<Eigen::Index>(3 * model.node_count());
  Eigen::SparseMatrix<double, Eigen::RowMajor> matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

BenchRow measure(const Body& body, const MachineLimits& limits, Context& context) {
  const lattice::Model model = make_model(body, context);
  lattice::Tangents tangents(model);
  lattice::linearise(model, deformed(model), materials::Definiteness::Clamp, tangents,
                     context.arena);
  std::vector<Vec3d> d(model.node_count()), out(model.node_count());
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (int a = 0; a < 3; ++a) d[i][a] = std::sin(double(3 * i + a));
  }
  const double seconds =
      fastest(10, [&] { lattice::apply_stiffness(model, tangents, d, out, context.arena); });

  const auto matrix = assemble(model, tangents);
  const auto size = static_cast<Eigen::Index>(3 * model.node_count());
  const Eigen::Map<const Eigen::VectorXd> x(&d[0][0], size);
  Eigen::VectorXd y(size);
  const double peer = fastest(10, [&] {
    parallel_for(context.arena, static_cast<std::size_t>(size), 4096, [&](std::size_t row) {
      y[static_cast<Eigen::Index>(row)] = matrix.row(static_cast<Eigen::Index>(row)).dot(x);
    });
  });
  // A benchmark of two different operators would compare nothing.
  const Eigen::Map<const Eigen::VectorXd> ours(&out[0][0], size);
  const double difference = (ours - y).norm() / y.norm();

  // Every block is read once, every node read and written at least once.
  const double cells = double(model.cells.size());
  const double bytes =
      double(model.blocks.size()) * (sizeof(lattice::BlockTangent) + sizeof(lattice::Block)) +
      double(model.node_count()) * 2 * sizeof(Vec3d);
  const double by_memory = bytes / limits.cached_bytes_per_second;
  const double by_flops = kFlopsPerCell * cells / limits.flops_per_second;
  const bool memory_bound = by_memory > by_flops;
  return {.name = fmt::format("lattice/differential/{}", body.name),
          .value = 1e9 * seconds / cells,
          .unit = "ns per cell",
          .limit = 1e9 * std::max(by_memory, by_flops) / cells,
          .limit_kind =
              memory_bound
                  ? fmt::format("{:.0f} bytes per cell from the last-level cache", bytes / cells)
                  : fmt::format("{:.0f} flops per cell, double", kFlopsPerCell),
          .peer = 1e9 * peer / cells,
          .peer_name = "assembled CSR matrix (Eigen), same threads",
          .note = fmt::format("{} cells, {} threads, difference to the matrix {:.1e}",
                              model.cells.size(), context.arena.threads(), difference)};
}

}  // namespace

std::vector<BenchRow> lattice_differential(Context& context) {
  const MachineLimits limits = measure_limits(context.arena);
  const Body bar{"bar", geometry::make_box({0, 0, 0}, {4, 1, 1}, 0.05), 0.05};
  const Body ball{"ball", geometry::make_sphere({0, 0, 0}, 0.5, 0.03), 1.0 / 40};
  return {measure(bar, limits, context), measure(ball, limits, context)};
}

}  // namespace isochor::bench
