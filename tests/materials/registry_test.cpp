#include "isochor/materials/registry.h"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "isochor/math/svd.h"
#include "tests/math/random_matrix.h"

namespace isochor::materials {
namespace {

TEST(MaterialRegistry, EveryNameIsFoundAtItsIndex) {
  for (std::size_t i = 0; i < kLawCount; ++i) EXPECT_EQ(law_index(kLawNames[i]), int(i));
  EXPECT_GE(law_index("corotated"), 0);
  EXPECT_EQ(std::set<std::string_view>(kLawNames.begin(), kLawNames.end()).size(), kLawCount);
}

TEST(MaterialRegistry, UnknownNamesHaveNoIndex) {
  for (const char* name : {"", "Corotated", "corotate", "corotated "}) {
    EXPECT_EQ(law_index(name), -1) << name;
  }
}

TEST(MaterialRegistry, WithLawVisitsExactlyTheOne) {
  for (std::size_t i = 0; i < kLawCount; ++i) {
    std::vector<std::string_view> visited;
    with_law(int(i), [&](auto law) { visited.push_back(decltype(law)::kName); });
    EXPECT_EQ(visited, std::vector<std::string_view>{kLawNames[i]});
  }
  for (const int index : {-1, int(kLawCount)}) {
    with_law(index, [](auto) { ADD_FAILURE() << "no law has this index"; });
  }
}

/// What holds for every law in the registry.
template <class Law>
class MaterialLaw : public testing::Test {
 protected:
  static constexpr double kMu = 1.3, kLambda = 7;

  static double energy(const Mat3d& F) { return Law::energy(svd(F).sigma, kMu, kLambda); }
  static Mat3d stress(const Mat3d& F) {
    const Svd<double> f = svd(F);
    return times_transpose(f.U * Mat3d::diagonal(Law::stress(f.sigma, kMu, kLambda)), f.V);
  }
  static Mat3d differential(const Mat3d& F, const Mat3d& dF) {
    const Svd<double> f = svd(F);
    return stress_differential(Law::tangent(f.sigma, kMu, kLambda), f.U, f.V, dF);
  }
  static Eigen::Matrix<double, 9, 9> matrix_of(const PrincipalTangent<double>& t, const Mat3d& U,
                                               const Mat3d& V) {
    Eigen::Matrix<double, 9, 9> matrix;
    for (int column = 0; column < 9; ++column) {
      Mat3d dF = Mat3d::zero();
      dF(column % 3, column / 3) = 1;
      const Mat3d dP = stress_differential(t, U, V, dF);
      for (int row = 0; row < 9; ++row) matrix(row, column) = dP(row % 3, row / 3);
    }
    return matrix;
  }

  /// Deformations whose singular values, in pairs, add up to at least 0.7: there the law is smooth
  /// on the scale of the steps below.
  static std::vector<Mat3d> smooth_deformations() {
    Random random(11);
    std::vector<Mat3d> all;
    for (const Vec3d& sigma :
         {Vec3d{1.1, 1.0, 0.9}, Vec3d{1.5, 1.2, 0.4}, Vec3d{2.5, 1.1, 0.05}, Vec3d{5, 3, 0.2},
          Vec3d{0.9, 0.6, 0.4}, Vec3d{1.5, 1.2, -0.4}, Vec3d{3, 1.6, -0.9}, Vec3d{8, 4, -2}}) {
      for (int turn = 0; turn < 3; ++turn) all.push_back(random.with_singular_values(sigma));
    }
    return all;
  }

