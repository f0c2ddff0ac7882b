#include "isochor/files/pc2.h"

#include <stdexcept>

#include "isochor/files/byte_stream.h"

namespace isochor::files {

Pc2Writer::Pc2Writer(std::filesystem::path path, std::size_t vertices, int first_frame, int frames)
    : file_(std::move(path)), vertices_(vertices), frames_left_(frames) {
  constexpr float kFramesPerSample = 1;
  ByteWriter header;
  header.append(std::as_bytes(std::span("POINTCACHE2")));  // with the zero at its end
  header.put(std::int32_t{1});                             // version
  header.put(static_cast<std::int32_t>(vertices));
  header.put(static_cast<float>(first_frame));
  header.put(kFramesPerSample);
  header.put(std::int32_t{frames});
  file_.append(header.bytes());
}

void Pc2Writer::add(std::span<const Vec3d> positions) {
  if (positions.size() != vertices_ || frames_left_ == 0) {
    throw std::logic_error("Pc2Writer: not a frame of this animation");
  }
  --frames_left_;
  const std::vector<float> sample = single_precision(positions);
  file_.append(std::as_bytes(std::span(sample)));
}

void Pc2Writer::finish() {
  if (frames_left_ != 0) throw std::logic_error("Pc2Writer: frames are missing");
  file_.commit();
}

}  // namespace isochor::files
