#include "isochor/shells/fit.h"

#include <cmath>

namespace isochor::shells {
namespace {

/// Twice the area, along the normal.
Vec3d area_vector(std::span<const Vec3d> x, const geometry::Triangle& t) {
  return cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
}

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
  for (const geometry::Triangle& t : triangles) {
    std::array<double, 3> height;
    for (int k = 0; k < 3; ++k) height[k] = dot(normal, positions[t[k]] - point);
    std::array<Vec3d, 2> ends;
    int found = 0;
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3;
      // Corners in the plane count as above it, so that neighbours share what they cut.
      if ((height[k] < 0) == (height[l] < 0)) continue;
      const double part = height[k] / (height[k] - height[l]);
      ends[found++] = positions[t[k]] + part * (positions[t[l]] - positions[t[k]]);
    }
    if (found == 2) sum += norm(ends[1] - ends[0]);
  }
  return sum;
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
