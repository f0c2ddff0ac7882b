#include "isochor/shells/sheets.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "isochor/base/error.h"

namespace isochor::shells {
namespace {

using contact::FourVectors;
using contact::outer;
using contact::Term;

/// A triangle while its sheet is not yet as tight as it will be.
SheetTriangle loosened(SheetTriangle t, const Sheets& sheets, std::span<const double> by_sheet) {
  if (by_sheet.empty()) return t;
  const double tightening = by_sheet[t.sheet];
  for (int a = 0; a < 2; ++a) {
    const double scale = sheets.scales[t.sheet][a];
    const double longer = (1 + tightening * (scale - 1)) / scale;
    for (auto& g : t.gradients) g[a] /= longer;
    t.area *= longer;
    t.volume *= longer;
  }
  return t;
}

SheetGradient deformation(const SheetTriangle& t, std::span<const Vec3d> x) {
  SheetGradient F{Vec3d{0, 0, 0}, {0, 0, 0}};
  for (int a = 0; a < 2; ++a) {
    // Differences first: far from the origin positions have few digits left for them.
    for (int i = 1; i < 3; ++i) F[a] += t.gradients[i][a] * (x[t.points[i]] - x[t.points[0]]);
  }
  return F;
}

void evaluate_triangle(const SheetTriangle& t, const SheetLaw& law, std::span<const Vec3d> x,
                       Detail detail, contact::Curvature curvature, Term& term) {
  const SheetGradient F = deformation(t, x);
  const MembraneResponse r = respond(law, F, detail, curvature);
  term.points = {t.points[0], t.points[1], t.points[2], 0};
  term.count = 3;
  term.energy = t.volume * r.energy;
  if (detail == Detail::Energy) return;
  for (int i = 0; i < 3; ++i) {
    term.gradient[i] =
        t.volume * (t.gradients[i][0] * r.stress[0] + t.gradients[i][1] * r.stress[1]);
  }
  if (detail == Detail::Gradient) return;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      Mat3d sum = Mat3d::zero();
      for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 2; ++b) {
          sum += r.hessian[2 * a + b] * (t.volume * t.gradients[i][a] * t.gradients[j][b]);
        }
      }
      term.hessian[4 * i + j] = sum;
    }
  }
}

/// Half planes through an edge, and how their angle changes as points move (Bridson et al. 2003).
struct Fold {
  explicit Fold(const FourVectors& x)
      : edge(x[1] - x[0]),
        first(cross(x[2] - x[0], x[2] - x[1])),
        second(cross(x[3] - x[1], x[3] - x[0])) {}

  double angle() const {
    const double length = norm(edge);
    return std::atan2(dot(cross(second, first), edge), length * dot(first, second));
  }

  FourVectors gradient(const FourVectors& x) const {
    const double length = norm(edge);
    const Vec3d u = first * (1 / dot(first, first)), v = second * (1 / dot(second, second));
    const Vec3d e = edge * (1 / length);
    return {dot(x[2] - x[1], e) * u + dot(x[3] - x[1], e) * v,
            -(dot(x[2] - x[0], e) * u + dot(x[3] - x[0], e) * v), length * u, length * v};
  }

  Vec3d edge, first, second;  ///< the latter as long as their parallelograms are large
};

void evaluate_hinge(const Hinge& hinge, std::span<const Vec3d> positions, Detail detail,
                    Term& term) {
  const FourVectors x = contact::gather(positions, hinge.points);
  const Fold fold(x);
  // The shorter way round: folded over, an angle goes on where it would jump.
  const double bent = std::remainder(fold.angle() - hinge.angle, 2 * M_PI);
  term.points = hinge.points;
  term.count = 4;
  term.energy = 0.5 * hinge.stiffness * bent * bent;
  if (detail == Detail::Energy) return;
  const FourVectors slope = fold.gradient(x);
  for (int i = 0; i < 4; ++i) term.gradient[i] = (hinge.stiffness * bent) * slope[i];
  if (detail == Detail::Gradient) return;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      term.hessian[4 * i + j] = outer(hinge.stiffness * slope[i], slope[j]);
    }
  }
}

