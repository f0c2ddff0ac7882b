#include <gtest/gtest.h>

#include "isochor/lattice/element_kernel.h"
#include "tests/lattice/cut_ring.h"
#include "tests/lattice/naive_hourglass.h"

namespace isochor::lattice {
namespace {

/// Cells whose energy is that of their own points.
std::size_t cells_with_points(const Model& model) {
  std::size_t count = 0;
  for (const CutGroup& group : model.cut_groups) {
    count += std::size_t(std::ranges::count_if(group.volume, [](double v) { return v > 0; }));
  }
  return count;
}

TEST(TurningAxes, PointsHaveTheDirectionThatTheFieldHasThere) {
  for (const char* law : {"holzapfel_gasser_ogden", "muscle"}) {
    BodySpec spec = ring(law);
    const auto field = [](const Vec3d& at) {
      return rotation_from_vector({9 * at[1], 0.3, 9 * at[0] + 9 * at[2]});
    };
    set_axes(spec, field);
    const Model model = build_model({spec}, {});
    EXPECT_EQ(cells_with_points(model), model.cells.size()) << "one point cannot stand for any";
    const std::vector<Vec3d> x = shaken(model, 0.005, 3);
    const double h = spec.lattice.spacing;
    double naive = 0;
    auto cut = spec.lattice.cut_cells.begin();
    for (std::size_t c = 0; c < model.cells.size(); ++c) {
      Vec3d corners[8];
      for (int k = 0; k < 8; ++k) corners[k] = x[model.corner(model.cells[c], k)];
      const bool is_cut = cut != spec.lattice.cut_cells.end() && std::size_t(cut->cell) == c;
      const Vec3d low = model.rest_positions[model.corner(model.cells[c], 0)];
      materials::Parameters<double> p{spec.mu[c], spec.lambda[c], 0.0};
      p.fibres = spec.fibres[c];
      std::copy(spec.shape.begin(), spec.shape.end(), p.shape);
      for (const Vec3d& s : is_cut ? cut->points : grid::full_cell_points()) {
        const Mat3d F = gradient_at(corners, s, h) * field(low + h * s);
        materials::with_law(spec.law, [&]<class L>(L) {
          naive += 0.25 * h * h * h * (is_cut ? cut->fraction : 1.0) * L::energy(F, p);
        });
      }
      if (is_cut) ++cut;
    }
    EXPECT_NEAR(elastic_energy(model, x), naive, 1e-12 * std::abs(naive));
    expect_derivatives(model);
  }
}

TEST(TurningAxes, CellsInsideKeepOnePointWhereDirectionsHardlyTurn) {
  BodySpec spec = ring("muscle");
  set_axes(spec, [](const Vec3d& at) { return rotation_from_vector({0, 0.3, 0.5 * at[0]}); });
  EXPECT_EQ(cells_with_points(build_model({spec}, {})), spec.lattice.cut_cells.size());
}

}  // namespace
}  // namespace isochor::lattice
