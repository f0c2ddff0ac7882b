#include <type_traits>

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

/// What a coarse face takes of a fine one between it and the next coarse one: half of it, or all
/// where there is no next one, so that no load gets lost at a free boundary.
ISOCHOR_KERNEL float share(bool folded, std::uint16_t next, int component) {
  return folded && !(next >> (kKnown + component) & 1) ? 2.0f : 1.0f;
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
          const float below = 0.25f * share(pass.folded, flags[X - 1], 0),
                      above = 0.25f * share(pass.folded, flags[X + 1], 0);
          to[X] +=
              weight * (below * from[2 * X - 1] + above * from[2 * X + 1] + 0.5f * from[2 * X]);
        }
        continue;
      }
      // The coarse face that a fine one beside this one is shared with; itself for its own.
      const std::uint16_t* __restrict next =
          pass.coarse.flags + start_of<D>(pass.coarse, Y + (component == 1 ? ky - 1 : 0),
                                          Z + (D > 2 && component == 2 ? kz - 1 : 0));
#pragma GCC ivdep
      for (std::int64_t X = row.begin; X < row.end; ++X) {
        const float part = 0.5f * share(pass.folded, next[X], component);
        to[X] += weight * (part * (from[2 * X] + from[2 * X + 1]));
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

/// A number that may be nowhere.
struct Sample {
  float value = 0;
  bool known = false;
};
/// f(coarse index) between its two, or beyond the first by what the one on the other side says:
/// so rotations stay such at free boundaries, as with the ghosts of the paper.
template <class F>
Sample interpolated(const Between& between, F&& f) {
  const float weight = between.weight[1];
  const Sample near = f(between.at[0]);
  if (weight == 0) return near;
  const Sample far = f(between.at[1]);
  if (!near.known) return far;
  if (far.known) return {near.value + weight * (far.value - near.value), true};
  if (weight == 0.5f) return near;
  const Sample behind = f(2 * between.at[0] - between.at[1]);
  return behind.known ? Sample{near.value + weight * (near.value - behind.value), true} : near;
}

/// Interpolates rows of the fine level.
template <int D>
class Prolongation {
 public:
  Prolongation(const TransferPass<D>& pass, const typename Layout<D>::Row& row, int component)
      : pass_(pass), component_(component), centre_(component == D) {
    const auto [y, z] = row_at<D>(pass.fine, row.number);
    in_y_ = between(y, component == 1, centre_);
    in_z_ = between(z, component == 2, centre_);
    for (int odd = 0; odd < 2; ++odd) in_x_[odd] = between(odd, component == 0, centre_);
    const std::int64_t own = pass.fine.base[row.number];
    to_ = pass.to + component * pass.fine.length + own;
    flags_ = pass.fine.flags + own;
    for (std::int64_t begin = row.begin & ~1; begin < row.end; begin += 2 * kPiece) {
      add_piece(begin, row.begin, row.end);
    }
  }

 private:
  /// Pieces of a row, so that what the rows around give fits on the stack.
  static constexpr int kPiece = 64;

  void add_piece(std::int64_t begin, std::int64_t row_begin, std::int64_t row_end) {
    // Sums over coarse rows, from the coarse cell before the piece to the one behind it, and flags
    // of what all of them have.
    float value[kPiece + 2] = {};
    std::uint16_t known[kPiece + 2];
    for (std::uint16_t& k : known) k = 0xffff;
    const std::int64_t first = (begin + kMargin) / 2 - 1;
    std::int64_t count = (row_end - begin + 1) / 2 + 2;
    if (count > kPiece + 2) count = kPiece + 2;
    for (int k = 0; k < (D > 2 ? 4 : 2); ++k) {
      const float w = in_y_.weight[k & 1] * (D > 2 ? in_z_.weight[k >> 1] : 1.0f);
      if (w == 0) continue;
      const std::int64_t start =
          start_of<D>(pass_.coarse, in_y_.at[k & 1], D > 2 ? in_z_.at[k >> 1] : 0) + first;
      const float* __restrict from = pass_.from + component_ * pass_.coarse.length + start;
      const std::uint16_t* __restrict flags = pass_.coarse.flags + start;
#pragma GCC ivdep
      for (std::int64_t n = 0; n < count; ++n) {
        value[n] += w * from[n];
        known[n] &= flags[n];
      }
    }
    // Relative to the coarse cell above, which is number n + 1 here.
    const int even_at = int(in_x_[0].at[1] - in_x_[0].at[0]),
              odd_at = int(in_x_[1].at[1] - in_x_[1].at[0]);
    float fine[2 * kPiece];
#pragma GCC ivdep
    for (std::int64_t n = 0; n < count - 2; ++n) {
      fine[2 * n] = in_x_[0].weight[0] * value[n + 1] + in_x_[0].weight[1] * value[n + 1 + even_at];
      fine[2 * n + 1] =
          in_x_[1].weight[0] * value[n + 1] + in_x_[1].weight[1] * value[n + 1 + odd_at];
    }
    // What lies at the boundary, one by one.
    const std::int64_t from = begin < row_begin ? row_begin : begin;
    const std::int64_t end = begin + 2 * kPiece < row_end ? begin + 2 * kPiece : row_end;
    for (std::int64_t n = 0; n < count - 2; ++n) {
      if ((known[n] & known[n + 1] & known[n + 2]) >> (kKnown + component_) & 1) continue;
      for (std::int64_t x = begin + 2 * n; x < begin + 2 * n + 2; ++x) {
        const bool asked = x >= from && x < end && (flags_[x] >> (kActive + component_) & 1);
        if (asked) fine[x - begin] = at_boundary(x);
      }
    }
#pragma GCC ivdep
    for (std::int64_t x = from; x < end; ++x) {
      to_[x] += float(flags_[x] >> (kActive + component_) & 1) * fine[x - begin];
    }
  }

  float at_boundary(std::int64_t x) const {
    const Between in_x = between(x, component_ == 0, centre_);
    const auto in_layer = [&](std::int64_t Z) {
      return interpolated(in_y_, [&](std::int64_t Y) {
        const std::int64_t row = start_of<D>(pass_.coarse, Y, Z);
        return interpolated(in_x, [&](std::int64_t X) {
          return Sample{pass_.from[component_ * pass_.coarse.length + row + X],
                        bool(pass_.coarse.flags[row + X] >> (kKnown + component_) & 1)};
        });
      });
    };
    if constexpr (D == 2) return in_layer(0).value;
    return interpolated(in_z_, in_layer).value;
  }

  const TransferPass<D>& pass_;
  const int component_;
  const bool centre_;
  Between in_y_, in_z_, in_x_[2];
  float* __restrict to_;
  const std::uint16_t* flags_;
};

}  // namespace

template <class Pass>
void restrict_kernel(const Pass& pass, const RowRange& range) {
  constexpr int D = std::extent_v<decltype(pass.fine.k.per_h)>;
  for (std::int64_t n = range.begin; n < range.end; ++n) {
    for (int c = 0; c <= D; ++c) restrict_component<D>(pass, pass.coarse.rows[n], c);
  }
}
template <class Pass>
void prolong_kernel(const Pass& pass, const RowRange& range) {
  constexpr int D = std::extent_v<decltype(pass.fine.k.per_h)>;
  for (std::int64_t n = range.begin; n < range.end; ++n) {
    for (int c = 0; c <= D; ++c) Prolongation<D>(pass, pass.fine.rows[n], c);
  }
}

template void restrict_kernel(const TransferPass<2>&, const RowRange&);
template void restrict_kernel(const TransferPass<3>&, const RowRange&);
template void prolong_kernel(const TransferPass<2>&, const RowRange&);
template void prolong_kernel(const TransferPass<3>&, const RowRange&);

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
