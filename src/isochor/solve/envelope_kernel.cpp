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
template <class A>
ISOCHOR_KERNEL void dots(const A* const (&a)[kTogether], const double* b, std::ptrdiff_t count,
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
    for (int m = 0; m < kTogether; ++m) rest[m] += double(a[m][k]) * b[k];
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
  const std::ptrdiff_t end = std::min(j, envelope.eliminated());
  if (begin < end) li[j] -= dot(li + begin, row(envelope, entries, j) + begin, end - begin);
}

/// The column from which on all rows of a block have begun; at most `end`.
ISOCHOR_KERNEL std::ptrdiff_t begin_of_all(const Envelope& envelope, std::ptrdiff_t block,
                                           std::ptrdiff_t end) {
  const std::int32_t* const first = envelope.first + block;
  return std::min<std::ptrdiff_t>(end, *std::max_element(first, first + kTogether));
}

/// Columns from `all` to the block, which all rows of it have.
ISOCHOR_KERNEL void eliminate_together(const Envelope& envelope, double* entries,
                                       std::ptrdiff_t block, std::ptrdiff_t all) {
  const std::int32_t* const first = envelope.first;
  double* rows[kTogether];
  for (int m = 0; m < kTogether; ++m) rows[m] = row(envelope, entries, block + m);
  for (std::ptrdiff_t j = all; j < block; ++j) {
    const double* const lj = row(envelope, entries, j);
    const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(all, first[j]);
    const std::ptrdiff_t stop = std::min(j, envelope.eliminated());
    double change[kTogether] = {};
    if (begin < stop) {
      const double* from[kTogether];
      for (int m = 0; m < kTogether; ++m) from[m] = rows[m] + begin;
      dots(from, lj + begin, stop - begin, change);
    }
    for (int m = 0; m < kTogether; ++m) {
      // What a row has before the others.
      const std::ptrdiff_t own = std::max(first[block + m], first[j]);
      if (own < std::min(begin, stop)) {
        change[m] += dot(rows[m] + own, lj + own, std::min(begin, stop) - own);
      }
      rows[m][j] -= change[m];
    }
  }
}

/// x -= L^T x of the rows of a block, in columns that all of them have.
ISOCHOR_KERNEL void subtract_together(const Envelope& envelope, const float* factors,
                                      std::ptrdiff_t block, std::ptrdiff_t begin,
                                      std::ptrdiff_t end, double* x) {
  const float* rows[kTogether];
  Eight own[kTogether];
  for (int m = 0; m < kTogether; ++m) {
    rows[m] = row(envelope, factors, block + m);
    own[m] = Eight(x[block + m]);
  }
  std::ptrdiff_t j = begin;
  for (; j + 8 <= end; j += 8) {
    Eight sum = eight(rows[0] + j) * own[0];
#pragma GCC unroll 4
    for (int m = 1; m < kTogether; ++m) sum = sum + eight(rows[m] + j) * own[m];
    (eight(x + j) - sum).store(x + j);
  }
  for (; j < end; ++j) {
    for (int m = 0; m < kTogether; ++m) x[j] -= double(rows[m][j]) * x[block + m];
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
    const std::ptrdiff_t all =
        end == block + kTogether ? begin_of_all(envelope, block, block) : block;
    for (std::ptrdiff_t i = block; i < end; ++i) {
      for (std::ptrdiff_t j = first[i]; j < all; ++j) eliminate(envelope, entries, i, j);
    }
    if (all < block) eliminate_together(envelope, entries, block, all);
    for (std::ptrdiff_t i = block; i < end; ++i) {
      for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(block, first[i]); j < i; ++j) {
        eliminate(envelope, entries, i, j);
      }
      // So far that is L D, by which the pivot changes.
      double* const li = row(envelope, entries, i);
      double pivot = by_pivot[i];
      for (std::ptrdiff_t j = first[i]; j < std::min(i, envelope.eliminated()); ++j) {
        const double scaled = li[j] * by_pivot[j];
        pivot -= li[j] * scaled;
        li[j] = scaled;
      }
      if (i < envelope.eliminated()) {
        const double least = std::max(pivots.nothing, pivots.rounding * std::abs(diagonal[i]));
        pivot = (pivots.negative ? std::abs(pivot) : pivot) > least ? 1 / pivot : 0;
      }
      by_pivot[i] = pivot;
    }
  }
}

// Rows of a block together: the sums of one alone wait for each other, and x is read less often.

void forward_kernel(const Envelope& envelope, const float* factors, double* x) {
  const std::ptrdiff_t size = std::ptrdiff_t(envelope.size), most = envelope.eliminated();
  const std::int32_t* const first = envelope.first;
  std::ptrdiff_t block = 0;
  for (; block + kTogether <= size; block += kTogether) {
    const std::ptrdiff_t before = std::min(block, most);
    const std::ptrdiff_t all = begin_of_all(envelope, block, before);
    const float* from[kTogether];
    for (int m = 0; m < kTogether; ++m) from[m] = row(envelope, factors, block + m) + all;
    double sums[kTogether];
    dots(from, x + all, before - all, sums);
    for (std::ptrdiff_t i = block; i < block + kTogether; ++i) {
      const float* const li = row(envelope, factors, i);
      double sum = sums[i - block];
      for (std::ptrdiff_t j = first[i]; j < all; ++j) sum += double(li[j]) * x[j];
      const std::ptrdiff_t end = std::min(i, most);
      for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(before, first[i]); j < end; ++j) {
        sum += double(li[j]) * x[j];
      }
      x[i] -= sum;
    }
  }
  for (std::ptrdiff_t i = block; i < size; ++i) {
    const std::ptrdiff_t end = std::min(i, most);
    if (first[i] >= end) continue;
    x[i] -= dot(row(envelope, factors, i) + first[i], x + first[i], end - first[i]);
  }
}

void backward_kernel(const Envelope& envelope, const float* factors, const double* by_pivot,
                     double* x) {
  const std::ptrdiff_t size = std::ptrdiff_t(envelope.size), most = envelope.eliminated();
  const std::int32_t* const first = envelope.first;
  for (std::ptrdiff_t i = 0; i < most; ++i) x[i] *= by_pivot[i];
  const auto subtract = [&](std::ptrdiff_t i, std::ptrdiff_t begin, std::ptrdiff_t end) {
    const float* const li = row(envelope, factors, i);
    const double own = x[i];
    for (std::ptrdiff_t j = begin; j < end; ++j) x[j] -= double(li[j]) * own;
  };
  std::ptrdiff_t block = size - size % kTogether;
  for (std::ptrdiff_t i = size; i-- > block;) subtract(i, first[i], std::min(i, most));
  while ((block -= kTogether) >= 0) {
    const std::ptrdiff_t before = std::min(block, most);
    const std::ptrdiff_t all = begin_of_all(envelope, block, before);
    for (std::ptrdiff_t i = block + kTogether; i-- > block;) {
      subtract(i, std::max<std::ptrdiff_t>(before, first[i]), std::min(i, most));
      subtract(i, first[i], all);
    }
    subtract_together(envelope, factors, block, all, before, x);
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::solve
