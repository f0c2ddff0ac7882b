#pragma once

#include "isochor/staggered/model.h"

namespace isochor::staggered {

/// What a level says of its cells and their deformation.
template <int D>
class Gradients {
 public:
  /// `turns` say how cells are turned whose gradient nobody knows.
  Gradients(const Level<D>& level, std::span<const double> u, std::span<const double> turns)
      : level_(level), layout_(level.layout), u_(u), turns_(turns) {}

  bool interior(const Index<D>& at) const { return flags(at) >> kActive >> D & 1; }
  /// Material, free or held. All lower faces of the latter are given; as they are of what is
  /// outside between held cells, whose rotation nobody asks for.
  bool turns(const Index<D>& at) const {
    if (interior(at)) return true;
    for (int k = 0; k < D; ++k) {
      if (!known(at, k)) return false;
    }
    return true;
  }
  /// F of a cell, by rows: means over edges off the diagonal. Where a free boundary leaves none,
  /// that of neighbours.
  std::array<double, D * D> at(const Index<D>& cell) const {
    std::array<double, D * D> F;
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) {
        double sum = 0;
        int count = 0;
        const auto take = [&](const Index<D>& from) {
          const auto [value, found] = entry(from, i, j);
          sum += value;
          count += found;
        };
        take(cell);
        for (int k = 0; k < D && count == 0; ++k) {
          for (const int by : {-1, 1}) take(moved<D>(cell, k, by));
        }
        F[D * i + j] =
            count > 0 ? sum / count : turns_[(D * i + j) * layout_.length + layout_.place(cell)];
      }
    }
    return F;
  }

 private:
  unsigned flags(const Index<D>& at) const {
    return layout_.stores(at) ? level_.weights.flags[layout_.place(at)] : 0;
  }
  bool known(const Index<D>& at, int k) const { return flags(at) >> (kKnown + k) & 1; }
  /// F_ij of a cell, a mean over its edges off the diagonal.
  struct Entry {
    double value = 0;
    bool found = false;
  };
  Entry entry(const Index<D>& cell, int i, int j) const {
    double sum = 0;
    int count = 0;
    const auto slope = [&](const Index<D>& below) {
      const Index<D> above = moved<D>(below, j, 1);
      if (!known(below, i) || !known(above, i)) return;
      const double* u = u_.data() + i * layout_.length;
      sum += (u[layout_.place(above)] - u[layout_.place(below)]) / level_.spacing[j];
      ++count;
    };
    if (i == j) {
      slope(cell);
    } else {
      for (int c = 0; c < 4; ++c) slope(moved<D>(moved<D>(cell, i, c & 1), j, (c >> 1) - 1));
    }
    return {count > 0 ? sum / count + (i == j) : 0, count > 0};
  }

  const Level<D>& level_;
  const Layout<D>& layout_;
  std::span<const double> u_;
  std::span<const double> turns_;
};

}  // namespace isochor::staggered
