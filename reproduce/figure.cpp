#include "reproduce/figure.h"

#include "isochor/base/file.h"

namespace isochor::reproduce {

void Figure::add(const std::string& name, const geometry::SurfaceMesh& surface,
                 std::span<const Vec3d> vertices, const Vec3d& offset) {
  files::BodyTopology body{.name = name, .surface = surface};
  files::BodyFrame frame;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    body.surface.positions[i] += offset;
    frame.vertices.push_back(vertices[i] + offset);
  }
  topology_.bodies.push_back(std::move(body));
  frame_.bodies.push_back(std::move(frame));
}

void Figure::draw(const std::filesystem::path& file, const run::RenderOptions& options,
                  Context& context) const {
  if (frame_.bodies.empty()) return;
  make_directory(file.parent_path());
  write_file_atomic(
      file, encode_png(run::render(topology_, frame_, options, std::nullopt, context.arena)));
}

}  // namespace isochor::reproduce
