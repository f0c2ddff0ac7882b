#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace isochor {

/// While it lives, this thread takes denormal numbers for zero. What decays towards zero in single
/// precision (residuals, off-diagonal entries) otherwise costs a hundredfold on its last steps.
class FlushDenormals {
 public:
#if defined(__x86_64__)
  FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero); }
  ~FlushDenormals() { _mm_setcsr(saved_); }

 private:
  static constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  unsigned saved_;

 public:
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

}  // namespace isochor
