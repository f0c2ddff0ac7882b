#include <algorithm>
#include <cmath>

#include "isochor/math/pack.h"
#include "isochor/solve/envelope.h"

namespace isochor::solve {
inline namespace ISOCHOR_ISA {
namespace {

using Eight = Pack<double, 8>;
/// Rows that are worked on at a time.
constexpr int kTogether = 4;

ISOCHOR_KERNEL Eight eight(const double* from) { return Eight::load(from); }
ISOCHOR_KERNEL Eight eight(const float* from) { return Eight::load(from); }

/// Eight sums side by side, so that one addition need not wait for the other: added up in pairs.
ISOCHOR_KERNEL double total(const Eight& sums, double rest) {
  double sum[8];
  sums.store(sum);
  return (((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]))) + rest;
}

template <class A>
ISOCHOR_KERNEL double dot(const A* a, const double* b, std::ptrdiff_t count) {
  Eight sums(0);
  std::ptrdiff_t k = 0;
  for (; k + 8 <= count; k += 8) sums = sums + eight(a + k) * eight(b + k);
  double rest = 0;
  for (; k < count; ++k) rest += double(a[k]) * b[k];
  return total(sums, rest);
}

/// The same of kTogether rows with one, each with the same bits as alone.
ISOCHOR_KERNEL void dots(const double* const (&a)[kTogether], const double* b, std::ptrdiff_t count,
                         double (&out)[kTogether]) {
  Eight sums[kTogether] = {Eight(0), Eight(0), Eight(0), Eight(0)};
  std::ptrdiff_t k = 0;
  for (; k + 8 <= count; k += 8) {
    const Eight x = eight(b + k);
#pragma GCC unroll 4
    for (int m = 0; m < kTogether; ++m) sums[m] = sums[m] + eight(a[m] + k) * x;
  }
  double rest[kTogether] = {};
  for (; k < count; ++k) {
    for (int m = 0; m < kTogether; ++m) rest[m] += a[m][k] * b[k];
  }
  for (int m = 0; m < kTogether; ++m) out[m] = total(sums[m], rest[m]);
}

/// Rows as if they began with column 0.
template <class S>
ISOCHOR_KERNEL S* row(const Envelope& envelope, S* entries, std::ptrdiff_t i) {
  return entries + (envelope.start[i] - envelope.first[i]);
}

/// Entry j of a row of L D, whose entries before it stand.
ISOCHOR_KERNEL void eliminate(const Envelope& envelope, double* entries, std::ptrdiff_t i,
                              std::ptrdiff_t j) {
  double* const li = row(envelope, entries, i);
  const std::ptrdiff_t begin = std::max(envelope.first[i], envelope.first[j]);
  if (begin < j) li[j] -= dot(li + begin, row(envelope, entries, j) + begin, j - begin);
}

/// From column `all` on, where all rows have begun, up to the block.
ISOCHOR_KERNEL void eliminate_together(const Envelope& envelope, double* entries,
                                       std::ptrdiff_t block, std::ptrdiff_t all) {
  const std::int32_t* const first = envelope.first;
  double* rows[kTogether];
  for (int m = 0; m < kTogether; ++m) rows[m] = row(envelope, entries, block + m);
  for (std::ptrdiff_t j = all; j < block; ++j) {
    const double* const lj = row(envelope, entries, j);
    const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(all, first[j]);
    double change[kTogether] = {};
    if (begin < j) {
      const double* from[kTogether];
      for (int m = 0; m < kTogether; ++m) from[m] = rows[m] + begin;
      dots(from, lj + begin, j - begin, change);
    }
    for (int m = 0; m < kTogether; ++m) {
      // What a row has before the others.
      const std::ptrdiff_t own = std::max(first[block + m], first[j]);
      if (own < begin) change[m] += dot(rows[m] + own, lj + own, std::min(begin, j) - own);
      rows[m][j] -= change[m];
    }
  }
}

}  // namespace

void factorise_kernel(const Envelope& envelope, double* entries, const double* diagonal,
                      const Pivots& pivots, double* by_pivot) {
  const std::ptrdiff_t size = std::ptrdiff_t(envelope.size);
  const std::int32_t* const first = envelope.first;
  for (std::ptrdiff_t block = 0; block < size; block += kTogether) {
    const std::ptrdiff_t end = std::min(size, block + kTogether);
    // Columns before the block, for all rows that have come to them.
    std::ptrdiff_t all = block;  // where the last of them begins
    if (end == block + kTogether) all = *std::max_element(first + block, first + end);
    for (std::ptrdiff_t i = block; i < end; ++i) {
      for (std::ptrdiff_t j = first[i]; j < std::min(all, block); ++j)
        eliminate(envelope, entries, i, j);
    }
    if (all < block) eliminate_together(envelope, entries, block, all);
    for (std::ptrdiff_t i = block; i < end; ++i) {
      for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(block, first[i]); j < i; ++j) {
        eliminate(envelope, entries, i, j);
      }
      // So far that is L D, by which the pivot changes.
      double* const li = row(envelope, entries, i);
      double pivot = diagonal[i];
      for (std::ptrdiff_t j = first[i]; j < i; ++j) {
        const double scaled = li[j] * by_pivot[j];
        pivot -= li[j] * scaled;
        li[j] = scaled;
      }
      const double least = std::max(pivots.nothing, pivots.rounding * std::abs(diagonal[i]));
      by_pivot[i] = (pivots.negative ? std::abs(pivot) : pivot) > least ? 1 / pivot : 0;
    }
  }
}

void solve_kernel(const Envelope& envelope, const float* factors, const double* by_pivot,
                  double* x) {
  const std::ptrdiff_t size = std::ptrdiff_t(envelope.size);
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    const std::ptrdiff_t begin = envelope.first[i];
    x[i] -= dot(row(envelope, factors, i) + begin, x + begin, i - begin);
  }
  for (std::ptrdiff_t i = 0; i < size; ++i) x[i] *= by_pivot[i];
  for (std::ptrdiff_t i = size; i-- > 0;) {
    const float* const li = row(envelope, factors, i);
    const double own = x[i];
#pragma GCC ivdep
    for (std::ptrdiff_t j = envelope.first[i]; j < i; ++j) x[j] -= double(li[j]) * own;
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::solve
