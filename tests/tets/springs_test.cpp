#include <cmath>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/materials/registry.h"
#include "isochor/tets/conserving.h"
#include "isochor/tets/fields.h"
#include "tests/tets/sample_meshes.h"

namespace isochor::tets {
namespace {

materials::Material flesh() {
  materials::Material m;
  m.law = materials::law_index("stable_neo_hookean");
  m.mu = 1e4;
  m.lambda = 2e4;
  m.density = 1000;
  return m;
}

/// Two boxes, one above the other: springs hold points in tets of the first, others tie both.
class TetSprings : public ::testing::Test {
 protected:
  static constexpr int kAlong = 3;
  static constexpr double kEdge = 0.05, kSide = kAlong * kEdge;

  BodySpec box(const char* name, double above) {
    BodySpec body{.name = name, .mesh = box_of_tets(kAlong, kAlong, kEdge, 0.2)};
    for (Vec3d& x : body.mesh.positions) x[2] += above;
    body.materials = {flesh()};
    return body;
  }
  /// The middle of a tet, or of one of each.
  static solve::Spring spring(const BodySpec& a, std::size_t tet, double stiffness,
                              const BodySpec* b = nullptr, std::size_t other = 0) {
    solve::Spring out{.terms = {}, .stiffness = Mat3d::diagonal({stiffness, stiffness, stiffness})};
    constexpr double kWeights[4] = {0.1, 0.2, 0.3, 0.4};
    for (int c = 0; c < 4; ++c) out.terms.push_back({a.mesh.tets[tet][c], kWeights[c]});
    const auto first = std::int32_t(a.mesh.positions.size());
    for (int c = 0; b && c < 4; ++c) {
      out.terms.push_back({first + b->mesh.tets[other][c], -kWeights[c]});
    }
    return out;
  }
  Model build(const Params& params) {
    const BodySpec below = box("below", 0), above = box("above", kSide);
    std::vector<SpringGroupSpec> groups{{"bed", {}}, {"glue", {}}};
    for (std::size_t t = 0; t < below.mesh.tets.size(); t += 5) {
      groups[0].springs.push_back(spring(below, t, 300));
    }
    for (std::size_t t = 0; t < below.mesh.tets.size(); t += 7) {
      groups[1].springs.push_back(spring(below, t, 200, &above, t));
    }
    return build_model({below, above}, params, context_.arena, groups);
  }
  /// Where springs of the bed pull to: where their points are at rest, moved. What is tied is as
  /// far apart at rest as it wants to be.
  static std::vector<Vec3d> targets(const Model& model, const Vec3d& moved = {0, 0, 0}) {
    std::vector<Vec3d> out;
    for (std::size_t s = 0; s < model.springs.count(); ++s) {
      Vec3d point{0, 0, 0};
      for (std::int32_t t = model.springs.first[s]; t < model.springs.first[s + 1]; ++t) {
        point += model.springs.terms[t].weight * model.rest_positions[model.springs.terms[t].index];
      }
      out.push_back(std::int32_t(s) < model.spring_groups[0].count ? point + moved : point);
    }
    return out;
  }
  static std::vector<Vec3d> shaken(std::span<const Vec3d> x, double most, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> shift(-most, most);
    std::vector<Vec3d> out(x.begin(), x.end());
    for (Vec3d& p : out) p += Vec3d{shift(random), shift(random), shift(random)};
    return out;
  }
  Context context_{2};
};

TEST_F(TetSprings, ForceIsMinusTheSlopeOfTheEnergyAndTheMatrixThatOfTheForce) {
  const Model model = build({.preconditioner = Preconditioner::Jacobi});
  const std::vector<Vec3d> wanted = targets(model, {0.02, 0.01, -0.03});
  const std::vector<Vec3d> x = shaken(model.rest_positions, 0.004, 1);
  const std::vector<Vec3d> v = shaken(std::vector<Vec3d>(x.size(), Vec3d{0, 0, 0}), 1, 2);
  ElasticMemory memory(model);
  const auto at = [&](std::span<const Vec3d> positions) {
    return Configuration{.positions = positions, .spring_targets = wanted};
  };
  const auto moved = [&](double length) {
    std::vector<Vec3d> out = x;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += length * v[i];
    return out;
  };
  std::vector<Vec3d> force(x.size()), ahead(force), behind(force), image(force);
  const double energy = elastic_force(model, at(x), force, memory, context_.arena);
  EXPECT_DOUBLE_EQ(energy, elastic_energy(model, at(x), memory, context_.arena));
  EXPECT_GT(energy, elastic_energy(model, {x}, memory, context_.arena)) << "springs have a part";
  double slope = 0;
  for (std::size_t i = 0; i < x.size(); ++i) slope -= dot(force[i], v[i]);
  Stiffnesses stiffnesses(model.tets.size());
  solve::Blocks<double> K(model.pattern.columns.size());
  linearise(model, at(x), materials::Definiteness::None, stiffnesses, context_.arena);
  assemble(model, stiffnesses, K, context_.arena);
  add_spring_stiffness(model, at(x), K, context_.arena);
  solve::multiply(model.pattern, K, std::span<const Vec3d>(v), std::span(image), context_.arena);
  double best = 1, best_matrix = 1;
  for (const double eps : {1e-5, 1e-6, 1e-7}) {
    const std::vector<Vec3d> further = moved(eps), back = moved(-eps);
    const double change = elastic_force(model, at(further), ahead, memory, context_.arena) -
                          elastic_force(model, at(back), behind, memory, context_.arena);
    best = std::min(best, std::abs(change / (2 * eps) - slope) / std::abs(slope));
    double error = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Vec3d d = (0.5 / eps) * (behind[i] - ahead[i]) - image[i];
      error += dot(d, d);
      size += dot(image[i], image[i]);
    }
    best_matrix = std::min(best_matrix, std::sqrt(error / size));
  }
  EXPECT_LT(best, 1e-7);
  EXPECT_LT(best_matrix, 3e-6) << "tangents are kept in single precision";
}

TEST_F(TetSprings, CarryTheWeightInEquilibriumWhateverPreconditions) {
  std::vector<Vec3d> first;
  for (const auto preconditioner : {Preconditioner::Lattice, Preconditioner::Jacobi}) {
    const Model model = build({.preconditioner = preconditioner, .newton = {.tolerance = 1e-9}});
    const std::vector<Vec3d> wanted = targets(model);
    State state = make_state(model);
    Scratch scratch(model);
    scratch.poison();
    const StepInput input{.gravity = {1, 2, -9.81}, .spring_targets = wanted};
    const StepReport report = advance(model, state, input, scratch, context_);
    ASSERT_TRUE(report.converged());
    if (preconditioner == Preconditioner::Lattice) {
      EXPECT_LT(report.krylov_iterations, 25 * report.iterations);
    }
    const Vec3d weight = kSide * kSide * kSide * 1000 * input.gravity;
    const auto pulls = reactions(model, state, {}, input, context_.arena);
    ASSERT_EQ(pulls.size(), 2u);
    EXPECT_LT(norm(pulls[0].force + 2 * weight), 1e-6 * norm(weight)) << "the bed has both";
    EXPECT_LT(norm(pulls[1].force - weight), 1e-6 * norm(weight)) << "on the lower of the two";
    if (first.empty()) first = state.positions;
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_LT(norm(first[i] - state.positions[i]), 1e-7);
    }
  }
}

