#include "isochor/staggered/stresses.h"

#include <algorithm>
#include <cmath>

#include "isochor/math/reduce.h"
#include "isochor/staggered/gradients.h"

namespace isochor::staggered {

template <int D>
Stresses<D>::Stresses(const Model<D>& model, std::span<const double> u, const Turns<D>* turns)
    : model_(model),
      level_(model.levels[0]),
      layout_(model.levels[0].layout),
      u_(u),
      turns_(turns) {
  if (turns) return;
  upright_.resize(D * D * layout_.length);
  for (int i = 0; i < D; ++i) {
    std::fill_n(upright_.begin() + std::ptrdiff_t((D * i + i) * layout_.length), layout_.length, 1);
  }
}

template <int D>
double Stresses<D>::number(const Index<D>& at, int k) const {
  return u_[k * layout_.length + layout_.place(at)];
}
template <int D>
double Stresses<D>::weight(int kind, const Index<D>& at) const {
  return double(level_.weights.bytes[kind * layout_.length + layout_.place(at)]) / kFullWeight;
}
template <int D>
double Stresses<D>::turn(const Index<D>& at, int i, int j) const {
  return (turns_ ? turns_->finest : upright_)[(D * i + j) * layout_.length + layout_.place(at)];
}
/// u_i,j at the lower edge of a cell.
template <int D>
double Stresses<D>::slope(const Index<D>& at, int i, int j) const {
  return (number(at, i) - number(moved<D>(at, j, -1), i)) / level_.spacing[j];
}

template <int D>
double Stresses<D>::normal(const Index<D>& at, int i) const {
  const double a = weight(stretch_kind<D>(i), at);
  if (a == 0) return 0;
  const double stretch = slope(moved<D>(at, i, 1), i, i), p = number(at, D), w = weight(0, at);
  if (!turns_) return 2 * a * stretch - w * p;
  const double R = turn(at, i, i);
  return 2 * a * (stretch + 1 - R) - w * R * p;
}

template <int D>
double Stresses<D>::shear(const Index<D>& at, int i, int j) const {
  const double edge = weight(shear_kind<D>(i, j), at);
  if (edge == 0) return 0;
  if (!turns_) return edge * (slope(at, i, j) + slope(at, j, i));
  const double F = slope(at, i, j);
  double sum = 0;
  for (int c = 0; c < 4; ++c) {
    const Index<D> cell = moved<D>(moved<D>(at, i, -(c & 1)), j, -(c >> 1));
    const double w = weight(0, cell), R = turn(cell, i, j);
    sum += 2 * (w > 0 ? w : 1) * (F - R) - (w > 0 ? w * R * number(cell, D) : 0);
  }
  return 0.25 * sum;
}

template <int D>
double Stresses<D>::force(const Index<D>& cell, int axis) const {
  const Index<D> at = layout_.inside(cell);
  double sum = (normal(at, axis) - normal(moved<D>(at, axis, -1), axis)) / level_.spacing[axis];
  for (int j = 0; j < D; ++j) {
    if (j == axis) continue;
    sum += (shear(moved<D>(at, j, 1), axis, j) - shear(at, axis, j)) / level_.spacing[j];
  }
  return sum;
}

template <int D>
CellState<D> Stresses<D>::cell(const Index<D>& cell) const {
  const Index<D> at = layout_.inside(cell);
  CellState<D> state;
  state.F = Gradients<D>(level_, u_, turns_ ? turns_->finest : upright_).at(at);
  const double p = number(at, D);
  const auto R = [&](int i, int j) { return turn(at, i, j); };
  state.energy = 0.5 * model_.material.compressibility * p * p;
  for (int i = 0; i < D; ++i) {
    for (int j = 0; j < D; ++j) {
      const double F = state.F[D * i + j], other = state.F[D * j + i];
      const double strain = turns_ ? F - R(i, j) : 0.5 * (F + other) - R(i, j);
      state.stress[D * i + j] = 2 * strain - p * R(i, j);
      if (i == j) {
        state.energy += strain * strain;
        continue;
      }
      // The mean over edges of squares is more than the square of their mean.
      double squares = 0;
      int count = 0;
      for (int c = 0; c < 4; ++c) {
        const Index<D> edge = moved<D>(moved<D>(at, i, c & 1), j, c >> 1);
        if (weight(shear_kind<D>(i, j), edge) == 0) continue;
        const double there =
            turns_ ? slope(edge, i, j) - R(i, j) : 0.5 * (slope(edge, i, j) + slope(edge, j, i));
        squares += there * there;
        ++count;
      }
      state.energy += count > 0 ? squares / count : strain * strain;
    }
  }
  return state;
}

template <int D>
double Stresses<D>::scale(ThreadArena& arena) const {
  const double squares =
      deterministic_sum(arena, layout_.rows.size(), [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t n = begin; n < end; ++n) {
          const auto& row = layout_.rows[n];
          for (std::int32_t x = row.begin; x < row.end; ++x) {
            const Index<D> at = layout_.coordinate(row, x);
            for (int i = 0; i < D; ++i) {
              const double P = normal(at, i) / level_.spacing[i];
              sum += P * P;
              for (int j = 0; j < D; ++j) {
                const double S = j == i ? 0 : shear(at, i, j) / level_.spacing[j];
                sum += S * S;
              }
            }
          }
        }
        return sum;
      });
  return std::sqrt(squares);
}

template class Stresses<2>;
template class Stresses<3>;

}  // namespace isochor::staggered
