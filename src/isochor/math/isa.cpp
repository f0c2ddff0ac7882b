#include "isochor/math/isa.h"

#include <array>

namespace isochor {
namespace {

constexpr std::array kAll{Isa::Baseline, Isa::Avx2, Isa::Avx512};

}  // namespace

std::string_view name(Isa isa) {
  switch (isa) {
    case Isa::Baseline:
      return "baseline";
    case Isa::Avx2:
      return "AVX2";
    case Isa::Avx512:
      return "AVX-512";
  }
  return "";
}

Isa best_isa() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return Isa::Avx512;
  }
  // Every processor with AVX2 has F16C, which clang cannot be asked about.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return Isa::Avx2;
  }
#endif
  return Isa::Baseline;
}

std::span<const Isa> available_isas() {
  return std::span(kAll).first(static_cast<std::size_t>(best_isa()) + 1);
}

}  // namespace isochor
