#include <gtest/gtest.h>

#include "isochor/lattice/mixed_model.h"
#include "isochor/materials/registry.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice::mixed {
namespace {

/// The stiffness by which jumps of the first cell are measured, Pa.
double unit_of_jumps(const BodySpec& spec) {
  const Model model = build_model({spec}, {}, {});
  const std::int32_t cell = model.base.cells[0];
  const GroupVolume& v = model.volumes[cell / kGroupCells];
  const int lane = cell % 8, block = cell / 8 % kGroupBlocks;
  return model.params.jumps * v.volume[lane][block] / v.jump[lane][block];
}

BodySpec made_of(std::string_view law) {
  BodySpec spec = box_spec(2, 2, 2, 0.5, 2, 1e4);
  spec.mu.assign(spec.mu.size(), 2);
  spec.law = materials::law_index(law);
  const auto shape = materials::shape_parameters(spec.law);
  for (std::size_t i = 0; i < shape.size(); ++i) spec.shape[i] = shape[i].fallback;
  return spec;
}

TEST(PressureJumps, AreMeasuredByMuInIsotropicLaws) {
  for (int law = 0; law < int(materials::kLawCount); ++law) {
    if (!materials::is_isotropic(law)) continue;
    EXPECT_DOUBLE_EQ(unit_of_jumps(made_of(materials::kLawNames[std::size_t(law)])), 2);
  }
}

/// Guccione's law with equal numbers is isotropic. With others its tangent at rest has the trace
/// C (bf + 3 bt + 2 bfs) less the part C (bf + 2 bt) / 3 of a change of volume.
TEST(PressureJumps, AreMeasuredByTheMeanStiffnessOfFibres) {
  BodySpec spec = made_of("guccione");
  spec.shape[3] = 0;
  spec.shape[0] = spec.shape[1] = spec.shape[2] = 2;
  EXPECT_NEAR(unit_of_jumps(spec), 2, 1e-9);
  const double C = 2;  // mu = C bt / 2
  spec.shape[0] = 8, spec.shape[2] = 4;
  EXPECT_NEAR(unit_of_jumps(spec), C * (8 + 6 + 8 - 12.0 / 3) / 10, 1e-9);
}

/// A stress T along fibres adds T dF f f^T, of whose trace symmetric dF without a change of volume
/// have 5/3 T; whatever way fibres run.
TEST(PressureJumps, AreMeasuredWithAllOfTheTensionOfActiveFibres) {
  BodySpec spec = made_of("guccione");
  spec.shape[0] = 8, spec.shape[1] = 2, spec.shape[2] = 4, spec.shape[3] = 30;
  EXPECT_NEAR(unit_of_jumps(spec), 3.6 + 60 * 5 / 3.0 / 10, 1e-9);
  spec.axes.assign(spec.mu.size(), rotation_from_vector({0.3, -1, 0.7}));
  EXPECT_NEAR(unit_of_jumps(spec), 13.6, 1e-9);
  spec.activation.assign(spec.mu.size(), 0.5);
  EXPECT_NEAR(unit_of_jumps(spec), 8.6, 1e-9);
}

}  // namespace
}  // namespace isochor::lattice::mixed
