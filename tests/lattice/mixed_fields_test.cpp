#include "isochor/lattice/mixed_fields.h"

#include <gtest/gtest.h>

#include "isochor/lattice/elasticity.h"
#include "isochor/materials/volume_split.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice::mixed {
namespace {

BodySpec shaped_box(int law) {
  BodySpec spec = box_spec(5, 3, 4, 0.25, 2, 7);
  spec.name = materials::kLawNames[std::size_t(law)];
  spec.law = law;
  const auto shape = materials::shape_parameters(law);
  for (std::size_t i = 0; i < shape.size(); ++i) spec.shape[i] = shape[i].fallback;
  return spec;
}

/// Two bodies, so that a cell has to find the material of its own.
struct Pair {
  explicit Pair(int law)
      : bodies{shaped_box(materials::law_index("fixed_corotated")), shaped_box(law)},
        model(build_model(bodies, {}, Params{.hourglass = Hourglass::Spread, .jumps = 0})),
        whole(lattice::build_model(bodies, {})),
        x(shaken(model.base, 0.02, 7)),
        p(model.pressure_count(), 0.0) {
    measure(model, at(), p, arena);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const BodyRange& range = model.base.bodies[b];
      for (std::int32_t c = 0; c < range.cell_count; ++c) {
        const double kappa =
            materials::volume_split(bodies[b].law).kappa(bodies[b].mu[c], bodies[b].lambda[c]);
        p[Model::pressure_at(model.base.cells[range.first_cell + c])] *= kappa;
      }
    }
  }
  Configuration at() const { return {x, p, {}}; }

  ThreadArena arena{1};
  std::vector<BodySpec> bodies;
  Model model;
  lattice::Model whole;
  std::vector<Vec3d> x;
  std::vector<double> p;  ///< kappa M: what a law without pressures has
};

class MixedFields : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Laws, MixedFields, ::testing::Range(0, int(materials::kLawCount)),
                         [](const auto& law) {
                           return std::string(materials::kLawNames[std::size_t(law.param)]);
                         });

TEST_P(MixedFields, StressIsThatOfTheWholeLaw) {
  Pair pair(GetParam());
  const CellFields mixed = cell_fields(pair.model, pair.at(), pair.arena);
  const CellFields plain = lattice::cell_fields(pair.whole, pair.x, pair.arena);
  for (std::size_t c = 0; c < plain.J.size(); ++c) {
    const double size = 1e-11 * (std::abs(plain.pressure[c]) + plain.von_mises[c]);
    EXPECT_EQ(mixed.J[c], plain.J[c]);
    EXPECT_NEAR(mixed.pressure[c], plain.pressure[c], size);
    EXPECT_NEAR(mixed.von_mises[c], plain.von_mises[c], size);
  }
}

TEST_P(MixedFields, EnergyAndForcesAreThoseOfTheWholeLaw) {
  Pair pair(GetParam());
  const Elasticity mixed = elasticity(pair.model, pair.at(), pair.arena);
  std::vector<Vec3d> force(pair.x.size());
  std::vector<double> blocks(pair.whole.blocks.size());
  lattice::Configuration at(pair.x);
  at.stabilise = pair.model.spread_part();
  const double energy = elastic_force(pair.whole, at, force, blocks, pair.arena);
  EXPECT_NEAR(mixed.energy, energy, 1e-11 * energy);
  double error = 0, size = 0;
  for (std::size_t n = 0; n < force.size(); ++n) {
    error += dot(mixed.force[n] - force[n], mixed.force[n] - force[n]);
    size += dot(force[n], force[n]);
  }
  EXPECT_LT(std::sqrt(error / size), 1e-11);
}

TEST(MixedMemory, CountsTheVectorsOfGmres) {
  const Model model = build_model({box_spec(4, 4, 4, 0.25)}, {}, Params{});
  const std::size_t bytes = bytes_allocated(model, make_state(model), Scratch(model));
  const std::size_t vectors = unknowns(model) * (kRestart * 12 + 8);
  EXPECT_GT(bytes, vectors + lattice::bytes_allocated(model.base));
  EXPECT_LT(bytes, 4 * (vectors + lattice::bytes_allocated(model.base)));
}

}  // namespace
}  // namespace isochor::lattice::mixed
