#pragma once

#include <cstddef>
#include <cstdint>

namespace isochor::solve {

/// Where a symmetric matrix has entries below its diagonal, row by row.
struct Envelope {
  std::size_t size = 0;
  const std::int32_t* first = nullptr;    ///< column that each row begins with
  const std::ptrdiff_t* start = nullptr;  ///< of rows among the entries
  std::size_t rest = 0;                   ///< last rows, which are not eliminated

  std::ptrdiff_t eliminated() const { return std::ptrdiff_t(size - rest); }
};

/// Which pivots count: the others belong to directions that are left alone.
struct Pivots {
  double nothing = 0;   ///< larger than that
  double rounding = 0;  ///< and than that times the entry of A
  bool negative = false;
};

/// A = L D L^T. `entries` are those below the diagonal, and L afterwards; `by_pivot` begins as the
/// diagonal and gets the inverses of D, zero where a pivot does not count by `diagonal`. Rows that
/// are not eliminated keep what is left of A between them, and L before.
void factorise_envelope(const Envelope& envelope, double* entries, const double* diagonal,
                        const Pivots& pivots, double* by_pivot);

/// x becomes L^-1 x. L is read in single precision: what it costs is to read it.
void forward_envelope(const Envelope& envelope, const float* factors, double* x);
/// What is eliminated of x becomes that of L^-T D^-1 x, the rest stays.
void backward_envelope(const Envelope& envelope, const float* factors, const double* by_pivot,
                       double* x);
/// x becomes A^-1 x.
inline void solve_envelope(const Envelope& envelope, const float* factors, const double* by_pivot,
                           double* x) {
  forward_envelope(envelope, factors, x);
  backward_envelope(envelope, factors, by_pivot, x);
}

}  // namespace isochor::solve