/// Without stretching; nothing where the triangle has no area.
std::optional<SheetTriangle> make_triangle(const SheetSpec& spec, std::size_t t,
                                           std::span<const Vec3d> rest) {
  const geometry::Triangle& points = spec.triangles[t];
  const Vec3d a = rest[points[1]] - rest[points[0]], b = rest[points[2]] - rest[points[0]];
  const Vec3d normal = cross(a, b);
  const double twice = norm(normal);
  if (!(twice > 1e-12 * std::max(dot(a, a), dot(b, b)))) return std::nullopt;
  const Vec3d n = normal * (1 / twice);
  Vec3d along = spec.directions.empty() ? a : spec.directions[t];
  along -= dot(along, n) * n;
  if (!(norm(along) > 0)) along = a;
  along = along * (1 / norm(along));
  const Vec3d across = cross(n, along);
  const auto [s, u] = spec.rest_scale;
  const double a1 = s * dot(a, along), a2 = u * dot(a, across);
  const double b1 = s * dot(b, along), b2 = u * dot(b, across);
  const double det = a1 * b2 - a2 * b1;
  SheetTriangle out{.points = points, .area = 0.5 * det, .volume = 0.5 * det * spec.thickness};
  out.gradients[1] = {b2 / det, -b1 / det};
  out.gradients[2] = {-a2 / det, a1 / det};
  for (int k = 0; k < 2; ++k) out.gradients[0][k] = -out.gradients[1][k] - out.gradients[2][k];
  return out;
}

void append_hinges(const SheetSpec& spec, std::span<const Vec3d> rest, std::int32_t first_point,
                   Sheets& sheets) {
  struct Side {
    std::array<std::int32_t, 2> edge;  ///< as the triangle goes along it
    std::int32_t across;
  };
  std::map<std::array<std::int32_t, 2>, Side> open;
  for (const geometry::Triangle& t : spec.triangles) {
    for (int k = 0; k < 3; ++k) {
      const Side side{{t[k], t[(k + 1) % 3]}, t[(k + 2) % 3]};
      const std::array<std::int32_t, 2> key{std::min(side.edge[0], side.edge[1]),
                                            std::max(side.edge[0], side.edge[1])};
      const auto [other, fresh] = open.try_emplace(key, side);
      if (fresh) continue;
      const Side& first = other->second;
      Hinge hinge{.points = {first.edge[0], first.edge[1], first.across, side.across}};
      const FourVectors x = contact::gather(rest, hinge.points);
      const Fold fold(x);
      const double area = 0.5 * (norm(fold.first) + norm(fold.second));
      hinge.angle = fold.angle();
      hinge.stiffness = spec.bending * dot(fold.edge, fold.edge) / area;
      for (std::int32_t& p : hinge.points) p += first_point;
      sheets.hinges.push_back(hinge);
    }
  }
}

void check(const SheetSpec& spec, std::size_t points, const std::string& place) {
  const auto fail = [&](std::string problem, std::string remedy) {
    throw Error(Fault::Input, place, std::move(problem), std::move(remedy));
  };
  if (spec.triangles.empty()) fail("the sheet has no triangles", "give it some");
  for (const geometry::Triangle& t : spec.triangles) {
    for (const std::int32_t p : t) {
      if (p < 0 || std::size_t(p) >= points) {
        fail(fmt::format("a triangle of the sheet has the point {}, there are {}", p, points),
             "number the points of the body from 0");
      }
    }
  }
  if (!(modulus_of(spec.law) > 0) || !(spec.thickness > 0)) {
    fail("a sheet needs a stiffness and a thickness above zero", "give both");
  }
  if (!(std::min(spec.rest_scale[0], spec.rest_scale[1]) > 0)) {
    fail("the scale of a sheet at rest is not positive", "give numbers above zero; 1: as it is");
  }
  if (!spec.directions.empty() && spec.directions.size() != spec.triangles.size()) {
    fail(fmt::format("the sheet has {} triangles and {} directions", spec.triangles.size(),
                     spec.directions.size()),
         "give one direction per triangle, or none");
  }
}

}  // namespace

std::size_t Sheets::bytes() const {
  const auto sum = [](const auto&... v) {
    return (... + (v.capacity() * sizeof(typename std::remove_cvref_t<decltype(v)>::value_type)));
  };
  return sum(laws, scales, triangles, hinges, first_use, uses);
}

