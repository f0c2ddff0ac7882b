#include "isochor/files/npz.h"

#include <stdexcept>

namespace isochor::files {

NpzWriter::NpzWriter(std::filesystem::path path, const geometry::SurfaceMesh& surface, int frames)
    : archive_(std::move(path)),
      vertices_(surface.positions.size()),
      frames_(static_cast<std::size_t>(frames)) {
  const std::vector<float> rest = single_precision(surface.positions);
  archive_.add<float>("rest_positions", {vertices_, 3}, rest);
  archive_.add<std::int32_t>("face_starts", {surface.face_starts.size()}, surface.face_starts);
  archive_.add<std::int32_t>("corners", {surface.corners.size()}, surface.corners);
  archive_.begin<float>("positions", {frames_, vertices_, 3});
}

void NpzWriter::add(int frame, double time, std::span<const Vec3d> positions) {
  if (positions.size() != vertices_ || times_.size() == frames_) {
    throw std::logic_error("NpzWriter: not a frame of this animation");
  }
  times_.push_back(time);
  indices_.push_back(frame);
  archive_.append<float>(single_precision(positions));
}

void NpzWriter::begin_field(std::string_view name, int components) {
  archive_.end();
  components_ = static_cast<std::size_t>(components);
  if (components == 1) {
    archive_.begin<float>(name, {frames_, vertices_});
  } else {
    archive_.begin<float>(name, {frames_, vertices_, components_});
  }
}

void NpzWriter::add_field(std::span<const float> values) {
  if (values.size() != components_ * vertices_) {
    throw std::logic_error("NpzWriter: not a quantity of these vertices");
  }
  archive_.append(values);
}

void NpzWriter::finish() {
  archive_.end();
  archive_.add<double>("time", {frames_}, times_);
  archive_.add<std::int32_t>("frame", {frames_}, indices_);
  archive_.finish();
}

}  // namespace isochor::files
