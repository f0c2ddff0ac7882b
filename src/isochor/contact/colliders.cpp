#include "isochor/contact/colliders.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"
#include "isochor/contact/collider_mesh.h"
#include "isochor/contact/collider_shapes.h"
#include "isochor/contact/key_span.h"

namespace isochor::contact {
namespace {

/// The angular velocity of rotations by the vector r that changes by `rate`: the left Jacobian of
/// the exponential map.
Vec3d angular_velocity(const Vec3d& r, const Vec3d& rate) {
  const double squared = dot(r, r), angle = std::sqrt(squared);
  double a = 0.5, b = 1.0 / 6;  // (1 - cos)/angle^2 and (angle - sin)/angle^3
  if (angle > 1e-3) {
    const double half = std::sin(0.5 * angle);
    a = 2 * half * half / squared;
    b = (angle - std::sin(angle)) / (squared * angle);
  } else {
    a -= squared / 24;
    b -= squared / 120;
  }
  const Vec3d turned = cross(r, rate);
  return rate + a * turned + b * cross(r, turned);
}

/// Calls f(key, next key, part of the way between them) for the parts of a stretch of time that lie
/// between neighbouring keys.
template <class Keys, class F>
void for_each_part(const Keys& keys, double from, double to, F&& f) {
  for (std::size_t k = 1; k < keys.size(); ++k) {
    const double start = max(from, keys[k - 1].time), end = min(to, keys[k].time);
    if (start < end) f(keys[k - 1], keys[k], (end - start) / (keys[k].time - keys[k - 1].time));
  }
}

double farthest_corner(const Bounds& box, const Vec3d& from) {
  const Vec3d far = max(box.high - from, from - box.low);
  return norm(far);
}

bool is_convex(const Shape& shape) {
  return !std::holds_alternative<Stairs>(shape) && !std::holds_alternative<Mesh>(shape);
}

Bounds grown(const Bounds& box, double by) {
  const Vec3d margin{by, by, by};
  return {box.low - margin, box.high + margin};
}

bool may_be_within(const Bounds& box, const Vec3d& point, double reach) {
  for (int a = 0; a < 3; ++a) {
    if (point[a] < box.low[a] - reach || point[a] > box.high[a] + reach) return false;
  }
  return true;
}

void check(const Collider& collider) {
  const auto refuse = [&](const std::string& problem, const std::string& remedy) {
    throw Error(Fault::Input, "collider '" + collider.name + "'", problem, remedy);
  };
  const std::string fault = fault_of(collider.shape);
  if (!fault.empty()) refuse(fault, "correct its shape");
  if (!(collider.friction >= 0) || !std::isfinite(collider.friction)) {
    refuse("its friction is not a number from 0 on", "give a coefficient such as 0.3");
  }
  if (!(collider.thickness >= 0) || !std::isfinite(collider.thickness)) {
    refuse("its thickness is not a length from 0 on", "give a length in metres");
  }
  if (collider.keys.empty()) refuse("it has no pose", "give it one key at least");
  for (std::size_t k = 0; k < collider.keys.size(); ++k) {
    const PoseKey& key = collider.keys[k];
    const std::string name = "key " + std::to_string(k);
    const double sum =
        key.time + dot(key.translation, key.translation) + dot(key.rotation, key.rotation);
    if (!std::isfinite(sum)) refuse(name + " has a number that is not finite", "correct it");
    if (k > 0 && !(key.time > collider.keys[k - 1].time)) {
      refuse(name + " is not later than the one before", "sort the keys by time");
    }
  }
}

}  // namespace

Placement placement_of(const Collider& collider, double time) {
  Placement placement = placement_at(collider.keys, time);
  placement.rotation = placement.rotation * rotation_from_vector(collider.turned);
  return placement;
}

Placement placement_at(std::span<const PoseKey> keys, double time) {
  const KeySpan span = key_span(keys, time);
  const PoseKey &from = keys[span.from], &to = keys[span.to];
  const double rate = 1 / span.length;
  const Vec3d turn = to.rotation - from.rotation, way = to.translation - from.translation;
  const Vec3d rotation = from.rotation + span.part * turn;
  return {.rotation = rotation_from_vector(rotation),
          .translation = from.translation + span.part * way,
          .velocity = rate * way,
          .angular_velocity = angular_velocity(rotation, rate * turn)};
}

Colliders::Colliders(std::vector<Collider> colliders, ThreadArena& arena) {
  for (Collider& given : colliders) {
    check(given);
    PlacedColliders::Placed placed{.collider = std::make_shared<const Collider>(std::move(given))};
    const Collider& collider = *placed.collider;
    const auto own_bounds = [&](const auto& shape) {
      if constexpr (std::is_same_v<decltype(shape), const Mesh&>) {
        placed.mesh = std::make_shared<const ColliderMesh>(shape, collider.keys[0].time, arena);
        return placed.mesh->bounds();
      } else {
        return bounds_of(shape);
      }
    };
    placed.bounds = grown(std::visit(own_bounds, collider.shape), collider.thickness);
    rest_.colliders_.push_back(std::move(placed));
  }
}

PlacedColliders Colliders::at(double time, ThreadArena& arena) const {
  PlacedColliders placed = rest_;
  for (PlacedColliders::Placed& p : placed.colliders_) {
    p.placement = placement_of(*p.collider, time);
    const Mesh* mesh = std::get_if<Mesh>(&p.collider->shape);
    if (mesh == nullptr || mesh->keys.empty()) continue;
    p.mesh = std::make_shared<const ColliderMesh>(*mesh, time, arena);
    p.bounds = grown(p.mesh->bounds(), p.collider->thickness);
  }
  return placed;
}

std::vector<Placement> Colliders::placements(double time) const {
  std::vector<Placement> out;
  for (const PlacedColliders::Placed& placed : rest_.colliders_) {
    out.push_back(placement_of(*placed.collider, time));
  }
  return out;
}

double Colliders::travel(double from, double to, const Bounds& where) const {
  const Vec3d middle = 0.5 * (where.low + where.high);
  const double radius = 0.5 * norm(where.high - where.low);
  double farthest = 0;
  for (const PlacedColliders::Placed& placed : rest_.colliders_) {
    const Collider& collider = *placed.collider;
    double way = 0;
    for_each_part(collider.keys, from, to, [&](const PoseKey& a, const PoseKey& b, double part) {
      // The angular velocity is never faster than the rotation vector changes.
      const double arm =
          max(farthest_corner(where, a.translation), farthest_corner(where, b.translation));
      way += part * (norm(b.translation - a.translation) + arm * norm(b.rotation - a.rotation));
    });
    const Mesh* mesh = std::get_if<Mesh>(&collider.shape);
    if (mesh && !mesh->keys.empty()) {
      for_each_part(mesh->keys, from, to, [&](const MeshKey& a, const MeshKey& b, double part) {
        double most = 0;
        for (std::size_t i = 0; i < a.positions.size(); ++i) {
          most = max(most, norm(b.positions[i] - a.positions[i]));
        }
        way += part * most;
      });
    } else if (!may_be_within(placed.bounds, placement_of(collider, from).local(middle),
                              radius + way)) {
      continue;
    }
    farthest = max(farthest, way);
  }
  return farthest;
}

ColliderSample PlacedColliders::sample(std::size_t collider, const Vec3d& point) const {
  const Placed& placed = colliders_[collider];
  const Placement& at = placed.placement;
  const Vec3d local = at.local(point);
  Vec3d own_velocity{0, 0, 0};
  const auto own_sample = [&](const auto& shape) -> ShapeSample {
    if constexpr (std::is_same_v<decltype(shape), const Mesh&>) {
      const ColliderMesh::Sample s = (*placed.mesh)(local);
      own_velocity = s.velocity;
      return s.shape;
    } else {
      return contact::sample(shape, local);
    }
  };
  const ShapeSample s = std::visit(own_sample, placed.collider->shape);
  const double distance = s.distance - placed.collider->thickness;
  const Vec3d normal = at.rotation * s.normal, nearest = point - distance * normal;
  return {.distance = distance,
          .normal = normal,
          .point = nearest,
          .velocity = at.velocity_at(nearest) + at.rotation * own_velocity};
}

bool PlacedColliders::may_be_near(std::size_t collider, const Vec3d& point, double reach) const {
  const Placed& placed = colliders_[collider];
  return may_be_within(placed.bounds, placed.placement.local(point), reach);
}

bool PlacedColliders::can_be_passed(std::size_t collider) const {
  return !std::holds_alternative<HalfSpace>(colliders_[collider].collider->shape);
}

Vec3d PlacedColliders::carried(std::size_t collider, const Placement& before,
                               const Vec3d& point) const {
  const Placement& at = colliders_[collider].placement;
  return at.translation + at.rotation * before.local(point);
}

double PlacedColliders::largest_step(std::size_t collider, const Vec3d& point, const Vec3d& way,
                                     double distance) const {
  constexpr double kPart = 0.9, kLeft = 0.1;
  constexpr int kMostSteps = 1 << 12;
  const bool convex = is_convex(colliders_[collider].collider->shape);
  const double speed = norm(way);
  double time = 0, goal = 0;
  for (int step = 0; step < kMostSteps; ++step) {
    const ColliderSample s = sample(collider, point + time * way);
    const double gap = s.distance - distance;
    // A convex shape lies behind the plane at its nearest point; any other is no nearer than it is.
    const double closing = convex ? -dot(s.normal, way) : speed;
    if (closing <= 0) return 1;
    if (step == 0) goal = kLeft * gap;
    if (gap <= (step == 0 ? 0 : goal)) return time;
    const double next = time + kPart * gap / closing;
    if (next >= 1) return 1;
    if (next == time) return time;
    time = next;
  }
  return time;
}

}  // namespace isochor::contact
