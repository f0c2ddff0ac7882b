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

/// Adds weight * (part of what lies beside the face | the face itself).
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
          const float below = flags[X - 1] >> kKnown & 1 ? 0.25f : 0.5f;
          const float above = flags[X + 1] >> kKnown & 1 ? 0.25f : 0.5f;
          to[X] += weight * (below * from[2 * X - 1] + above * from[2 * X + 1] + 0.5f * from[2 * X]);
        }
      } else {
        // The coarse row on the other side of what lies beside the face.
        const int ky1 = component == 1 ? ky - 1 : 0, kz1 = component == 2 ? kz - 1 : 0;
        const std::uint16_t* __restrict other = pass.coarse.flags + start_of<D>(pass.coarse, Y + ky1, Z + kz1);
        const bool beside = ky1 != 0 || kz1 != 0;
#pragma GCC ivdep
        for (std::int64_t X = row.begin; X < row.end; ++X) {
          const float fold = beside && !(other[X] >> (kKnown + component) & 1) ? 2.0f : 1.0f;
          to[X] += fold * weight * (0.5f * (from[2 * X] + from[2 * X + 1]));
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

/// From the number next to a place, the one on the place's side and the one on the other: linear,
/// beyond the last ones too, so that a rotation of a free end stays one.
struct Sample {
  float value, known;
};
ISOCHOR_KERNEL Sample interpolated(const Sample& near, const Sample& far, const Sample& back,
                                   float far_weight) {
  if (near.known > 0) {
    if (far.known > 0) return {(1 - far_weight) * near.value + far_weight * far.value, 1};
    if (back.known > 0 && far_weight < 0.5f) {
      return {(1 + far_weight) * near.value - far_weight * back.value, 1};
    }
    return near;
  }
  return far;
}

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
  const auto sample = [&](std::int64_t Y, std::int64_t Z, std::int64_t X) -> Sample {
    const std::int64_t at = start_of<D>(pass.coarse, Y, D > 2 ? Z : 0) + X;
    return {pass.from[component * pass.coarse.length + at],
            float(pass.coarse.flags[at] >> (kKnown + component) & 1)};
  };
  for (std::int64_t x = row.begin; x < row.end; ++x) {
    if (!(flags[x] >> (kActive + component) & 1)) continue;
    const Between in_x = between(x, component == 0, centre);
    const auto along_x = [&](std::int64_t Y, std::int64_t Z) {
      const Sample near = sample(Y, Z, in_x.at[0]);
      if (in_x.weight[1] == 0) return near;
      return interpolated(near, sample(Y, Z, in_x.at[1]), sample(Y, Z, 2 * in_x.at[0] - in_x.at[1]), in_x.weight[1]);
    };
    const auto along_y = [&](std::int64_t Z) {
      const Sample near = along_x(in_y.at[0], Z);
      if (in_y.weight[1] == 0) return near;
      return interpolated(near, along_x(in_y.at[1], Z), along_x(2 * in_y.at[0] - in_y.at[1], Z), in_y.weight[1]);
    };
    Sample all = along_y(in_z.at[0]);
    if (D > 2 && in_z.weight[1] > 0) {
      all = interpolated(all, along_y(in_z.at[1]), along_y(2 * in_z.at[0] - in_z.at[1]), in_z.weight[1]);
    }
    to[x] += all.value * all.known;
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
