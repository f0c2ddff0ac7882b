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
class EveryLaw : public testing::Test {
 protected:
  static constexpr double kMu = 1.3, kLambda = 7;

  /// Every term of every law at work.
  template <class T = double>
  static Parameters<T> parameters() {
    Parameters<T> p{T(kMu), T(kLambda), T(0.7)};
    for (std::size_t i = 0; i < Law::kShape.size(); ++i) {
      const ShapeParameter& parameter = Law::kShape[i];
      double value = parameter.fallback;
      if (parameter.unit == Unit::Angle) value = std::cos(0.6);
      if (parameter.unit == Unit::Pressure) value = 0.2 + 0.1 * double(i);
      if (parameter.name == "beta") value = 1.5;
      if (parameter.name == "share2" || parameter.name == "share3") value = 0.3;
      if (parameter.name == "dispersion") value = 0.1;
      if (parameter.name == "k2") value = 0.05;
      // Of orthotropic exponentials, no two alike, and mild enough for the strains below.
      if (parameter.name.starts_with("b")) value = (i < 3 ? 0.2 : 0.02) + 0.01 * double(i);
      if (parameter.name.starts_with("s") && parameter.name.size() == 3) value = 0.02 * double(i);
      p.shape[i] = T(value);
    }
    return p;
  }

  static double energy(const Mat3d& F) { return Law::energy(F, parameters()); }
  static Mat3d stress(const Mat3d& F) { return Law::respond(F, parameters()).stress; }
  static Mat3d differential(const Mat3d& F, const Mat3d& dF) {
    return stress_differential(Law::linearise(F, parameters()), dF);
  }
  template <class Tangent>
  static Eigen::Matrix<double, 9, 9> matrix_of(const Tangent& t) {
    Eigen::Matrix<double, 9, 9> matrix;
    for (int column = 0; column < 9; ++column) {
      Mat3d dF = Mat3d::zero();
      dF(column % 3, column / 3) = 1;
      const Mat3d dP = stress_differential(t, dF);
      for (int row = 0; row < 9; ++row) matrix(row, column) = dP(row % 3, row / 3);
    }
    return matrix;
  }
  /// What rounding is relative to.
  static double size_of(const Mat3d& F) {
    return kLambda + std::abs(energy(F)) + norm(stress(F)) +
           matrix_of(Law::linearise(F, parameters())).norm();
  }

