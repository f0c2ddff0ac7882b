#include "reproduce/bar.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/lattice/fields.h"
#include "isochor/materials/registry.h"
#include "isochor/run/render.h"

namespace isochor::reproduce {

std::vector<Vec3d> Bar::held_positions(const std::function<Vec3d(const Vec3d&)>& far_end) const {
  std::vector<Vec3d> result;
  for (std::size_t h = 0; h < model.holds.size(); ++h) {
    for (const std::int32_t n : model.holds[h].nodes) {
      const Vec3d& p = model.rest_positions[n];
      result.push_back(h == 1 ? far_end(p) : p);
    }
  }
  return result;
}

std::vector<Vec3d> Bar::held_at_rest() const {
  return held_positions([](const Vec3d& p) { return p; });
}

Bar make_bar(const BarSpec& spec, Context& context) {
  const double h = spec.height / spec.cells[2];
  Bar bar;
  for (int a = 0; a < 3; ++a) bar.size[a] = spec.cells[a] * h;
  bar.lattice =
      grid::build_lattice(geometry::make_box(0.5 * bar.size, bar.size, h), h, "bar", context.arena);
  const double e = spec.young, nu = spec.poisson;
  const std::size_t cells = bar.lattice.cell_count();
  lattice::BodySpec body{.name = "bar",
                         .lattice = bar.lattice,
                         .law = spec.law,
                         .shape = spec.shape,
                         .mu = std::vector<double>(cells, e / (2 * (1 + nu))),
                         .lambda = std::vector<double>(cells, e * nu / ((1 + nu) * (1 - 2 * nu))),
                         .density = spec.density,
                         .mass_damping = spec.mass_damping,
                         .stiffness_damping = spec.stiffness_damping,
                         .holds = {}};
  if (spec.near_end) body.holds.push_back({.name = "near"});
  if (spec.near_end && spec.both_ends) body.holds.push_back({.name = "far"});
  for (std::size_t n = 0; n < bar.lattice.rest_positions.size(); ++n) {
    const double x = bar.lattice.rest_positions[n][0];
    const auto node = static_cast<std::int32_t>(n);
    if (spec.near_end && x < 0.1 * h) body.holds[0].nodes.push_back(node);
    if (spec.near_end && spec.both_ends && x > bar.size[0] - 0.1 * h)
      body.holds[1].nodes.push_back(node);
  }
  bar.model = lattice::build_model({body}, spec.params);
  return bar;
}

std::array<double, materials::kMaxShape> lively_shape(int law) {
  std::array<double, materials::kMaxShape> shape{};
  const auto list = materials::shape_parameters(law);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string_view name = list[i].name;
    shape[i] = list[i].unit == Unit::Angle ? std::cos(0.6) : list[i].fallback;
    if (name == "c2" || name == "dispersion") shape[i] = 0.1;
    if (name == "k1") shape[i] = 1;
    if (name == "share2") shape[i] = 0.3;
  }
  return shape;
}

double distance(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, norm(a[i] - b[i]));
  return most;
}

void draw_bar(const Bar& bar, std::span<const Vec3d> positions, const std::string& caption,
              const std::filesystem::path& file, Context& context) {
  files::BodyTopology body{
      .name = "bar", .rest_nodes = bar.lattice.rest_positions, .cells = bar.lattice.cell_nodes()};
  files::BodyFrame shape;
  shape.nodes.assign(positions.begin(), positions.end());
  shape.vertices = shape.nodes;
  body.surface.positions = body.rest_nodes;
  for (const auto& c : body.cells) {
    constexpr int kFaces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (const auto& face : kFaces) {
      body.surface.add_face(std::array{c[face[0]], c[face[1]], c[face[2]], c[face[3]]});
    }
  }
  // A flat cell has no Cauchy stress.
  const lattice::CellFields fields = lattice::cell_fields(bar.model, positions, context.arena);
  const bool coloured = *std::min_element(fields.J.begin(), fields.J.end()) > 0;
  if (coloured) {
    const std::vector<double> stress = lattice::to_nodes(bar.model, fields.von_mises);
    files::Field field{.name = "von_mises", .unit = "Pa", .support = files::Support::Vertex};
    field.values.assign(stress.begin(), stress.end());
    shape.fields = {field};
  }
  const run::RenderOptions options{.width = 1100,
                                   .height = 600,
                                   .field = coloured ? "von_mises" : "",
                                   .show_lattice = true,
                                   .up = {0, 0, 1},
                                   .camera_direction = Vec3d{0.25, -1, 0.45},
                                   .caption = caption};
  make_directory(file.parent_path());
  write_file_atomic(file, encode_png(run::render({{body}}, {.bodies = {shape}}, options,
                                                 std::nullopt, context.arena)));
}

}  // namespace isochor::reproduce
