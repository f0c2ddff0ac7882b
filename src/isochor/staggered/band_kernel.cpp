#include <type_traits>

#include "isochor/staggered/lanes_kernel.h"

namespace isochor::staggered {
inline namespace ISOCHOR_ISA {
namespace {

/// A patch of the band and what lies around it, so that packs are cells of one colour side by side.
template <int D>
class PatchCopy {
 public:
  using V = Lanes<float>;
  using Class = CellClass<D>;
  static constexpr int kCount = kCellUnknowns<D>, kWidth = kLanes<float>;
  static constexpr int kMostRows = D == 3 ? (kPatch + 3) * (kPatch + 3) : kPatch + 3;

  PatchCopy(const BandPass<D>& pass, const BandPatch<D>& patch)
      : pass_(pass), patch_(patch), copy_(patch), field_(copy_.size << D) {
    // A cell's rows reach from one before it to two behind, their right-hand sides to one behind.
    find_rows(1, 2);
    for (int c = 0; c <= D; ++c) fetch(pass_.u + c * pass_.view.length, numbers_ + c * field_);
    find_rows(0, 1);
    for (int c = 0; c <= D; ++c) {
      fetch(pass_.b + c * pass_.view.length, numbers_ + (D + 1 + c) * field_);
    }
  }

  void smooth() {
    for (int sweep = 0; sweep < pass_.sweeps; ++sweep) {
      for (int n = 0; n < 1 << D; ++n) smooth(n);
    }
  }

  void write_back() {
    for (int c = 0; c <= D; ++c) {
      float* u = pass_.u + c * pass_.view.length;
      const float* from = numbers_ + c * field_;
      for (const Row* row = rows_; row < rows_end_; ++row) {
        if (row->given) continue;
        float* to = u + row->start;
        each(*row, [&](int x, int place) { to[x] = from[place]; });
      }
    }
  }

 private:
  /// Part of a row: how many cells, where they start in a field, and the first of its even and of
  /// its odd ones in the copy.
  struct Row {
    std::int64_t start;
    std::int32_t count, place[2];
    bool given;  ///< nothing but zeros, and nobody's to write
  };

  /// Rows from some cells before the patch to some behind.
  void find_rows(int before, int behind) {
    rows_end_ = rows_;
    const std::int32_t z_end = D > 2 ? patch_.end[D - 1] + behind : 1;
    for (std::int32_t z = D > 2 ? patch_.begin[D - 1] - before : 0; z < z_end; ++z) {
      for (std::int32_t y = patch_.begin[1] - before; y < patch_.end[1] + behind; ++y) {
        const std::int64_t row = y + z * pass_.view.across;
        std::int32_t begin = patch_.begin[0] - before, end = patch_.end[0] + behind;
        const auto [stored_begin, stored_end] = pass_.extents[row];
        const bool given = stored_end <= stored_begin;
        if (!given) {
          begin = begin < stored_begin ? stored_begin : begin;
          end = end > stored_end ? stored_end : end;
        }
        std::int32_t place = (y & 1) * 2 * copy_.size + (y - copy_.first[1]) / 2 * copy_.stride[1];
        if constexpr (D > 2) {
          place += (z & 1) * 4 * copy_.size + (z - copy_.first[2]) / 2 * copy_.stride[2];
        }
        const auto place_of = [&](std::int32_t x) {
          return place + (x & 1) * copy_.size + (x - copy_.first[0]) / 2 * copy_.stride[0];
        };
        *rows_end_++ = {pass_.view.base[row] + begin,
                        end - begin,
                        {place_of(begin), place_of(begin + 1)},
                        given};
      }
    }
  }
  /// f(number in the row, place in the copy): every other one, and then those between.
  template <class F>
  ISOCHOR_KERNEL void each(const Row& row, F&& f) {
    for (int half = 0; half < 2; ++half) {
      const int place = row.place[half], count = (row.count + 1 - half) / 2;
      if (copy_.stride[0] == 1) {
#pragma GCC ivdep
        for (int n = 0; n < count; ++n) f(2 * n + half, place + n);
      } else {
        for (int n = 0; n < count; ++n) f(2 * n + half, place + n * copy_.stride[0]);
      }
    }
  }
  ISOCHOR_KERNEL void fetch(const float* field, float* __restrict to) {
    // Where a row has but a few cells, each is a line of memory of its own.
    constexpr int kAhead = 12;
    for (const Row* row = rows_; row < rows_end_; ++row) {
      if (row + kAhead < rows_end_) {
        const Row& next = row[kAhead];
        __builtin_prefetch(field + next.start);
        __builtin_prefetch(field + next.start + next.count - 1);
      }
      const float* __restrict from = field + row->start;
      if (row->given) {
        each(*row, [&](int, int place) { to[place] = 0; });
      } else {
        each(*row, [&](int x, int place) { to[place] = from[x]; });
      }
    }
  }

  /// Where neighbours of cells of a colour are, relative to these.
  struct Reach {
    std::int32_t along[D][4];  ///< by -1, 0, 1 and 2 cells
    ISOCHOR_KERNEL std::int32_t operator()(const Shift& s) const {
      std::int32_t sum = 0;
#pragma GCC unroll 4
      for (int k = 0; k < D; ++k) sum += along[k][s.d[k] + 1];
      return sum;
    }
  };
  Reach reach_of(int colour) const {
    Reach reach;
    for (int k = 0; k < D; ++k) {
      for (int s = -1; s <= 2; ++s) {
        const int at = (colour >> k & 1) + s;
        reach.along[k][s + 1] = (at & 1) * (copy_.size << k) + (at >> 1) * copy_.stride[k];
      }
    }
    return reach;
  }

  void smooth(int colour) {
    const Reach reach = reach_of(colour);
    const BandPack* const first = pass_.packs + patch_.packs[colour];
    const BandPack* const end = pass_.packs + patch_.packs[colour + 1];
    // All of a colour are solved before any is changed.
    float* to = changes_;
    for (const BandPack* pack = first; pack < end; ++pack) {
      const bool more = pack > first && pack->place == (pack - 1)->place;
      if (more) to -= kCount * kWidestPack;
      for (int part = 0; part < kWidestPack; part += kWidth) solve(reach, *pack, part, more, to);
      to += kCount * kWidestPack;
    }
    const float* from = changes_;
    for (const BandPack* pack = first; pack < end; ++pack) {
      if (pack > first && pack->place == (pack - 1)->place) continue;
      for (int part = 0; part < kWidestPack; part += kWidth) {
        change(reach, pack->place + part, from + part);
      }
      from += kCount * kWidestPack;
    }
  }

  ISOCHOR_KERNEL void change(const Reach& reach, int place, const float* by) {
#pragma GCC unroll 8
    for (int f = 0; f < kCount; ++f) {
      const Shift at = f < 2 * D ? Shift{}.plus(f / 2, f % 2) : Shift{};
      float* to = numbers_ + f / 2 * field_ + place + reach(at);
      (V::load(to) + V::load(by + f * kWidestPack)).store(to);
    }
  }

  void solve(const Reach& reach, const BandPack& pack, int part, bool more, float* changes) {
    const unsigned members = pack.members >> part & ((1u << kWidth) - 1);
    changes += part;
    if (members == 0) {
      if (more) return;
      for (int f = 0; f < kCount; ++f) V(0).store(changes + f * kWidestPack);
      return;
    }
    V by[kCount];
    const float* at = numbers_ + pack.place + part;
    if (pack.which & BandPack::kMany) {
      const std::uint32_t* many = pass_.many + (pack.which & ~BandPack::kMany) + part;
      const Integers places =
          product(load_integers(reinterpret_cast<const std::int32_t*>(many)), Class::kSize);
      solve(
          reach, at, [&](int n) { return gathered(pass_.classes + n, places); }, by);
    } else {
      const float* all = pass_.classes + std::int64_t(pack.which) * Class::kSize;
      solve(
          reach, at, [&](int n) { return V(all[n]); }, by);
    }
    for (int f = 0; f < kCount; ++f) {
      V sum = only(members, by[f]);
      float* to = changes + f * kWidestPack;
      if (more) sum = sum + V::load(to);
      sum.store(to);
    }
  }

  /// The rows of Around, with the numbers of classes.
  template <class Term>
  ISOCHOR_KERNEL void solve(const Reach& reach, const float* at, Term&& term, V* by) const {
    const auto u = [&](int i, const Shift& s) { return V::load(at + i * field_ + reach(s)); };
    const auto b = [&](int i, const Shift& s) {
      return V::load(at + (D + 1 + i) * field_ + reach(s));
    };
    const Coefficients<D, float>& k = pass_.view.k;
    V r[kCount];
    const V pressure = u(D, {});
    r[2 * D] = negmuladd(term(Class::kPressure), pressure, b(D, {}));
#pragma GCC unroll 4
    for (int i = 0; i < D; ++i) {
      const Shift above = Shift{}.plus(i, 1), below = Shift{}.plus(i, -1);
      const V lower = u(i, {}), upper = u(i, above), own = upper - lower;
      const auto stress = [&](int cell, const V& stretch, const V& p) {
        return mulsub(term(Class::stretch(i, cell)), stretch, term(Class::coupling(i, cell)) * p);
      };
      const V n = stress(1, own, pressure);
      r[2 * i] = b(i, {}) - (n - stress(0, lower - u(i, below), u(D, below)));
      r[2 * i + 1] = b(i, above) - (stress(2, u(i, above.plus(i, 1)) - upper, u(D, above)) - n);
      r[2 * D] = negmuladd(term(Class::coupling(i, 1)), own, r[2 * D]);
      if (k.inertia != 0) {
        r[2 * i] = muladd(term(Class::mass(2 * i)), lower, r[2 * i]);
        r[2 * i + 1] = muladd(term(Class::mass(2 * i + 1)), upper, r[2 * i + 1]);
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < D; ++i) {
#pragma GCC unroll 4
      for (int j = i + 1; j < D; ++j) {
        const V per_i(k.per_h[i]), per_j(k.per_h[j]);
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) {
          const Shift s = Shift{}.plus(i, c & 1).plus(j, c >> 1);
          const V across = (u(j, s) - u(j, s.plus(i, -1))) * per_i;
          const V sum = muladd(u(i, s) - u(i, s.plus(j, -1)), per_j, across);
          const V stress = term(Class::shear(i, j, c)) * sum;
          V& of_i = r[2 * i + (c & 1)];
          V& of_j = r[2 * j + (c >> 1)];
          of_i = c >> 1 ? negmuladd(stress, per_j, of_i) : muladd(stress, per_j, of_i);
          of_j = c & 1 ? negmuladd(stress, per_i, of_j) : muladd(stress, per_i, of_j);
        }
      }
    }
#pragma GCC unroll 8
    for (int f = 0; f < kCount; ++f) {
      by[f] = term(Class::inverse(f, 0)) * r[0];
#pragma GCC unroll 8
      for (int g = 1; g < kCount; ++g) by[f] = muladd(term(Class::inverse(f, g)), r[g], by[f]);
    }
  }

  const BandPass<D>& pass_;
  const BandPatch<D>& patch_;
  const BandCopy<D> copy_;
  const std::int32_t field_;  ///< numbers of one
  Row* rows_end_ = rows_;
  Row rows_[kMostRows];
  // Packs may reach beyond the last cell, and no further apart than they are long.
  alignas(64) float numbers_[2 * (D + 1) * (BandCopy<D>::kLargest << D) + kWidestPack];
  alignas(64) float changes_[kCount * (BandCopy<D>::kLargest + kWidestPack)];
};

}  // namespace

template <class Pass>
void smooth_patches_kernel(const Pass& pass, const RowRange& range) {
  constexpr int D = std::extent_v<decltype(pass.view.k.per_h)>;
  for (std::int64_t n = range.begin; n < range.end; ++n) {
    PatchCopy<D> copy(pass, pass.patches[n]);
    copy.smooth();
    copy.write_back();
  }
}

template void smooth_patches_kernel(const BandPass<2>&, const RowRange&);
template void smooth_patches_kernel(const BandPass<3>&, const RowRange&);

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
