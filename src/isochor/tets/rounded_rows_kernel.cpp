#include <algorithm>
#include <limits>

#include "isochor/tets/ahead.h"
#include "isochor/tets/half_vectors.h"
#include "isochor/tets/rounded_rows.h"

namespace isochor::tets {
inline namespace ISOCHOR_ISA {
namespace {

/// Of half precision. Beside a diagonal of one nothing comes near but what is far from definite or,
/// where the unit is inertia, much stiffer than that.
constexpr float kMost = 6e4f;

/// Longer rows are left to others.
constexpr int kMostBlocks = 128;

/// A block by columns; their fourth numbers mean nothing.
struct Columns {
  Four column[3];
  Columns& operator+=(const Columns& other) {
    for (int c = 0; c < 3; ++c) column[c] += other.column[c];
    return *this;
  }
};

ISOCHOR_KERNEL Columns load_block(const float* nine) {
  const Four last = four(nine + 5);  // there is no thirteenth number
  return {{four(nine), four(nine + 3), __builtin_shufflevector(last, last, 1, 2, 3, 3)}};
}

ISOCHOR_KERNEL Columns transposed(const Columns& block) {
  const auto& [a, b, c] = block.column;
  const Four low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Four high = __builtin_shufflevector(a, b, 2, 6, 2, 6);
  return {{__builtin_shufflevector(low, c, 0, 1, 4, 4), __builtin_shufflevector(low, c, 2, 3, 5, 5),
           __builtin_shufflevector(high, c, 0, 1, 6, 6)}};
}

/// Blocks of row i beside the diagonal, as tets have them: transposed below it.
ISOCHOR_KERNEL void add_tets(const Model& model, const TetStiffness* stiffnesses, std::size_t i,
                             Columns* row) {
  for (std::int32_t u = model.first_use[i]; u < model.first_use[i + 1]; ++u) {
    const int corner = model.uses[u] % 4;
    const float* const entries = stiffnesses[model.uses[u] / 4].entry;
    for (int k = 0; k < 4; ++k) {
      if (k != corner) row[model.places[u][k]] += load_block(entries + 9 * kPairOf[corner][k]);
    }
  }
}

/// Writes nine numbers and one behind them; `largest` of all sizes so far.
ISOCHOR_KERNEL void round_block(const Columns& block, float factor, Half* nine, Four& largest) {
  for (int c = 0; c < 3; ++c) {
    const Four scaled = block.column[c] * factor, size = scaled < 0 ? -scaled : scaled;
    largest = size > largest ? size : largest;
    store_four(scaled, nine + 3 * c);
  }
}

}  // namespace

void assemble_rows_kernel(const AssemblyView& rows, std::size_t begin, std::size_t end) {
  const solve::BlockPattern& pattern = rows.model.pattern;
  Columns row[kMostBlocks];
  Half rounded[9 * kMostBlocks + 1];
  double more = 0;
  Four largest{};
  for (std::size_t i = begin; i < end; ++i) {
    const std::int32_t first = pattern.first[i];
    const int count = pattern.first[i + 1] - first;
    if (count > kMostBlocks) {
      largest[0] = 2 * kMost;
      break;
    }
    std::fill_n(row, count, Columns{});
    ask_for_tets(rows.model, i + kAhead / 2, rows.stiffnesses);
    add_tets(rows.model, rows.stiffnesses, i, row);
    Columns others{};
    int middle = 0;
    for (int b = 0; b < count; ++b) {
      const auto j = std::size_t(pattern.columns[first + b]);
      if (j == i) {
        middle = b;
        continue;
      }
      const Columns block = j < i ? transposed(row[b]) : row[b];
      others += block;
      round_block(block, rows.by_scale[i] * rows.by_scale[j], rounded + 9 * b, largest);
    }
    // What follows was written over.
    const Half after = middle + 1 < count ? rounded[9 * middle + 9] : Half{0};
    // A body that is shifted has no force: the diagonal follows from the others.
    Mat3d& diagonal = rows.diagonal[i];
    diagonal = Mat3d::diagonal({rows.inertia[i], rows.inertia[i], rows.inertia[i]});
    for (int e = 0; e < 9; ++e) diagonal(e % 3, e / 3) -= double(others.column[e / 3][e % 3]);
    Columns own{};
    for (int e = 0; e < 9; ++e) own.column[e / 3][e % 3] = float(diagonal(e % 3, e / 3));
    round_block(own, rows.by_scale[i] * rows.by_scale[i], rounded + 9 * middle, largest);
    rounded[9 * middle + 9] = after;
    std::copy_n(rounded, 9 * count, rows.entries + 9 * std::ptrdiff_t(first));
    if (!rows.model.held[i]) more += trace(diagonal) - 3 * rows.most * rows.inertia[i];
  }
  bool fits = true;
  for (int lane = 0; lane < 4; ++lane) fits = fits && largest[lane] <= kMost;
  *rows.more = fits ? more : std::numeric_limits<double>::infinity();
}

void round_rows_kernel(const RoundingView& rows, std::size_t begin, std::size_t end) {
  constexpr int kTogether = 16;  // blocks
  using Pack16 = Pack<float, 16>;
  float scaled[9 * kTogether] = {};
  Half rounded[9 * kTogether];
  for (std::size_t i = begin; i < end; ++i) {
    const std::int32_t last = rows.pattern.first[i + 1];
    for (std::int32_t k = rows.pattern.first[i]; k < last; k += kTogether) {
      const int count = std::min(kTogether, last - k);
      for (int b = 0; b < count; ++b) {
        const double* const block = rows.blocks + 9 * std::ptrdiff_t(k + b);
        const float factor = rows.by_scale[i] * rows.by_scale[rows.pattern.columns[k + b]];
        for (int e = 0; e < 9; ++e) {
          scaled[9 * b + e] = std::clamp(float(block[e]) * factor, -kMost, kMost);
        }
      }
      for (int e = 0; e < 9 * count; e += 16) {
        Pack16::load(scaled + e).store(rounded + e);
      }
      std::copy_n(rounded, 9 * count, rows.entries + 9 * std::ptrdiff_t(k));
    }
  }
}

void rounded_rows_kernel(const RoundedView& rows, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    Four a{}, b{}, c{};
    for (std::int32_t k = rows.pattern.first[i]; k < rows.pattern.first[i + 1]; ++k) {
      const Half* const block = rows.entries + 9 * std::ptrdiff_t(k);
      const float* const x = rows.x + 4 * std::ptrdiff_t(rows.pattern.columns[k]);
      a += four(block) * x[0];
      b += four(block + 3) * x[1];
      c += four(block + 6) * x[2];
    }
    const Four sum = (a + b + c) * rows.scale[i];
    rows.y[i] = {double(sum[0]), double(sum[1]), double(sum[2])};
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::tets