  /// Central differences of something of the size `value` must approach its derivative, of the size
  /// `derivative`, with the square of their step: each step is a tenth of the one before, so that
  /// each error is about a hundredth, and never exactly nothing.
  template <class Error>
  void expect_second_order(Error&& error_at, double value, double derivative, const Vec3d& sigma) {
    checks_slopes_ = true;
    double last = 0;
    for (const double step : {1e-2, 1e-3, 1e-4}) {
      const double error = error_at(step);
      EXPECT_GT(error, 0) << "differences and law are computed by the same formula";
      // Once rounding, which grows as steps shrink, has its say, no slope can be seen.
      const double rounding = 1e-14 * value / step;
      if (last > 0 && error > 3 * rounding) {
        const double slope = std::log10(last / error);
        EXPECT_GT(slope, 1.8) << sigma[0] << " " << sigma[1] << " " << sigma[2];
        EXPECT_LT(slope, 2.2) << sigma[0] << " " << sigma[1] << " " << sigma[2];
        ++slopes_;
      }
      last = error;
    }
    // The smallest singular value is 0.05: a step of 1e-4 is 1/500 of it, its square 4e-6.
    EXPECT_LT(last, 1e-4 * derivative);
  }
  /// A law that is a polynomial in an entry of F may leave differences no error but rounding; not
  /// everywhere, though.
  void TearDown() override {
    if (checks_slopes_) {
      EXPECT_GT(slopes_, 20);
    }
  }

