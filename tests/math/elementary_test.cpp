#include "isochor/math/elementary.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "isochor/math/dispatch.h"
#include "tests/math/elementary_kernel.h"
#include "tests/math/random_matrix.h"

namespace isochor {

ISOCHOR_DECLARE_KERNEL(void elementary_kernel(const ElementaryBatch<float>&))
ISOCHOR_DECLARE_KERNEL(void elementary_kernel(const ElementaryBatch<double>&))

namespace {

constexpr Elementary kAll[] = {Elementary::Exp, Elementary::Expm1, Elementary::Log,
                               Elementary::Log1p};

long double exact(Elementary f, long double x) {
  switch (f) {
    case Elementary::Exp:
      return std::exp(x);
    case Elementary::Expm1:
      return std::expm1(x);
    case Elementary::Log:
      return std::log(x);
    case Elementary::Log1p:
      return std::log1p(x);
  }
  return 0;
}

template <class S>
S scalar(Elementary f, S x) {
  switch (f) {
    case Elementary::Exp:
      return exp(x);
    case Elementary::Expm1:
      return expm1(x);
    case Elementary::Log:
      return log(x);
    case Elementary::Log1p:
      return log1p(x);
  }
  return 0;
}

template <class S>
std::vector<S> by_packs(Elementary f, std::vector<S> in, Isa isa) {
  const std::size_t count = in.size();
  in.resize((count + kWidestPack - 1) / kWidestPack * kWidestPack);
  std::vector<S> out(in.size());
  const ElementaryBatch<S> batch{f, in.size(), in.data(), out.data()};
  ISOCHOR_CALL_KERNEL(isa, elementary_kernel(batch));
  out.resize(count);
  return out;
}

/// The distance of two numbers in units of the last place of `b`, which must be normal in S.
template <class S>
double units(long double a, long double b) {
  const int exponent = std::ilogb(b) - std::numeric_limits<S>::digits + 1;
  return static_cast<double>(std::abs(a - b) * std::ldexp(1.0L, -exponent));
}

/// Numbers whose function value is normal: all magnitudes, and densely where formulas meet.
template <class S>
std::vector<S> arguments(Elementary f) {
  using Limits = std::numeric_limits<S>;
  const bool power = f == Elementary::Exp || f == Elementary::Expm1;
  Random random(static_cast<std::uint64_t>(f));
  std::vector<S> all;
  const auto add = [&](double value) {
    const S x = static_cast<S>(value);
    const long double y = std::abs(exact(f, x));
    if (y >= Limits::min() && y <= Limits::max()) all.push_back(x);
  };
  for (int exponent = Limits::min_exponent - 1; exponent < Limits::max_exponent; ++exponent) {
    for (int i = 0; i < 8; ++i) {
      const double x = std::ldexp(random.uniform(1, 2), exponent);
      add(x);
      add(-x);
    }
  }
  for (int i = 0; i < 10000; ++i) {
    const double small = random.uniform(-1, 1) * std::pow(10.0, random.uniform(-17, 0));
    add(f == Elementary::Log ? 1 + small : small);
    if (power) {
      // Where the power of two changes; near the ends of what can be written.
      add((random.uniform(-4, 4) > 0 ? 0.5 : -0.5) * std::log(2.0) + 0.01 * small);
      add(std::log(static_cast<double>(Limits::max())) - std::abs(small));
      add(std::log(static_cast<double>(Limits::min())) + std::abs(small));
      add(random.uniform(-800, 800));
      add(random.uniform(-90, 90));
      add(random.uniform(-3, 3));
    } else {
      const double one = f == Elementary::Log ? 0 : 1;
      add(std::sqrt(0.5) - one + 0.01 * small);
      add(std::sqrt(2.0) - one + 0.01 * small);
      add(random.uniform(0, 3) - one);
      add(std::abs(small) - one);
    }
  }
  return all;
}

template <class S>
class MathElementary : public testing::Test {};

using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(MathElementary, Numbers);

TYPED_TEST(MathElementary, ScalarsAndPacksAreExactToTwoUnits) {
  using S = TypeParam;
  for (const Elementary f : kAll) {
    const std::vector<S> x = arguments<S>(f);
    ASSERT_GT(x.size(), 20000u);
    double worst_scalar = 0;
    for (const S v : x) worst_scalar = std::max(worst_scalar, units<S>(scalar(f, v), exact(f, v)));
    // Measured: 1.3 at most.
    EXPECT_LE(worst_scalar, 1.5) << int(f);
    for (const Isa isa : available_isas()) {
      const std::vector<S> y = by_packs(f, x, isa);
      double worst = 0, apart = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        worst = std::max(worst, units<S>(y[i], exact(f, x[i])));
        if (scalar(f, x[i]) != 0) apart = std::max(apart, units<S>(y[i], scalar(f, x[i])));
      }
      EXPECT_LE(worst, 1.5) << int(f) << name(isa);
      EXPECT_LE(apart, 2) << int(f) << name(isa);
    }
  }
}

TYPED_TEST(MathElementary, AvxTwoAndAvx512GiveEqualBits) {
  using S = TypeParam;
  if (best_isa() != Isa::Avx512) GTEST_SKIP() << "this processor has no AVX-512";
  for (const Elementary f : kAll) {
    const std::vector<S> x = arguments<S>(f);
    const std::vector<S> two = by_packs(f, x, Isa::Avx2), wide = by_packs(f, x, Isa::Avx512);
    EXPECT_EQ(std::memcmp(two.data(), wide.data(), two.size() * sizeof(S)), 0) << int(f);
  }
}

TYPED_TEST(MathElementary, SmallNumbersKeepTheirDigits) {
  using S = TypeParam;
  for (const S x : {S(1e-20), S(-1e-20), S(3e-37), S(-3e-37), S(0), S(1e-10) * S(1e-10)}) {
    EXPECT_EQ(expm1(x), x);
    EXPECT_EQ(log1p(x), x);
  }
  if constexpr (sizeof(S) == 8) {
    EXPECT_EQ(expm1(S(1e-300)), S(1e-300));
    EXPECT_EQ(log1p(S(-1e-300)), S(-1e-300));
  }
  EXPECT_EQ(exp(S(0)), S(1));
  EXPECT_EQ(log(S(1)), S(0));
}

TYPED_TEST(MathElementary, LimitsAreReached) {
  using S = TypeParam;
  using Limits = std::numeric_limits<S>;
  const S inf = Limits::infinity(), most = Limits::max(), least = Limits::min();
  const S overflow = std::nextafter(std::log(most), inf), underflow = 2 * std::log(least);
  struct Case {
    Elementary f;
    S x, y;
  };
  const std::vector<Case> cases = {
      {Elementary::Exp, overflow, inf},   {Elementary::Exp, most, inf},
      {Elementary::Exp, inf, inf},        {Elementary::Exp, underflow, 0},
      {Elementary::Exp, -most, 0},        {Elementary::Exp, -inf, 0},
      {Elementary::Expm1, overflow, inf}, {Elementary::Expm1, most, inf},
      {Elementary::Expm1, inf, inf},      {Elementary::Expm1, S(-50), -1},
      {Elementary::Expm1, underflow, -1}, {Elementary::Expm1, -most, -1},
      {Elementary::Expm1, -inf, -1},      {Elementary::Log, 0, -inf},
      {Elementary::Log, inf, inf},        {Elementary::Log1p, -1, -inf},
      {Elementary::Log1p, inf, inf}};
  for (const Case& c : cases) {
    EXPECT_EQ(scalar(c.f, c.x), c.y) << int(c.f) << " " << c.x;
    for (const Isa isa : available_isas()) {
      EXPECT_EQ(by_packs<S>(c.f, {c.x}, isa)[0], c.y) << int(c.f) << " " << c.x << name(isa);
    }
  }
}

TYPED_TEST(MathElementary, NoNumberGivesNoNumber) {
  using S = TypeParam;
  using Bits = typename NumberFormat<S>::Bits;
  const S inf = std::numeric_limits<S>::infinity(), nan = std::numeric_limits<S>::quiet_NaN();
  // A payload in every bit of the mantissa must not be mistaken for an exponent.
  const S full = std::bit_cast<S>(~Bits{0} >> 1);
  const auto check = [](Elementary f, S x) {
    EXPECT_TRUE(std::isnan(scalar(f, x))) << int(f) << " " << x;
    for (const Isa isa : available_isas()) {
      EXPECT_TRUE(std::isnan(by_packs<S>(f, {x}, isa)[0])) << int(f) << " " << x << name(isa);
    }
  };
  for (const Elementary f : kAll) {
    for (const S x : {nan, -nan, full, -full}) check(f, x);
  }
  for (const S x : {S(-1e-30), S(-2), -inf}) check(Elementary::Log, x);
  for (const S x : {S(-1.001), S(-2), -inf}) check(Elementary::Log1p, x);
}

}  // namespace
}  // namespace isochor
