#include "reproduce/field_figure.h"

#include "isochor/base/file.h"

namespace isochor::reproduce {

void FieldFigure::add(const std::string& name, std::span<const geometry::Triangle> triangles,
                      std::span<const Vec3d> positions, std::span<const double> values,
                      const Vec3d& offset) {
  files::BodyTopology topology{.name = name};
  files::BodyFrame frame;
  files::Field field{.name = quantity_, .unit = unit_, .support = files::Support::Vertex};
  std::vector<std::int32_t> place(positions.size(), -1);
  for (geometry::Triangle t : triangles) {
    for (std::int32_t& n : t) {
      if (place[n] < 0) {
        place[n] = std::int32_t(frame.vertices.size());
        frame.vertices.push_back(positions[n] + offset);
        field.values.push_back(float(values[n]));
      }
      n = place[n];
    }
    topology.surface.add_face(t);
  }
  topology.surface.positions = frame.vertices;
  frame.fields = {std::move(field)};
  topology_.bodies.push_back(std::move(topology));
  frame_.bodies.push_back(std::move(frame));
}

void FieldFigure::draw(const std::filesystem::path& file, run::RenderOptions options,
                       Context& context) const {
  if (frame_.bodies.empty()) return;
  options.field = quantity_;
  make_directory(file.parent_path());
  write_file_atomic(
      file, encode_png(run::render(topology_, frame_, options, std::nullopt, context.arena)));
}

}  // namespace isochor::reproduce
