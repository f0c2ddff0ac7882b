#pragma once

#include <array>
#include <vector>

namespace isochor::shells {

/// A point in a plane.
using Flat = std::array<double, 2>;

/// Positive where three points turn counter-clockwise: twice the area of their triangle.
inline double turn(const Flat& a, const Flat& b, const Flat& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// Counter-clockwise (Andrew's monotone chain); nothing of fewer than three points.
std::vector<Flat> convex_hull(std::vector<Flat> points);

}  // namespace isochor::shells
