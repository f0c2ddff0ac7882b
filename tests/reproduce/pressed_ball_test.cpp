#include "reproduce/pressed_ball.h"

#include <cmath>
#include <gtest/gtest.h>

namespace isochor::reproduce {
namespace {

/// For a contact of so many radii, by how much the force is above Hertz's.
double beyond_hertz(double contact, double poisson, int rings = 40) {
  const double approach = contact * contact;
  const double hertz = 4.0 / 3 / (1 - poisson * poisson) * std::pow(approach, 1.5);
  return force_between_plates(approach, poisson, rings) / hertz - 1;
}

TEST(PressedBall, SmallContactsAreHertzs) {
  for (const double poisson : {0.0, 0.3, 0.49})
    EXPECT_LT(std::abs(beyond_hertz(0.01, poisson)), 0.01);
  // What is left is as the contact's radius; where the surface is also drawn inward, as that times
  // a logarithm.
  EXPECT_NEAR(beyond_hertz(0.04, 0.49) / beyond_hertz(0.01, 0.49), 4, 0.2);
}

TEST(PressedBall, RingsAreFineEnough) {
  EXPECT_NEAR(beyond_hertz(0.2, 0.3, 20), beyond_hertz(0.2, 0.3, 80), 2e-3);
  EXPECT_NEAR(beyond_hertz(0.2, 0.3, 40), beyond_hertz(0.2, 0.3, 80), 1e-3);
}

/// Each plate also moves the other's contact, 2 radii away, by what it does there to a half space
/// (Tatara 1991, J. Eng. Mater. Technol. 113): d = d_Hertz(F) - F f / (pi E).
TEST(PressedBall, ItIsNearTatarasLaw) {
  const double contact = 0.1, poisson = 0.3, apart = std::hypot(contact, 2);
  const double f = 2 * (1 + poisson) / (apart * apart * apart) + (1 - poisson * poisson) / apart;
  const double approach = contact * contact, force = force_between_plates(approach, poisson);
  const double by_hertz = std::pow(0.75 * (1 - poisson * poisson) * force, 2.0 / 3);
  EXPECT_NEAR((by_hertz - force * f / M_PI) / approach, 1, 0.01);
}

}  // namespace
}  // namespace isochor::reproduce
