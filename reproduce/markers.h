#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "isochor/math/mat3.h"

/// Markers of a motion capture, and the rigid motion between two sets of points.
namespace isochor::reproduce {

/// Places of markers over time. A marker that was not seen is NaN there.
struct MarkerRecord {
  std::vector<std::string> names;
  std::vector<double> time;                   ///< s
  std::vector<std::vector<Vec3d>> positions;  ///< per frame and marker, m

  /// Where markers were on average from frame `begin` up to frame `end`, without those frames in
  /// which one was not seen.
  std::vector<Vec3d> mean(std::size_t begin, std::size_t end) const;
  /// The standard deviation there of the distance from that mean, m.
  double scatter(std::size_t marker, std::size_t begin, std::size_t end) const;
};

/// A table with the columns time_s and NAME_x_m, NAME_y_m, NAME_z_m of each marker. A missing or
/// damaged file is an input error.
MarkerRecord read_markers(const std::filesystem::path& path);

struct RigidMotion {
  Mat3d rotation = Mat3d::identity();
  Vec3d from{0, 0, 0}, to{0, 0, 0};  ///< a point and where it goes

  Vec3d operator()(const Vec3d& p) const { return rotation * (p - from) + to; }
};
/// The one that brings `from` closest to `to` in the mean of squares; three points or more that are
/// not on a line.
RigidMotion closest_motion(std::span<const Vec3d> from, std::span<const Vec3d> to);

}  // namespace isochor::reproduce
