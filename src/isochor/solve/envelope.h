#pragma once

#include <cstddef>
#include <cstdint>

namespace isochor::solve {

/// Where a symmetric matrix has entries below its diagonal, row by row.
struct Envelope {
  std::size_t size = 0;
  const std::int32_t* first = nullptr;    ///< column that each row begins with
  const std::ptrdiff_t* start = nullptr;  ///< of rows among the entries
};

/// Which pivots count: the others belong to directions that are left alone.
struct Pivots {
  double nothing = 0;   ///< larger than that
  double rounding = 0;  ///< and than that times the entry of A
  bool negative = false;
};

/// A = L D L^T. `entries` are those below the diagonal, and L afterwards; `by_pivot` gets the
/// inverses of D, zero where a pivot does not count.
void factorise_envelope(const Envelope& envelope, double* entries, const double* diagonal,
                        const Pivots& pivots, double* by_pivot);

/// x becomes A^-1 x. L is read in single precision: what it costs is to read it.
void solve_envelope(const Envelope& envelope, const float* factors, const double* by_pivot,
                    double* x);

}  // namespace isochor::solve
