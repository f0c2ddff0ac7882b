#pragma once

#include "isochor/files/frame.h"
#include "isochor/files/npz_archive.h"

namespace isochor::files {

/// Writes the surface of one body over time as numpy arrays: `positions` (frame, vertex, xyz),
/// `rest_positions` (vertex, xyz), `time` in s and `frame` per frame, and the faces as
/// `face_starts` and `corners`. Positions in m, single precision.
class NpzWriter {
 public:
  NpzWriter(std::filesystem::path path, const geometry::SurfaceMesh& surface, int frames);

  void add(int frame, double time, std::span<const Vec3d> positions);
  /// Puts the file in its place, once all frames are there.
  void finish();

 private:
  NpzArchive archive_;
  std::size_t vertices_, frames_;
  std::vector<double> times_;
  std::vector<std::int32_t> indices_;
};

}  // namespace isochor::files
