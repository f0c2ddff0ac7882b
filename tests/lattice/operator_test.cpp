#include "isochor/lattice/operator.h"

#include <gtest/gtest.h>

#include "isochor/materials/registry.h"
#include "isochor/math/svd.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

using materials::Definiteness;

/// Odd counts: blocks with missing cells are part of every test.
Model small_model(bool stabilise = true) {
  return build_model({box_spec(3, 2, 1, 0.5)}, {.stabilise = stabilise});
}

double max_norm(std::span<const Vec3d> v) {
  double most = 0;
  for (const Vec3d& x : v) most = std::max(most, norm(x));
  return most;
}

/// The energy as the paper prints it, three-dimensional: each (F_ij - R_ij)^2 on the four edges
/// along j, the lambda term at the centre.
double published_energy(const Model& model, std::span<const Vec3d> x) {
  double total = 0;
  for (const std::int32_t cell : model.cells) {
    const double h = model.blocks[cell / 8].h, volume = h * h * h;
    Mat3d F = Mat3d::zero();
    std::vector<std::pair<int, Vec3d>> edges;
    for (int axis = 0; axis < 3; ++axis) {
      for (int c = 0; c < 8; ++c) {
        if (c >> axis & 1) continue;
        const Vec3d low = x[model.corner(cell, c)], high = x[model.corner(cell, c + (1 << axis))];
        edges.emplace_back(axis, (high - low) * (1 / h));
        F.column[axis] += 0.25 * edges.back().second;
      }
    }
    const Svd<double> s = svd(F);
    const Mat3d R = times_transpose(s.U, s.V);
    for (const auto& [axis, derivative] : edges) {
      const Vec3d e = derivative - R.column[axis];
      total += 0.25 * mu_of(model, cell) * volume * dot(e, e);
    }
    const double tr = contract(R, F) - 3;
    total += 0.5 * lambda_of(model, cell) * volume * tr * tr;
  }
  return total;
}

TEST(LatticeOperator, EnergyIsThatOfThePublishedQuadrature) {
  const Model model = small_model();
  for (const double amplitude : {0.0, 0.1, 1.0, 10.0}) {
    const auto x = shaken(model, amplitude, 1);
    const double expected = published_energy(model, x);
    EXPECT_NEAR(elastic_energy(model, x), expected, 1e-13 * (1 + expected));
  }
}

TEST(LatticeOperator, RigidMotionHasNeitherEnergyNorForce) {
  const Model model = small_model();
  std::vector<Vec3d> x = model.rest_positions;
  const Mat3d Q = rotation_from_vector({1, -2, 0.5});
  for (Vec3d& p : x) p = Q * p + Vec3d{3, 4, 5};
  EXPECT_LT(elastic_energy(model, x), 1e-26);
  EXPECT_LT(max_norm(elastic_force(model, x)), 1e-13);
}

/// Central differences have an error of eps^2 until rounding sets in: the sweep must show it.
template <class Difference>
void expect_second_order(double first, double rounding, Difference&& error) {
  const double coarse = error(first), fine = error(first / 10), finest = error(1e-5);
  EXPECT_GT(coarse, 0);
  EXPECT_NEAR(std::log10(coarse / fine), 2, 0.1);
  EXPECT_LT(finest, rounding);
}
constexpr double kForceRounding = 1e-8;
/// Tangents are kept in single precision.
constexpr double kTangentRounding = 5e-7;

TEST(LatticeOperator, ForceIsMinusTheDerivativeOfEnergy) {
  for (const bool stabilise : {true, false}) {
    const Model model = small_model(stabilise);
    for (const double amplitude : {0.1, 0.6}) {
      const auto x = shaken(model, amplitude, 2), d = shaken(model, 1, 3);
      const auto f = elastic_force(model, x);
      double slope = 0;
      for (std::size_t n = 0; n < x.size(); ++n) slope -= dot(f[n], d[n]);
      expect_second_order(1e-2, kForceRounding, [&](double eps) {
        std::vector<Vec3d> plus = x, minus = x;
        for (std::size_t n = 0; n < x.size(); ++n) {
          plus[n] += eps * 0.1 * d[n];
          minus[n] -= eps * 0.1 * d[n];
        }
        const double difference =
            (elastic_energy(model, plus) - elastic_energy(model, minus)) / (0.2 * eps);
        return std::abs(difference - slope) / std::abs(slope);
      });
    }
  }
}

