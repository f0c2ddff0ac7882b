#pragma once

#include "isochor/files/streamed_file.h"

namespace isochor::files {

/// Writes the vertices of one body over time as Pointcache 2, the format of Blender's Mesh Cache,
/// 3ds Max and Maya: one sample per frame, single precision, in the order of the body's surface.
class Pc2Writer {
 public:
  Pc2Writer(std::filesystem::path path, std::size_t vertices, int first_frame, int frames);

  void add(std::span<const Vec3d> positions);
  /// Puts the file in its place, once all frames are there.
  void finish();

 private:
  StreamedFile file_;
  std::size_t vertices_;
  int frames_left_;
};

}  // namespace isochor::files
