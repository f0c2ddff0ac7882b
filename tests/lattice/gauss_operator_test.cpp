#include "isochor/lattice/gauss_operator.h"

#include <gtest/gtest.h>

#include "isochor/lattice/elasticity.h"
#include "isochor/lattice/fields.h"
#include "isochor/lattice/solver.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

using materials::Definiteness;

/// One law, its axes different in every cell, in blocks with missing cells.
Model model_of(int law) {
  BodySpec spec = box_spec(3, 2, 1, 0.5);
  spec.law = law;
  const auto list = materials::shape_parameters(law);
  for (std::size_t i = 0; i < list.size(); ++i) {
    spec.shape[i] = list[i].unit == Unit::Pressure ? 0.4 : list[i].fallback;
  }
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (std::size_t c = 0; c < spec.lattice.cell_count(); ++c) {
    spec.axes.push_back(rotation_from_vector({normal(random), normal(random), normal(random)}));
  }
  return build_model({std::move(spec)}, {.quadrature = Quadrature::Gauss});
}

struct Evaluated {
  double energy;
  std::vector<Vec3d> force;
};
Evaluated evaluate(const Model& model, std::span<const Vec3d> x) {
  ThreadArena arena(1);
  Evaluated result{0, std::vector<Vec3d>(x.size())};
  std::vector<double> block_energy(model.blocks.size());
  const std::vector<double> activations(model.materials.size(), 0.6);
  result.energy = gauss::elastic_force(model, {x, activations}, result.force, block_energy, arena);
  EXPECT_EQ(gauss::elastic_energy(model, {x, activations}, block_energy, arena), result.energy);
  return result;
}

gauss::Tangents tangents_at(const Model& model, std::span<const Vec3d> x,
                            Definiteness fix = Definiteness::None) {
  ThreadArena arena(1);
  gauss::Tangents tangents(model);
  const std::vector<double> activations(model.materials.size(), 0.6);
  gauss::linearise(model, {x, activations}, fix, tangents, arena);
  return tangents;
}

Eigen::MatrixXd assembled(const Model& model, const gauss::Tangents& tangents) {
  ThreadArena arena(1);
  const auto size = static_cast<Eigen::Index>(3 * model.node_count());
  Eigen::MatrixXd K(size, size);
  std::vector<Vec3d> unit(model.node_count(), Vec3d{0, 0, 0}), column(model.node_count());
  for (Eigen::Index c = 0; c < size; ++c) {
    unit[c / 3][int(c % 3)] = 1;
    gauss::apply_stiffness(model, tangents, unit, column, arena);
    unit[c / 3][int(c % 3)] = 0;
    K.col(c) = Eigen::Map<const Eigen::VectorXd>(&column[0][0], size);
  }
  return K;
}

std::vector<Vec3d> moved(std::span<const Vec3d> x, double length, std::span<const Vec3d> d) {
  std::vector<Vec3d> result(x.begin(), x.end());
  for (std::size_t n = 0; n < x.size(); ++n) result[n] += length * d[n];
  return result;
}

double inner(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n) sum += dot(a[n], b[n]);
  return sum;
}

TEST(LatticeGauss, EveryLawsForceAndStiffnessAreDerivatives) {
  for (int law = 0; law < int(materials::kLawCount); ++law) {
    SCOPED_TRACE(materials::kLawNames[law]);
    const Model model = model_of(law);
    const auto x = shaken(model, 0.03, 2), d = shaken(model, 0.1, 3);
    const Evaluated at = evaluate(model, x);
    const double slope = -inner(at.force, d);
    // Forces and displacements may be nearly orthogonal.
    const double scale = std::sqrt(inner(at.force, at.force) * inner(d, d));
    const auto error = [&](double eps) {
      const double difference =
          evaluate(model, moved(x, eps, d)).energy - evaluate(model, moved(x, -eps, d)).energy;
      return std::abs(difference / (2 * eps) - slope) / scale;
    };
    // Quadratic laws have no error of eps^2 to show.
    const bool quadratic = law == materials::law_index("linear");
    if (!quadratic) {
      EXPECT_NEAR(std::log10(error(1e-2) / error(1e-3)), 2, 0.2);
    }
    EXPECT_LT(error(1e-5), 1e-7);

    ThreadArena arena(1);
    std::vector<Vec3d> Kd(x.size());
    gauss::apply_stiffness(model, tangents_at(model, x), d, Kd, arena);
    const auto force_error = [&](double eps) {
      const auto plus = evaluate(model, moved(x, eps, d)).force;
      const auto minus = evaluate(model, moved(x, -eps, d)).force;
      double sum = 0;
      for (std::size_t n = 0; n < x.size(); ++n) {
        const Vec3d gap = (minus[n] - plus[n]) * (1 / (2 * eps)) - Kd[n];
        sum += dot(gap, gap);
      }
      return std::sqrt(sum / inner(Kd, Kd));
    };
    // Fibres go slack within a large step, where second derivatives jump.
    EXPECT_LT(force_error(1e-5), 1e-7);
    if (!quadratic && materials::is_isotropic(law)) {
      EXPECT_NEAR(std::log10(force_error(1e-2) / force_error(1e-3)), 2, 0.2);
    }
  }
}