TEST(LatticeOperator, StiffnessIsMinusTheDerivativeOfForce) {
  const Model model = small_model();
  const auto x = shaken(model, 0.1, 4), d = shaken(model, 1, 5);
  const Tangents tangents = linearised(model, x);
  ThreadArena arena(1);
  std::vector<Vec3d> Kd(x.size());
  apply_stiffness(model, tangents, d, Kd, arena);
  expect_second_order(1e-1, kTangentRounding, [&](double eps) {
    std::vector<Vec3d> plus = x, minus = x;
    for (std::size_t n = 0; n < x.size(); ++n) {
      plus[n] += eps * 0.1 * d[n];
      minus[n] -= eps * 0.1 * d[n];
    }
    const auto fp = elastic_force(model, plus), fm = elastic_force(model, minus);
    double error = 0;
    for (std::size_t n = 0; n < x.size(); ++n) {
      error = std::max(error, norm((fm[n] - fp[n]) * (1 / (0.2 * eps)) - Kd[n]));
    }
    return error / max_norm(Kd);
  });
}

TEST(LatticeOperator, StiffnessIsSymmetric) {
  const Model model = small_model();
  const Eigen::MatrixXd K = assemble(model, linearised(model, shaken(model, 0.5, 6)));
  EXPECT_LT((K - K.transpose()).norm(), 1e-13 * K.norm());
}

TEST(LatticeOperator, FixedStiffnessIsDefiniteOnInvertedAndCollapsedStates) {
  const Model model = small_model();
  bool exact_was_indefinite = false;
  for (unsigned seed = 0; seed < 8; ++seed) {
    for (const double amplitude : {0.3, 1.0, 5.0}) {
      std::vector<Vec3d> x = shaken(model, amplitude, seed);
      if (seed == 0) x.assign(x.size(), Vec3d{0, 0, 0});
      // Relative to the largest: what rounding to single precision may take away.
      const auto lowest = [&](Definiteness fix) {
        const Eigen::MatrixXd K = assemble(model, linearised(model, x, fix));
        const auto values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(K).eigenvalues().eval();
        return values.minCoeff() / values.maxCoeff();
      };
      EXPECT_GT(lowest(Definiteness::Clamp), -1e-7);
      EXPECT_GT(lowest(Definiteness::Absolute), -1e-7);
      exact_was_indefinite = exact_was_indefinite || lowest(Definiteness::None) < -0.01;
    }
  }
  EXPECT_TRUE(exact_was_indefinite) << "otherwise the fix has nothing to do";
}

TEST(LatticeOperator, DiagonalIsThatOfTheAssembledMatrix) {
  const Model model = small_model();
  for (const Definiteness fix : {Definiteness::Clamp, Definiteness::None}) {
    const Tangents tangents = linearised(model, shaken(model, 0.4, 7), fix);
    const Eigen::MatrixXd K = assemble(model, tangents);
    ThreadArena arena(1);
    std::vector<Vec3d> diagonal(model.node_count());
    stiffness_diagonal(model, tangents, std::span(diagonal), arena);
    const Eigen::Map<const Eigen::VectorXd> d(&diagonal[0][0], K.rows());
    EXPECT_LT((d - K.diagonal()).norm(), 1e-13 * K.diagonal().norm());
  }
}

/// A body of fibres, their direction different in every cell, beside one without.
Model fibre_model() {
  BodySpec fibres = box_spec(2, 3, 2, 0.5), plain = box_spec(3, 2, 2, 0.5);
  fibres.name = "fibres";
  fibres.law = materials::law_index("muscle");
  fibres.shape = {0.5, 0.3, 2, 1, 0.65};
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (std::size_t c = 0; c < fibres.lattice.cell_count(); ++c) {
    fibres.axes.push_back(rotation_from_vector({normal(random), normal(random), normal(random)}));
  }
  return build_model({std::move(plain), std::move(fibres)}, {});
}

