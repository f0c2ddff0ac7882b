#pragma once

#include <gtest/gtest.h>

#include "isochor/lattice/cut_cells.h"
#include "isochor/lattice/solver.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {

/// A ring that does not follow its lattice, its cells at the surface with points of their own.
inline BodySpec ring(std::string_view law, double h = 0.1, double lambda = 2) {
  ThreadArena arena(1);
  BodySpec spec{.name = "ring", .law = materials::law_index(law)};
  const geometry::SurfaceMesh surface =
      geometry::make_torus({0.51, 0.23, 0.37}, {1, 2, 3}, 0.3, 0.13, 0.03);
  spec.lattice = grid::build_lattice(
      surface, {.spacing = h, .quadrature = true, .least_fraction = 0.02}, "ring", arena);
  const std::size_t cells = spec.lattice.cell_count();
  for (std::size_t c = 0; c < cells; ++c) {
    const double factor = 1 + 0.5 * std::sin(double(c));
    spec.mu.push_back(factor);
    spec.lambda.push_back(lambda * factor);
    spec.fill.push_back(spec.lattice.fractions[c]);
  }
  if (!materials::is_isotropic(spec.law)) {
    for (std::size_t c = 0; c < cells; ++c) {
      spec.axes.push_back(rotation_from_vector({0.1 * double(c % 7), 0.2, -0.3}));
      spec.fibres.push_back(0.5 + 0.1 * double(c % 5));
      spec.fibre_points.push_back({0.1 * double(c % 9), 0.6, 0.15 * double(c % 6)});
    }
  }
  const auto shape = materials::shape_parameters(spec.law);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    spec.shape[i] = shape[i].name == "k1" ? 0.8 : shape[i].fallback;  // that fibres do something
  }
  spec.holds = {hold_where(spec, "left", [](const Vec3d& p) { return p[0] < 0.3; }),
                hold_where(spec, "right", [](const Vec3d& p) { return p[0] > 0.7; })};
  return spec;
}

/// So that fibres are taut: where they go slack, their stiffness jumps.
inline std::vector<Vec3d> blown_up(std::vector<Vec3d> positions) {
  for (Vec3d& p : positions) p *= 1.2;
  return positions;
}

/// Of the energy along a direction: forces, and the matrix.
inline void expect_derivatives(const Model& model) {
  const std::vector<Vec3d> x = blown_up(shaken(model, 0.005, 3));
  std::vector<Vec3d> d = shaken(model, 0.05, 4);
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = d[i] - model.rest_positions[i];
  const auto moved = [&](double e) {
    std::vector<Vec3d> y = x;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += e * d[i];
    return y;
  };
  const auto along = [&](std::span<const Vec3d> f) {
    double sum = 0;
    for (std::size_t i = 0; i < d.size(); ++i) sum += dot(f[i], d[i]);
    return sum;
  };
  ThreadArena arena(1);
  std::vector<Vec3d> Kd(d.size());
  apply_stiffness(model, linearised(model, x), std::span<const Vec3d>(d), std::span(Kd), arena);
  const double slope = -along(elastic_force(model, x)), curvature = along(Kd);
  double force_error[2], stiffness_error[2];
  for (int k = 0; k < 2; ++k) {
    const double e = k == 0 ? 1e-2 : 1e-3;
    force_error[k] = std::abs(
        (elastic_energy(model, moved(e)) - elastic_energy(model, moved(-e))) / (2 * e) - slope);
    stiffness_error[k] = std::abs(
        (along(elastic_force(model, moved(-e))) - along(elastic_force(model, moved(e)))) / (2 * e) -
        curvature);
  }
  EXPECT_LT(force_error[1], 0.03 * force_error[0] + 1e-9 * std::abs(slope));
  // Matrices are in single precision.
  EXPECT_LT(stiffness_error[1], 0.03 * stiffness_error[0] + 1e-6 * std::abs(curvature));
}

}  // namespace isochor::lattice
