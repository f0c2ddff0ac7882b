#pragma once

#include "isochor/contact/collider_contacts.h"
#include "isochor/contact/term.h"

namespace isochor::contact {

/// A weighted sum of points pulled to a place: with the stretch s = sum_i weights[i] x[points[i]] -
/// target its energy is s . stiffness s / 2. What a method knows as a spring.
struct PointSpring {
  std::array<std::int32_t, 4> points{};
  std::array<double, 4> weights{};
  std::int32_t count = 0;           ///< of points
  std::int32_t collider = -1;       ///< its number; -1: of none
  Mat3d stiffness = Mat3d::zero();  ///< N/m, symmetric
  Vec3d target{0, 0, 0};            ///< m
};

inline Term spring_term(const PointSpring& spring, std::span<const Vec3d> positions) {
  Term term{.points = spring.points, .count = spring.count, .collider = spring.collider};
  Vec3d stretch = -spring.target;
  for (int i = 0; i < spring.count; ++i) stretch += spring.weights[i] * positions[spring.points[i]];
  const Vec3d pull = spring.stiffness * stretch;
  term.energy = 0.5 * dot(stretch, pull);
  for (int i = 0; i < spring.count; ++i) {
    term.gradient[i] = spring.weights[i] * pull;
    for (int j = 0; j < spring.count; ++j) {
      term.hessian[4 * i + j] = spring.stiffness * (spring.weights[i] * spring.weights[j]);
    }
  }
  return term;
}

/// k ((1 - grip) n n^T + grip 1) [McAdams11 sec 7]: with grip 0 a point slides freely along the
/// surface, with 1 it is held.
inline Mat3d penalty_stiffness(double stiffness, double grip, const Vec3d& normal) {
  Mat3d m = Mat3d::identity() * (stiffness * grip);
  for (int j = 0; j < 3; ++j) m.column[j] += (stiffness * (1 - grip) * normal[j]) * normal;
  return m;
}

/// Of a point inside a collider, or not yet as far out of it as `margin`, m: to there.
inline PointSpring penalty_spring(const ColliderContact& contact, const Vec3d& position,
                                  double stiffness, double grip, double margin) {
  return {.points = {contact.point},
          .weights = {1},
          .count = 1,
          .collider = contact.collider,
          .stiffness = penalty_stiffness(stiffness, grip, contact.normal),
          .target = position + (margin - contact.distance) * contact.normal};
}

/// Of two parts: apart by `margin`, m.
inline PointSpring penalty_spring(const Pair& pair, double stiffness, double grip, double margin) {
  return {.points = pair.points,
          .weights = pair.weights,
          .count = 4,
          .stiffness = penalty_stiffness(stiffness, grip, pair.normal),
          .target = margin * pair.normal};
}

}  // namespace isochor::contact