TEST(LatticeGauss, DiagonalIsThatOfTheAssembledSymmetricMatrix) {
  for (const char* law : {"corotated", "muscle"}) {
    const Model model = model_of(materials::law_index(law));
    for (const Definiteness fix : {Definiteness::None, Definiteness::Clamp}) {
      const gauss::Tangents tangents = tangents_at(model, shaken(model, 0.4, 7), fix);
      const Eigen::MatrixXd K = assembled(model, tangents);
      EXPECT_LT((K - K.transpose()).norm(), 1e-13 * K.norm());
      ThreadArena arena(1);
      std::vector<Vec3f> diagonal(model.node_count());
      gauss::stiffness_diagonal(model, tangents, diagonal, arena);
      const Eigen::Map<const Eigen::VectorXf> d(&diagonal[0][0], K.rows());
      EXPECT_LT((d.cast<double>() - K.diagonal()).norm(), 1e-6 * K.diagonal().norm());
      if (fix == Definiteness::Clamp) {
        EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(K).eigenvalues().minCoeff(),
                  -1e-12 * K.norm());
      }
    }
  }
}

TEST(LatticeGauss, AFreeCellHasNothingButItsSixRigidMotions) {
  const auto zeros = [](bool gauss, bool stabilise) {
    BodySpec spec = box_spec(1, 1, 1, 0.5);
    const Model model = build_model({spec}, {.stabilise = stabilise});
    const Eigen::MatrixXd K = gauss ? assembled(model, tangents_at(model, model.rest_positions))
                                    : assemble(model, linearised(model, model.rest_positions));
    const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(K).eigenvalues();
    return (values.array() < 1e-12 * values.maxCoeff()).count();
  };
  EXPECT_EQ(zeros(true, false), 6);
  EXPECT_EQ(zeros(false, true), 6);
  EXPECT_EQ(zeros(false, false), 18);  // the twelve hourglass modes of one point
}

TEST(LatticeGauss, PatchTestHoldsForEveryLaw) {
  const Mat3d F{{Vec3d{1.2, 0.1, 0}, Vec3d{-0.2, 0.9, 0.1}, Vec3d{0, 0.3, 1.1}}};
  for (int law = 0; law < int(materials::kLawCount); ++law) {
    BodySpec spec = box_spec(3, 3, 3, 0.5);
    make_uniform(spec, 1, 2);
    spec.law = law;
    const auto list = materials::shape_parameters(law);
    for (std::size_t i = 0; i < list.size(); ++i) {
      spec.shape[i] = list[i].unit == Unit::Pressure ? 0.4 : list[i].fallback;
    }
    const Model model = build_model({spec}, {});
    std::vector<Vec3d> x = model.rest_positions;
    for (Vec3d& p : x) p = F * p;
    const Evaluated at = evaluate(model, x);
    double most = 0, inside = 0;
    for (std::size_t n = 0; n < x.size(); ++n) {
      const Vec3d& p = model.rest_positions[n];
      bool interior = true;
      for (int a = 0; a < 3; ++a) interior = interior && p[a] > 0.1 && p[a] < 1.4;
      (interior ? inside : most) = std::max(interior ? inside : most, norm(at.force[n]));
    }
    EXPECT_GT(most, 0.01) << materials::kLawNames[law];
    EXPECT_LT(inside, 1e-14 * most) << materials::kLawNames[law];
    // A homogeneous deformation leaves nothing to stabilise: the two quadratures agree.
    ThreadArena arena(1);
    std::vector<double> block_energy(model.blocks.size());
    const std::vector<double> activations{0.6};
    const double one = elastic_energy(model, {x, activations}, block_energy, arena);
    EXPECT_NEAR(at.energy, one, 1e-13 * std::abs(one)) << materials::kLawNames[law];
  }
}

