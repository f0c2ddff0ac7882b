#pragma once

#include <span>

#include "isochor/base/parallel.h"
#include "isochor/math/vec3.h"

namespace isochor::solve {

/// How masses move as a whole.
struct Momenta {
  double mass = 0;            ///< kg
  Vec3d center{0, 0, 0};      ///< of mass, m
  Vec3d linear{0, 0, 0};      ///< kg m/s
  Vec3d angular{0, 0, 0};     ///< about the centre of mass, kg m^2/s
  double kinetic_energy = 0;  ///< J
};
/// The same bits for any number of threads. There must be some mass.
Momenta momenta(std::span<const double> mass, std::span<const Vec3d> positions,
                std::span<const Vec3d> velocities, ThreadArena& arena);

/// Forces as one, with its moment.
struct Resultant {
  Vec3d force{0, 0, 0};   ///< N
  Vec3d moment{0, 0, 0};  ///< about the middle of the points, N m
};
/// A place and what is pushed there.
struct Push {
  Vec3d at, force;
};
Resultant resultant(std::span<const Push> pushes);

}  // namespace isochor::solve
