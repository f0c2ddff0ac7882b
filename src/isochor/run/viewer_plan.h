#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "isochor/run/shown_surface.h"
#include "isochor/run/viewer_data.h"

namespace isochor::run {

/// The smallest interval that holds some numbers.
struct Range {
  double low = HUGE_VAL, high = -HUGE_VAL;

  void add(double value);
  /// 0 to 1 where there was no finite value.
  Range made_sound() const { return low <= high ? *this : Range{0, 1}; }
};

/// A field as a page has it: one number per item of those bodies that have it.
struct Channel {
  std::string name, unit;
  files::Support support = files::Support::Vertex;
  std::vector<int> bodies;
  bool derived = false;  ///< the page computes it from positions
  Range range = {};      ///< over all frames
};

/// What of a run goes into a page, and the intervals that its numbers lie in.
struct ViewerPlan {
  std::vector<ShownSurface> surfaces;  ///< per body
  bool has_lattice = true;
  std::vector<int> frames;
  std::vector<Channel> channels;
  geometry::Bounds bounds{};   ///< of everything, in all frames, m
  std::vector<Vec3d> outline;  ///< surface points that reach out farthest, for cameras
};

/// Chooses by the budget, then looks at all frames that were chosen.
ViewerPlan plan_viewer(const ViewerSource& source, std::size_t budget);

/// The values of a field on a body of a frame as the plan shows them: magnitudes of vectors, NaN
/// where there is none.
std::vector<double> shown_values(const ViewerSource& source, const ViewerPlan& plan,
                                 const Channel& channel, const files::Frame& frame, int body);

/// Those of all vertices of a body that the plan shows.
std::vector<Vec3d> shown_vertices(const ViewerPlan& plan, std::size_t body,
                                  const std::vector<Vec3d>& all);

}  // namespace isochor::run
