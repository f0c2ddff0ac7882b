#include "isochor/staggered/coarsest.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "isochor/staggered/entries.h"

namespace isochor::staggered {
namespace {

template <int D>
bool active(const Level<D>& level, const Index<D>& at, int component) {
  return level.weights.flags[level.layout.place(at)] >> (kActive + component) & 1;
}

/// Calls f(cell) for all cells that the rows of a cell's unknowns reach, itself included.
template <int D, class F>
void for_each_near(const Index<D>& cell, bool wide, F&& f) {
  f(cell);
  for (int i = 0; i < D; ++i) {
    for (const int by : {-1, 1}) f(moved<D>(cell, i, by));
    for (int j = 0; j < D; ++j) {
      if (j != i) f(moved<D>(moved<D>(cell, i, -1), j, 1));
      if (!wide || j <= i) continue;
      for (const int by : {-1, 1}) f(moved<D>(moved<D>(cell, i, by), j, by));
    }
  }
}

/// Interior cells front by front from an end of each part of the body, which is what the cell
/// reached last from anywhere is.
template <int D>
class Fronts {
 public:
  Fronts(const Level<D>& level, bool wide)
      : level_(level), wide_(wide), reached_(level.layout.length), turn(level.layout.length) {
    std::int32_t parts = 0;
    std::vector<Index<D>> all;
    for (const auto& row : level.layout.rows) {
      for (std::int32_t x = row.begin; x < row.end; ++x) {
        const Index<D> at = level.layout.coordinate(row, x);
        if (!active(level, at, D) || reached_[level.layout.place(at)] != 0) continue;
        const Index<D> far = from(at, ++parts).back();
        const Index<D> end = from(far, ++parts).back();
        for (const Index<D>& cell : from(end, ++parts)) all.push_back(cell);
      }
    }
    for (std::size_t n = 0; n < all.size(); ++n) {
      turn[level.layout.place(all[n])] = std::int32_t(n);
    }
  }

 private:
  std::vector<Index<D>> from(const Index<D>& start, std::int32_t mark) {
    std::vector<Index<D>> order{start};
    reached_[level_.layout.place(start)] = mark;
    for (std::size_t n = 0; n < order.size(); ++n) {
      for_each_near<D>(Index<D>(order[n]), wide_, [&](const Index<D>& near) {
        std::int32_t& reached = reached_[level_.layout.place(near)];
        if (reached == mark || !active(level_, near, D)) return;
        reached = mark;
        order.push_back(near);
      });
    }
    return order;
  }

  const Level<D>& level_;
  const bool wide_;
  std::vector<std::int32_t> reached_;

 public:
  std::vector<std::int32_t> turn;  ///< of each cell by its place
};

}  // namespace

template <int D>
EliminationOrder<D>::EliminationOrder(const Level<D>& level, bool wide) {
  const Layout<D>& layout = level.layout;
  const Fronts<D> fronts(level, wide);
  struct Unknown {
    std::int32_t turn;
    bool pressure;
    std::uint32_t place;
    Index<D> cell;
    auto key() const { return std::tuple(turn, pressure, place); }
  };
  std::vector<Unknown> unknowns;
  for (const auto& row : layout.rows) {
    for (std::int32_t x = row.begin; x < row.end; ++x) {
      const Index<D> at = layout.coordinate(row, x);
      if (!active(level, at, D)) continue;
      const std::size_t n = layout.place(at);
      std::int32_t last = fronts.turn[n];
      for (int k = 0; k < D; ++k) {
        const Index<D> above = moved<D>(at, k, 1);
        if (active(level, above, k)) last = std::max(last, fronts.turn[layout.place(above)]);
        if (active(level, at, k)) {
          unknowns.push_back({fronts.turn[n], false, std::uint32_t(k * layout.length + n), at});
        }
      }
      unknowns.push_back({last, true, std::uint32_t(D * layout.length + n), at});
    }
  }
  std::ranges::sort(unknowns, {}, &Unknown::key);

  // Columns of a row are among the unknowns of the cells around.
  std::vector<std::int32_t> earliest(layout.length, INT32_MAX);
  for (std::size_t i = unknowns.size(); i-- > 0;) {
    earliest[unknowns[i].place % layout.length] = std::int32_t(i);
  }
  const auto reach = [&](const std::vector<std::int32_t>& from, const Index<D>& cell) {
    std::int32_t column = INT32_MAX;
    for_each_near<D>(cell, wide, [&](const Index<D>& near) {
      if (active(level, near, D)) column = std::min(column, from[layout.place(near)]);
    });
    return column;
  };
  if (wide) {
    std::vector<std::int32_t> wider(layout.length, INT32_MAX);
    for (const Unknown& unknown : unknowns) {
      wider[unknown.place % layout.length] = reach(earliest, unknown.cell);
    }
    earliest = std::move(wider);
  }
  for (const Unknown& unknown : unknowns) {
    const std::int32_t column =
        std::min(std::int32_t(places.size()), reach(earliest, unknown.cell));
    places.push_back(unknown.place);
    first.push_back(column);
  }
}

template <int D>
std::size_t EliminationOrder<D>::entries() const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < first.size(); ++i) sum += i - std::size_t(first[i]);
  return sum;
}

