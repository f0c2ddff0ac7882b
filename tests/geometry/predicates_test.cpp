#include "isochor/geometry/predicates.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "tests/math/random_matrix.h"

namespace isochor::geometry {
namespace {

/// Whole numbers of any size as digits of 20 bits; slow and simple, to compare with.
class BigInt {
 public:
  /// x times 2^160; x must have no bits below that and be smaller than 2^80.
  explicit BigInt(double x) : digits_(12, 0) {
    for (int d = 11; d >= 0; --d) {
      const double unit = std::ldexp(1.0, 20 * d - 160), digit = std::trunc(x / unit);
      digits_[d] = static_cast<std::int64_t>(digit);
      x -= digit * unit;
    }
    EXPECT_EQ(x, 0);
  }
  friend BigInt operator-(const BigInt& a, const BigInt& b) { return a.plus(b, -1); }
  friend BigInt operator+(const BigInt& a, const BigInt& b) { return a.plus(b, 1); }
  friend BigInt operator*(const BigInt& a, const BigInt& b) {
    BigInt c(a.digits_.size() + b.digits_.size());
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
      for (std::size_t j = 0; j < b.digits_.size(); ++j) {
        c.digits_[i + j] += a.digits_[i] * b.digits_[j];
      }
    }
    return c.carried();
  }
  int sign() const {
    for (std::size_t d = digits_.size(); d-- > 0;) {
      if (digits_[d] != 0) return digits_[d] > 0 ? 1 : -1;
    }
    return 0;
  }

