#include "isochor/shells/sheets.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "isochor/base/error.h"
#include "isochor/math/jacobi_eigen.h"

namespace isochor::shells {
namespace {

/// A square of n x n cells in the plane z = 0, its corner in the origin.
struct Square {
  std::vector<Vec3d> positions;
  std::vector<geometry::Triangle> triangles;
};
Square square_of(int n, double edge) {
  Square s;
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= n; ++i) s.positions.push_back({i * edge / n, j * edge / n, 0});
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const std::int32_t a = i + (n + 1) * j, b = a + 1, c = a + n + 1, d = c + 1;
      s.triangles.push_back({a, b, d});
      s.triangles.push_back({a, d, c});
    }
  }
  return s;
}

constexpr double kEdge = 0.1;
constexpr double kThickness = 2e-3;

std::vector<SheetLaw> sample_laws() {
  return {AreaLaw{.lambda = 4e4, .steepness = 3}, RubberLaw{.mu = 2e4},
          ClothLaw{.young_along = 5e4, .young_across = 2e4, .poisson = 0.2, .shear = 8e3}};
}

Sheets sheets_of(const Square& s, const SheetLaw& law, double bending = 0,
                 std::array<double, 2> scale = {1, 1}) {
  SheetSpec spec{.name = "sheet", .triangles = s.triangles, .law = law, .thickness = kThickness};
  spec.bending = bending;
  spec.rest_scale = scale;
  spec.directions.assign(s.triangles.size(), Vec3d{1, 0, 0});
  Sheets sheets;
  append(spec, s.positions, 0, "body 'cloth'", sheets);
  find_uses(sheets, s.positions.size());
  return sheets;
}

std::vector<Vec3d> shaken(std::vector<Vec3d> x, double much) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> shift(-much, much);
  for (Vec3d& p : x) {
    p = {1.1 * p[0] + 0.2 * p[1], 0.9 * p[1] - 0.1 * p[0], 3 * p[0] * p[1]};
    for (int a = 0; a < 3; ++a) p[a] += shift(random);
  }
  return x;
}

class SheetEnergy : public ::testing::Test {
 protected:
  double energy(const Sheets& sheets, std::span<const Vec3d> x) {
    evaluate(sheets, {x}, Detail::Energy, contact::Curvature::Exact, arena_, terms_);
    return energy_of(terms_);
  }
  std::vector<Vec3d> gradient(const Sheets& sheets, std::span<const Vec3d> x) {
    evaluate(sheets, {x}, Detail::Gradient, contact::Curvature::Exact, arena_, terms_);
    std::vector<Vec3d> sum(x.size(), Vec3d{0, 0, 0});
    for (const contact::Term& t : terms_) {
      for (int i = 0; i < t.count; ++i) sum[t.points[i]] += t.gradient[i];
    }
    return sum;
  }
  std::vector<Vec3d> product(const Sheets& sheets, std::span<const Vec3d> x,
                             std::span<const Vec3d> v) {
    evaluate(sheets, {x}, Detail::Hessian, contact::Curvature::Exact, arena_, terms_);
    std::vector<Vec3d> sum(x.size(), Vec3d{0, 0, 0});
    for (const contact::Term& t : terms_) {
      for (int i = 0; i < t.count; ++i) {
        for (int j = 0; j < t.count; ++j) sum[t.points[i]] += t.hessian[4 * i + j] * v[t.points[j]];
      }
    }
    return sum;
  }
  static std::vector<Vec3d> moved(std::span<const Vec3d> x, double much, std::span<const Vec3d> v) {
    std::vector<Vec3d> out(x.begin(), x.end());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += much * v[i];
    return out;
  }
  static double dot_of(std::span<const Vec3d> a, std::span<const Vec3d> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i], b[i]);
    return sum;
  }

  ThreadArena arena_{2};
  Square square_ = square_of(4, kEdge);
  std::vector<contact::Term> terms_;
  std::vector<Vec3d> x_ = shaken(square_.positions, 0.004);
  std::vector<Vec3d> v_ = shaken(square_.positions, 1.0);
};

TEST_F(SheetEnergy, GradientIsTheDerivativeOfTheEnergy) {
  for (const SheetLaw& law : sample_laws()) {
    const Sheets sheets = sheets_of(square_, law, 1e-3);
    const double slope = dot_of(gradient(sheets, x_), v_);
    double best = 1;
    for (const double eps : {1e-5, 1e-6, 1e-7}) {
      const double difference =
          (energy(sheets, moved(x_, eps, v_)) - energy(sheets, moved(x_, -eps, v_))) / (2 * eps);
      best = std::min(best, std::abs(difference / slope - 1));
    }
    EXPECT_LT(best, 1e-8) << law.index();
  }
}

