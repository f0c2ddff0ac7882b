#include "reproduce/split_tetrahedra.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace isochor::reproduce {
namespace {

using geometry::Moments;
using Tetrahedron = std::array<Vec3d, 4>;

Moments moments_of(const Tetrahedron& t) {
  const double volume = dot(t[1] - t[0], cross(t[2] - t[0], t[3] - t[0])) / 6;
  const Vec3d sum = t[0] + t[1] + t[2] + t[3];
  Moments m{volume, (volume / 4) * sum, {}};
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      double products = sum[i] * sum[j];
      for (const Vec3d& p : t) products += p[i] * p[j];
      m.second[geometry::second_moment(i, j)] = volume / 20 * products;
    }
  }
  return m;
}

/// The part of a tetrahedron where depth(p) > 0, in up to three tetrahedra of the same orientation.
template <class Depth>
void split(const Tetrahedron& t, Depth&& depth, std::vector<Tetrahedron>& kept) {
  std::array<int, 4> order{0, 1, 2, 3};
  const auto first_out =
      std::stable_partition(order.begin(), order.end(), [&](int i) { return depth(t[i]) > 0; });
  const auto inside = first_out - order.begin();
  const auto between = [&](int i, int j) {
    const double a = depth(t[i]), b = depth(t[j]);
    return t[i] + (a / (a - b)) * (t[j] - t[i]);
  };
  const auto [a, b, c, d] = order;
  const auto volume = [](const Tetrahedron& s) {
    return dot(s[1] - s[0], cross(s[2] - s[0], s[3] - s[0]));
  };
  const auto keep = [&](Tetrahedron s) {
    if ((volume(s) > 0) != (volume(t) > 0)) std::swap(s[2], s[3]);
    kept.push_back(s);
  };
  if (inside == 4) {
    kept.push_back(t);
  } else if (inside == 1) {
    keep({t[a], between(a, b), between(a, c), between(a, d)});
  } else if (inside > 1) {
    // A prism: from the side of one corner to the side of the other, or to the cut.
    const Tetrahedron top = inside == 2 ? Tetrahedron{t[a], between(a, c), between(a, d), t[a]}
                                        : Tetrahedron{t[a], t[b], t[c], t[a]};
    const Tetrahedron bottom = inside == 2
                                   ? Tetrahedron{t[b], between(b, c), between(b, d), t[b]}
                                   : Tetrahedron{between(a, d), between(b, d), between(c, d), t[a]};
    keep({top[0], top[1], top[2], bottom[0]});
    keep({top[1], top[2], bottom[0], bottom[1]});
    keep({top[2], bottom[0], bottom[1], bottom[2]});
  }
}

/// Calls f(tetrahedron) for all that the solid in the unit cube is the sum of.
template <class F>
void for_each_part(std::span<const Vec3d> positions, std::span<const geometry::Triangle> triangles,
                   F&& f) {
  // A point in no plane of the cube, so that few tetrahedra are flat.
  const Vec3d apex{0.513, 0.471, 0.537};
  std::vector<Tetrahedron> parts, next;
  for (const auto& [a, b, c] : triangles) {
    parts.assign(1, {apex, positions[a], positions[b], positions[c]});
    for (int face = 0; face < 6; ++face) {
      const int axis = face / 2;
      next.clear();
      for (const Tetrahedron& t : parts) {
        split(
            t, [&](const Vec3d& p) { return face % 2 ? 1 - p[axis] : p[axis]; }, next);
      }
      parts.swap(next);
    }
    for (const Tetrahedron& t : parts) f(t);
  }
}

/// Gauss's five points on (0, 1).
struct Node {
  double at, weight;
};
std::array<Node, 5> gauss_nodes() {
  const double root = 2 * std::sqrt(10.0 / 7), tail = 13 * std::sqrt(70.0);
  const double near = std::sqrt(5 - root) / 3, far = std::sqrt(5 + root) / 3;
  const double heavy = (322 + tail) / 1800, light = (322 - tail) / 1800;
  return {{{0.5, 64.0 / 225},
           {0.5 - 0.5 * near, heavy},
           {0.5 + 0.5 * near, heavy},
           {0.5 - 0.5 * far, light},
           {0.5 + 0.5 * far, light}}};
}

}  // namespace

Moments split_moments(std::span<const Vec3d> positions,
                      std::span<const geometry::Triangle> triangles) {
  Moments sum;
  for_each_part(positions, triangles, [&](const Tetrahedron& t) { sum += moments_of(t); });
  return sum;
}

double split_integral(std::span<const Vec3d> positions,
                      std::span<const geometry::Triangle> triangles,
                      const std::function<double(const Vec3d&)>& polynomial) {
  const std::array<Node, 5> nodes = gauss_nodes();
  double sum = 0;
  for_each_part(positions, triangles, [&](const Tetrahedron& t) {
    const Vec3d e1 = t[1] - t[0], e2 = t[2] - t[1], e3 = t[3] - t[2];
    const double six_volumes = dot(e1, cross(t[2] - t[0], t[3] - t[0]));
    // A cube whose faces fold to the tetrahedron: of degree two more along its first axis.
    for (const Node& u : nodes) {
      for (const Node& v : nodes) {
        for (const Node& w : nodes) {
          const Vec3d p = t[0] + u.at * (e1 + v.at * (e2 + w.at * e3));
          sum += six_volumes * u.at * u.at * v.at * u.weight * v.weight * w.weight * polynomial(p);
        }
      }
    }
  });
  return sum;
}

Moments half_space_moments(const Vec3d& n, double distance) {
  Moments m;
  const double product = n[0] * n[1] * n[2];
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3d v{double(corner & 1), double(corner >> 1 & 1), double(corner >> 2 & 1)};
    const double t = std::max(0.0, distance - dot(n, v));
    const double sign = (v[0] + v[1] + v[2]) == 1 || (v[0] + v[1] + v[2]) == 3 ? -1 : 1;
    // Integrals of t^k over the orthant beyond v, a simplex with legs t / n_i.
    const double t3 = sign * t * t * t / (6 * product), t4 = t3 * t / 4, t5 = t4 * t / 5;
    m.volume += t3;
    for (int i = 0; i < 3; ++i) {
      m.first[i] += t4 / n[i] + v[i] * t3;
      for (int j = i; j < 3; ++j) {
        const double twice = i == j ? 2 : 1;
        m.second[geometry::second_moment(i, j)] +=
            twice * t5 / (n[i] * n[j]) + v[i] * t4 / n[j] + v[j] * t4 / n[i] + v[i] * v[j] * t3;
      }
    }
  }
  return m;
}

}  // namespace isochor::reproduce