template <int D>
Coarsest<D>::Coarsest(const Level<D>& level, const View<D, double>& view, bool spin,
                      EliminationOrder<D> order)
    : order_(std::move(order)), start_{0} {
  for (std::size_t i = 0; i < size(); ++i) {
    start_.push_back(start_.back() + std::ptrdiff_t(i) - order_.first[i]);
  }
  std::vector<double> entries = assemble(level, view, spin);
  factorise(entries);
  factors_.assign(entries.begin(), entries.end());
}

/// Diagonals go behind all else.
template <int D>
std::vector<double> Coarsest<D>::assemble(const Level<D>& level, const View<D, double>& view,
                                          bool spin) const {
  std::vector<double> entries(std::size_t(start_.back()) + size());
  std::vector<std::int32_t> number((D + 1) * level.layout.length, -1);
  for (std::size_t i = 0; i < size(); ++i) number[order_.places[i]] = std::int32_t(i);
  const auto add = [&](std::size_t at, std::size_t column, double value) {
    const std::int32_t i = number[at], j = number[column];
    if (i == j) entries[std::size_t(start_.back() + i)] += value;
    if (j >= order_.first[std::size_t(i)] && j < i)
      entries[std::size_t(row(std::size_t(i)) + j)] += value;
  };
  for_each_entry<D>(level, view, add);
  if (spin) for_each_spin_entry<D>(level, view, add);
  return entries;
}

template <int D>
void Coarsest<D>::factorise(std::vector<double>& entries) {
  constexpr double kNothing = 1e-11;
  const double* const diagonal = entries.data() + start_.back();
  double largest = 0;
  for (std::size_t i = 0; i < size(); ++i) largest = std::max(largest, std::abs(diagonal[i]));
  by_pivot_.assign(diagonal, diagonal + size());
  solve::factorise_envelope(envelope(), entries.data(), diagonal,
                            {.nothing = kNothing * largest, .negative = true}, by_pivot_.data());
  entries.resize(std::size_t(start_.back()));
}

template <int D>
// NOLINTNEXTLINE(readability-non-const-parameter): u is written
void Coarsest<D>::solve(const float* b, float* u, std::span<double> work) const {
  for (std::size_t i = 0; i < size(); ++i) work[i] = double(b[order_.places[i]]);
  solve::solve_envelope(envelope(), factors_.data(), by_pivot_.data(), work.data());
  for (std::size_t i = 0; i < size(); ++i) u[order_.places[i]] = float(work[i]);
}

template <int D>
std::size_t Coarsest<D>::bytes() const {
  return order_.places.capacity() * sizeof(std::uint32_t) +
         order_.first.capacity() * sizeof(std::int32_t) +
         start_.capacity() * sizeof(std::ptrdiff_t) + factors_.capacity() * sizeof(float) +
         by_pivot_.capacity() * sizeof(double);
}

template struct EliminationOrder<2>;
template struct EliminationOrder<3>;
template class Coarsest<2>;
template class Coarsest<3>;

}  // namespace isochor::staggered