TEST_F(SheetEnergy, HessianIsTheDerivativeOfTheGradient) {
  for (const SheetLaw& law : sample_laws()) {
    const Sheets sheets = sheets_of(square_, law);
    const std::vector<Vec3d> image = product(sheets, x_, v_);
    double best = 1;
    for (const double eps : {1e-5, 1e-6, 1e-7}) {
      std::vector<Vec3d> difference = gradient(sheets, moved(x_, eps, v_));
      const std::vector<Vec3d> behind = gradient(sheets, moved(x_, -eps, v_));
      for (std::size_t i = 0; i < image.size(); ++i) {
        difference[i] = (0.5 / eps) * (difference[i] - behind[i]) - image[i];
      }
      best = std::min(best, std::sqrt(dot_of(difference, difference) / dot_of(image, image)));
    }
    EXPECT_LT(best, 1e-7) << law.index();
  }
}

TEST_F(SheetEnergy, HessianOfHingesIsExactWhereNothingIsBent) {
  Sheets sheets = sheets_of(square_, AreaLaw{.lambda = 1}, 1e-3);
  for (Hinge& h : sheets.hinges) h.angle = hinge_angle(contact::gather(x_, h.points));
  sheets.triangles.clear();
  const std::vector<Vec3d> image = product(sheets, x_, v_);
  double best = 1;
  for (const double eps : {1e-5, 1e-6, 1e-7}) {
    std::vector<Vec3d> difference = gradient(sheets, moved(x_, eps, v_));
    const std::vector<Vec3d> behind = gradient(sheets, moved(x_, -eps, v_));
    for (std::size_t i = 0; i < image.size(); ++i) {
      difference[i] = (0.5 / eps) * (difference[i] - behind[i]) - image[i];
    }
    best = std::min(best, std::sqrt(dot_of(difference, difference) / dot_of(image, image)));
  }
  EXPECT_LT(best, 1e-7);
}

TEST_F(SheetEnergy, UniformStretchHasTheEnergyOfItsLaw) {
  const double a = 1.3, b = 0.8, volume = kEdge * kEdge * kThickness;
  std::vector<Vec3d> x = square_.positions;
  const Mat3d turn = rotation_from_vector({0.3, -1, 2});
  for (Vec3d& p : x) p = turn * Vec3d{a * p[0], b * p[1], 0} + Vec3d{1, 2, 3};
  const double J = a * b - 1, ea = 0.5 * (a * a - 1), eb = 0.5 * (b * b - 1);
  // E_across nu_along = E_along nu_across; the latter is 0.2 * 2 / 5.
  const double cloth =
      0.5 * (5e4 * ea * ea + 2e4 * eb * eb + 2 * 0.2 * 2e4 * ea * eb) / (1 - 0.2 * 0.08);
  const std::array<double, 3> expected{4e4 / 12 * J * J * (3 * J * J + 6),
                                       1e4 * (a * a + b * b + 1 / (a * a * b * b) - 3), cloth};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Sheets sheets = sheets_of(square_, sample_laws()[i], 1.0);
    EXPECT_NEAR(energy(sheets, x), volume * expected[i], 1e-10 * volume * expected[i]) << i;
    EXPECT_NEAR(energy(sheets, square_.positions), 0, 1e-12 * volume * expected[i]) << i;
  }
}

TEST_F(SheetEnergy, AreaLawSeesNothingButAreas) {
  const AreaLaw law{.lambda = 4e4, .steepness = 1};
  const Sheets sheets = sheets_of(square_, law);
  double naive = 0;
  const auto area = [](std::span<const Vec3d> x, const geometry::Triangle& t) {
    return 0.5 * norm(cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]));
  };
  for (const geometry::Triangle& t : square_.triangles) {
    const double rest = area(square_.positions, t), c = area(x_, t) / rest - 1;
    naive += kThickness * rest * law.lambda / 12 * c * c * (c * c + 6);
  }
  EXPECT_NEAR(energy(sheets, x_), naive, 1e-12 * naive);
}

TEST_F(SheetEnergy, DefiniteHessiansHaveNoNegativeEigenvalueAndLoseNoPositiveOne) {
  const auto quadratic = [&](const contact::Term& t) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        sum += dot(v_[t.points[i]], t.hessian[4 * i + j] * v_[t.points[j]]);
      }
    }
    return sum;
  };
  std::vector<Vec3d> pressed = x_;
  for (Vec3d& p : pressed) p = {0.6 * p[0], 0.7 * p[1], p[2]};
  for (const SheetLaw& law : sample_laws()) {
    const Sheets sheets = sheets_of(square_, law);
    evaluate(sheets, {pressed}, Detail::Hessian, contact::Curvature::Exact, arena_, terms_);
    std::vector<contact::Term> fixed;
    evaluate(sheets, {pressed}, Detail::Hessian, contact::Curvature::Definite, arena_, fixed);
    int indefinite = 0;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const auto values = [](const contact::Term& term) {
        auto eigen = jacobi_eigen<double, 9>(
            [&](int i, int j) { return term.hessian[4 * (i / 3) + j / 3](i % 3, j % 3); });
        std::ranges::sort(eigen.values);
        return eigen;
      };
      const auto before = values(terms_[t]), after = values(fixed[t]);
      indefinite += before.values[0] < -1e-6 * before.values[8];
      EXPECT_GE(after.values[0], -1e-12 * after.values[8]);
      EXPECT_GE(quadratic(fixed[t]), quadratic(terms_[t]) - 1e-12 * std::abs(quadratic(fixed[t])));
    }
    EXPECT_GT(indefinite, 0) << "the sample has to need it";
    evaluate(sheets, {square_.positions}, Detail::Hessian, contact::Curvature::Exact, arena_,
             terms_);
    evaluate(sheets, {square_.positions}, Detail::Hessian, contact::Curvature::Definite, arena_,
             fixed);
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      EXPECT_NEAR(quadratic(fixed[t]), quadratic(terms_[t]), 1e-10 * quadratic(fixed[t]));
    }
  }
}

