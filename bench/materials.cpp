/// What visiting a material costs: one linearisation with the definiteness fix, for every law.
#include <fmt/core.h>
#include <random>
#include <vector>

#include "bench/benchmark.h"
#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"

namespace isochor::bench {
namespace {

constexpr std::size_t kCount = 2048;  // fits the second-level cache: arithmetic is measured

/// Bodies under large strain, a few of their cells inverted.
template <class S>
std::vector<S> deformations() {
  std::mt19937 random(1);
  std::normal_distribution<S> normal(0, S(0.35));
  std::vector<S> entries(9 * kCount);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t entry = i / kCount;
    entries[i] = normal(random) + S(entry % 4 == 0 ? 1 : 0);
  }
  return entries;
}

template <class S>
BenchRow measure(int law, const char* type, const MachineLimits& limits) {
  const std::vector<S> F = deformations<S>(), mu(kCount, S(1)), lambda(kCount, S(10));
  std::vector<S> tangent(materials::tangent_numbers(law) * kCount);
  materials::LawBatch<S> batch{.count = kCount,
                               .F = F.data(),
                               .mu = mu.data(),
                               .lambda = lambda.data(),
                               .tangent = tangent.data()};
  const auto list = materials::shape_parameters(law);
  for (std::size_t i = 0; i < list.size(); ++i) {
    // Pressures of nothing would leave terms out.
    const double value = list[i].unit == Unit::Pressure ? 0.3 : list[i].fallback;
    batch.common.shape[i] = S(value);
  }
  batch.common.activation = S(0.5);
  const auto seconds = [&](materials::Definiteness fix) {
    batch.fix = fix;
    return fastest(20, [&] { materials::evaluate(law, batch); }) / kCount;
  };
  const double exact = seconds(materials::Definiteness::None);
  const double fixed = seconds(materials::Definiteness::Clamp);
  const auto bytes = double((9 + 2 + materials::tangent_numbers(law)) * sizeof(S));
  return {.name = fmt::format("materials/{}/{}", materials::kLawNames[law], type),
          .value = 1e9 * fixed,
          .unit = "ns per linearisation",
          .limit = 1e9 * bytes / limits.cached_bytes_per_second,
          .limit_kind = fmt::format("{:.0f} bytes from the last-level cache", bytes),
          .note = fmt::format("{}, one core; {:.1f} without the definiteness fix", name(best_isa()),
                              1e9 * exact)};
}

}  // namespace

std::vector<BenchRow> material_rates(Context&) {
  ThreadArena one(1);
  const MachineLimits limits = measure_limits(one);
  std::vector<BenchRow> rows;
  for (int law = 0; law < int(materials::kLawCount); ++law) {
    rows.push_back(measure<float>(law, "float", limits));
    rows.push_back(measure<double>(law, "double", limits));
  }
  return rows;
}

}  // namespace isochor::bench
