#include "isochor/staggered/weights.h"

#include <algorithm>
#include <cmath>

#include "isochor/staggered/terms.h"

namespace isochor::staggered {
namespace {

std::uint8_t byte_of(double weight) {
  // What counts at all must not be rounded away.
  const double code = std::round(kFullWeight * weight);
  return std::uint8_t(weight > 0 ? std::clamp(code, 1.0, 255.0) : 0.0);
}

/// Unknowns, and what is given.
template <int D>
std::uint16_t labels_of(const Domain<D>& domain, const Index<D>& cell) {
  const Cell label = domain.at(cell);
  unsigned flags = 0;
  if (label == Cell::Interior) flags |= (1u << kActive | 1u << kKnown) << D;
  for (int k = 0; k < D; ++k) {
    const Cell other = domain.at(moved<D>(cell, k, -1));
    if (label == Cell::Interior && other == Cell::Interior) {
      flags |= (1u << kActive | 1u << kKnown) << k;
    } else if (label == Cell::Dirichlet || other == Cell::Dirichlet) {
      flags |= 1u << kKnown << k;
    }
  }
  return std::uint16_t(flags);
}

/// Whether a cell with all its faces and edges is as any other far inside.
template <int D>
bool plain_inside(const Layout<D>& layout, const Weights<D>& weights, const Index<D>& at) {
  const auto full = [&](int kind, const Index<D>& cell) {
    return weights.bytes[kind * layout.length + layout.place(cell)] == kFullWeight;
  };
  const auto interior = [&](const Index<D>& cell) {
    return weights.flags[layout.place(cell)] >> kActive >> D & 1;
  };
  if (!full(0, at)) return false;
  for (int i = 0; i < D; ++i) {
    if (!full(stretch_kind<D>(i), at)) return false;
    for (const int by : {-1, 1}) {
      const Index<D> beside = moved<D>(at, i, by);
      if (!interior(beside) || !full(0, beside)) return false;
    }
    for (int j = i + 1; j < D; ++j) {
      for (int c = 0; c < 4; ++c) {
        const Index<D> edge = moved<D>(moved<D>(at, i, c & 1), j, c >> 1);
        if (!full(shear_kind<D>(i, j), edge)) return false;
      }
    }
  }
  return true;
}

template <int D, class F>
void for_each_interior(const Layout<D>& layout, const Weights<D>& weights, F&& f) {
  for (const auto& row : layout.rows) {
    for (std::int32_t x = row.begin; x < row.end; ++x) {
      const Index<D> at = layout.coordinate(row, x);
      if (weights.flags[layout.place(at)] >> kActive >> D & 1) f(at);
    }
  }
}

}  // namespace

template <int D>
Weights<D> make_weights(const Shape<D>& shape, const Layout<D>& layout) {
  // Bytes are gathered in words.
  Weights<D> weights{std::vector<std::uint8_t>(kWeightKinds<D> * layout.length + 3),
                     std::vector<std::uint16_t>(layout.length)};
  const auto set = [&](const Index<D>& at) {
    const std::size_t place = layout.place(at);
    Index<D> cell = at;
    for (std::int32_t& c : cell) c -= Layout<D>::kMargin;
    const auto write = [&](int kind, double weight) {
      weights.bytes[kind * layout.length + place] = byte_of(weight);
    };
    write(0, shape.fraction_at(cell));
    for (int i = 0; i < D; ++i) {
      write(stretch_kind<D>(i), stretch_weight(shape, cell, i));
      for (int j = i + 1; j < D; ++j) write(shear_kind<D>(i, j), shear_weight(shape, cell, i, j));
    }
    weights.flags[place] = labels_of(shape.domain, cell);
  };
  for (const auto& row : layout.stored) {
    for (std::int32_t x = row.begin; x < row.end; ++x) set(layout.coordinate(row, x));
  }
  // A face is plain where the cells on both sides are.
  for_each_interior(layout, weights, [&](const Index<D>& at) {
    if (plain_inside(layout, weights, at)) {
      weights.flags[layout.place(at)] |= std::uint16_t(1u << kPlain << D);
    }
  });
  for_each_interior(layout, weights, [&](const Index<D>& at) {
    std::uint16_t& flags = weights.flags[layout.place(at)];
    for (int k = 0; k < D; ++k) {
      const std::uint16_t other = weights.flags[layout.place(moved<D>(at, k, -1))];
      if (flags >> kPlain >> D & other >> kPlain >> D & 1)
        flags |= std::uint16_t(1u << kPlain << k);
    }
  });
  return weights;
}

template <int D>
std::vector<Index<D>> find_band(const Layout<D>& layout, const Weights<D>& weights, int width) {
  std::vector<std::uint8_t> near(layout.length);  // 1 + how many cells away, 0: not yet reached
  for_each_interior(layout, weights, [&](const Index<D>& at) {
    const std::size_t place = layout.place(at);
    if (!(weights.flags[place] >> kPlain >> D & 1)) near[place] = 1;
  });
  for (int away = 1; away < width; ++away) {
    for_each_interior(layout, weights, [&](const Index<D>& at) {
      std::uint8_t& mark = near[layout.place(at)];
      for (int k = 0; mark == 0 && k < D; ++k) {
        for (const int by : {-1, 1}) {
          if (near[layout.place(moved<D>(at, k, by))] == away) mark = std::uint8_t(away + 1);
        }
      }
    });
  }
  std::vector<Index<D>> band;
  for_each_interior(layout, weights, [&](const Index<D>& at) {
    if (near[layout.place(at)]) band.push_back(at);
  });
  return band;
}

template Weights<2> make_weights(const Shape<2>&, const Layout<2>&);
template Weights<3> make_weights(const Shape<3>&, const Layout<3>&);
template std::vector<Index<2>> find_band(const Layout<2>&, const Weights<2>&, int);
template std::vector<Index<3>> find_band(const Layout<3>&, const Weights<3>&, int);

}  // namespace isochor::staggered
