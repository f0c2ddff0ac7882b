#include "isochor/materials/invariant_law.h"

#include <gtest/gtest.h>

#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"
#include "isochor/materials/tangent_numbers.h"
#include "tests/math/random_matrix.h"

namespace isochor::materials {
namespace {

/// f(Law{}) for laws of invariants that need no singular values; how many there are.
template <class F>
int for_each_law_without_stretches(F&& f) {
  int count = 0;
  for (int i = 0; i < int(kLawCount); ++i) {
    with_law(i, [&]<class Law>(Law law) {
      if constexpr (std::is_base_of_v<InvariantLaw<Law>, Law> && !kHasStretches<Law>) {
        f(law);
        ++count;
      }
    });
  }
  return count;
}

std::vector<Mat3d> deformations() {
  Random random(3);
  std::vector<Mat3d> all;
  for (const Vec3d& sigma :
       {Vec3d{1, 1, 1}, Vec3d{1.1, 1, 0.9}, Vec3d{1.15, 1.1, 1}, Vec3d{2.5, 1.1, 0.05},
        Vec3d{5, 3, 0.2}, Vec3d{1.5, 1.2, -0.4}, Vec3d{1, 1, -1}, Vec3d{1, 0, 0}}) {
    for (int turn = 0; turn < 5; ++turn) all.push_back(random.with_singular_values(sigma));
  }
  return all;
}

Parameters<double> parameters() {
  Parameters<double> p{1.3, 7};
  p.shape[0] = 0.3;
  return p;
}

TEST(InvariantLaw, EnergiesAndStressesAreThoseOfSingularValues) {
  const int count = for_each_law_without_stretches([]<class Law>(Law) {
    for (const Mat3d& F : deformations()) {
      const Response<double> by_invariants = Law::respond(F, parameters());
      const Response<double> expected = PrincipalLaw<Law>::respond(F, parameters());
      const double size = 10 + std::abs(expected.energy) + norm(expected.stress);
      EXPECT_NEAR(by_invariants.energy, expected.energy, 1e-13 * size) << Law::kName;
      EXPECT_LT(norm(by_invariants.stress - expected.stress), 1e-13 * size) << Law::kName;
    }
  });
  EXPECT_EQ(count, 5);
}

/// A line search compares energies: of a stiff body that turns, strains may be 1e-7 and energies
/// 1e-14 of its stiffness, which is not far from rounding.
TEST(InvariantLaw, SmallStrainsKeepTheirDigitsHoweverTheBodyIsTurned) {
  Random random(7);
  constexpr double kStrain = 1e-7;
  for_each_law_without_stretches([&]<class Law>(Law) {
    const Parameters<double> p = parameters();
    for (int turn = 0; turn < 20; ++turn) {
      const Mat3d A = random.matrix();
      const Mat3d strain = kStrain * (A + transpose(A));
      const Mat3d F = random.rotation() * (Mat3d::identity() + strain);
      const double volume = trace(strain);
      const double hooke = p.mu * contract(strain, strain) + 0.5 * p.lambda * volume * volume;
      EXPECT_NEAR(Law::energy(F, p) / hooke, 1, 1e-5) << Law::kName;
    }
  });
}

TEST(LawBatch, WholeTangentsAreThoseOfSingularValues) {
  const std::vector<Mat3d> all = deformations();
  const std::size_t count = all.size();
  std::vector<double> F(9 * count), mu(count, 1.3), lambda(count, 7);
  for (std::size_t k = 0; k < count; ++k) {
    for (int e = 0; e < 9; ++e) F[e * count + k] = all[k](e % 3, e / 3);
  }
  int laws = 0;
  for (int law = 0; law < int(kLawCount); ++law) {
    if (!has_whole_tangent(law)) continue;
    ++laws;
    std::vector<double> numbers(DenseTangent<double>::kSize * count);
    evaluate(law, LawBatch<double>{.count = count,
                                   .F = F.data(),
                                   .mu = mu.data(),
                                   .lambda = lambda.data(),
                                   .common = parameters(),
                                   .tangent = numbers.data(),
                                   .whole = true});
    with_law(law, [&]<class Law>(Law) {
      if constexpr (kIsotropic<Law>) {
        for (std::size_t k = 0; k < count; ++k) {
          const DenseTangent<double> expected = densified(Law::linearise(all[k], parameters()));
          double largest = 0;
          for (const double entry : expected.entry) largest = std::max(largest, std::abs(entry));
          for (int e = 0; e < DenseTangent<double>::kSize; ++e) {
            EXPECT_NEAR(numbers[e * count + k], expected.entry[e], 1e-13 * (10 + largest))
                << Law::kName;
          }
        }
      }
    });
  }
  EXPECT_EQ(laws, 3);
}

}  // namespace
}  // namespace isochor::materials
