#include "reproduce/specimen.h"

#include <cmath>
#include <gtest/gtest.h>

#include "isochor/materials/registry.h"

namespace isochor::reproduce {
namespace {

using materials::law_index;

TEST(Specimen, FreeFacesAreFreeOfStress) {
  const Specimen skin =
      make_specimen(law_index("holzapfel_gasser_ogden"), 2, 300, {0, 50, 1, 0.1, std::cos(0.7)});
  for (int axis = 0; axis < 3; ++axis) {
    const auto state = uniaxial(skin, axis, 1.2);
    ASSERT_TRUE(state);
    EXPECT_EQ(state->stretch[axis], 1.2);
    EXPECT_GT(state->nominal[axis], 0.1);
    for (int other = 0; other < 3; ++other) {
      if (other == axis) continue;
      EXPECT_NEAR(state->nominal[other], 0, 1e-11) << axis;
    }
  }
  // Fibres in the plane of the first two axes: pulled along one, the sheet narrows more than it
  // thins.
  const auto pulled = uniaxial(skin, 0, 1.2);
  EXPECT_LT(pulled->stretch[1], pulled->stretch[2] - 0.05);
}

TEST(Specimen, CauchyStressIsForceOverTheAreaAsItIs) {
  const auto state = uniaxial(make_specimen(law_index("neo_hookean"), 1, 5), 1, 2);
  ASSERT_TRUE(state);
  const double area = state->stretch[0] * state->stretch[2];
  EXPECT_LT(area, 0.7);
  EXPECT_DOUBLE_EQ(state->cauchy(1) * area, state->nominal[1]);
}

TEST(Specimen, ThereIsNoStateBeyondInsideOut) {
  // Width 1 - 2 nu / (1 - nu) (l - 1) of a linear cube pulled along two axes.
  const Specimen linear = make_specimen(law_index("linear"), 1, 1e3);
  EXPECT_TRUE(equibiaxial(linear, 2, 1.4));
  EXPECT_FALSE(equibiaxial(linear, 2, 1.6));
}

TEST(Specimen, PureShearHoldsTheWidth) {
  const auto state =
      pure_shear(make_specimen(law_index("ogden"), 1, 1e6, {2, -2, 0, 4, 0}), 2, 0, 2);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->stretch[0], 1);
  EXPECT_NEAR(state->stretch[1], 0.5, 1e-5);
  EXPECT_NEAR(state->nominal[2], 2 - 1.0 / 8, 1e-5);
}

TEST(Specimen, ShearAcrossFibresStretchesThem) {
  const Specimen muscle = make_specimen(law_index("muscle"), 1, 10, {5, 1, 0, 1, 0.65});
  EXPECT_GT(simple_shear(muscle, 1, 0, 0.5), 1.5 * simple_shear(muscle, 0, 1, 0.5));
}

}  // namespace
}  // namespace isochor::reproduce
