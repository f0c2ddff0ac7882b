#include "isochor/contact/barrier.h"

#include <cmath>

#include "isochor/contact/perpendicular.h"
#include "isochor/contact/proximity.h"
#include "isochor/math/jacobi_eigen.h"

namespace isochor::contact {
namespace {

using Weights = std::array<double, 4>;

double dot4(const Weights& a, const Weights& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/// How the weights of nearest points change as these slide along their parts: in none, one or two
/// directions, as they are corners, on edges or on the face.
struct Sliding {
  int count = 0;
  std::array<Weights, 2> weights{};
};

Sliding sliding_of(PairKind kind, const Weights& w) {
  Sliding result;
  if (kind == PairKind::EdgeEdge) {
    for (int edge = 0; edge < 2; ++edge) {
      const int a = 2 * edge, b = a + 1;
      if (w[a] == 0 || w[b] == 0) continue;
      result.weights[result.count][a] = edge == 0 ? -1 : 1;
      result.weights[result.count++][b] = edge == 0 ? 1 : -1;
    }
    return result;
  }
  int corner = 0;  // the first with a weight
  for (int i = 1; i < 4; ++i) {
    if (w[i] == 0) continue;
    if (corner > 0) {
      result.weights[result.count][corner] = 1;
      result.weights[result.count++][i] = -1;
    } else {
      corner = i;
    }
  }
  return result;
}

/// The derivatives of a function of the distance d = |sum_i w_i x_i| live in at most five
/// dimensions. With the sliding directions e_a (tangents), their products A_ab = e_a . e_b, and n
/// the normal, d has the gradient w (x) n and, since nearest points follow, the Hessian
///     (w w^T (x) (1 - n n^T) - sum_ab A^-1_ab g_a g_b^T) / d,   g_a = w (x) e_a + d w'_a (x) n.
/// All of it is in the span of w (x) t1, w (x) t2, w (x) n and w'_a (x) n, for which this is an
/// orthonormal basis: eigenvalues are found in five dimensions instead of twelve.
class DistanceSpace {
 public:
  static constexpr int kMost = 5;

  DistanceSpace(const Pair& pair, const FourVectors& x)
      : pair_(pair),
        sliding_(sliding_of(pair.kind, pair.weights)),
        length_(std::sqrt(dot4(pair.weights, pair.weights))),
        tangent_(tangents_of(pair.normal)) {
    // Gram and Schmidt on weights: q_0 along w, then the rest.
    for (int i = 0; i < 4; ++i) basis_[0][i] = pair.weights[i] / length_;
    for (int a = 0; a < sliding_.count; ++a) {
      Weights left = sliding_.weights[a];
      for (int b = 0; b <= a; ++b) {
        slide_[a][b] = dot4(left, basis_[b]);
        for (int i = 0; i < 4; ++i) left[i] -= slide_[a][b] * basis_[b][i];
      }
      const double rest = std::sqrt(dot4(left, left));
      slide_[a][a + 1] = rest;
      for (int i = 0; i < 4; ++i) basis_[a + 1][i] = rest > 0 ? left[i] / rest : 0;
    }
    for (int a = 0; a < sliding_.count; ++a) edge_[a] = weighted(sliding_.weights[a], x);
  }

  /// curvature * grad d grad d^T + slope * hess d, in the basis.
  std::array<std::array<double, kMost>, kMost> matrix(const BarrierValue& value) const {
    // Coordinates: 0..2 are q_0..q_2 (x) n, 3 and 4 are q_0 (x) t1 and t2.
    std::array<std::array<double, kMost>, kMost> m{};
    m[0][0] = value.curvature * length_ * length_;
    const double factor = value.slope / pair_.distance;
    for (int t = 3; t < 5; ++t) m[t][t] = factor * length_ * length_;
    std::array<std::array<double, kMost>, 2> g{};
    for (int a = 0; a < sliding_.count; ++a) {
      for (int b = 0; b <= a + 1; ++b) g[a][b] = pair_.distance * slide_[a][b];
      for (int t = 0; t < 2; ++t) g[a][3 + t] = length_ * dot(edge_[a], tangent_[t]);
    }
    const auto subtract = [&](int a, int b, double scale) {
      for (int i = 0; i < kMost; ++i) {
        for (int j = 0; j < kMost; ++j) m[i][j] -= factor * scale * g[a][i] * g[b][j];
      }
    };
    const double aa = dot(edge_[0], edge_[0]), bb = dot(edge_[1], edge_[1]);
    const double ab = dot(edge_[0], edge_[1]), determinant = aa * bb - ab * ab;
    if (sliding_.count == 1 && aa > 0) subtract(0, 0, 1 / aa);
    if (sliding_.count == 2 && determinant > 0) {
      subtract(0, 0, bb / determinant);
      subtract(1, 1, aa / determinant);
      subtract(0, 1, -ab / determinant);
      subtract(1, 0, -ab / determinant);
    }
    return m;
  }

  /// The vector of four points that is one in a coordinate.
  FourVectors vector(int coordinate) const {
    FourVectors v;
    const Weights& q = basis_[coordinate < 3 ? coordinate : 0];
    const Vec3d& along = coordinate < 3 ? pair_.normal : tangent_[coordinate - 3];
    for (int i = 0; i < 4; ++i) v[i] = q[i] * along;
    return v;
  }

 private:
  const Pair& pair_;
  Sliding sliding_;
  std::array<Weights, 3> basis_{};
  double length_;                                 ///< of the weights
  std::array<std::array<double, 3>, 2> slide_{};  ///< the sliding weights in the basis
  std::array<Vec3d, 2> edge_{Vec3d{0, 0, 0}, {0, 0, 0}};
  std::array<Vec3d, 2> tangent_;
};

/// hessian += scale a b^T
void add_outer(std::array<Mat3d, 16>& hessian, double scale, const FourVectors& a,
               const FourVectors& b) {
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) hessian[4 * i + j] += outer(scale * a[i], b[j]);
  }
}

void add_curvature(Term& term, const DistanceSpace& space, const BarrierValue& value,
                   Curvature curvature) {
  if (curvature == Curvature::None) return;
  constexpr int kMost = DistanceSpace::kMost;
  const auto m = space.matrix(value);
  std::array<FourVectors, kMost> basis;
  for (int a = 0; a < kMost; ++a) basis[a] = space.vector(a);
  if (curvature == Curvature::Exact) {
    for (int a = 0; a < kMost; ++a) {
      for (int b = 0; b < kMost; ++b) add_outer(term.hessian, m[a][b], basis[a], basis[b]);
    }
    return;
  }
  const auto eigen =
      jacobi_eigen<double, kMost>([&](int i, int j) { return 0.5 * (m[i][j] + m[j][i]); });
  for (int k = 0; k < kMost; ++k) {
    if (eigen.values[k] <= 0) continue;
    FourVectors v{};
    for (int a = 0; a < kMost; ++a) {
      for (int i = 0; i < 4; ++i) v[i] += eigen.vectors[k][a] * basis[a][i];
    }
    add_outer(term.hessian, eigen.values[k], v, v);
  }
}

/// The factor m(c) that fades the energy of nearly parallel edges, of c = |u x v|^2 with u and v
/// along them; value and derivatives.
struct Fading {
  double value = 1, slope = 0, curvature = 0;
};
Fading fading(double c, double limit) {
  if (c >= limit) return {};
  const double s = c / limit;
  return {s * (2 - s), 2 * (1 - s) / limit, -2 / (limit * limit)};
}

/// c with its derivatives by the four points, of which u = x1 - x0 and v = x3 - x2.
Term squared_cross(const Vec3d& u, const Vec3d& v) {
  Term c;
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v);
  const Vec3d uxv = cross(u, v);
  c.energy = dot(uxv, uxv);
  const Vec3d by_u = 2.0 * (vv * u - uv * v), by_v = 2.0 * (uu * v - uv * u);
  c.gradient = {-by_u, by_u, -by_v, by_v};
  const Mat3d one = Mat3d::identity();
  const Mat3d by_uu = (one * vv - outer(v, v)) * 2.0, by_vv = (one * uu - outer(u, u)) * 2.0;
  const Mat3d by_uv = (outer(u, v) * 2.0 - outer(v, u) - one * uv) * 2.0;
  const auto set = [&](int i, int j, const Mat3d& m) {
    // Each edge is the difference of two points.
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 2; ++b) c.hessian[4 * (i + a) + j + b] = m * (a == b ? 1.0 : -1.0);
    }
  };
  set(0, 0, by_uu);
  set(2, 2, by_vv);
  set(0, 2, by_uv);
  set(2, 0, transpose(by_uv));
  return c;
}