TEST_F(TetSprings, TakeBodiesAlong) {
  const Vec3d way{0.1, -0.2, 0.05};
  for (const auto integrator : {solve::Integrator::Static, solve::Integrator::BackwardEuler}) {
    const Model model = build({.integrator = integrator, .newton = {.tolerance = 1e-9}});
    const std::vector<Vec3d> from = targets(model), wanted = targets(model, way);
    State state = make_state(model);
    Scratch scratch(model);
    // In time with steps that are so long that nothing else counts.
    const StepInput input{.spring_targets = wanted,
                          .first_spring_targets = from,
                          .dt = integrator == solve::Integrator::Static ? 0.0 : 100.0};
    ASSERT_TRUE(advance(model, state, input, scratch, context_).converged());
    for (std::size_t i = 0; i < state.positions.size(); ++i) {
      EXPECT_LT(norm(state.positions[i] - model.rest_positions[i] - way), 1e-4 * norm(way));
    }
  }
}

TEST_F(TetSprings, OneRingsKeepVolumesOfWhatHangsOnThem) {
  const Model model = build({.integrator = solve::Integrator::BackwardEuler});
  const std::vector<Vec3d> from = targets(model);
  Conserving conserving(model, {}, {}, context_);
  State state = make_state(model);
  std::vector<Vec3d> before = from;
  for (int step = 0; step < 20; ++step) {
    const std::vector<Vec3d> wanted = targets(model, {0.002 * (step + 1), 0, 0});
    const StepInput input{.gravity = {0, 0, -9.81},
                          .spring_targets = wanted,
                          .first_spring_targets = before,
                          .dt = 0.02};
    const ConservingReport report = conserving.advance(state, input, 0.02 * step);
    ASSERT_TRUE(report.converged);
    EXPECT_LE(report.worst_ring, 0.01);
    before = wanted;
  }
  // What hangs lags behind and sags, by no more than a few centimetres of springs.
  Vec3d middle{0, 0, 0};
  for (std::size_t i = 0; i < state.positions.size(); ++i) {
    middle +=
        (1.0 / double(state.positions.size())) * (state.positions[i] - model.rest_positions[i]);
  }
  EXPECT_NEAR(middle[0], 0.04, 0.03);
  EXPECT_LT(middle[2], 0);
  EXPECT_GT(middle[2], -0.1);
  EXPECT_THROW(Conserving(model, {.scheme = Scheme::Published}, {}, context_), Error);
}

}  // namespace
}  // namespace isochor::tets
