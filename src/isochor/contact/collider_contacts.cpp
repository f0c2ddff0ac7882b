#include "isochor/contact/collider_contacts.h"

#include <algorithm>
#include <mutex>
#include <optional>

namespace isochor::contact {
namespace {

constexpr std::size_t kGrain = 256;

/// Calls f(point, list) for all points; the lists of chunks, in their order, are the result.
template <class F>
void collect(std::span<const std::int32_t> points, ThreadArena& arena,
             std::vector<ColliderContact>& contacts, F&& f) {
  std::vector<std::vector<ColliderContact>> parts((points.size() + kGrain - 1) / kGrain);
  arena.for_chunks(points.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) f(points[i], parts[begin / kGrain]);
  });
  contacts.clear();
  for (const auto& part : parts) contacts.insert(contacts.end(), part.begin(), part.end());
}

ColliderContact contact_of(std::int32_t point, std::size_t collider, const ColliderSample& sample,
                           double friction) {
  return {.point = point,
          .collider = static_cast<std::int32_t>(collider),
          .distance = sample.distance,
          .normal = sample.normal,
          .velocity = sample.velocity,
          .friction = friction};
}

/// What a velocity becomes at a surface: no part of it goes in, and sliding is slowed by up to
/// friction times what was taken off.
Vec3d collided(const Vec3d& velocity, const ColliderContact& contact) {
  const Vec3d u = velocity - contact.velocity;
  const double inward = -dot(contact.normal, u);
  if (inward <= 0) return velocity;
  const Vec3d sliding = u + inward * contact.normal;
  const double speed = norm(sliding), lost = contact.friction * inward;
  const double kept = speed > lost ? 1 - lost / speed : 0;
  return contact.velocity + kept * sliding;
}

void sort(std::vector<ColliderContact>& contacts) {
  std::ranges::sort(contacts, [](const ColliderContact& a, const ColliderContact& b) {
    return a.point != b.point ? a.point < b.point : a.collider < b.collider;
  });
}

/// Where a point came into a collider that it did not leave on the same side; nothing unless it
/// did. Times and places are as seen from the collider.
std::optional<ColliderSample> find_entry(const PlacedColliders& colliders, std::size_t c,
                                         Vec3d start, const Vec3d& end, double least) {
  if (norm(end - start) <= least || !colliders.may_be_near(c, start, norm(end - start))) return {};
  const ColliderSample first = colliders.sample(c, start);
  // What was inside before is found there as it is.
  if (first.distance < -least || first.distance > norm(end - start)) return {};
  // What touches, and may leave over an edge, begins above it.
  if (first.distance < least) start += (least - first.distance) * first.normal;
  const Vec3d way = end - start;
  const double part = colliders.largest_step(c, start, way, 0);
  if (part == 1) return {};
  ColliderSample entry = colliders.sample(c, start + part * way);
  entry.distance += (1 - part) * dot(entry.normal, way);
  if (entry.distance >= -least) return {};
  if (dot(colliders.sample(c, end).normal, entry.normal) >= 0) return {};
  return entry;
}

}  // namespace

void find_passed(std::span<const Placement> before, const PlacedColliders& after,
                 std::span<const std::int32_t> points, std::span<const Vec3d> start,
                 std::span<const Vec3d> end, double least, ThreadArena& arena,
                 std::vector<ColliderContact>& contacts) {
  std::mutex access;
  contacts.clear();
  parallel_for(arena, points.size(), kGrain, [&](std::size_t i) {
    const std::int32_t p = points[i];
    for (std::size_t c = 0; c < after.size(); ++c) {
      if (!after.can_be_passed(c)) continue;
      const Vec3d from = after.carried(c, before[c], start[p]);
      const auto entry = find_entry(after, c, from, end[p], least);
      if (!entry) continue;
      const std::scoped_lock lock(access);
      contacts.push_back(contact_of(p, c, *entry, after.friction(c)));
    }
  });
  sort(contacts);
}

void collide_passed(std::span<Vec3d> positions, std::span<Vec3d> velocities,
                    std::span<ColliderContact> contacts) {
  for (ColliderContact& c : contacts) {
    positions[c.point] -= c.distance * c.normal;
    c.change = collided(velocities[c.point], c) - velocities[c.point];
    velocities[c.point] += c.change;
  }
}

void find_contacts(const PlacedColliders& colliders, std::span<const std::int32_t> points,
                   std::span<const Vec3d> positions, double reach, ThreadArena& arena,
                   std::vector<ColliderContact>& contacts) {
  // Into one list, whose memory stays, and put in order afterwards: contacts are few.
  std::mutex access;
  contacts.clear();
  parallel_for(arena, points.size(), kGrain, [&](std::size_t i) {
    const std::int32_t p = points[i];
    for (std::size_t c = 0; c < colliders.size(); ++c) {
      if (!colliders.may_be_near(c, positions[p], reach)) continue;
      const ColliderSample sample = colliders.sample(c, positions[p]);
      if (sample.distance > reach) continue;
      const std::scoped_lock lock(access);
      contacts.push_back(contact_of(p, c, sample, colliders.friction(c)));
    }
  });
  sort(contacts);
}

void collide(const PlacedColliders& colliders, std::span<const std::int32_t> points,
             std::span<Vec3d> positions, std::span<Vec3d> velocities, ThreadArena& arena,
             std::vector<ColliderContact>& contacts) {
  constexpr int kRounds = 4;  // in a corner, one way out leads into the next collider
  collect(points, arena, contacts, [&](std::int32_t p, std::vector<ColliderContact>& found) {
    const std::size_t first = found.size();
    bool free = false;
    for (int round = 0; round < kRounds && !free; ++round) {
      free = true;
      for (std::size_t c = 0; c < colliders.size(); ++c) {
        if (!colliders.may_be_near(c, positions[p], 0)) continue;
        const ColliderSample sample = colliders.sample(c, positions[p]);
        if (sample.distance >= 0) continue;
        free = false;
        ColliderContact contact = contact_of(p, c, sample, colliders.friction(c));
        positions[p] = sample.point;
        contact.change = collided(velocities[p], contact) - velocities[p];
        velocities[p] += contact.change;
        // A collider that was met in an earlier round has one contact still.
        const auto same = [&](const ColliderContact& other) {
          return other.collider == contact.collider;
        };
        const auto met =
            std::find_if(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(), same);
        if (met == found.end()) {
          found.push_back(contact);
        } else {
          met->change += contact.change;
        }
      }
    }
  });
}

double largest_step(const PlacedColliders& colliders, std::span<const std::int32_t> points,
                    std::span<const Vec3d> start, std::span<const Vec3d> end, double distance,
                    ThreadArena& arena) {
  std::vector<double> least((points.size() + kGrain - 1) / kGrain, 1);
  arena.for_chunks(points.size(), kGrain, [&](std::size_t first, std::size_t last) {
    double& chunk = least[first / kGrain];
    for (std::size_t i = first; i < last; ++i) {
      const Vec3d& x = start[points[i]];
      const Vec3d way = end[points[i]] - x;
      for (std::size_t c = 0; c < colliders.size(); ++c) {
        if (!colliders.may_be_near(c, x, distance + norm(way))) continue;
        chunk = min(chunk, colliders.largest_step(c, x, way, distance));
      }
    }
  });
  return least.empty() ? 1 : std::ranges::min(least);
}

}  // namespace isochor::contact
