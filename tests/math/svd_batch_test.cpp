#include "isochor/math/svd_batch.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "isochor/math/svd.h"

namespace isochor {
namespace {

/// Random, graded and degenerate matrices; the count leaves an incomplete pack on every machine.
constexpr std::size_t kCount = 1021;

template <class S>
struct Arrays {
  std::vector<S> matrices = std::vector<S>(9 * kCount), U = matrices, V = matrices,
                 sigma = std::vector<S>(3 * kCount);
  void decompose(Isa isa) {
    svd_batch(SvdBatch<S>{kCount, matrices.data(), U.data(), sigma.data(), V.data()}, isa);
  }
};

template <class S>
Arrays<S> some_matrices() {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Arrays<S> arrays;
  for (std::size_t k = 0; k < kCount; ++k) {
    const double shrink = std::pow(10.0, -double(k % 7));
    for (int e = 0; e < 9; ++e) {
      const double column = e / 3 == 0 ? 1 : e / 3 == 1 ? shrink : shrink * shrink;
      arrays.matrices[e * kCount + k] = static_cast<S>(k % 11 == 0 ? 0 : column * normal(random));
    }
  }
  return arrays;
}

template <class S>
class SvdBatchTest : public ::testing::Test {};
using NumberTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdBatchTest, NumberTypes);

TYPED_TEST(SvdBatchTest, PackEqualsScalarWithinRounding) {
  using S = TypeParam;
  Arrays<S> arrays = some_matrices<S>();
  const double bound = 200 * std::numeric_limits<S>::epsilon();
  for (const Isa isa : available_isas()) {
    arrays.decompose(isa);
    for (std::size_t k = 0; k < kCount; ++k) {
      Mat3<S> A;
      for (int e = 0; e < 9; ++e) A(e % 3, e / 3) = arrays.matrices[e * kCount + k];
      const Svd<S> expected = svd(A);
      for (int i = 0; i < 3; ++i) {
        ASSERT_NEAR(arrays.sigma[i * kCount + k], expected.sigma[i],
                    bound * (1 + expected.sigma[0]))
            << name(isa);
      }
    }
  }
}

TYPED_TEST(SvdBatchTest, AvxTwoAndAvx512GiveEqualBits) {
  using S = TypeParam;
  if (best_isa() != Isa::Avx512) GTEST_SKIP() << "this processor has no AVX-512";
  Arrays<S> two = some_matrices<S>(), wide = two;
  two.decompose(Isa::Avx2);
  wide.decompose(Isa::Avx512);
  // Zeros of different sign are equal numbers, but not equal bits.
  const auto same = [](const std::vector<S>& a, const std::vector<S>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(S)) == 0;
  };
  EXPECT_TRUE(same(two.U, wide.U));
  EXPECT_TRUE(same(two.sigma, wide.sigma));
  EXPECT_TRUE(same(two.V, wide.V));
}

TYPED_TEST(SvdBatchTest, EveryCountIsDecomposedToItsLastMatrix) {
  using S = TypeParam;
  for (std::size_t count = 0; count <= 40; ++count) {
    std::vector<S> in(9 * count), U(9 * count), V(9 * count), sigma(3 * count, S(-1));
    for (std::size_t k = 0; k < count; ++k) {
      for (int i = 0; i < 3; ++i) in[4 * i * count + k] = S(3 - i);
    }
    svd_batch(SvdBatch<S>{count, in.data(), U.data(), sigma.data(), V.data()});
    for (std::size_t k = 0; k < count; ++k) {
      for (int i = 0; i < 3; ++i) {
        ASSERT_NEAR(sigma[i * count + k], 3 - i, 8 * std::numeric_limits<S>::epsilon()) << count;
      }
    }
  }
}

TEST(Isa, EverySetIncludesTheOnesBefore) {
  ASSERT_FALSE(available_isas().empty());
  EXPECT_EQ(available_isas().front(), Isa::Baseline);
  EXPECT_EQ(available_isas().back(), best_isa());
}

}  // namespace
}  // namespace isochor
