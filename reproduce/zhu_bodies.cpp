#include "reproduce/zhu_bodies.h"

#include <algorithm>
#include <cmath>

#include "isochor/geometry/implicit_surface_bodies.h"

namespace isochor::reproduce {
namespace {

using staggered::Cell;
using staggered::Domain;
using staggered::Index;

/// Cells whose centres `inside` and `held` say so; centres are in a unit cube.
template <class Inside, class Held>
Domain<3> make_body(int n, Inside&& inside, Held&& held) {
  Domain<3> domain({n, n, n}, {1.0 / n, 1.0 / n, 1.0 / n});
  domain.for_each([&](const Index<3>& c) {
    const Vec3d p = Vec3d{c[0] + 0.5, c[1] + 0.5, c[2] + 0.5} * (1.0 / n);
    if (!inside(p)) return;
    domain.cells[domain.index(c)] = held(p) ? Cell::Dirichlet : Cell::Interior;
  });
  return domain;
}

double from_middle(const Vec3d& p, double z_weight) {
  return std::hypot(p[0] - 0.5, p[1] - 0.5, z_weight * (p[2] - 0.5));
}

Domain<3> figure(int n) {
  using geometry::BallChain;
  const BallChain parts[] = {
      {{{0.5, 0.5, 0.42}, 0.12}, {{0.5, 0.5, 0.66}, 0.15}},   // trunk
      {{{0.5, 0.5, 0.78}, 0.07}, {{0.5, 0.48, 0.88}, 0.09}},  // head
      {{{0.40, 0.5, 0.68}, 0.07}, {{0.2, 0.45, 0.64}, 0.05}, {{0.07, 0.38, 0.7}, 0.05}},
      {{{0.60, 0.5, 0.68}, 0.07}, {{0.8, 0.45, 0.64}, 0.05}, {{0.93, 0.38, 0.7}, 0.05}},
      {{{0.45, 0.5, 0.40}, 0.09}, {{0.38, 0.52, 0.22}, 0.06}, {{0.34, 0.46, 0.06}, 0.05}},
      {{{0.55, 0.5, 0.40}, 0.09}, {{0.62, 0.52, 0.22}, 0.06}, {{0.66, 0.46, 0.06}, 0.05}}};
  return make_body(
      n,
      [&](const Vec3d& p) {
        return std::ranges::any_of(parts,
                                   [&](const BallChain& part) { return part.distance_to(p) < 0; });
      },
      [](const Vec3d& p) { return p[2] < 0.06 || p[0] < 0.07 || p[0] > 0.93; });
}

}  // namespace

template <int D>
Domain<D> elastic_box(int n, bool both_ends) {
  Index<D> size;
  staggered::Spacing<D> spacing;
  for (int k = 0; k < D; ++k) {
    size[k] = k == 0 ? n + 4 : n;
    spacing[k] = 1.0 / n;
  }
  Domain<D> domain(size, spacing, Cell::Interior);
  domain.for_each([&](const Index<D>& c) {
    Cell& label = domain.cells[domain.index(c)];
    if (c[0] < 2) label = Cell::Dirichlet;
    if (c[0] >= n + 2) label = both_ends ? Cell::Dirichlet : Cell::Exterior;
  });
  return domain;
}
template Domain<2> elastic_box(int, bool);
template Domain<3> elastic_box(int, bool);

Domain<3> zhu_body(std::string_view name, int n) {
  if (name == "box") return elastic_box<3>(n, false);
  if (name == "ball") {
    return make_body(
        n, [](const Vec3d& p) { return from_middle(p, 1) < 0.48; },
        [](const Vec3d& p) { return p[2] < 0.15; });
  }
  if (name == "torus") {
    return make_body(
        n, [](const Vec3d& p) { return std::hypot(from_middle(p, 0) - 0.34, p[2] - 0.5) < 0.14; },
        [](const Vec3d& p) { return p[0] < 0.1; });
  }
  if (name == "bone") {
    return make_body(
        n, [](const Vec3d& p) { return from_middle(p, 1) < 0.48; },
        [](const Vec3d& p) { return from_middle(p, 0) < 0.1; });
  }
  if (name == "L") {
    return make_body(
        n, [](const Vec3d& p) { return p[0] < 0.5 || p[1] < 0.5; },
        [n](const Vec3d& p) { return p[0] < 2.0 / n; });
  }
  if (name == "plate") {
    return make_body(
        n, [](const Vec3d& p) { return p[2] < 6.0 / 32; },
        [n](const Vec3d& p) { return p[0] < 2.0 / n; });
  }
  return figure(n);
}

}  // namespace isochor::reproduce
