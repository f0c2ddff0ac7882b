#include <algorithm>
#include <cmath>
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

/// What a rounded block writes behind itself.
constexpr int kBehind = 3;

/// Nine numbers of a block by columns.
struct Nine {
  Eight first;
  float last;
  Nine& operator+=(const Nine& other) {
    first += other.first;
    last += other.last;
    return *this;
  }
  double operator[](int e) const { return double(e < 8 ? first[e] : last); }
};

ISOCHOR_KERNEL Nine load_block(const float* nine) {
  Nine block;
  __builtin_memcpy(&block.first, nine, sizeof block.first);
  block.last = nine[8];
  return block;
}

ISOCHOR_KERNEL Nine transposed(const Nine& block) {
  const Eight& v = block.first;
  return {__builtin_shufflevector(v, v, 0, 3, 6, 1, 4, 7, 2, 5), block.last};
}

/// Blocks of row i beside the diagonal, as tets have them: transposed below it.
ISOCHOR_KERNEL void add_tets(const Model& model, const TetStiffness* stiffnesses, std::size_t i,
                             Nine* row) {
  for (std::int32_t u = model.first_use[i]; u < model.first_use[i + 1]; ++u) {
    const int corner = model.uses[u] % 4;
    const float* const entries = stiffnesses[model.uses[u] / 4].entry;
    for (int k = 0; k < 4; ++k) {
      if (k != corner) row[model.places[u][k]] += load_block(entries + 9 * kPairOf[corner][k]);
    }
  }
}

/// Writes nine numbers and three behind them; `largest` of all sizes so far.
ISOCHOR_KERNEL void round_block(const Nine& block, float factor, Half* nine, Nine& largest) {
  const Eight scaled = block.first * factor, size = scaled < 0 ? -scaled : scaled;
  largest.first = size > largest.first ? size : largest.first;
  const float last = block.last * factor;
  largest.last = std::max(largest.last, std::abs(last));
  store_eight(scaled, nine);
  store_four(Four{last, 0, 0, 0}, nine + 8);
}

}  // namespace

void assemble_rows_kernel(const AssemblyView& rows, std::size_t begin, std::size_t end) {
  const solve::BlockPattern& pattern = rows.model.pattern;
  Nine row[kMostBlocks];
  Half rounded[9 * kMostBlocks + kBehind]{};
  double more = 0;
  Nine largest{};
  for (std::size_t i = begin; i < end; ++i) {
    const std::int32_t first = pattern.first[i];
    const int count = pattern.first[i + 1] - first;
    if (count > kMostBlocks) {
      largest.last = 2 * kMost;
      break;
    }
    std::fill_n(row, count, Nine{});
    ask_for_tets(rows.model, i + kAhead / 2, rows.stiffnesses);
    add_tets(rows.model, rows.stiffnesses, i, row);
    Nine others{};
    int middle = 0;
    for (int b = 0; b < count; ++b) {
      const auto j = std::size_t(pattern.columns[first + b]);
      if (j == i) {
        middle = b;
        continue;
      }
      const Nine block = j < i ? transposed(row[b]) : row[b];
      others += block;
      round_block(block, rows.by_scale[i] * rows.by_scale[j], rounded + 9 * b, largest);
    }
    // What follows will be written over.
    Half after[kBehind];
    std::copy_n(rounded + 9 * middle + 9, kBehind, after);
    // A body that is shifted has no force: the diagonal follows from the others.
    Mat3d& diagonal = rows.diagonal[i];
    diagonal = Mat3d::diagonal({rows.inertia[i], rows.inertia[i], rows.inertia[i]});
    for (int e = 0; e < 9; ++e) diagonal(e % 3, e / 3) -= others[e];
    float own[9];
    for (int e = 0; e < 9; ++e) own[e] = float(diagonal(e % 3, e / 3));
    round_block(load_block(own), rows.by_scale[i] * rows.by_scale[i], rounded + 9 * middle,
                largest);
    std::copy_n(after, kBehind, rounded + 9 * middle + 9);
    std::copy_n(rounded, 9 * count, rows.entries + 9 * std::ptrdiff_t(first));
    if (!rows.model.held[i]) more += trace(diagonal) - 3 * rows.most * rows.inertia[i];
  }
  bool fits = true;
  for (int e = 0; e < 9; ++e) fits = fits && largest[e] <= double(kMost);
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
    BlockSum blocks;
    for (std::int32_t k = rows.pattern.first[i]; k < rows.pattern.first[i + 1]; ++k) {
      blocks.add(rows.entries + 9 * std::ptrdiff_t(k),
                 rows.x + 4 * std::ptrdiff_t(rows.pattern.columns[k]));
    }
    const Four sum = blocks.sum() * rows.scale[i];
    rows.y[i] = {double(sum[0]), double(sum[1]), double(sum[2])};
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::tets
