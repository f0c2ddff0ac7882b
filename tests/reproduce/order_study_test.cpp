#include "reproduce/order_study.h"

#include <cmath>
#include <gtest/gtest.h>

#include "reproduce/twisted_tube.h"

namespace isochor::reproduce {
namespace {

/// Where points are on lattices of cell size h if the error is of a given order.
std::vector<Vec3d> results(double h, double order) {
  std::vector<Vec3d> out;
  for (int i = 0; i < 10; ++i) {
    out.push_back(Vec3d{1.0 * i, 2, 3} + std::pow(h, order) * Vec3d{0.1 * i, 0.2, -0.3});
  }
  return out;
}

TEST(OrderStudy, FindsTheOrderAndTheLimit) {
  for (const double order : {1.0, 1.5, 2.0}) {
    const Extrapolation e =
        extrapolate(results(0.4, order), results(0.2, order), results(0.1, order));
    EXPECT_NEAR(e.order, order, 1e-9);
    EXPECT_LT(rms_difference(e.limit, results(0, order)), 1e-9);
  }
}

TEST(OrderStudy, DifferencesThatGrowHaveNoLimit) {
  const std::vector<Vec3d> fine = results(0.4, 2);
  const Extrapolation e = extrapolate(results(0.1, 2), results(0.2, 2), fine);
  EXPECT_LT(e.order, 0);
  EXPECT_EQ(rms_difference(e.limit, fine), 0);
}

TEST(OrderStudy, FitsErrorsThatHalve) {
  EXPECT_NEAR(fitted_order(std::vector{4.0, 1.0, 0.25}), 2, 1e-12);
  EXPECT_NEAR(fitted_order(std::vector{1.0, 0.5}), 1, 1e-12);
}

/// Derivatives of the motion by central differences.
Mat3d gradient(const ConvergenceCase& tube, const Vec3d& at) {
  constexpr double kStep = 1e-5;
  Mat3d F;
  for (int a = 0; a < 3; ++a) {
    Vec3d d{0, 0, 0};
    d[a] = kStep;
    F.column[a] = (0.5 / kStep) * (tube.exact(at + d) - tube.exact(at - d));
  }
  return F;
}

TEST(TwistedTube, ClosedFormKeepsVolumeEverywhere) {
  const ConvergenceCase tube = twisted_tube();
  ASSERT_GT(tube.points.size(), 1000u);
  for (std::size_t i = 0; i < tube.points.size(); i += 97) {
    EXPECT_NEAR(determinant(gradient(tube, tube.points[i])), 1, 1e-9);
  }
}

/// Of all motions of this kind it has the least energy: a slightly wider or narrower one has more.
TEST(TwistedTube, ClosedFormHasTheLeastEnergyOfItsFamily) {
  const ConvergenceCase tube = twisted_tube();
  const Vec3d on_axis{0, 0.01, 0.02};
  const auto energy = [&](double wider) {
    double sum = 0;
    for (const Vec3d& p : tube.points) {
      // r^2 + wider keeps volume too.
      ConvergenceCase other;
      other.exact = [&](const Vec3d& q) {
        const Vec3d x = tube.exact(q) - on_axis;
        const double r = std::hypot(x[1], x[2]), to = std::sqrt(r * r + wider);
        return on_axis + Vec3d{x[0], x[1] * to / r, x[2] * to / r};
      };
      const Mat3d F = gradient(other, p);
      for (int a = 0; a < 3; ++a) sum += dot(F.column[a], F.column[a]);
    }
    return sum / double(tube.points.size());
  };
  // The sum over points stands for the integral: the slope at the solution is small beside what the
  // curvature makes of it.
  const double at = energy(0), wider = energy(1e-2), narrower = energy(-1e-2);
  EXPECT_GT(wider, at);
  EXPECT_GT(narrower, at);
  EXPECT_LT(std::abs(wider - narrower), 0.3 * (wider + narrower - 2 * at));
}

}  // namespace
}  // namespace isochor::reproduce