void make_definite(std::array<Mat3d, 16>& hessian) {
  const auto eigen = jacobi_eigen<double, 12>([&](int i, int j) {
    const auto entry = [&](int r, int s) { return hessian[4 * (r / 3) + s / 3](r % 3, s % 3); };
    return 0.5 * (entry(i, j) + entry(j, i));
  });
  hessian.fill(Mat3d::zero());
  for (int k = 0; k < 12; ++k) {
    if (eigen.values[k] <= 0) continue;
    FourVectors v;
    for (int i = 0; i < 12; ++i) v[i / 3][i % 3] = eigen.vectors[k][i];
    add_outer(hessian, eigen.values[k], v, v);
  }
}

/// The energy b m of nearly parallel edges instead of b, of which `term` has the exact derivatives.
void fade(Term& term, const Term& c, const Fading& m, Curvature curvature) {
  const double b = term.energy;
  const FourVectors gradient = term.gradient;
  term.energy = m.value * b;
  for (int i = 0; i < 4; ++i) {
    term.gradient[i] = m.value * gradient[i] + (b * m.slope) * c.gradient[i];
  }
  if (curvature == Curvature::None) return;
  for (int i = 0; i < 16; ++i) {
    term.hessian[i] = term.hessian[i] * m.value + c.hessian[i] * (b * m.slope);
  }
  add_outer(term.hessian, m.slope, c.gradient, gradient);
  add_outer(term.hessian, m.slope, gradient, c.gradient);
  add_outer(term.hessian, b * m.curvature, c.gradient, c.gradient);
  if (curvature == Curvature::Definite) make_definite(term.hessian);
}

}  // namespace

