#pragma once

#include <span>
#include <string_view>

/// The name of the instruction set that this file is compiled for; the build defines it for
/// *_kernel.cpp.
#ifndef ISOCHOR_ISA
#define ISOCHOR_ISA baseline
#endif

namespace isochor {

/// Instruction sets that kernels are compiled for, each including the ones before it.
enum class Isa { Baseline, Avx2, Avx512 };

std::string_view name(Isa isa);

/// The best one of this processor.
Isa best_isa();

/// All that this processor has, the best one last.
std::span<const Isa> available_isas();

}  // namespace isochor
