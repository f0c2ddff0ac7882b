#include "isochor/solve/newton.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "isochor/solve/conjugate_gradient.h"
#include "tests/base/field_recorder.h"

namespace isochor::solve {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// An energy of one number, minimised with the magnitude of its second derivative.
struct Scalar {
  std::function<double(double)> energy, first, second;
  double x;
  double factor = 1;           ///< of the direction: -1 goes uphill, 0 nowhere
  int cancel_after = 1 << 30;  ///< linear solves
  int evaluations = 0, solves = 0;
  double direction = 0;
  std::vector<double> residuals{}, energies{}, tolerances{};

  Evaluation evaluate() {
    ++evaluations;
    return {energy(x), std::abs(energy(x)), std::abs(first(x))};
  }
  KrylovReport solve(double tolerance) {
    ++solves;
    tolerances.push_back(tolerance);
    direction = -factor * first(x) / std::abs(second(x));
    return {.iterations = 3, .operator_applications = 4};
  }
  double slope() const { return -std::abs(first(x) * direction); }
  void move(double length) { x += length * direction; }
  bool cancelled() const { return solves >= cancel_after; }
  void progress(const NewtonReport& report) {
    residuals.push_back(report.residual);
    energies.push_back(energy(x));
  }
};

/// exp(x) - 2 x, least at log(2).
Scalar convex(double x) {
  return {.energy = [](double t) { return std::exp(t) - 2 * t; },
          .first = [](double t) { return std::exp(t) - 2; },
          .second = [](double t) { return std::exp(t); },
          .x = x};
}

/// (x^2 - 1)^2 / 4: two wells, and a hill between them.
Scalar two_wells(double x) {
  return {.energy = [](double t) { return 0.25 * (t * t - 1) * (t * t - 1); },
          .first = [](double t) { return t * t * t - t; },
          .second = [](double t) { return 3 * t * t - 1; },
          .x = x};
}

TEST(SolveNewton, FindsTheMinimumOfAConvexEnergy) {
  for (const double start : {-5.0, 0.0, 0.7, 4.0}) {
    Scalar problem = convex(start);
    const NewtonReport report = newton(problem, {.tolerance = 1e-10});
    EXPECT_EQ(report.end, NewtonEnd::Converged) << start;
    EXPECT_TRUE(report.converged());
    EXPECT_LE(report.residual, 1e-10);
    EXPECT_NEAR(problem.x, std::log(2.0), 1e-10);
    EXPECT_EQ(report.residual, std::abs(problem.first(problem.x)));
  }
}

TEST(SolveNewton, AConvergedStartNeedsNoSolve) {
  Scalar problem = convex(std::log(2.0));
  const NewtonReport report = newton(problem, {.tolerance = 1e-10});
  EXPECT_EQ(report.end, NewtonEnd::Converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(problem.solves, 0);
}

TEST(SolveNewton, ConvergesQuadraticallyOnASmoothEnergy) {
  Scalar problem = convex(2.5);
  ASSERT_TRUE(newton(problem, {.tolerance = 1e-14}).converged());
  // r' = e''/(2 e'^2) r^2 + ... = r^2 / 4 at the minimum.
  int observed = 0;
  const std::vector<double>& r = problem.residuals;
  for (std::size_t i = 0; i + 1 < r.size(); ++i) {
    if (r[i] > 0.3 || r[i + 1] < 1e-13) continue;
    EXPECT_NEAR(r[i + 1] / (r[i] * r[i]), 0.25, 0.05) << r[i];
    ++observed;
  }
  EXPECT_GE(observed, 2);
}

TEST(SolveNewton, LineSearchTamesANonconvexEnergy) {
  // Near the turning point the Newton step is huge, and uphill without a line search.
  for (const double start : {0.57, 0.58, -0.577, 0.1, 3.0}) {
    Scalar problem = two_wells(start);
    const NewtonReport report = newton(problem, {.tolerance = 1e-10});
    EXPECT_TRUE(report.converged()) << start;
    EXPECT_NEAR(std::abs(problem.x), 1, 1e-9) << start;
    EXPECT_TRUE(std::is_sorted(problem.energies.rbegin(), problem.energies.rend())) << start;
    if (std::abs(start) > 0.5 && std::abs(start) < 0.6) {
      EXPECT_GT(problem.evaluations, problem.solves + 1) << "a step must have been shortened";
    }
  }
}

TEST(SolveNewton, DivergesWithoutAndConvergesWithTheLineSearch) {
  // Pure Newton maps x to -x^3 here.
  Scalar problem{.energy = [](double t) { return std::sqrt(1 + t * t); },
                 .first = [](double t) { return t / std::sqrt(1 + t * t); },
                 .second = [](double t) { return std::pow(1 + t * t, -1.5); },
                 .x = 2};
  EXPECT_TRUE(newton(problem, {.tolerance = 1e-10}).converged());
  EXPECT_NEAR(problem.x, 0, 1e-9);
}

TEST(SolveNewton, StaysWhereTheEnergyIsANumber) {
  // The full step from 3 ends at -3, where the logarithm is none.
  Scalar problem{.energy = [](double t) { return t - std::log(t); },
                 .first = [](double t) { return 1 - 1 / t; },
                 .second = [](double t) { return 1 / (t * t); },
                 .x = 3};
  EXPECT_TRUE(newton(problem, {.tolerance = 1e-10}).converged());
  EXPECT_NEAR(problem.x, 1, 1e-9);
}

TEST(SolveNewton, NotFiniteIsReported) {
  Scalar no_energy = convex(1);
  no_energy.energy = [](double) { return kNan; };
  EXPECT_EQ(newton(no_energy, {}).end, NewtonEnd::NotFinite);
  EXPECT_EQ(no_energy.solves, 0);
  Scalar no_force = convex(1);
  no_force.first = [](double) { return kNan; };
  EXPECT_EQ(newton(no_force, {}).end, NewtonEnd::NotFinite);
  Scalar infinite = convex(1);
  infinite.energy = [](double) { return std::numeric_limits<double>::infinity(); };
  EXPECT_EQ(newton(infinite, {}).end, NewtonEnd::NotFinite);
}

TEST(SolveNewton, OutOfIterationsIsReportedWithCounts) {
  for (const int most : {1, 3}) {
    Scalar problem = convex(20);
    const NewtonReport report = newton(problem, {.tolerance = 1e-12, .max_iterations = most});
    EXPECT_EQ(report.end, NewtonEnd::TooManyIterations);
    EXPECT_FALSE(report.converged());
    EXPECT_EQ(report.iterations, most);
    EXPECT_EQ(problem.solves, most);
    EXPECT_EQ(report.krylov_iterations, 3 * most);
    EXPECT_EQ(report.operator_applications, 4 * most);
    EXPECT_EQ(report.residual, std::abs(problem.first(problem.x)));
  }
}

TEST(SolveNewton, CancellingEndsItAfterTheStepAtHand) {
  for (const int after : {0, 2}) {
    Scalar problem = convex(20);
    problem.cancel_after = after;
    const NewtonReport report = newton(problem, {.tolerance = 1e-12});
    EXPECT_EQ(report.end, NewtonEnd::Cancelled);
    EXPECT_EQ(report.iterations, after);
  }
}

TEST(SolveNewton, CancellingInsideTheLinearSolveIsNotCalledAStall) {
  Scalar problem = convex(3);
  problem.factor = 0;  // given up before the first iteration
  problem.cancel_after = 1;
  EXPECT_EQ(newton(problem, {}).end, NewtonEnd::Cancelled);
}

TEST(SolveNewton, UphillStallsAndGoesBack) {
  Scalar problem = convex(3);
  problem.factor = -1;
  const NewtonReport report = newton(problem, {});
  EXPECT_EQ(report.end, NewtonEnd::Stalled);
  EXPECT_EQ(report.iterations, 1);
  EXPECT_NEAR(problem.x, 3, 1e-14);  // there and back in twenty roundings
  EXPECT_EQ(report.residual, std::abs(problem.first(3)));
}

TEST(SolveNewton, NoDirectionStallsAtOnce) {
  for (const double factor : {0.0, kNan}) {
    Scalar problem = convex(3);
    problem.factor = factor;
    const NewtonReport report = newton(problem, {});
    EXPECT_EQ(report.end, NewtonEnd::Stalled) << factor;
    EXPECT_EQ(report.iterations, 1) << factor;
    EXPECT_EQ(problem.x, 3) << factor;
  }
}

TEST(SolveNewton, StepsAlongNegativeCurvatureGrow) {
  // From just beside the top of the hill a whole step only doubles the distance to it.
  Scalar problem = two_wells(1e-5);
  const NewtonReport report = newton(problem, {.tolerance = 1e-10});
  EXPECT_TRUE(report.converged());
  EXPECT_NEAR(problem.x, 1, 1e-9);
  EXPECT_LT(report.iterations, 12) << "17 doublings, and then some";
  // No step of a convex problem is lengthened.
  Scalar bowl = convex(0.9);
  ASSERT_TRUE(newton(bowl, {.tolerance = 1e-10}).converged());
  EXPECT_EQ(bowl.evaluations, bowl.solves + 1);
}

/// The first direction leads uphill, the cautious one down.
struct TwoMinds : Scalar {
  int cautious_solves = 0;
  bool cautious = false;
  KrylovReport solve(double tolerance) {
    cautious = false;
    return Scalar::solve(tolerance);
  }
  KrylovReport solve_cautiously(double tolerance) {
    cautious = true;
    ++cautious_solves;
    return Scalar::solve(tolerance);
  }
  double slope() const { return -std::abs(first(x) * direction); }
  void move(double length) { x += (cautious ? length : -length) * direction; }
};

TEST(SolveNewton, TheCautiousDirectionIsTakenWhereTheFirstLeadsNowhere) {
  TwoMinds problem{convex(3)};
  const NewtonReport report = newton(problem, {.tolerance = 1e-3});
  EXPECT_TRUE(report.converged());
  EXPECT_NEAR(problem.x, std::log(2.0), 1e-3);
  EXPECT_GT(problem.cautious_solves, 0);
  EXPECT_EQ(report.iterations, 2 * problem.cautious_solves);
}

TEST(SolveNewton, LinearSolvesGetSharperTowardsTheEnd) {
  Scalar problem = convex(4);
  ASSERT_TRUE(newton(problem, {.tolerance = 1e-13}).converged());
  EXPECT_EQ(problem.tolerances.front(), 0.1);
  EXPECT_LT(problem.tolerances.back(), 1e-3);
  EXPECT_GE(problem.tolerances.back(), 1e-4);
  EXPECT_TRUE(std::is_sorted(problem.tolerances.rbegin(), problem.tolerances.rend()));
}

TEST(SolveNewton, EveryEndHasItsOwnText) {
  std::set<std::string_view> texts;
  for (const NewtonEnd end : {NewtonEnd::Converged, NewtonEnd::Stalled, NewtonEnd::Cancelled,
                              NewtonEnd::TooManyIterations, NewtonEnd::NotFinite}) {
    EXPECT_FALSE(text(end).empty());
    EXPECT_TRUE(texts.insert(text(end)).second) << text(end);
  }
}

TEST(SolveNewton, ParametersAreDescribedWithTheirRanges) {
  FieldRecorder fields;
  NewtonParams params;
  describe(fields, params);
  EXPECT_THAT(fields.names,
              testing::ElementsAre("tolerance", "max_iterations", "max_krylov_iterations"));
  EXPECT_EQ(fields.numbers["tolerance"].range.text(), "above 0 to 0.1");
  EXPECT_EQ(fields.numbers["max_iterations"].range.text(), "1 to 100000");
  EXPECT_EQ(fields.numbers["max_krylov_iterations"].range.text(), "1 to 1000000");
  // The defaults are among what is allowed.
  EXPECT_TRUE(fields.numbers["tolerance"].range.contains(params.tolerance));
  EXPECT_TRUE(fields.numbers["max_iterations"].range.contains(params.max_iterations));
  EXPECT_TRUE(fields.numbers["max_krylov_iterations"].range.contains(params.max_krylov_iterations));
}

}  // namespace
}  // namespace isochor::solve