BarrierValue evaluate(const Barrier& barrier, double distance) {
  if (distance >= barrier.reach) return {};
  const double s = distance / barrier.reach, k = barrier.stiffness, r = s - 1;
  const double log = std::log(s);
  return {.energy = -k * barrier.reach * barrier.reach * r * r * log,
          .slope = -k * barrier.reach * r * (2 * log + r / s),
          .curvature = k * (-2 * log - 4 * r / s + r * r / (s * s))};
}

Term barrier_term(PairKind kind, const FourVectors& x, const FourVectors& rest,
                  const Barrier& barrier, Curvature curvature) {
  Term term{.count = 4};
  term.hessian.fill(Mat3d::zero());
  const Pair pair = closest_points(kind, x);
  const BarrierValue value = evaluate(barrier, pair.distance);
  if (value.energy == 0) return term;
  term.energy = value.energy;
  for (int i = 0; i < 4; ++i) term.gradient[i] = (value.slope * pair.weights[i]) * pair.normal;
  const DistanceSpace space(pair, x);
  if (kind == PairKind::EdgeEdge) {
    const Vec3d u = rest[1] - rest[0], v = rest[3] - rest[2];
    const double limit = barrier.parallel * barrier.parallel * dot(u, u) * dot(v, v);
    const Term c = squared_cross(x[1] - x[0], x[3] - x[2]);
    if (c.energy < limit) {
      const bool wanted = curvature != Curvature::None;
      add_curvature(term, space, value, wanted ? Curvature::Exact : Curvature::None);
      fade(term, c, fading(c.energy, limit), curvature);
      return term;
    }
  }
  add_curvature(term, space, value, curvature);
  return term;
}

Term barrier_term(const ColliderContact& contact, const Barrier& barrier) {
  Term term{.points = {contact.point}, .count = 1, .collider = contact.collider};
  term.hessian.fill(Mat3d::zero());
  const BarrierValue value = evaluate(barrier, contact.distance);
  term.energy = value.energy;
  term.gradient[0] = value.slope * contact.normal;
  term.hessian[0] = outer(value.curvature * contact.normal, contact.normal);
  return term;
}

}  // namespace isochor::contact
