#include "isochor/tets/rounded_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/math/dispatch.h"
#include "isochor/math/reduce.h"
#include "isochor/solve/vector_ops.h"

namespace isochor::tets {
namespace {

/// What kernels may read and write behind the last block.
constexpr std::size_t kMore = 16;

}  // namespace

ISOCHOR_DECLARE_KERNEL(void round_rows_kernel(const RoundingView&, std::size_t, std::size_t))
ISOCHOR_DECLARE_KERNEL(void assemble_rows_kernel(const AssemblyView&, std::size_t, std::size_t))
ISOCHOR_DECLARE_KERNEL(void rounded_rows_kernel(const RoundedView&, std::size_t, std::size_t))

RoundedRows::RoundedRows(const solve::BlockPattern& pattern)
    : entries_(9 * pattern.columns.size() + kMore, Half{0}),
      scale_(pattern.rows()),
      by_scale_(pattern.rows()),
      scaled_(4 * pattern.rows(), 0) {}

void RoundedRows::poison() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::ranges::fill(entries_, to_half(nan));
  for (auto* v : {&scale_, &by_scale_, &scaled_}) std::ranges::fill(*v, nan);
}

std::size_t RoundedRows::bytes() const {
  return entries_.capacity() * sizeof(Half) +
         (scale_.capacity() + by_scale_.capacity() + scaled_.capacity()) * sizeof(float);
}

void RoundedRows::round(const solve::BlockPattern& pattern, const solve::Blocks<double>& blocks,
                        ThreadArena& arena) {
  parallel_for(arena, pattern.rows(), solve::kRowGrain, [&](std::size_t i) {
    double largest = 0;
    for (std::int32_t k = pattern.first[i]; k < pattern.first[i + 1]; ++k) {
      if (pattern.columns[k] != std::int32_t(i)) continue;
      for (int a = 0; a < 3; ++a) largest = std::max(largest, std::abs(blocks[k](a, a)));
    }
    const double scale = largest > 0 ? std::sqrt(largest) : 1;
    scale_[i] = float(scale);
    by_scale_[i] = float(1 / scale);
  });
  const RoundingView view{pattern, blocks.data()->column[0].e, by_scale_.data(), entries_.data()};
  arena.for_chunks(pattern.rows(), solve::kRowGrain, [&](std::size_t begin, std::size_t end) {
    ISOCHOR_CALL_KERNEL(best_isa(), round_rows_kernel(view, begin, end));
  });
}

double RoundedRows::assemble(const Model& model, const Stiffnesses& stiffnesses,
                             std::span<const double> inertia, double most,
                             std::span<Mat3d> diagonal, ThreadArena& arena) {
  parallel_for(arena, inertia.size(), solve::kVectorGrain, [&](std::size_t i) {
    const double scale = std::sqrt(inertia[i]);
    scale_[i] = float(scale);
    by_scale_[i] = float(1 / scale);
  });
  return deterministic_sum(arena, inertia.size(), [&](std::size_t begin, std::size_t end) {
    double more = 0;
    const AssemblyView view{.model = model,
                            .stiffnesses = stiffnesses.data(),
                            .inertia = inertia.data(),
                            .most = most,
                            .by_scale = by_scale_.data(),
                            .diagonal = diagonal.data(),
                            .entries = entries_.data(),
                            .more = &more};
    ISOCHOR_CALL_KERNEL(best_isa(), assemble_rows_kernel(view, begin, end));
    return more;
  });
}

void RoundedRows::multiply(const solve::BlockPattern& pattern, std::span<const Vec3d> x,
                           std::span<Vec3d> y, ThreadArena& arena) {
  parallel_for(arena, pattern.rows(), solve::kVectorGrain, [&](std::size_t i) {
    for (int a = 0; a < 3; ++a) scaled_[4 * i + a] = float(double(scale_[i]) * x[i][a]);
  });
  const RoundedView view{pattern, entries_.data(), scaled_.data(), scale_.data(), y.data()};
  arena.for_chunks(pattern.rows(), solve::kRowGrain, [&](std::size_t begin, std::size_t end) {
    ISOCHOR_CALL_KERNEL(best_isa(), rounded_rows_kernel(view, begin, end));
  });
}

}  // namespace isochor::tets
