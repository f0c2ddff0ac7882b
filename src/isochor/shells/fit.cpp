#include "isochor/shells/fit.h"

#include <algorithm>
#include <cmath>

#include "isochor/math/symmetric_eigen.h"
#include "isochor/shells/convex_hull.h"

namespace isochor::shells {
namespace {

/// Twice the area, along the normal.
Vec3d area_vector(std::span<const Vec3d> x, const geometry::Triangle& t) {
  return cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
}

/// Calls f(from, to) for what a plane cuts of each triangle, counter-clockwise around what their
/// normals leave, seen from the tip of the plane's.
template <class F>
void for_section(std::span<const geometry::Triangle> triangles, std::span<const Vec3d> positions,
                 const Plane& plane, F&& f) {
  for (const geometry::Triangle& t : triangles) {
    std::array<double, 3> height;
    for (int k = 0; k < 3; ++k) height[k] = dot(plane.normal, positions[t[k]] - plane.point);
    std::array<Vec3d, 2> ends;
    int found = 0;
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3;
      // Corners in the plane count as above it, so that neighbours share what they cut.
      const bool falls = height[l] < 0;
      if ((height[k] < 0) == falls) continue;
      const double part = height[k] / (height[k] - height[l]);
      ends[falls ? 1 : 0] = positions[t[k]] + part * (positions[t[l]] - positions[t[k]]);
      ++found;
    }
    if (found == 2) f(ends[0], ends[1]);
  }
}

/// Two directions across a third: u, v, and it are right-handed.
struct Across {
  Vec3d u, v;
  explicit Across(const Vec3d& normal) {
    const Vec3d n = normal * (1 / norm(normal));
    u = cross(std::abs(n[0]) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1}, n);
    u = u * (1 / norm(u));
    v = cross(n, u);
  }
  Flat operator()(const Vec3d& x) const { return {dot(u, x), dot(v, x)}; }
};

}  // namespace

std::vector<double> contact_pressures(std::span<const contact::Term> barriers,
                                      const contact::Surface& surface,
                                      std::span<const Vec3d> positions) {
  std::vector<Vec3d> force(positions.size(), Vec3d{0, 0, 0}), normal(force);
  std::vector<double> area(positions.size(), 0);
  for (const contact::Term& term : barriers) {
    for (int i = 0; i < term.count; ++i) force[term.points[i]] -= term.gradient[i];
  }
  for (const geometry::Triangle& t : surface.triangles) {
    const Vec3d n = area_vector(positions, t);
    for (const std::int32_t p : t) {
      normal[p] += n;
      area[p] += norm(n) / 6;
    }
  }
  std::vector<double> pressure(positions.size(), 0);
  for (std::size_t i = 0; i < pressure.size(); ++i) {
    const double length = norm(normal[i]);
    if (length > 0) pressure[i] = std::abs(dot(force[i], normal[i])) / (length * area[i]);
  }
  return pressure;
}

std::vector<double> contact_pressures(contact::ContactEnergy& contact,
                                      std::span<const Vec3d> positions) {
  const std::size_t barriers = contact.contacts().size() + contact.pairs().size();
  return contact_pressures(contact.terms().first(barriers), contact.surface().surface(), positions);
}

double section_length(std::span<const geometry::Triangle> triangles,
                      std::span<const Vec3d> positions, const Vec3d& point, const Vec3d& normal) {
  double sum = 0;
  for_section(triangles, positions, {point, normal},
              [&](const Vec3d& a, const Vec3d& b) { sum += norm(b - a); });
  return sum;
}

Plane middle_of(std::span<const geometry::Triangle> band, std::span<const Vec3d> positions) {
  Vec3d middle{0, 0, 0};
  double area = 0;
  Mat3d normals = Mat3d::zero();
  for (const geometry::Triangle& t : band) {
    const Vec3d n = area_vector(positions, t);
    const double size = norm(n);
    if (size == 0) continue;
    middle += (size / 3) * (positions[t[0]] + positions[t[1]] + positions[t[2]]);
    area += size;
    for (int k = 0; k < 3; ++k) normals.column[k] += (n[k] / size) * n;
  }
  const SymmetricEigen<double> eigen = symmetric_eigen(normals);
  int least = 0;
  for (int k = 1; k < 3; ++k) {
    if (eigen.values[k] < eigen.values[least]) least = k;
  }
  return {area > 0 ? middle * (1 / area) : middle, eigen.vectors.column[least]};
}

