/// 3x3 singular value decompositions on one core, beside Eigen and the machine.
#include <Eigen/SVD>
#include <fmt/core.h>
#include <random>
#include <vector>

#include "bench/benchmark.h"
#include "isochor/math/svd_batch.h"

namespace isochor::bench {
namespace {

constexpr std::size_t kCount = 4096;  // fits the second-level cache: arithmetic is measured

/// Arithmetic of svd(), counted from its source: an inverse root, a turn 47 and a root, two times a
/// rotation matrix 42 and A^T A 30, two products of matrices 45, lengths of columns 15, U in closed
/// form 63 and three roots, scaling 18 and 13.
template <class S>
constexpr double flops() {
  constexpr bool single = sizeof(S) == 4;
  constexpr int root = single ? 14 : 22, turns = single ? 12 : 18;
  return turns * (47 + root) + 2 * (42 + 30) + 2 * 45 + 15 + (63 + 3 * root) + 18 + 13;
}

template <class S>
std::vector<S> random_matrices() {
  std::mt19937 random(1);
  std::normal_distribution<S> normal;
  std::vector<S> entries(9 * kCount);
  for (S& e : entries) e = normal(random);
  return entries;
}

/// Seconds per matrix of Eigen's JacobiSVD.
template <class S>
double eigen_seconds(const std::vector<S>& entries) {
  using Matrix = Eigen::Matrix<S, 3, 3>;
  std::vector<Matrix> matrices(kCount);
  for (std::size_t k = 0; k < kCount; ++k) {
    for (int e = 0; e < 9; ++e) matrices[k](e % 3, e / 3) = entries[e * kCount + k];
  }
  S sum = 0;
  const double seconds = fastest(5, [&] {
    for (const Matrix& m : matrices) {
      const Eigen::JacobiSVD<Matrix> f(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
      sum += f.singularValues()[0] + f.matrixU()(0, 0) + f.matrixV()(0, 0);
    }
  });
  volatile S sink = sum;
  (void)sink;
  return seconds / kCount;
}

template <class S>
void measure(const char* type, double peak_flops, std::vector<BenchRow>& rows) {
  const std::vector<S> entries = random_matrices<S>();
  std::vector<S> U(9 * kCount), sigma(3 * kCount), V(9 * kCount);
  const double peer = eigen_seconds(entries);
  for (const Isa isa : available_isas()) {
    const double seconds = fastest(50, [&] {
      svd_batch(SvdBatch<S>{kCount, entries.data(), U.data(), sigma.data(), V.data()}, isa);
    });
    const bool best = isa == best_isa();
    BenchRow row{
        .name = best ? fmt::format("svd/{}", type) : fmt::format("svd/{}/{}", type, name(isa)),
        .value = 1e9 * seconds / kCount,
        .unit = "ns per matrix",
        .peer = 1e9 * peer,
        .peer_name = "Eigen JacobiSVD",
        .note = fmt::format("{}, one core", name(isa))};
    if (best) {
      row.limit = 1e9 * flops<S>() / peak_flops;
      row.limit_kind = fmt::format("{:.0f} flops at the peak rate", flops<S>());
    }
    if (best && isa == Isa::Avx512 && sizeof(S) == 4) {
      row.relation = reproduce::Relation::AtMost;
      row.bound = 30;
    }
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<BenchRow> svd_rates(Context&) {
  ThreadArena one(1);
  const double peak = peak_flops(one);
  std::vector<BenchRow> rows;
  measure<float>("float", 2 * peak, rows);
  measure<double>("double", peak, rows);
  return rows;
}

}  // namespace isochor::bench
