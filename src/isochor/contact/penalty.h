#pragma once

#include "isochor/contact/collider_contacts.h"
#include "isochor/math/mat3.h"

namespace isochor::contact {

/// A point pulled to a place, with the energy 1/2 (x - target)^T stiffness (x - target): what a
/// method knows as a spring.
struct PointSpring {
  std::int32_t point = -1;
  Vec3d target{0, 0, 0};  ///< m
  Mat3d stiffness{};      ///< N/m, symmetric
};

/// k ((1 - grip) n n^T + grip 1) [McAdams11 sec 7]: with grip 0 a point slides freely along the
/// surface, with 1 it is held.
inline Mat3d penalty_stiffness(double stiffness, double grip, const Vec3d& normal) {
  Mat3d m = Mat3d::identity() * (stiffness * grip);
  for (int j = 0; j < 3; ++j) m.column[j] += (stiffness * (1 - grip) * normal[j]) * normal;
  return m;
}

/// Of a point inside a collider, to the nearest point of its surface.
inline PointSpring penalty_spring(const ColliderContact& contact, const Vec3d& position,
                                  double stiffness, double grip) {
  return {.point = contact.point,
          .target = position - contact.distance * contact.normal,
          .stiffness = penalty_stiffness(stiffness, grip, contact.normal)};
}

}  // namespace isochor::contact
