#pragma once

#include "isochor/files/frame.h"
#include "isochor/files/npz_archive.h"

namespace isochor::files {

/// Writes the surface of one body over time as numpy arrays: `positions` (frame, vertex, xyz),
/// `rest_positions` (vertex, xyz), `time` in s and `frame` per frame, and the faces as
/// `face_starts` and `corners`; then quantities on vertices by their names, (frame, vertex) or
/// (frame, vertex, xyz). Positions in m, single precision.
class NpzWriter {
 public:
  NpzWriter(std::filesystem::path path, const geometry::SurfaceMesh& surface, int frames);

  void add(int frame, double time, std::span<const Vec3d> positions);
  /// After all frames: a quantity with one or three components, then its values in each of them.
  void begin_field(std::string_view name, int components);
  void add_field(std::span<const float> values);
  /// Puts the file in its place, once all frames are there.
  void finish();

 private:
  NpzArchive archive_;
  std::size_t vertices_, frames_;
  std::size_t components_ = 0;  ///< of the quantity
  std::vector<double> times_;
  std::vector<std::int32_t> indices_;
};

}  // namespace isochor::files
