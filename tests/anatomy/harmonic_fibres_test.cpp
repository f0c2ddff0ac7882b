#include "isochor/anatomy/harmonic_fibres.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "isochor/base/error.h"
#include "isochor/geometry/shapes.h"

namespace isochor::anatomy {
namespace {

using geometry::SurfaceMesh;

struct Muscle {
  explicit Muscle(SurfaceMesh m) : mesh(std::move(m)), triangles(geometry::triangulate(mesh)) {}
  Solid solid() const { return {mesh.positions, triangles}; }
  template <class F>
  std::vector<std::int32_t> triangles_where(F&& wanted) const {
    std::vector<std::int32_t> chosen;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      bool all = true;
      for (const std::int32_t v : triangles[t]) all = all && wanted(mesh.positions[v]);
      if (all) chosen.push_back(static_cast<std::int32_t>(t));
    }
    return chosen;
  }
  SurfaceMesh mesh;
  std::vector<geometry::Triangle> triangles;
};

/// The part of a ring about z between two radii and angles, 0.5 high: a grid of boxes, bent.
SurfaceMesh make_sector(double inner, double outer, double angle, int around) {
  SurfaceMesh box = geometry::make_box({0.5, 0.5, 0.25}, {1, 1, 0.5}, 1.0 / around);
  for (Vec3d& p : box.positions) {
    const double r = inner + (outer - inner) * p[0], turn = angle * p[1];
    p = {r * std::cos(turn), r * std::sin(turn), p[2]};
  }
  return box;
}

TEST(HarmonicFibres, FollowTheAxisOfACylinderThatNoAxisOfTheGridFollows) {
  const Vec3d axis = (1 / std::sqrt(14.0)) * Vec3d{1, 2, 3};
  const Muscle muscle(geometry::make_cylinder({0.1, 0.2, 0.3}, axis, 0.2, 1.0, 0.02));
  const auto along = [&](const Vec3d& p) { return dot(axis, p - Vec3d{0.1, 0.2, 0.3}); };
  const MuscleEnds ends{muscle.triangles_where([&](const Vec3d& p) { return along(p) < -0.499; }),
                        muscle.triangles_where([&](const Vec3d& p) { return along(p) > 0.499; })};
  ThreadArena arena(2);
  const HarmonicFibres fibres(muscle.solid(), ends, 0.05, "muscle", arena);
  double worst = 0, worst_potential = 0;
  for (double s = -0.45; s < 0.46; s += 0.05) {
    for (double r = 0; r < 0.19; r += 0.03) {
      const Vec3d across = (1 / std::sqrt(5.0)) * Vec3d{2, -1, 0};
      const Vec3d p = Vec3d{0.1, 0.2, 0.3} + s * axis + r * across;
      worst = std::max(worst, norm(cross(fibres.direction(p), axis)));
      EXPECT_GT(dot(fibres.direction(p), axis), 0);
      worst_potential = std::max(worst_potential, std::abs(fibres.potential(p) - 0.5 - s));
    }
  }
  EXPECT_LT(worst, 1e-3);
  // The ends are held as if they were a twentieth of a cell farther out.
  EXPECT_LT(worst_potential, 0.05 / 20 + 1e-3);
}

/// The largest and the mean angle to circles, rad.
struct Misalignment {
  double worst = 0, mean = 0;
};
Misalignment sector_error(double spacing) {
  const double angle = 0.75 * std::numbers::pi;
  const Muscle muscle(make_sector(1, 2, angle, 64));
  const auto turn = [](const Vec3d& p) { return std::atan2(p[1], p[0]); };
  const MuscleEnds ends{
      muscle.triangles_where([&](const Vec3d& p) { return std::abs(turn(p)) < 1e-9; }),
      muscle.triangles_where([&](const Vec3d& p) { return std::abs(turn(p) - angle) < 1e-9; })};
  ThreadArena arena(2);
  const HarmonicFibres fibres(muscle.solid(), ends, spacing, "muscle", arena);
  Misalignment result;
  int count = 0;
  for (double r = 1.03; r < 1.98; r += 0.043) {
    for (double a = 0.02; a < 0.99; a += 0.021) {
      const Vec3d p{r * std::cos(a * angle), r * std::sin(a * angle), 0.23};
      const Vec3d circle{-std::sin(a * angle), std::cos(a * angle), 0};
      const double off = norm(cross(fibres.direction(p), circle));
      EXPECT_GT(dot(fibres.direction(p), circle), 0);
      result.worst = std::max(result.worst, off);
      result.mean += off;
      ++count;
    }
  }
  result.mean /= count;
  return result;
}

TEST(HarmonicFibres, GoInCirclesInTheSectorOfARingToSecondOrder) {
  const Misalignment coarse = sector_error(0.2), medium = sector_error(0.1),
                     fine = sector_error(0.05);
  EXPECT_LT(fine.mean, 5e-4);
  EXPECT_GT(std::log2(coarse.mean / medium.mean), 1.8);
  EXPECT_GT(std::log2(medium.mean / fine.mean), 1.8);
  // Beside the surface and where an end meets it, to first order.
  EXPECT_LT(fine.worst, 0.015);
  EXPECT_GT(std::log2(coarse.worst / medium.worst), 1.2);
  EXPECT_GT(std::log2(medium.worst / fine.worst), 1.2);
}

TEST(HarmonicFibres, EndsAreFoundAlongTheLongestAxis) {
  const Vec3d axis{0.6, 0, 0.8};
  const Muscle muscle(geometry::make_capsule(-0.5 * axis, 0.5 * axis, 0.1, 0.02));
  const MuscleEnds ends = ends_along_axis(muscle.solid(), 0.1);
  ASSERT_FALSE(ends.origin.empty());
  ASSERT_FALSE(ends.insertion.empty());
  const auto height = [&](std::int32_t t) {
    double sum = 0;
    for (const std::int32_t v : muscle.triangles[t]) sum += dot(axis, muscle.mesh.positions[v]) / 3;
    return sum;
  };
  for (const std::int32_t t : ends.origin) EXPECT_LT(height(t), -0.6 + 0.12 + 1e-3);
  for (const std::int32_t t : ends.insertion) EXPECT_GT(height(t), 0.6 - 0.12 - 1e-3);
  ThreadArena arena(2);
  const FibreField fibres =
      harmonic_fibres(muscle.solid(), ends, default_spacing(muscle.solid()), "muscle", arena);
  EXPECT_GT(dot(fibres({0, 0, 0}), axis), 1 - 1e-6);
  // Outside of the muscle a direction is there all the same.
  EXPECT_NEAR(norm(fibres({5, 5, 5})), 1, 1e-12);
}

TEST(HarmonicFibres, AnEndWithoutSurfaceIsAnInputError) {
  const Muscle muscle(geometry::make_box({0, 0, 0}, {2, 1, 1}, 0.25));
  ThreadArena arena(1);
  const MuscleEnds ends{{}, {0}};
  try {
    HarmonicFibres(muscle.solid(), ends, 0.2, "scene.toml: body[0].muscle[0]", arena);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::Input);
    EXPECT_NE(std::string(error.what()).find("origin has no surface"), std::string::npos);
  }
}

TEST(HarmonicFibres, EndsThatNothingConnectsAreAnInputError) {
  SurfaceMesh two = geometry::make_box({0, 0, 0}, {1, 1, 1}, 0.5);
  const SurfaceMesh other = geometry::make_box({3, 0, 0}, {1, 1, 1}, 0.5);
  const auto first = static_cast<std::int32_t>(two.positions.size());
  two.positions.insert(two.positions.end(), other.positions.begin(), other.positions.end());
  for (std::size_t f = 0; f < other.face_count(); ++f) {
    std::vector<std::int32_t> face(other.face(f).begin(), other.face(f).end());
    for (std::int32_t& v : face) v += first;
    two.add_face(face);
  }
  const Muscle muscle(std::move(two));
  ThreadArena arena(1);
  EXPECT_THROW(
      HarmonicFibres(muscle.solid(), ends_along_axis(muscle.solid()), 0.2, "muscle", arena), Error);
}

}  // namespace
}  // namespace isochor::anatomy
