#include "isochor/staggered/passes.h"
#include "isochor/staggered/rows_kernel.h"

namespace isochor::staggered {
inline namespace ISOCHOR_ISA {
namespace {

constexpr int kMargin = Layout<3>::kMargin;

/// Where rows lie in the box, per axis but x.
template <int D>
struct RowAt {
  std::int64_t y, z;
};
template <int D>
ISOCHOR_KERNEL RowAt<D> row_at(const View<D, float>& view, std::int64_t row) {
  return {row % view.across, row / view.across};
}
template <int D>
ISOCHOR_KERNEL std::int64_t start_of(const View<D, float>& view, std::int64_t y, std::int64_t z) {
  return view.base[y + z * view.across];
}

/// What a coarse number takes of the fine ones along one axis: the mean of two, or of three about a
/// face that both levels have.
struct Means {
  int first, count;
  float weight[3];
};
ISOCHOR_KERNEL Means means_of(bool face) {
  if (face) return {-1, 3, {0.25f, 0.5f, 0.25f}};
  return {0, 2, {0.5f, 0.5f, 0}};
}

template <int D>
void restrict_component(const TransferPass<D>& pass, const typename Layout<D>::Row& row,
                        int component) {
  const auto [Y, Z] = row_at<D>(pass.coarse, row.number);
  const Means in_y = means_of(component == 1), in_z = means_of(component == 2);
  const std::int64_t own = pass.coarse.base[row.number];
  float* __restrict to = pass.to + component * pass.coarse.length + own;
  const std::uint16_t* flags = pass.coarse.flags + own;
  for (std::int64_t X = row.begin; X < row.end; ++X) to[X] = 0;
  for (int kz = 0; kz < (D > 2 ? in_z.count : 1); ++kz) {
    const std::int64_t z = D > 2 ? 2 * Z - kMargin + in_z.first + kz : 0;
    for (int ky = 0; ky < in_y.count; ++ky) {
      const std::int64_t y = 2 * Y - kMargin + in_y.first + ky;
      const float weight = in_y.weight[ky] * (D > 2 ? in_z.weight[kz] : 1.0f);
      const float* __restrict from =
          pass.from + component * pass.fine.length + start_of<D>(pass.fine, y, z) - kMargin;
      if (component == 0) {
#pragma GCC ivdep
        for (std::int64_t X = row.begin; X < row.end; ++X) {
          to[X] += weight * (0.25f * (from[2 * X - 1] + from[2 * X + 1]) + 0.5f * from[2 * X]);
        }
      } else {
#pragma GCC ivdep
        for (std::int64_t X = row.begin; X < row.end; ++X) {
          to[X] += weight * (0.5f * (from[2 * X] + from[2 * X + 1]));
        }
      }
    }
  }
#pragma GCC ivdep
  for (std::int64_t X = row.begin; X < row.end; ++X) {
    to[X] *= float(flags[X] >> (kActive + component) & 1);
  }
}

/// Which coarse numbers a fine one lies between along one axis, and their weights.
struct Between {
  std::int64_t at[2];
  float weight[2];
};
/// Faces along their own axis coincide or lie halfway; across it, and for centres, a quarter off.
ISOCHOR_KERNEL Between between(std::int64_t fine, bool face, bool constant) {
  const std::int64_t parent = (fine + kMargin) / 2;
  const bool odd = fine & 1;
  if (constant) return {{parent, parent}, {1, 0}};
  if (face) return {{parent, parent + odd}, {odd ? 0.5f : 1.0f, odd ? 0.5f : 0.0f}};
  return {{parent, odd ? parent + 1 : parent - 1}, {0.75f, 0.25f}};
}

/// Interpolates in pieces of a row, so that what the rows around give fits on the stack.
constexpr int kPiece = 64;

template <int D>
void prolong_component(const TransferPass<D>& pass, const typename Layout<D>::Row& row,
                       int component) {
  const auto [y, z] = row_at<D>(pass.fine, row.number);
  const bool centre = component == D;
  const Between in_y = between(y, component == 1, centre),
                in_z = between(z, component == 2, centre);
  const std::int64_t own = pass.fine.base[row.number];
  float* __restrict to = pass.to + component * pass.fine.length + own;
  const std::uint16_t* flags = pass.fine.flags + own;
  for (std::int64_t begin = row.begin & ~1; begin < row.end; begin += 2 * kPiece) {
    // Sums over coarse rows of values and of the weights that lie on something, from the coarse
    // cell before the piece to the one behind it.
    float value[kPiece + 2] = {}, weight[kPiece + 2] = {};
    const std::int64_t first = (begin + kMargin) / 2 - 1;
    std::int64_t count = (row.end - begin + 1) / 2 + 2;
    if (count > kPiece + 2) count = kPiece + 2;
    for (int k = 0; k < (D > 2 ? 4 : 2); ++k) {
      const float w = in_y.weight[k & 1] * (D > 2 ? in_z.weight[k >> 1] : 1.0f);
      if (w == 0) continue;
      const std::int64_t start =
          start_of<D>(pass.coarse, in_y.at[k & 1], D > 2 ? in_z.at[k >> 1] : 0) + first;
      const float* __restrict from = pass.from + component * pass.coarse.length + start;
      const std::uint16_t* __restrict known = pass.coarse.flags + start;
#pragma GCC ivdep
      for (std::int64_t n = 0; n < count; ++n) {
        value[n] += w * from[n];
        weight[n] += w * float(known[n] >> (kKnown + component) & 1);
      }
    }
    const Between even = between(0, component == 0, centre),
                  odd = between(1, component == 0, centre);
    // Relative to the coarse cell above, which is number n + 1 here.
    const int even_at = int(even.at[1] - even.at[0]), odd_at = int(odd.at[1] - odd.at[0]);
    float fine[2 * kPiece];
#pragma GCC ivdep
    for (std::int64_t n = 0; n < count - 2; ++n) {
      const float e = even.weight[0] * value[n + 1] + even.weight[1] * value[n + 1 + even_at];
      const float ew = even.weight[0] * weight[n + 1] + even.weight[1] * weight[n + 1 + even_at];
      const float o = odd.weight[0] * value[n + 1] + odd.weight[1] * value[n + 1 + odd_at];
      const float ow = odd.weight[0] * weight[n + 1] + odd.weight[1] * weight[n + 1 + odd_at];
      fine[2 * n] = e / (ew > 0 ? ew : 1.0f);
      fine[2 * n + 1] = o / (ow > 0 ? ow : 1.0f);
    }
    const std::int64_t from = begin < row.begin ? row.begin : begin;
    const std::int64_t end = begin + 2 * kPiece < row.end ? begin + 2 * kPiece : row.end;
#pragma GCC ivdep
    for (std::int64_t x = from; x < end; ++x) {
      to[x] += float(flags[x] >> (kActive + component) & 1) * fine[x - begin];
    }
  }
}

}  // namespace

template <class Pass>
void restrict_kernel(const Pass& pass, const RowRange& range) {
  constexpr int D = sizeof(pass.fine.k.per_h) / sizeof(pass.fine.k.per_h[0]);
  for (std::int64_t n = range.begin; n < range.end; ++n) {
    for (int c = 0; c <= D; ++c) restrict_component<D>(pass, pass.coarse.rows[n], c);
  }
}
template <class Pass>
void prolong_kernel(const Pass& pass, const RowRange& range) {
  constexpr int D = sizeof(pass.fine.k.per_h) / sizeof(pass.fine.k.per_h[0]);
  for (std::int64_t n = range.begin; n < range.end; ++n) {
    for (int c = 0; c <= D; ++c) prolong_component<D>(pass, pass.fine.rows[n], c);
  }
}

template void restrict_kernel(const TransferPass<2>&, const RowRange&);
template void restrict_kernel(const TransferPass<3>&, const RowRange&);
template void prolong_kernel(const TransferPass<2>&, const RowRange&);
template void prolong_kernel(const TransferPass<3>&, const RowRange&);

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