TEST_F(SheetEnergy, SmallerRestLeavesTheTensionOfItsStretch) {
  // Rubber of nine tenths of the length: sigma = mu (stretch^2 - stretch^-2) along, width kept.
  const double mu = 2e4, stretch = 1 / 0.9;
  const Sheets sheets = sheets_of(square_, RubberLaw{.mu = mu}, 0, {0.9, 1});
  const SheetTension now = tension(sheets, 3, {square_.positions});
  const double thickness = kThickness / stretch;
  const double along = mu * (stretch * stretch - 1 / (stretch * stretch)) * thickness;
  const double across = mu * (1 - 1 / (stretch * stretch)) * thickness;
  EXPECT_NEAR(now.principal[0], along, 1e-10 * along);
  EXPECT_NEAR(now.principal[1], across, 1e-10 * along);
  EXPECT_NEAR(std::abs(now.direction[0]), 1, 1e-12);
  EXPECT_NEAR(now.area_ratio, stretch, 1e-12);
  const std::array<double, 1> none{0}, part{0.5};
  const SheetTension loose = tension(sheets, 3, {square_.positions, none});
  EXPECT_NEAR(loose.principal[0], 0, 1e-10 * along);
  const Sheets half = sheets_of(square_, RubberLaw{.mu = mu}, 0, {0.95, 1});
  EXPECT_NEAR(tension(sheets, 3, {square_.positions, part}).principal[0],
              tension(half, 3, {square_.positions}).principal[0], 1e-10 * along);
}

TEST_F(SheetEnergy, FlatSheetRolledUpHasTheEnergyOfAPlate) {
  // Energy D / 2 per area and squared curvature; triangles with an edge on both sides count fully.
  const int n = 32;
  const Square fine = square_of(n, kEdge);
  const double rigidity = 2e-3, radius = 0.2;
  Sheets sheets = sheets_of(fine, AreaLaw{.lambda = 1}, rigidity);
  sheets.triangles.clear();
  for (const int axis : {0, 1}) {
    std::vector<Vec3d> x = fine.positions;
    for (Vec3d& p : x) {
      const double s = p[axis];
      p[axis] = radius * std::sin(s / radius);
      p[2] = radius * (1 - std::cos(s / radius));
    }
    const double expected =
        0.5 * rigidity / (radius * radius) * kEdge * kEdge * (n - 1.0) / n;  // no hinge at the rim
    EXPECT_NEAR(energy(sheets, x), expected, 0.01 * expected) << axis;
  }
}

TEST_F(SheetEnergy, RimsAndUnbentSheetsHaveNoHinges) {
  EXPECT_TRUE(sheets_of(square_, RubberLaw{.mu = 1}).hinges.empty());
  // All inner edges: 3 per cell less the rim.
  EXPECT_EQ(sheets_of(square_, RubberLaw{.mu = 1}, 1).hinges.size(), 3 * 16 - 2 * 4);
}

TEST(SheetSpecCheck, WhatCannotBeASheetIsRefusedWithItsName) {
  const Square s = square_of(2, 1);
  const SheetSpec good{.name = "skin", .triangles = s.triangles, .law = RubberLaw{.mu = 1}};
  const auto refused = [&](SheetSpec spec, const std::string& part) {
    Sheets sheets;
    try {
      append(spec, s.positions, 0, "body 'arm'", sheets);
      FAIL() << part;
    } catch (const Error& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find("body 'arm'.skin"), std::string::npos) << text;
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  };
  SheetSpec flat = good;
  flat.triangles.push_back({0, 1, 2});
  refused(flat, "triangle 8 of the sheet has no area");
  SheetSpec strange = good;
  strange.triangles[0][1] = 77;
  refused(strange, "point 77");
  SheetSpec soft = good;
  soft.law = RubberLaw{.mu = 0};
  refused(soft, "stiffness");
  SheetSpec none = good;
  none.rest_scale = {1, 0};
  refused(none, "scale");
}

}  // namespace
}  // namespace isochor::shells
