#include <gtest/gtest.h>
#include <limits>

#include "isochor/lattice/mixed_solver.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

/// A bar of incompressible cells; nodes up to a quarter of its length from both ends are held.
mixed::Model bar_with_thick_ends(int cells, double length) {
  BodySpec spec = box_spec(cells, 4, 4, length / cells);
  spec.law = materials::law_index("neo_hookean");
  make_uniform(spec, 1, std::numeric_limits<double>::infinity());
  const double low = 0.5 * (length - 0.5), high = 0.5 * (length + 0.5);
  spec.holds = {hold_where(spec, "left", [=](const Vec3d& p) { return p[0] < low + 1e-9; }),
                hold_where(spec, "right", [=](const Vec3d& p) { return p[0] > high - 1e-9; })};
  return mixed::build_model({std::move(spec)}, {}, {.tolerance = 1e-9});
}

/// Pulls, turns and thickens the right end: its cells change their volume.
mixed::State pulled(const mixed::Model& model, double length) {
  const Mat3d Q = rotation_from_vector({0.3, 0, 0});
  const double high = 0.5 * (length + 0.5);
  const std::vector<Vec3d> held = targets(model.base, [&](const std::string& name, const Vec3d& p) {
    const Vec3d end{high + 1.3 * (p[0] - high) + 0.05, 0.95 * p[1], 0.95 * p[2]};
    return name == "box.right" ? Q * end : p;
  });
  Context context(1);
  mixed::State state = mixed::make_state(model);
  mixed::Scratch scratch(model);
  EXPECT_TRUE(advance(model, state, {.held_positions = held}, scratch, context).converged());
  return state;
}

/// What lies behind held nodes is none of the others' business, whatever its volume becomes.
TEST(MixedHeldCells, DoNotChangeWhatIsFree) {
  const mixed::Model thick = bar_with_thick_ends(8, 1.0), thin = bar_with_thick_ends(4, 0.5);
  const mixed::State a = pulled(thick, 1.0), b = pulled(thin, 0.5);
  int compared = 0;
  for (std::size_t m = 0; m < thin.node_count(); ++m) {
    for (std::size_t n = 0; n < thick.node_count(); ++n) {
      const Vec3d apart = thick.base.rest_positions[n] - thin.base.rest_positions[m];
      if (norm(apart - Vec3d{0.25, 0, 0}) > 1e-9) continue;
      EXPECT_LT(norm(a.positions[n] - b.positions[m] - Vec3d{0.25, 0, 0}), 1e-7);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 125);
}

}  // namespace
}  // namespace isochor::lattice
