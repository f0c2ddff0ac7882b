#pragma once

#include "isochor/grid/surface_patches.h"

namespace isochor::grid {

/// Calls f(point in the cell, area vector that it stands for, in walls of a cell): a Gauss rule
/// that is exact up to degree seven, which is what pressures ask for. One point per facet would not
/// do for tractions either: weights of corners are not linear, and what it leaves of them is a load
/// on hourglass modes.
template <class F>
void integrate(const SurfaceFacet& facet, F&& f) {
  // Points and weights on [0, 1].
  constexpr double kAlong[5] = {0.04691007703066800, 0.23076534494715845, 0.5, 0.76923465505284155,
                                0.95308992296933200};
  constexpr double kAlongWeight[5] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                      0.23931433524968324, 0.11846344252809454};
  constexpr double kAcross[4] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                 0.93056815579702629};
  constexpr double kAcrossWeight[4] = {0.17392742256872693, 0.32607257743127307,
                                       0.32607257743127307, 0.17392742256872693};
  const Vec3d& a = facet.corners[0];
  const Vec3d b = facet.corners[1] - a, c = facet.corners[2] - a, area = cross(b, c);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 4; ++j) {
      const double u = kAlong[i], v = kAcross[j];
      f(a + u * ((1 - v) * b + v * c), (u * kAlongWeight[i] * kAcrossWeight[j]) * area);
    }
  }
}

}  // namespace isochor::grid
