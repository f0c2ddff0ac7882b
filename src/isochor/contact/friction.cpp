#include "isochor/contact/friction.h"

#include <cmath>

#include "isochor/contact/perpendicular.h"

namespace isochor::contact {
FrictionContact friction_of(const Pair& pair, double normal_force, double friction) {
  return {.points = pair.points,
          .weights = pair.weights,
          .count = 4,
          .tangents = tangents_of(pair.normal),
          .force = friction * normal_force};
}

FrictionContact friction_of(const ColliderContact& contact, double normal_force, double time_step) {
  return {.points = {contact.point},
          .weights = {1},
          .count = 1,
          .collider = contact.collider,
          .tangents = tangents_of(contact.normal),
          .carried = time_step * contact.velocity,
          .force = contact.friction * normal_force};
}

FrictionValue friction_at(const FrictionContact& contact, std::span<const Vec3d> start,
                          std::span<const Vec3d> positions, double slip, const Vec3d* dual) {
  Vec3d way = -contact.carried;
  for (int i = 0; i < contact.count; ++i) {
    const std::int32_t p = contact.points[i];
    way += contact.weights[i] * (positions[p] - start[p]);
  }
  const auto& [t1, t2] = contact.tangents;
  const double u1 = dot(t1, way), u2 = dot(t2, way), u = std::hypot(u1, u2);
  // The force is f(u) = 2 u/slip - (u/slip)^2 of the largest up to `slip`, and all of it from there
  // on. Of its potential the constant makes that a straight line, u, from there on.
  const double s = u / slip;
  const bool sticks = s < 1;
  const double potential = sticks ? slip * (s * s * (1 - s / 3) + 1.0 / 3) : u;
  const double force_by_u = sticks ? (2 - s) / slip : 1 / u;
  const double slope = sticks ? 2 * (1 - s) / slip : 0;
  FrictionValue value{.way = u1 * t1 + u2 * t2, .energy = contact.force * potential};
  value.gradient = (contact.force * force_by_u) * value.way;
  // Along the way it changes by the slope, across it by the turning of its direction.
  value.slope = (outer(t1, t1) + outer(t2, t2)) * (contact.force * force_by_u);
  if (u > 0) {
    const Vec3d along = value.way * (1 / u);
    if (dual) {
      const Vec3d less = ((slope - force_by_u) / (force_by_u * u)) * *dual;
      value.slope += (outer(less, along) + outer(along, less)) * 0.5;
    } else {
      value.slope += outer((contact.force * (slope - force_by_u)) * along, along);
    }
  }
  return value;
}

Term friction_term(const FrictionContact& contact, std::span<const Vec3d> start,
                   std::span<const Vec3d> positions, double slip, const Vec3d* dual) {
  const FrictionValue value = friction_at(contact, start, positions, slip, dual);
  Term term{.points = contact.points,
            .count = contact.count,
            .collider = contact.collider,
            .energy = value.energy};
  term.hessian.fill(Mat3d::zero());
  for (int i = 0; i < contact.count; ++i) {
    term.gradient[i] = contact.weights[i] * value.gradient;
    for (int j = 0; j < contact.count; ++j) {
      term.hessian[4 * i + j] = value.slope * (contact.weights[i] * contact.weights[j]);
    }
  }
  return term;
}

}  // namespace isochor::contact