  bool checks_slopes_ = false;
  int slopes_ = 0;
};

template <class Tuple>
struct AsTypes;
template <class... Law>
struct AsTypes<std::tuple<Law...>> {
  using type = testing::Types<Law...>;
};
TYPED_TEST_SUITE(MaterialLaw, AsTypes<Laws>::type);

TYPED_TEST(MaterialLaw, RestHasNoEnergyAndNoStress) {
  Random random(1);
  const Vec3d ones{1, 1, 1};
  EXPECT_EQ(TypeParam::energy(ones, 2.0, 5.0), 0);
  EXPECT_EQ(norm(TypeParam::stress(ones, 2.0, 5.0)), 0);
  for (int sample = 0; sample < 20; ++sample) {
    // The rounding of a rotation is a strain of about 1e-15.
    const Mat3d R = random.rotation();
    EXPECT_NEAR(this->energy(R), 0, 1e-28);
    EXPECT_LT(norm(this->stress(R)), 1e-13);
  }
}

TYPED_TEST(MaterialLaw, SmallStrainsFollowHooke) {
  // dP = 2 mu e + lambda tr(e) I at rest, for every isotropic law.
  Random random(2);
  for (int sample = 0; sample < 20; ++sample) {
    const Mat3d dF = random.matrix(), e = 0.5 * (dF + transpose(dF));
    const Mat3d hooke = (2 * this->kMu) * e + (this->kLambda * trace(e)) * Mat3d::identity();
    EXPECT_LT(norm(this->differential(Mat3d::identity(), dF) - hooke), 1e-13);
  }
}

TYPED_TEST(MaterialLaw, StressIsTheDerivativeOfEnergy) {
  for (const Mat3d& F : this->smooth_deformations()) {
    const Mat3d P = this->stress(F);
    const auto error = [&](double step) {
      Mat3d difference;
      for (int i = 0; i < 9; ++i) {
        Mat3d forward = F, backward = F;
        forward(i % 3, i / 3) += step;
        backward(i % 3, i / 3) -= step;
        difference(i % 3, i / 3) = (this->energy(forward) - this->energy(backward)) / (2 * step);
      }
      return norm(difference - P);
    };
    this->expect_second_order(error, this->kLambda + std::abs(this->energy(F)),
                              this->kLambda + norm(P), svd(F).sigma);
  }
}

TYPED_TEST(MaterialLaw, TangentIsTheDerivativeOfStress) {
  for (const Mat3d& F : this->smooth_deformations()) {
    const auto error = [&](double step) {
      double square = 0;
      for (int i = 0; i < 9; ++i) {
        Mat3d dF = Mat3d::zero();
        dF(i % 3, i / 3) = 1;
        const Mat3d difference =
            (this->stress(F + step * dF) - this->stress(F - step * dF)) * (1 / (2 * step));
        const Mat3d gap = difference - this->differential(F, dF);
        square += contract(gap, gap);
      }
      return std::sqrt(square);
    };
    double size = 0;
    for (int i = 0; i < 9; ++i) {
      Mat3d dF = Mat3d::zero();
      dF(i % 3, i / 3) = 1;
      size = std::max(size, norm(this->differential(F, dF)));
    }
    this->expect_second_order(error, this->kLambda + norm(this->stress(F)), size, svd(F).sigma);
  }
}

TYPED_TEST(MaterialLaw, TurningTheBodyTurnsTheStress) {
  Random random(4);
  for (int sample = 0; sample < 200; ++sample) {
    const Mat3d F = random.matrix(-2, 2), Q = random.rotation();
    EXPECT_NEAR(this->energy(Q * F), this->energy(F), 1e-12 * (1 + this->energy(F)));
    const Vec3d sigma = svd(F).sigma;
    // The rotation nearest to F is not unique where two singular values add up to nothing.
    if (sigma[1] + sigma[2] < 0.01) continue;
    const double tolerance = 1e-11 * (1 + norm(this->stress(F)));
    EXPECT_LT(norm(this->stress(Q * F) - Q * this->stress(F)), tolerance);
    EXPECT_LT(norm(this->stress(F * Q) - this->stress(F) * Q), tolerance);
  }
}

TYPED_TEST(MaterialLaw, MadeDefiniteHasNoNegativeEigenvalue) {
  Random random(5);
  int clamped = 0;
  const auto check = [&](const Mat3d& F) {
    const Svd<double> f = svd(F);
    PrincipalTangent<double> tangent = TypeParam::tangent(f.sigma, this->kMu, this->kLambda);
    const auto exact = this->matrix_of(tangent, f.U, f.V);
    ASSERT_LE((exact - exact.transpose()).norm(), 1e-14 * exact.norm());
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> before(exact);

    TypeParam::make_definite(tangent);
    const auto matrix = this->matrix_of(tangent, f.U, f.V);
    ASSERT_TRUE(matrix.allFinite());
    ASSERT_LE((matrix - matrix.transpose()).norm(), 1e-14 * matrix.norm());
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> after(matrix);
    // Rounding of the eigenvalues is relative to the largest of them.
    const double rounding = std::max(1e-10 * this->kMu, 1e-14 * matrix.norm());
    EXPECT_GT(after.eigenvalues()[0], -rounding);
    // The nearest semi-definite matrix: negative eigenvalues become zero, the others stay.
    for (int i = 0; i < 9; ++i) {
      EXPECT_NEAR(after.eigenvalues()[i], std::max(0.0, before.eigenvalues()[i]),
                  std::max(rounding, 1e-14 * exact.norm()));
    }
    if (before.eigenvalues()[0] < -rounding) ++clamped;
  };
  for (int sample = 0; sample < 200; ++sample) check(random.matrix(-2, 2));
  for (const Vec3d& sigma :
       {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{1, 1, 0}, Vec3d{3, 3, 0}, Vec3d{1, 1, -1},
        Vec3d{4, 4, -4}, Vec3d{1, 0.3, -0.3}, Vec3d{1e-9, 1e-9, -1e-9}, Vec3d{0.2, 0.1, 0.05}}) {
    for (int turn = 0; turn < 5; ++turn) check(random.with_singular_values(sigma));
  }
  EXPECT_GT(clamped, 10) << "the test must meet indefinite tangents";
}

TYPED_TEST(MaterialLaw, DefiniteTangentsAreLeftUntouched) {
  Random random(6);
  for (int sample = 0; sample < 50; ++sample) {
    // Stretched a little, every mode of every law resists.
    const Vec3d sigma = random.vector(1.001, 1.02);
    const auto exact = TypeParam::tangent(sigma, this->kMu, this->kLambda);
    auto definite = exact;
    TypeParam::make_definite(definite);
    EXPECT_EQ(norm(definite.stretch - exact.stretch), 0);
    EXPECT_EQ(norm(definite.flip - exact.flip), 0);
    EXPECT_EQ(norm(definite.twist - exact.twist), 0);
  }
}

TYPED_TEST(MaterialLaw, FloatAgreesWithDouble) {
  Random random(7);
  for (int sample = 0; sample < 50; ++sample) {
    const Vec3d s = random.vector(0.5, 2);
    const Vec3<float> t{float(s[0]), float(s[1]), float(s[2])};
    const float mu = float(this->kMu), lambda = float(this->kLambda);
    const auto full = TypeParam::tangent(s, this->kMu, this->kLambda);
    const auto single = TypeParam::tangent(t, mu, lambda);
    const Vec3d p = TypeParam::stress(s, this->kMu, this->kLambda);
    // A few dozen roundings of numbers of the size of the largest modulus.
    double largest = this->kLambda;
    for (int i = 0; i < 3; ++i) {
      largest = std::max(
          {largest, std::abs(full.twist[i]), std::abs(full.flip[i]), norm(full.stretch.column[i])});
    }
    const double tolerance = 64 * 0x1p-23 * largest;
    EXPECT_NEAR(TypeParam::energy(t, mu, lambda), TypeParam::energy(s, this->kMu, this->kLambda),
                tolerance);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(TypeParam::stress(t, mu, lambda)[i], p[i], tolerance);
      EXPECT_NEAR(single.twist[i], full.twist[i], tolerance);
      EXPECT_NEAR(single.flip[i], full.flip[i], tolerance);
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(single.stretch(i, j), full.stretch(i, j), tolerance);
    }
  }
}

/// Numbers of closed forms, mu = 1, lambda = 10: under a uniaxial stretch with free sides, the
/// lateral stretch and the nominal stress.
struct Uniaxial {
  std::string_view law;
  double stretch, lateral, stress;
};

TEST(MaterialRegistry, UniaxialStretchMatchesClosedForms) {
  for (const Uniaxial& c : {Uniaxial{"neo_hookean", 1.5, 0.82934177, 1.04146149},
                            Uniaxial{"neo_hookean", 0.7, 1.17297572, -1.26553148},
                            Uniaxial{"st_venant_kirchhoff", 1.5, 0.65712874, 2.72727273},
                            Uniaxial{"st_venant_kirchhoff", 0.8, 1.07871978, -0.41890909},
                            Uniaxial{"corotated", 1.5, 0.77272727, 1.45454545},
                            Uniaxial{"corotated", 0.7, 1.13636364, -0.87272727},
                            Uniaxial{"fixed_corotated", 1.5, 0.82774657, 1.19010958},
                            Uniaxial{"fixed_corotated", 0.7, 1.17013860, -1.16881640}}) {
    with_law(law_index(c.law), [&]<class Law>(Law) {
      const Vec3d p = Law::stress(Vec3d{c.stretch, c.lateral, c.lateral}, 1.0, 10.0);
      // Lateral stretches are printed to eight digits; moduli of 12 to 30 carry that on.
      EXPECT_NEAR(p[0], c.stress, 1e-6) << c.law;
      EXPECT_NEAR(p[1], 0, 1e-6) << c.law;
    });
  }
}

TEST(MaterialRegistry, SimpleShearMatchesClosedForms) {
  const double g = 0.5;
  Mat3d F = Mat3d::identity();
  F(0, 1) = g;
  const Svd<double> f = svd(F);
  const auto shear_stress = [&](std::string_view law) {
    double result = 0;
    with_law(law_index(law), [&]<class Law>(Law) {
      result = times_transpose(f.U * Mat3d::diagonal(Law::stress(f.sigma, 1.0, 10.0)), f.V)(0, 1);
    });
    return result;
  };
  EXPECT_NEAR(shear_stress("neo_hookean"), g, 1e-13);
  EXPECT_NEAR(shear_stress("neo_hookean_isochoric"), g, 1e-13);
  EXPECT_NEAR(shear_stress("st_venant_kirchhoff"), 1.25, 1e-13);
  EXPECT_NEAR(shear_stress("corotated"), 0.66421625, 5e-9);
}

}  // namespace
}  // namespace isochor::materials