 private:
  explicit BigInt(std::size_t size) : digits_(size, 0) {}
  BigInt plus(const BigInt& b, std::int64_t factor) const {
    BigInt c = *this;
    for (std::size_t d = 0; d < digits_.size(); ++d) c.digits_[d] += factor * b.digits_[d];
    return c.carried();
  }
  /// All digits but the last to 0 .. 2^20 - 1: the last one then has the sign of the number.
  BigInt carried() const {
    BigInt c = *this;
    for (std::size_t d = 0; d + 1 < digits_.size(); ++d) {
      const std::int64_t carry = c.digits_[d] >> 20;
      c.digits_[d] -= carry << 20;
      c.digits_[d + 1] += carry;
    }
    return c;
  }
  std::vector<std::int64_t> digits_;
};

int exact_side(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  const auto difference = [](double x, double y) { return BigInt(x) - BigInt(y); };
  std::vector<BigInt> u, v, w;
  for (int i = 0; i < 3; ++i) {
    u.push_back(difference(b[i], a[i]));
    v.push_back(difference(c[i], a[i]));
    w.push_back(difference(d[i], a[i]));
  }
  const auto term = [&](int i, int j, int k) { return (u[j] * v[k] - u[k] * v[j]) * w[i]; };
  return (term(0, 1, 2) + term(1, 2, 0) + term(2, 0, 1)).sign();
}

double floating_volume(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  return dot(cross(b - a, c - a), d - a);
}

TEST(Predicates, SideFollowsTheRightHand) {
  const Vec3d a{0, 0, 0}, b{1, 0, 0}, c{0, 1, 0};
  EXPECT_EQ(plane_side(a, b, c, {0, 0, 1}), 1);
  EXPECT_EQ(plane_side(a, b, c, {0, 0, -1}), -1);
  EXPECT_EQ(plane_side(a, b, c, {5, 7, 0}), 0);
  EXPECT_EQ(plane_side(a, b, c, {5, 7, 1e-80}), 1);
}

TEST(Predicates, SideIsExactForNearlyCoplanarPoints) {
  Random random(1);
  int zeros = 0, floating_wrong = 0;
  for (int sample = 0; sample < 3000; ++sample) {
    // The last point is a weighted mean of the others, wrong by a few roundings, at scales where
    // differences of coordinates are not exact either.
    const double scale = std::ldexp(1, sample % 40 - 20);
    const Vec3d a = random.vector(), b = scale * random.vector(), c = random.vector();
    const double s = random.uniform(-2, 2), t = random.uniform(-2, 2);
    Vec3d d = a + s * (b - a) + t * (c - a);
    for (int i = 0; i < 3; ++i) {
      if (sample % 3 == i) d[i] = std::nextafter(d[i], 10.0);
    }
    const int exact = exact_side(a, b, c, d);
    EXPECT_EQ(plane_side(a, b, c, d), exact) << sample;
    EXPECT_EQ(plane_side(b, a, c, d), -exact) << sample;
    EXPECT_EQ(plane_side(d, c, b, a), exact_side(d, c, b, a)) << sample;
    const double floating = floating_volume(a, b, c, d);
    floating_wrong += (floating > 0) - (floating < 0) != exact;
    zeros += exact == 0;
  }
  EXPECT_GT(floating_wrong, 100) << "the samples must be hard";
  EXPECT_LT(zeros, 2900);
}

TEST(Predicates, SideIsZeroForPointsExactlyInOnePlane) {
  Random random(2);
  for (int sample = 0; sample < 1000; ++sample) {
    // Small whole numbers have exact combinations; the shift makes differences of 45 bits.
    const auto whole = [&] {
      Vec3d p = random.vector(-1000, 1000);
      for (double& x : p.e) x = std::round(x);
      return p;
    };
    const Vec3d shift = 0x1p-30 * whole(), u = whole(), v = whole();
    const auto point = [&](double s, double t) { return shift + s * u + t * v; };
    EXPECT_EQ(plane_side(point(0, 0), point(1, 0), point(0, 1), point(3, -5)), 0);
    EXPECT_EQ(plane_side(point(7, 2), point(-4, 1), point(2, 2), point(3, -5)), 0);
    // A needle has no side.
    EXPECT_EQ(plane_side(point(1, 1), point(2, 2), point(3, 3), whole()), 0);
  }
}

TEST(Predicates, SideSurvivesDifferencesThatRound) {
  // d is off the plane x + y = 1 by 2^-70, far below the last bit of 1.
  const Vec3d a{1, 0, 0}, b{0, 1, 0}, c{1, 0, 1};
  EXPECT_EQ(plane_side(a, b, c, {1, 0x1p-70, 0.5}), exact_side(a, b, c, {1, 0x1p-70, 0.5}));
  EXPECT_NE(plane_side(a, b, c, {1, 0x1p-70, 0.5}), 0);
  EXPECT_EQ(plane_side(a, b, c, {1, 0x1p-70, 0.5}), -plane_side(a, b, c, {1, -0x1p-70, 0.5}));
}

TEST(Predicates, TrianglesThatPierceEachOtherCross) {
  const std::array<Vec3d, 3> flat{Vec3d{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  // One edge through the inside, both ways round.
  const std::array<Vec3d, 3> through{Vec3d{1, 1, -1}, {1, 1, 1}, {9, 9, 0.5}};
  EXPECT_TRUE(triangles_cross(flat, through));
  EXPECT_TRUE(triangles_cross(through, flat));
  // Two edges through the inside.
  EXPECT_TRUE(triangles_cross(flat, {Vec3d{1, 1, -1}, {1, 1.5, -1}, {1.2, 1, 1}}));
}

TEST(Predicates, TrianglesThatOnlyTouchDoNotCross) {
  const std::array<Vec3d, 3> flat{Vec3d{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  const auto apart = [&](const std::array<Vec3d, 3>& t) {
    return !triangles_cross(flat, t) && !triangles_cross(t, flat);
  };
  EXPECT_TRUE(apart({Vec3d{1, 1, 0}, {1, 1, 1}, {2, 1, 1}})) << "a corner on the face";
  EXPECT_TRUE(apart({Vec3d{1, 1, 0}, {2, 1, 0}, {1, 1, 1}})) << "an edge on the face";
  EXPECT_TRUE(apart({Vec3d{1, 1, 0}, {2, 1, 0}, {1, 2, 0}})) << "in one plane, inside";
  EXPECT_TRUE(apart({Vec3d{2, -1, -1}, {2, -1, 1}, {2, 0, 0}})) << "a corner on an edge";
  EXPECT_TRUE(apart({Vec3d{5, 5, -1}, {5, 5, 1}, {6, 5, 0}})) << "beyond the triangle";
  EXPECT_TRUE(apart({Vec3d{1, 1, 1}, {2, 1, 1}, {1, 2, 2}})) << "above the plane";
  EXPECT_TRUE(apart({Vec3d{1, 1, -1}, {1, 1, 0.5}, {1, 1, 1}})) << "a needle has no area to cross";
}

TEST(Predicates, CrossingSurvivesAHairsBreadth) {
  // The edge passes the slanted side of the triangle at a distance below the rounding of 1.
  const std::array<Vec3d, 3> flat{Vec3d{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const auto at = [&](double y) {
    return std::array<Vec3d, 3>{Vec3d{0, y, -1}, {0, y, 1}, {-1, y, 0.25}};
  };
  EXPECT_FALSE(triangles_cross(flat, at(0.5))) << "along the edge x = 0";
  const auto moved = [&](double x) {
    return std::array<Vec3d, 3>{Vec3d{x, 0.5, -1}, {x, 0.5, 1}, {-1, 0.5, 0.25}};
  };
  EXPECT_TRUE(triangles_cross(flat, moved(0x1p-80)));
  EXPECT_FALSE(triangles_cross(flat, moved(-0x1p-80)));
}

}  // namespace
}  // namespace isochor::geometry
