#include "isochor/solve/momenta.h"

#include "isochor/math/reduce.h"

namespace isochor::solve {
namespace {

/// The sum over all nodes of a vector each has.
template <class F>
Vec3d sum_vectors(std::size_t count, ThreadArena& arena, F&& f) {
  Vec3d result{0, 0, 0};
  for (int a = 0; a < 3; ++a) {
    result[a] = deterministic_sum(arena, count, [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t n = begin; n < end; ++n) sum += f(n)[a];
      return sum;
    });
  }
  return result;
}

}  // namespace

Momenta momenta(std::span<const double> mass, std::span<const Vec3d> positions,
                std::span<const Vec3d> velocities, ThreadArena& arena) {
  Momenta result;
  const Vec3d sums = sum_vectors(mass.size(), arena, [&](std::size_t n) {
    return Vec3d{mass[n], 0.5 * mass[n] * dot(velocities[n], velocities[n]), 0};
  });
  result.mass = sums[0];
  result.kinetic_energy = sums[1];
  result.center =
      sum_vectors(mass.size(), arena, [&](std::size_t n) { return mass[n] * positions[n]; }) *
      (1 / result.mass);
  result.linear =
      sum_vectors(mass.size(), arena, [&](std::size_t n) { return mass[n] * velocities[n]; });
  result.angular = sum_vectors(mass.size(), arena, [&](std::size_t n) {
    return mass[n] * cross(positions[n] - result.center, velocities[n]);
  });
  return result;
}

Resultant resultant(std::span<const Push> pushes) {
  Resultant result;
  Vec3d center{0, 0, 0};
  for (const Push& push : pushes) center += push.at;
  center *= 1.0 / static_cast<double>(pushes.size());
  for (const Push& push : pushes) {
    result.force += push.force;
    result.moment += cross(push.at - center, push.force);
  }
  return result;
}

}  // namespace isochor::solve
