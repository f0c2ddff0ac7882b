#pragma once

#include "isochor/math/isa.h"

/// How the rest of the program calls a kernel that is compiled once per instruction set. The
/// kernel is a function in inline namespace ISOCHOR_ISA of the enclosing namespace; these two
/// macros are the only place that lists the sets by name.

/// Declares all versions of a kernel, given its signature.
#define ISOCHOR_DECLARE_KERNEL(signature) \
  namespace baseline {                    \
  signature;                              \
  }                                       \
  namespace avx2 {                        \
  signature;                              \
  }                                       \
  namespace avx512 {                      \
  signature;                              \
  }

/// Calls the version for `isa`.
#define ISOCHOR_CALL_KERNEL(isa, call) \
  do {                                 \
    switch (isa) {                     \
      case ::isochor::Isa::Avx512:     \
        avx512::call;                  \
        break;                         \
      case ::isochor::Isa::Avx2:       \
        avx2::call;                    \
        break;                         \
      case ::isochor::Isa::Baseline:   \
        baseline::call;                \
        break;                         \
    }                                  \
  } while (false)