TEST(LatticeGauss, EnergyOfASmoothDeformationConvergesWithOrderTwo) {
  const auto energy = [](int n) {
    BodySpec spec = box_spec(n, n, n, 1.0 / n);
    make_uniform(spec, 1, 2);
    const Model model = build_model({spec}, {});
    std::vector<Vec3d> x = model.rest_positions;
    for (Vec3d& p : x) {
      p += 0.1 * Vec3d{std::sin(2 * p[1]), std::sin(3 * p[2]) * p[0], std::cos(2 * p[0])};
    }
    return evaluate(model, x).energy;
  };
  const double e2 = energy(2), e4 = energy(4), e8 = energy(8);
  EXPECT_NEAR(std::log2((e2 - e4) / (e4 - e8)), 2, 0.15);
}

TEST(LatticeGauss, SolverUsesTheQuadratureThatTheModelNames) {
  std::vector<std::vector<Vec3d>> shapes;
  for (const Quadrature quadrature : {Quadrature::OnePoint, Quadrature::Gauss}) {
    const Model model = bar(1e4, 2e4, {.quadrature = quadrature, .newton = {.tolerance = 1e-9}});
    State state{model.rest_positions};
    Scratch scratch(model);
    Context context(1);
    const auto held = twisted(model, 0.5, 0.1);
    const StepInput input{.gravity = {0, -9.81, 0}, .held_positions = held};
    ASSERT_TRUE(advance(model, state, input, scratch, context).converged());
    // What the solver calls equilibrium is so for this quadrature, and not for the other.
    std::vector<Vec3d> force(model.node_count());
    std::vector<double> block_energy(model.blocks.size());
    const auto left = [&](auto function) {
      function(model, Configuration(state.positions), force, block_energy, context.arena);
      double sum = 0;
      for (std::size_t n = 0; n < force.size(); ++n) {
        if (model.freedom[n] == Freedom::Free)
          sum += norm(force[n] + model.mass[n] * input.gravity);
      }
      return sum;
    };
    const double one = left([](auto&&... a) { return elastic_force(a...); });
    const double eight = left([](auto&&... a) { return gauss::elastic_force(a...); });
    EXPECT_LT(quadrature == Quadrature::Gauss ? eight : one, 1e-4);
    EXPECT_GT(quadrature == Quadrature::Gauss ? one : eight, 1);
    // Reactions balance the weight.
    Vec3d sum{0, 0, 0};
    for (const Reaction& r : reactions(model, state.positions, input, context.arena)) {
      sum += r.force;
    }
    double weight = 0;
    for (const double m : model.mass) weight += 9.81 * m;
    EXPECT_NEAR(sum[1], weight, 1e-5 * weight);
    shapes.push_back(state.positions);
  }
  double most = 0;
  for (std::size_t n = 0; n < shapes[0].size(); ++n) {
    most = std::max(most, norm(shapes[0][n] - shapes[1][n]));
  }
  EXPECT_GT(most, 1e-5 * kL);
  EXPECT_LT(most, 0.03 * kL);
}

TEST(LatticeGauss, SameBitsForAnyThreadCount) {
  const Model model = build_model({box_spec(9, 7, 5, 0.5)}, {});
  const auto x = shaken(model, 0.2, 8), d = shaken(model, 1, 9);
  std::vector<Vec3d> f1, k1;
  for (const int threads : {1, 3}) {
    ThreadArena arena(threads);
    std::vector<Vec3d> f(x.size()), k(x.size());
    std::vector<double> energy(model.blocks.size());
    gauss::elastic_force(model, x, f, energy, arena);
    gauss::Tangents tangents(model);
    gauss::linearise(model, x, Definiteness::Clamp, tangents, arena);
    gauss::apply_stiffness(model, tangents, d, k, arena);
    if (threads == 1) {
      f1 = f;
      k1 = k;
    }
    for (std::size_t n = 0; n < x.size(); ++n) {
      for (int a = 0; a < 3; ++a) {
        ASSERT_EQ(f[n][a], f1[n][a]);
        ASSERT_EQ(k[n][a], k1[n][a]);
      }
    }
  }
}

}  // namespace
}  // namespace isochor::lattice