double girth_within(std::span<const geometry::Triangle> band,
                    std::span<const geometry::Triangle> triangles, std::span<const Vec3d> positions,
                    const Plane& plane) {
  const Across across(plane.normal);
  std::vector<std::array<Flat, 2>> loop;
  for_section(band, positions, plane, [&](const Vec3d& a, const Vec3d& b) {
    loop.push_back({across(a), across(b)});
  });
  // Its turns around a point, by angles: lines of the section are in no order.
  const auto enclosed = [&](const Flat& p) {
    double angle = 0;
    for (const auto& [a, b] : loop) {
      const Flat from{a[0] - p[0], a[1] - p[1]}, to{b[0] - p[0], b[1] - p[1]};
      angle += std::atan2(from[0] * to[1] - from[1] * to[0], from[0] * to[0] + from[1] * to[1]);
    }
    return std::abs(angle) > M_PI;
  };
  std::vector<Flat> inside;
  for_section(triangles, positions, plane, [&](const Vec3d& a, const Vec3d& b) {
    for (const Vec3d& x : {a, b}) {
      if (const Flat p = across(x); enclosed(p)) inside.push_back(p);
    }
  });
  const std::vector<Flat> hull = convex_hull(std::move(inside));
  double length = 0;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Flat &a = hull[i], &b = hull[(i + 1) % hull.size()];
    length += std::hypot(b[0] - a[0], b[1] - a[1]);
  }
  return length;
}

PressureMeasure pressure_on(std::span<const geometry::Triangle> triangles,
                            std::span<const Vec3d> positions, std::span<const double> pressures) {
  std::vector<double> area(pressures.size(), 0);
  for (const geometry::Triangle& t : triangles) {
    const double third = norm(area_vector(positions, t)) / 6;
    for (const std::int32_t p : t) area[p] += third;
  }
  PressureMeasure out;
  for (std::size_t i = 0; i < area.size(); ++i) {
    if (area[i] == 0) continue;
    out.area += area[i];
    out.mean += area[i] * pressures[i];
    out.most = std::max(out.most, pressures[i]);
  }
  if (out.area == 0) return out;
  out.mean /= out.area;
  for (std::size_t i = 0; i < area.size(); ++i) {
    const double away = pressures[i] - out.mean;
    out.spread += area[i] * away * away / out.area;
  }
  out.spread = std::sqrt(out.spread);
  return out;
}

double mean_tension(const Sheets& sheets, const SheetConfiguration& at, std::int32_t first,
                    std::int32_t count) {
  double sum = 0, area = 0;
  for (std::size_t t = 0; t < sheets.triangles.size(); ++t) {
    const std::int32_t point = sheets.triangles[t].points[0];
    if (point < first || point >= first + count) continue;
    const SheetTension now = tension(sheets, t, at);
    const double weight = now.area_ratio * sheets.triangles[t].area;
    sum += weight * now.principal[0];
    area += weight;
  }
  return area > 0 ? sum / area : 0;
}

std::vector<double> spread_out(std::span<const geometry::Triangle> triangles,
                               std::span<const Vec3d> positions, std::span<const double> values) {
  std::vector<double> sum(values.size(), 0), area(values.size(), 0);
  for (const geometry::Triangle& t : triangles) {
    const double weight = norm(area_vector(positions, t));
    const double mean = (values[t[0]] + values[t[1]] + values[t[2]]) / 3;
    for (const std::int32_t p : t) {
      sum[p] += weight * mean;
      area[p] += weight;
    }
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] = area[i] > 0 ? sum[i] / area[i] : values[i];
  }
  return sum;
}

}  // namespace isochor::shells
