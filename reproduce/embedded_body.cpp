#include "reproduce/embedded_body.h"

#include <algorithm>
#include <limits>

#include "isochor/grid/anchored_lattice.h"
#include "isochor/grid/sliver_cells.h"
#include "isochor/materials/registry.h"

namespace isochor::reproduce {

lattice::BodySpec make_embedded(const geometry::SurfaceMesh& surface, double h, Boundary boundary,
                                std::string_view law, double mu, double poisson, Context& context,
                                const std::optional<Vec3d>& anchor, double least_cut) {
  constexpr double kLeastWeighted = 0.05;
  const bool cut = boundary == Boundary::Cut;
  const grid::LatticeOptions options{
      .spacing = h, .quadrature = cut, .least_fraction = cut ? least_cut : 0.0};
  lattice::BodySpec body{
      .name = "body",
      .lattice =
          anchor ? grid::build_anchored_lattice(surface, *anchor, options, "body", context.arena)
                 : grid::build_lattice(surface, options, "body", context.arena),
      .law = materials::law_index(law)};
  const auto shape = materials::shape_parameters(body.law);
  for (std::size_t i = 0; i < shape.size(); ++i) body.shape[i] = shape[i].fallback;
  const std::size_t cells = body.lattice.cell_count();
  const double lambda = poisson >= 0.5 ? std::numeric_limits<double>::infinity()
                                       : mu * 2 * poisson / (1 - 2 * poisson);
  body.mu.assign(cells, mu);
  body.lambda.assign(cells, lambda);
  const double least = boundary == Boundary::Whole ? 1 : cut ? 0 : kLeastWeighted;
  for (const float fraction : body.lattice.fractions) {
    body.fill.push_back(std::clamp(double(fraction), least, 1.0));
  }
  return body;
}

Vec3d turned(const Vec3d& direction) {
  static const Mat3d Q = rotation_from_vector((0.7 / norm(Vec3d{1, 2, 3})) * Vec3d{1, 2, 3});
  return Q * direction;
}

Vec3d turned_and_shifted(const Vec3d& point, double h) {
  return turned(point) + h * Vec3d{0.137, 0.291, 0.053};
}

geometry::SurfaceMesh turned_and_shifted(geometry::SurfaceMesh surface, double h) {
  for (Vec3d& p : surface.positions) p = turned_and_shifted(p, h);
  return surface;
}

}  // namespace isochor::reproduce
