#pragma once

#include <cmath>
#include <map>
#include <random>
#include <tuple>

#include "isochor/staggered/loads.h"

/// The operator of the staggered method, term by term of its energy on a map of numbers: slow, and
/// with none of the code that it checks.
namespace isochor::staggered::naive {

template <int D>
struct Grid {
  const Domain<D>& domain;
  Material material;
  using Key = std::pair<Index<D>, int>;
  using Field = std::map<Key, double>;

  bool interior(const Index<D>& c) const { return domain.at(c) == Cell::Interior; }
  bool exterior(const Index<D>& c) const { return domain.at(c) == Cell::Exterior; }
  bool unknown(const Index<D>& c, int k) const {
    return interior(c) && (k == D || interior(moved<D>(c, k, -1)));
  }
  static double get(const Field& f, const Index<D>& c, int k) {
    const auto found = f.find({c, k});
    return found == f.end() ? 0 : found->second;
  }

  Field apply(const Field& u) const {
    Field image;
    const auto add = [&](const Index<D>& c, int k, double value) {
      if (unknown(c, k)) image[{c, k}] += value;
    };
    const double c_inertia = material.inertia / material.mu;
    for_each_padded([&](const Index<D>& c) {
      for (int i = 0; i < D; ++i) {
        const double h = domain.spacing[i];
        add(c, i, -c_inertia * get(u, c, i));
        if (interior(c)) {
          const Index<D> up = moved<D>(c, i, 1), down = moved<D>(c, i, -1);
          const double p = get(u, c, D);
          if (exterior(up) || exterior(down)) {
            add(c, D, 0.5 * p);
          } else {
            const double F = (get(u, up, i) - get(u, c, i)) / h;
            add(c, i, (2 * F - p) / h);
            add(up, i, -(2 * F - p) / h);
            add(c, D, F);
          }
        }
        for (int j = i + 1; j < D; ++j) {
          const Index<D> a = moved<D>(c, i, -1), b = moved<D>(c, j, -1), ab = moved<D>(a, j, -1);
          if (exterior(c) || exterior(a) || exterior(b) || exterior(ab)) continue;
          const double hj = domain.spacing[j];
          const double shear =
              (get(u, c, i) - get(u, b, i)) / hj + (get(u, c, j) - get(u, a, j)) / h;
          add(c, i, -shear / hj);
          add(b, i, shear / hj);
          add(c, j, -shear / h);
          add(a, j, shear / h);
        }
      }
      if (interior(c)) add(c, D, material.compressibility * get(u, c, D));
    });
    return image;
  }

  template <class F>
  void for_each_padded(F&& f) const {
    Domain<D> larger = domain;
    for (int k = 0; k < D; ++k) larger.size[k] += 2;
    larger.cells.resize(1);
    std::size_t count = 1;
    for (const std::int32_t n : larger.size) count *= std::size_t(n);
    larger.cells.resize(count);
    larger.for_each([&](Index<D> c) {
      for (std::int32_t& a : c) --a;
      f(c);
    });
  }
};

/// A box of all labels in no order.
template <int D>
Domain<D> random_domain(const Index<D>& size, const Spacing<D>& spacing, unsigned seed) {
  Domain<D> domain(size, spacing);
  std::mt19937 generator(seed);
  for (Cell& cell : domain.cells) {
    const unsigned n = generator() % 8;
    cell = n == 0 ? Cell::Exterior : n == 1 ? Cell::Dirichlet : Cell::Interior;
  }
  return domain;
}

template <int D>
Domain<D> box(int n, bool both_ends) {
  Index<D> size;
  Spacing<D> spacing;
  for (int k = 0; k < D; ++k) {
    size[k] = k == 0 ? n + 4 : n;
    spacing[k] = 1.0 / n;
  }
  Domain<D> domain(size, spacing, Cell::Interior);
  domain.for_each([&](const Index<D>& c) {
    if (c[0] < 2) domain.cells[domain.index(c)] = Cell::Dirichlet;
    if (c[0] >= n + 2) {
      domain.cells[domain.index(c)] = both_ends ? Cell::Dirichlet : Cell::Exterior;
    }
  });
  return domain;
}

/// Numbers at all unknowns, from -1 to 1; those of pressures larger, as they are derivatives.
template <int D>
std::vector<double> random_unknowns(const Model<D>& model, unsigned seed) {
  std::vector<double> u(model.unknowns());
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  for_each_unknown<D>(model, [&](const Index<D>&, int k, std::size_t place) {
    u[place] = any(generator) * (k == D ? 1 / model.levels[0].spacing[0] : 1);
  });
  return u;
}

}  // namespace isochor::staggered::naive