  /// Deformations whose singular values, in pairs, add up to at least 0.7: there the law is smooth
  /// on the scale of the steps below.
  static std::vector<Mat3d> smooth_deformations() {
    Random random(11);
    std::vector<Mat3d> all;
    // Fibres that go slack within a step would show no slope.
    const Vec3d mild = kIsotropic<Law> ? Vec3d{1.1, 1.0, 0.9} : Vec3d{1.3, 1.25, 1.2};
    for (const Vec3d& sigma :
         {mild, Vec3d{1.5, 1.2, 0.4}, Vec3d{2.5, 1.1, 0.05}, Vec3d{5, 3, 0.2}, Vec3d{0.9, 0.6, 0.4},
          Vec3d{1.5, 1.2, -0.4}, Vec3d{3, 1.6, -0.9}, Vec3d{8, 4, -2}}) {
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
      if (std::is_same_v<Law, Linear>) {
        // Differences of a parabola have no error but rounding.
        checks_slopes_ = false;
        EXPECT_LT(error, 1e-13 * value / step);
        continue;
      }
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
TYPED_TEST_SUITE(EveryLaw, AsTypes<Laws>::type);

TYPED_TEST(EveryLaw, RestHasNoEnergyAndNoStress) {
  Parameters<double> p = this->parameters();
  p.activation = 0;
  EXPECT_EQ(TypeParam::energy(Mat3d::identity(), p), 0);
  EXPECT_LT(norm(TypeParam::respond(Mat3d::identity(), p).stress), 1e-15 * this->kLambda);
  if (std::is_same_v<TypeParam, Linear>) return;
  Random random(1);
  for (int sample = 0; sample < 20; ++sample) {
    // The rounding of a rotation is a strain of about 1e-15. Its square counts, unless invariants
    // are taken from F itself.
    const Mat3d R = random.rotation();
    EXPECT_NEAR(TypeParam::energy(R, p), 0, kIsotropic<TypeParam> ? 1e-28 : 1e-14);
    EXPECT_LT(norm(TypeParam::respond(R, p).stress), 1e-13);
  }
}

TYPED_TEST(EveryLaw, EnergyAloneIsThatOfTheResponse) {
  Random random(8);
  for (int sample = 0; sample < 20; ++sample) {
    const Mat3d F = random.matrix(-2, 2);
    EXPECT_EQ(TypeParam::energy(F, this->parameters()),
              TypeParam::respond(F, this->parameters()).energy);
  }
}

TYPED_TEST(EveryLaw, SmallStrainsFollowHooke) {
  // dP = 2 mu e + lambda tr(e) I at rest, for every isotropic law.
  if (!kIsotropic<TypeParam>) GTEST_SKIP() << "this law has directions of its own";
  Random random(2);
  for (int sample = 0; sample < 20; ++sample) {
    const Mat3d dF = random.matrix(), e = 0.5 * (dF + transpose(dF));
    const Mat3d hooke = (2 * this->kMu) * e + (this->kLambda * trace(e)) * Mat3d::identity();
    EXPECT_LT(norm(this->differential(Mat3d::identity(), dF) - hooke), 1e-13);
  }
}

TYPED_TEST(EveryLaw, StressIsTheDerivativeOfEnergy) {
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

TYPED_TEST(EveryLaw, TangentIsTheDerivativeOfStress) {
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

TYPED_TEST(EveryLaw, TurningTheBodyTurnsTheStress) {
  if (std::is_same_v<TypeParam, Linear>)
    GTEST_SKIP() << "linear elasticity is not frame indifferent";
  Random random(4);
  for (int sample = 0; sample < 200; ++sample) {
    const Mat3d F = random.matrix(-2, 2), Q = random.rotation();
    const double size = 1 + std::abs(this->energy(F));
    EXPECT_NEAR(this->energy(Q * F), this->energy(F), 1e-12 * size);
    const Vec3d sigma = svd(F).sigma;
    // The rotation nearest to F is not unique where two singular values add up to nothing.
    if (kIsotropic<TypeParam> && sigma[1] + sigma[2] < 0.01) continue;
    const double tolerance = 1e-11 * (1 + norm(this->stress(F)));
    EXPECT_LT(norm(this->stress(Q * F) - Q * this->stress(F)), tolerance);
    if (!kIsotropic<TypeParam>) continue;
    EXPECT_NEAR(this->energy(F * Q), this->energy(F), 1e-12 * size);
    EXPECT_LT(norm(this->stress(F * Q) - this->stress(F) * Q), tolerance);
  }
}

TYPED_TEST(EveryLaw, DefinitenessFixesActOnEigenvalues) {
  Random random(5);
  int changed = 0;
  const auto check = [&](const Mat3d& F) {
    const auto exact = TypeParam::linearise(F, this->parameters());
    const auto matrix = this->matrix_of(exact);
    ASSERT_LE((matrix - matrix.transpose()).norm(), 1e-14 * matrix.norm());
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> before(matrix);
    // Rounding of the eigenvalues is relative to the largest of them.
    const double rounding = std::max(1e-10 * this->kMu, 2e-14 * matrix.norm());
    for (const Definiteness fix :
         {Definiteness::None, Definiteness::Clamp, Definiteness::Absolute}) {
      auto tangent = exact;
      make_definite(tangent, fix);
      const auto fixed = this->matrix_of(tangent);
      ASSERT_TRUE(fixed.allFinite());
      ASSERT_LE((fixed - fixed.transpose()).norm(), 1e-14 * matrix.norm());
      // The same eigenvectors, with eigenvalues kept, raised to zero, or turned round.
      Eigen::Matrix<double, 9, 1> values = before.eigenvalues();
      if (fix == Definiteness::Clamp) values = values.cwiseMax(0);
      if (fix == Definiteness::Absolute) values = values.cwiseAbs();
      const auto expected =
          (before.eigenvectors() * values.asDiagonal() * before.eigenvectors().transpose()).eval();
      EXPECT_LT((fixed - expected).norm(), 10 * rounding);
    }
    if (before.eigenvalues()[0] < -rounding) ++changed;
  };
  for (int sample = 0; sample < 200; ++sample) check(random.matrix(-2, 2));
  for (const Vec3d& sigma :
       {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{1, 1, 0}, Vec3d{3, 3, 0}, Vec3d{1, 1, -1},
        Vec3d{4, 4, -4}, Vec3d{1, 0.3, -0.3}, Vec3d{1e-9, 1e-9, -1e-9}, Vec3d{0.2, 0.1, 0.05}}) {
    for (int turn = 0; turn < 5; ++turn) check(random.with_singular_values(sigma));
  }
  if (!std::is_same_v<TypeParam, Linear>) {
    EXPECT_GT(changed, 10) << "the test must meet indefinite tangents";
  }
}

TYPED_TEST(EveryLaw, DefiniteTangentsAreLeftUntouched) {
  Random random(6);
  for (int sample = 0; sample < 50; ++sample) {
    // Stretched a little, every mode of every law resists.
    const Mat3d F = Mat3d::diagonal(random.vector(1.001, 1.02));
    Parameters<double> p = this->parameters();
    p.activation = 0;
    const auto exact = TypeParam::linearise(F, p);
    for (const Definiteness fix : {Definiteness::Clamp, Definiteness::Absolute}) {
      auto definite = exact;
      make_definite(definite, fix);
      EXPECT_EQ((this->matrix_of(definite) - this->matrix_of(exact)).norm(), 0);
    }
  }
}

TYPED_TEST(EveryLaw, StaysFiniteAtAnyDeformation) {
  Random random(9);
  for (const double scale : {0.0, 1e-6, 0.01, 1.0, 100.0}) {
    for (int sample = 0; sample < 20; ++sample) {
      const Mat3d F = scale * random.matrix(-2, 2);
      ASSERT_TRUE(std::isfinite(this->energy(F))) << scale;
      ASSERT_TRUE(std::isfinite(norm(this->stress(F)))) << scale;
      auto tangent = TypeParam::linearise(F, this->parameters());
      make_definite(tangent, Definiteness::Clamp);
      ASSERT_TRUE(this->matrix_of(tangent).allFinite()) << scale;
    }
  }
}

TYPED_TEST(EveryLaw, FloatAgreesWithDouble) {
  Random random(7);
  for (int sample = 0; sample < 50; ++sample) {
    const Mat3d F = random.with_singular_values(random.vector(0.5, 2));
    Mat3<float> G;
    for (int i = 0; i < 9; ++i) G(i % 3, i / 3) = float(F(i % 3, i / 3));
    const Parameters<float> p = this->template parameters<float>();
    // A few dozen roundings of numbers of the size of the largest.
    const double tolerance = 64 * 0x1p-23 * this->size_of(F);
    const Response<float> single = TypeParam::respond(G, p);
    EXPECT_NEAR(single.energy, this->energy(F), tolerance);
    const auto tangent = TypeParam::linearise(G, p);
    const Mat3d P = this->stress(F), dF = random.matrix(), dP = this->differential(F, dF);
    Mat3<float> dG;
    for (int i = 0; i < 9; ++i) dG(i % 3, i / 3) = float(dF(i % 3, i / 3));
    const Mat3<float> dQ = stress_differential(tangent, dG);
    for (int i = 0; i < 9; ++i) {
      EXPECT_NEAR(single.stress(i % 3, i / 3), P(i % 3, i / 3), tolerance);
      EXPECT_NEAR(dQ(i % 3, i / 3), dP(i % 3, i / 3), 4 * tolerance);
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
      const Mat3d F = Mat3d::diagonal({c.stretch, c.lateral, c.lateral});
      const Mat3d P = Law::respond(F, Parameters<double>{1, 10}).stress;
      // Lateral stretches are printed to eight digits; moduli of 12 to 30 carry that on.
      EXPECT_NEAR(P(0, 0), c.stress, 1e-6) << c.law;
      EXPECT_NEAR(P(1, 1), 0, 1e-6) << c.law;
    });
  }
}

TEST(MaterialRegistry, SimpleShearMatchesClosedForms) {
  const double g = 0.5;
  Mat3d F = Mat3d::identity();
  F(0, 1) = g;
  const auto shear_stress = [&](std::string_view law) {
    double result = 0;
    with_law(law_index(law), [&]<class Law>(Law) {
      result = Law::respond(F, Parameters<double>{1, 10}).stress(0, 1);
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
