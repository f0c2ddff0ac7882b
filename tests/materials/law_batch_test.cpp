#include "isochor/materials/law_batch.h"

#include <gtest/gtest.h>
#include <vector>

#include "isochor/materials/registry.h"
#include "tests/math/random_matrix.h"

namespace isochor::materials {
namespace {

/// Not a multiple of any register, so that the last pack is incomplete.
constexpr std::size_t kCount = 203;

template <class S>
struct Results {
  std::vector<S> energy, stress, tangent;
};

/// The same deformations for every law and number type, inverted ones among them.
const std::vector<Mat3d>& deformations() {
  static const std::vector<Mat3d> all = [] {
    Random random(21);
    std::vector<Mat3d> result;
    while (result.size() < kCount) {
      const Mat3d F = random.matrix(-1.5, 1.5) + Mat3d::identity();
      // The rotation nearest to F must be unique, or nothing can be compared.
      const Vec3d sigma = svd(F).sigma;
      if (sigma[1] + sigma[2] > 0.2) result.push_back(F);
    }
    return result;
  }();
  return all;
}

template <class T>
Parameters<T> common(int law) {
  Parameters<T> p{};
  p.activation = T(0.6);
  const auto list = shape_parameters(law);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double value = list[i].unit == Unit::Angle      ? 0.8
                         : list[i].unit == Unit::Pressure ? 0.3
                         : list[i].name.starts_with("b")  ? 0.1 * (list[i].fallback + 0.1)
                                                          : list[i].fallback;
    p.shape[i] = T(value);
  }
  return p;
}

double mu_of(std::size_t k) { return 1 + 0.25 * double(k % 3); }

template <class S>
Results<S> evaluate_all(int law, Isa isa) {
  std::vector<S> F(9 * kCount), mu(kCount), lambda(kCount);
  for (std::size_t k = 0; k < kCount; ++k) {
    for (int e = 0; e < 9; ++e) F[e * kCount + k] = S(deformations()[k](e % 3, e / 3));
    mu[k] = S(mu_of(k));
    lambda[k] = 4;
  }
  Results<S> r{std::vector<S>(kCount), std::vector<S>(9 * kCount),
               std::vector<S>(tangent_numbers(law) * kCount)};
  evaluate(law,
           LawBatch<S>{.count = kCount,
                       .F = F.data(),
                       .mu = mu.data(),
                       .lambda = lambda.data(),
                       .common = common<S>(law),
                       .fix = Definiteness::Clamp,
                       .energy = r.energy.data(),
                       .stress = r.stress.data(),
                       .tangent = r.tangent.data()},
           isa);
  return r;
}

template <class S>
void read(const Results<S>& r, std::size_t k, PrincipalTangent<double>& t) {
  constexpr int kPairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
  const auto at = [&](int e) { return double(r.tangent[e * kCount + k]); };
  for (int e = 0; e < 9; ++e) {
    t.U(e % 3, e / 3) = at(e);
    t.V(e % 3, e / 3) = at(9 + e);
  }
  for (int e = 0; e < 6; ++e) {
    t.stretch(kPairs[e][0], kPairs[e][1]) = t.stretch(kPairs[e][1], kPairs[e][0]) = at(18 + e);
  }
  for (int e = 0; e < 3; ++e) {
    t.flip[e] = at(24 + e);
    t.twist[e] = at(27 + e);
  }
}
template <class S>
void read(const Results<S>& r, std::size_t k, DenseTangent<double>& t) {
  for (int e = 0; e < 45; ++e) t.entry[e] = double(r.tangent[e * kCount + k]);
}

std::vector<Isa> available() {
  std::vector<Isa> all;
  for (const Isa isa : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    if (isa <= best_isa()) all.push_back(isa);
  }
  return all;
}

template <class S>
void expect_scalar_results(double epsilon) {
  Random random(5);
  const Mat3d dF = random.matrix();
  for (int law = 0; law < int(kLawCount); ++law) {
    for (const Isa isa : available()) {
      const Results<S> r = evaluate_all<S>(law, isa);
      with_law(law, [&]<class Law>(Law) {
        Parameters<double> p = common<double>(law);
        p.lambda = 4;
        for (std::size_t k = 0; k < kCount; ++k) {
          p.mu = mu_of(k);
          const Mat3d& F = deformations()[k];
          const Response<double> response = Law::respond(F, p);
          auto exact = Law::linearise(F, p), tangent = exact;
          make_definite(exact, Definiteness::Clamp);
          read(r, k, tangent);
          const Mat3d expected = stress_differential(exact, dF);
          // Roundings are of the size of the largest term, which the tangent shows.
          double size = 10 + std::abs(response.energy) + norm(response.stress);
          for (int e = 0; e < 9; ++e) {
            Mat3d unit = Mat3d::zero();
            unit(e % 3, e / 3) = 1;
            size += norm(stress_differential(Law::linearise(F, p), unit));
          }
          ASSERT_NEAR(r.energy[k], response.energy, epsilon * size) << Law::kName;
          for (int e = 0; e < 9; ++e) {
            ASSERT_NEAR(r.stress[e * kCount + k], response.stress(e % 3, e / 3), epsilon * size)
                << Law::kName;
          }
          ASSERT_LT(norm(stress_differential(tangent, dF) - expected), 30 * epsilon * size)
              << Law::kName << " " << k;
        }
      });
    }
  }
}

TEST(LawBatch, PacksOfDoublesGiveWhatScalarsGive) { expect_scalar_results<double>(1e-14); }

TEST(LawBatch, PacksOfFloatsGiveWhatDoublesGive) { expect_scalar_results<float>(64 * 0x1p-23); }

TEST(LawBatch, Avx2AndAvx512GiveEqualBits) {
  if (best_isa() < Isa::Avx512) GTEST_SKIP() << "this processor has no AVX-512";
  for (int law = 0; law < int(kLawCount); ++law) {
    const auto a = evaluate_all<float>(law, Isa::Avx2), b = evaluate_all<float>(law, Isa::Avx512);
    EXPECT_EQ(a.energy, b.energy) << kLawNames[law];
    EXPECT_EQ(a.stress, b.stress) << kLawNames[law];
    EXPECT_EQ(a.tangent, b.tangent) << kLawNames[law];
    const auto c = evaluate_all<double>(law, Isa::Avx2), d = evaluate_all<double>(law, Isa::Avx512);
    EXPECT_EQ(c.energy, d.energy) << kLawNames[law];
    EXPECT_EQ(c.stress, d.stress) << kLawNames[law];
    EXPECT_EQ(c.tangent, d.tangent) << kLawNames[law];
  }
}

TEST(LawBatch, ResultsThatAreNotWantedMayBeLeftOut) {
  std::vector<double> F(9 * kCount), modulus(kCount, 2), energy(kCount), both(kCount),
      stress(9 * kCount);
  for (std::size_t k = 0; k < kCount; ++k) {
    for (int e = 0; e < 9; ++e) F[e * kCount + k] = deformations()[k](e % 3, e / 3);
  }
  LawBatch<double> batch{
      .count = kCount, .F = F.data(), .mu = modulus.data(), .lambda = modulus.data()};
  const int law = law_index("neo_hookean");
  evaluate(law, batch);
  batch.energy = energy.data();
  evaluate(law, batch);
  batch.energy = both.data();
  batch.stress = stress.data();
  evaluate(law, batch);
  EXPECT_EQ(energy, both);
}

}  // namespace
}  // namespace isochor::materials