void append(const SheetSpec& spec, std::span<const Vec3d> rest_positions, std::int32_t first_point,
            const std::string& place, Sheets& sheets) {
  const std::string name = place + "." + spec.name;
  const std::span<const Vec3d> rest = rest_positions.subspan(first_point);
  check(spec, rest.size(), name);
  const std::int32_t number = std::int32_t(sheets.laws.size());
  sheets.laws.push_back(spec.law);
  sheets.scales.push_back(spec.rest_scale);
  for (std::size_t t = 0; t < spec.triangles.size(); ++t) {
    std::optional<SheetTriangle> triangle = make_triangle(spec, t, rest);
    if (!triangle) {
      throw Error(Fault::Input, name, fmt::format("triangle {} of the sheet has no area", t),
                  "remove it, or repair the surface");
    }
    for (std::int32_t& p : triangle->points) p += first_point;
    triangle->sheet = number;
    sheets.triangles.push_back(*triangle);
  }
  if (spec.bending > 0) append_hinges(spec, rest, first_point, sheets);
}

void find_uses(Sheets& sheets, std::size_t point_count) {
  const auto each = [&](auto&& f) {
    std::int32_t term = 0;
    for (const SheetTriangle& t : sheets.triangles) {
      for (int c = 0; c < 3; ++c) f(t.points[c], 4 * term + c);
      ++term;
    }
    for (const Hinge& h : sheets.hinges) {
      for (int c = 0; c < 4; ++c) f(h.points[c], 4 * term + c);
      ++term;
    }
  };
  sheets.first_use.assign(point_count + 1, 0);
  each([&](std::int32_t point, std::int32_t) { ++sheets.first_use[point + 1]; });
  std::partial_sum(sheets.first_use.begin(), sheets.first_use.end(), sheets.first_use.begin());
  sheets.uses.resize(sheets.first_use.back());
  std::vector<std::int32_t> next(sheets.first_use.begin(), sheets.first_use.end() - 1);
  each([&](std::int32_t point, std::int32_t use) { sheets.uses[next[point]++] = use; });
}

void evaluate(const Sheets& sheets, const SheetConfiguration& at, Detail detail,
              contact::Curvature curvature, ThreadArena& arena, std::vector<Term>& terms) {
  constexpr std::size_t kGrain = 128;
  terms.resize(sheets.term_count());
  const std::size_t triangles = sheets.triangles.size();
  parallel_for(arena, terms.size(), kGrain, [&](std::size_t i) {
    if (i < triangles) {
      const SheetTriangle t = loosened(sheets.triangles[i], sheets, at.tightening);
      evaluate_triangle(t, sheets.laws[t.sheet], at.positions, detail, curvature, terms[i]);
    } else {
      evaluate_hinge(sheets.hinges[i - triangles], at.positions, detail, terms[i]);
    }
  });
}

double energy_of(std::span<const Term> terms) {
  double sum = 0;
  for (const Term& term : terms) sum += term.energy;
  return sum;
}

SheetTension tension(const Sheets& sheets, std::size_t triangle, const SheetConfiguration& at) {
  const SheetTriangle t = loosened(sheets.triangles[triangle], sheets, at.tightening);
  const SheetGradient F = deformation(t, at.positions);
  const SheetResponse r = respond(sheets.laws[t.sheet], strain_of(F));
  const double J = norm(cross(F[0], F[1]));
  // Cauchy stress times the thickness now, in an orthonormal basis of the plane.
  const Vec3d u = F[0] * (1 / norm(F[0]));
  Vec3d v = F[1] - dot(F[1], u) * u;
  v = v * (1 / norm(v));
  const double factor = t.volume / t.area / J;
  const auto part = [&](const Vec3d& p, const Vec3d& q) {
    const double p1 = dot(p, F[0]), p2 = dot(p, F[1]), q1 = dot(q, F[0]), q2 = dot(q, F[1]);
    return factor *
           (r.stress[0] * p1 * q1 + r.stress[1] * p2 * q2 + r.stress[2] * (p1 * q2 + p2 * q1));
  };
  const double a = part(u, u), b = part(v, v), c = part(u, v);
  const double mean = 0.5 * (a + b), radius = std::hypot(0.5 * (a - b), c);
  const double angle = 0.5 * std::atan2(2 * c, a - b);
  return {.principal = {mean + radius, mean - radius},
          .direction = std::cos(angle) * u + std::sin(angle) * v,
          .area_ratio = J};
}

double hinge_angle(const FourVectors& x) { return Fold(x).angle(); }

}  // namespace isochor::shells
