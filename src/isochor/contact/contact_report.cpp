#include "isochor/contact/contact_report.h"

namespace isochor::contact {

void ContactForces::reset(std::size_t point_count, std::size_t collider_count) {
  points.assign(point_count, {0, 0, 0});
  colliders.assign(collider_count, {});
  bones.clear();
}

void ContactForces::add_force(std::int32_t point, std::int32_t collider, const Vec3d& force,
                              std::span<const Vec3d> positions, const PlacedColliders& placed) {
  points[point] += force;
  if (collider < 0) return;
  const Vec3d arm = positions[point] - placed.placement(collider).translation;
  colliders[collider].force -= force;
  colliders[collider].moment -= cross(arm, force);
}

void ContactForces::add(std::span<const Row> rows, std::span<const Vec3d> impulses,
                        double time_step, std::span<const Vec3d> positions,
                        const PlacedColliders& placed) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (int i = 0; i < rows[r].count; ++i) {
      const Vec3d force = impulses[r] * (rows[r].weights[i] / time_step);
      add_force(rows[r].points[i], rows[r].collider, force, positions, placed);
    }
  }
}

void ContactForces::add(std::span<const Term> terms, std::span<const Vec3d> positions,
                        const PlacedColliders& placed) {
  for (const Term& term : terms) {
    for (int i = 0; i < term.count; ++i) {
      add_force(term.points[i], term.collider, -term.gradient[i], positions, placed);
    }
  }
}

void ContactForces::add(std::span<const ColliderContact> contacts,
                        std::span<const double> inverse_masses, double time_step,
                        std::span<const Vec3d> positions, const PlacedColliders& placed) {
  for (const ColliderContact& c : contacts) {
    const Vec3d force = c.change * (1 / (inverse_masses[c.point] * time_step));
    add_force(c.point, c.collider, force, positions, placed);
  }
}

void ContactForces::add_bones(std::span<const Term> springs) {
  if (bones.size() < springs.size()) bones.resize(springs.size(), {0, 0, 0});
  for (std::size_t s = 0; s < springs.size(); ++s) {
    // Weights add up to one.
    for (int i = 0; i < springs[s].count; ++i) bones[s] -= springs[s].gradient[i];
  }
}

void ContactForces::add(const ContactForces& others, double part) {
  if (bones.size() < others.bones.size()) bones.resize(others.bones.size(), {0, 0, 0});
  for (std::size_t p = 0; p < others.bones.size(); ++p) bones[p] += part * others.bones[p];
  for (std::size_t p = 0; p < points.size(); ++p) points[p] += part * others.points[p];
  for (std::size_t c = 0; c < colliders.size(); ++c) {
    colliders[c].force += part * others.colliders[c].force;
    colliders[c].moment += part * others.colliders[c].moment;
  }
}

ContactReport report_contact(SurfaceBvh& bvh, std::span<const Vec3d> positions,
                             std::span<const std::int32_t> points, const PlacedColliders& colliders,
                             double reach, const PairFilter& filter, ThreadArena& arena) {
  ContactReport report;
  report.gaps.assign(positions.size(), reach);
  std::vector<Pair> pairs;
  find_close_pairs(bvh, positions, reach, filter, arena, pairs);
  report.near_pairs = static_cast<std::int64_t>(pairs.size());
  for (const Pair& pair : pairs) {
    report.smallest_gap = min(report.smallest_gap, pair.distance);
    for (int i = 0; i < 4; ++i) {
      double& gap = report.gaps[pair.points[i]];
      if (pair.weights[i] != 0) gap = min(gap, pair.distance);
    }
  }
  std::vector<ColliderContact> contacts;
  find_contacts(colliders, points, positions, reach, arena, contacts);
  report.near_points = static_cast<std::int64_t>(contacts.size());
  for (const ColliderContact& contact : contacts) {
    double& gap = report.gaps[contact.point];
    gap = min(gap, contact.distance);
    if (contact.distance >= report.smallest_collider_gap) continue;
    report.smallest_collider_gap = contact.distance;
    report.deepest_point = contact.point;
  }
  report.crossings = find_crossings(bvh, positions, arena);
  return report;
}

}  // namespace isochor::contact