TEST(LatticeOperator, LawsWithDirectionsAreLinearisedBesideOthers) {
  const Model model = fibre_model();
  const std::vector<double> activations{0, 0.8};
  const auto x = shaken(model, 0.05, 4), d = shaken(model, 1, 5);
  ThreadArena arena(2);
  Tangents tangents(model);
  EXPECT_EQ(tangents.dense.size(), 2u) << "neighbours share nodes: two groups";
  linearise(model, {x, activations}, Definiteness::None, tangents, arena);
  const Eigen::MatrixXd K = assemble(model, tangents);
  EXPECT_LT((K - K.transpose()).norm(), 1e-13 * K.norm());
  std::vector<Vec3d> diagonal(model.node_count());
  stiffness_diagonal(model, tangents, std::span(diagonal), arena);
  const Eigen::Map<const Eigen::VectorXd> of_k(&diagonal[0][0], K.rows());
  EXPECT_LT((of_k - K.diagonal()).norm(), 1e-13 * K.diagonal().norm());

  std::vector<Vec3d> Kd(x.size());
  apply_stiffness(model, tangents, d, Kd, arena);
  const auto force = [&](double eps) {
    std::vector<Vec3d> moved = x, f(x.size());
    for (std::size_t n = 0; n < x.size(); ++n) moved[n] += eps * 0.1 * d[n];
    std::vector<double> energy(model.blocks.size());
    elastic_force(model, {moved, activations}, f, energy, arena);
    return f;
  };
  // Fibres go slack in some cells within the first steps, where second derivatives jump.
  for (const double eps : {1e-4, 1e-5}) {
    const auto fp = force(eps), fm = force(-eps);
    double error = 0;
    for (std::size_t n = 0; n < x.size(); ++n) {
      error = std::max(error, norm((fm[n] - fp[n]) * (1 / (0.2 * eps)) - Kd[n]));
    }
    EXPECT_LT(error, kTangentRounding * max_norm(Kd));
  }
}

TEST(LatticeOperator, OnlyTheAngleBetweenFibreAndStretchCounts) {
  // The same body with all axes turned, in a configuration turned likewise about each cell, has the
  // same energy: only the angle between fibre and stretch counts.
  BodySpec spec = box_spec(1, 1, 1, 1);
  spec.law = materials::law_index("guccione");
  spec.shape = {8, 2, 4};
  const Mat3d stretch = Mat3d::diagonal({1.2, 0.9, 1});
  const auto energy = [&](const Mat3d& Q) {
    spec.axes = {Q};
    const Model model = build_model({spec}, {});
    std::vector<Vec3d> x = model.rest_positions;
    for (Vec3d& p : x) p = times_transpose(Q * stretch, Q) * p;
    return elastic_energy(model, x);
  };
  const double straight = energy(Mat3d::identity());
  EXPECT_GT(straight, 0);
  EXPECT_NEAR(energy(rotation_from_vector({0.3, 1, -2})), straight, 1e-12 * straight);
  EXPECT_NE(energy(rotation_from_vector({0, 0, 1.5707963267948966})), 0);
}

TEST(LatticeOperator, BareOnePointQuadratureIsBlindToHourglassModes) {
  const auto checkerboard_energy = [](bool stabilise) {
    const Model model = small_model(stabilise);
    std::vector<Vec3d> x = model.rest_positions;
    for (Vec3d& p : x) {
      const int parity = int(std::lround((p[0] + p[1] + p[2]) / 0.5)) & 1;
      p += parity ? Vec3d{0.1, 0, 0} : Vec3d{-0.1, 0, 0};
    }
    return elastic_energy(model, x);
  };
  EXPECT_LT(checkerboard_energy(false), 1e-28);
  EXPECT_GT(checkerboard_energy(true), 1e-2);
}

}  // namespace
}  // namespace isochor::lattice
