#pragma once

#include <filesystem>
#include <vector>

#include "isochor/math/vec3.h"

namespace isochor::files {

/// The vertices of a mesh over time. Units and axes are the file's.
struct PointAnimation {
  double first = 0;  ///< frame of the first sample
  double step = 1;   ///< frames from one sample to the next, above zero
  std::vector<std::vector<Vec3d>> samples;
};

/// A Pointcache 2 file (.pc2), or a sequence of surfaces, one per frame, whose number stands where
/// the name has #: "ulna_####.obj" reads ulna_0001.obj, ulna_0002.obj and so on, from the lowest
/// number to the highest. A mesh of another number of vertices than `vertices`, and a number that
/// is missing in between, are input errors that name the file.
PointAnimation read_point_animation(const std::filesystem::path& path, std::size_t vertices);

}  // namespace isochor::files
