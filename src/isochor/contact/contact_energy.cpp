#include "isochor/contact/contact_energy.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"
#include "isochor/contact/impacts.h"

namespace isochor::contact {

ContactEnergy::ContactEnergy(Surface surface, std::vector<Vec3d> rest_positions,
                             std::span<const std::uint8_t> held, const EnergyParams& params)
    : params_(params),
      rest_positions_(std::move(rest_positions)),
      bvh_(std::move(surface)),
      end_(rest_positions_.size()) {
  if (!(params.barrier.reach > 0) || !(params.barrier.stiffness > 0)) {
    throw Error(Fault::Input, "contact::ContactEnergy", "the barrier has no reach or no stiffness",
                "give both a positive number");
  }
  for (const std::int32_t p : bvh_.surface().points) {
    if (!held[p]) free_points_.push_back(p);
  }
}

void ContactEnergy::place(PlacedColliders colliders, double duration) {
  colliders_ = std::move(colliders);
  duration_ = duration;
}

void ContactEnergy::begin(std::span<const Vec3d> start, ThreadArena& arena) {
  start_ = start;
  rubbing_.clear();
  find(start, arena);
  // Of points that a collider has come to nothing is known yet.
  std::erase_if(contacts_, [](const ColliderContact& c) { return c.distance <= 0; });
  make_terms(start, Curvature::None, arena);
  lag_friction(start);
}

bool ContactEnergy::clear(std::span<Vec3d> positions, ThreadArena& arena) {
  constexpr double kPart = 0.1;  // of the reach
  constexpr int kRounds = 8;     // in a corner, one way out leads into the next collider
  const double least = kPart * params_.barrier.reach;
  for (int round = 0; params_.collider_barriers; ++round) {
    find_contacts(colliders_, free_points_, positions, 0.5 * least, arena, contacts_);
    if (contacts_.empty()) break;
    if (round == kRounds) return false;
    for (const ColliderContact& c : contacts_) {
      positions[c.point] += (least - c.distance) * c.normal;
    }
  }
  return !params_.pairs ||
         contact::largest_step(bvh_, start_, positions, {.remaining = 0.01}, {}, arena) == 1;
}

EnergyValue ContactEnergy::evaluate(std::span<const Vec3d> positions, ThreadArena& arena) {
  find(positions, arena);
  make_terms(positions, Curvature::None, arena);
  EnergyValue value;
  for (const Term& term : terms_) {
    value.energy += term.energy;
    for (int i = 0; i < term.count; ++i) {
      value.force_squared += dot(term.gradient[i], term.gradient[i]);
    }
  }
  return value;
}

EnergyValue ContactEnergy::evaluate(std::span<const Vec3d> positions, std::span<Vec3d> force,
                                    ThreadArena& arena) {
  const EnergyValue value = evaluate(positions, arena);
  for (const Term& term : terms_) {
    for (int i = 0; i < term.count; ++i) force[term.points[i]] -= term.gradient[i];
  }
  return value;
}

void ContactEnergy::linearise(std::span<const Vec3d> positions, ThreadArena& arena) {
  make_terms(positions, Curvature::Definite, arena);
  matrix_.assemble(terms_, arena);
}

double ContactEnergy::largest_step(std::span<const Vec3d> positions, std::span<const Vec3d> way,
                                   ThreadArena& arena) {
  constexpr double kRemaining = 0.3;  // of the gap
  parallel_for(arena, end_.size(), solve::kRowGrain,
               [&](std::size_t i) { end_[i] = positions[i] + way[i]; });
  double part = 1;
  if (params_.collider_barriers) {
    part = contact::largest_step(colliders_, free_points_, positions, end_, 0, arena);
  }
  if (!params_.pairs || part == 0) return part;
  // The rest of the way is of no interest.
  parallel_for(arena, end_.size(), solve::kRowGrain,
               [&](std::size_t i) { end_[i] = positions[i] + part * way[i]; });
  return part * contact::largest_step(bvh_, positions, end_, {.remaining = kRemaining}, {}, arena);
}

double ContactEnergy::normal_force(std::size_t i) const {
  // What fades the energy of parallel edges turns them, and has no part in their sum.
  const Term& term = terms_[i];
  const bool edges =
      i >= contacts_.size() && pairs_[i - contacts_.size()].kind == PairKind::EdgeEdge;
  return norm(edges ? term.gradient[0] + term.gradient[1] : term.gradient[0]);
}

bool ContactEnergy::lag_friction(std::span<const Vec3d> positions,
                                 std::span<const FrictionContact> others) {
  rubbing_.assign(others.begin(), others.end());
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (contacts_[i].friction == 0) continue;
    rubbing_.push_back(friction_of(contacts_[i], normal_force(i), duration_));
  }
  if (params_.friction > 0) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      rubbing_.push_back(
          friction_of(pairs_[i], normal_force(contacts_.size() + i), params_.friction));
    }
  }
  std::erase_if(rubbing_, [](const FrictionContact& c) { return c.force == 0; });
  find_slip(positions);
  return !rubbing_.empty();
}

void ContactEnergy::find_slip(std::span<const Vec3d> positions) {
  constexpr double kPart = 0.1;
  double way = 0, force = 0;
  for (const FrictionContact& c : rubbing_) {
    Vec3d u = -c.carried;
    for (int i = 0; i < c.count; ++i) {
      u += c.weights[i] * (positions[c.points[i]] - start_[c.points[i]]);
    }
    way += c.force * std::hypot(dot(c.tangents[0], u), dot(c.tangents[1], u));
    force += c.force;
  }
  slip_ = duration_ > 0 ? params_.slip_speed * duration_ : params_.slip;
  if (force > 0) slip_ = std::max(slip_, kPart * way / force);
}

std::span<const ColliderContact> ContactEnergy::find_inside(std::span<const Vec3d> positions,
                                                            ThreadArena& arena) {
  // What rounding leaves of a point on a surface is not inside.
  const double rounding = 1e-9 * params_.barrier.reach;
  find_contacts(colliders_, free_points_, positions, -rounding, arena, inside_);
  // By point and depth; then the first of each point.
  std::ranges::sort(inside_, [](const ColliderContact& a, const ColliderContact& b) {
    return a.point != b.point ? a.point < b.point : a.distance < b.distance;
  });
  const auto rest = std::ranges::unique(inside_, {}, &ColliderContact::point);
  inside_.erase(rest.begin(), rest.end());
  return inside_;
}

void ContactEnergy::find(std::span<const Vec3d> positions, ThreadArena& arena) {
  const double reach = params_.barrier.reach;
  contacts_.clear();
  if (params_.collider_barriers) {
    find_contacts(colliders_, free_points_, positions, reach, arena, contacts_);
  }
  pairs_.clear();
  if (!params_.pairs) return;
  find_close_pairs(bvh_, positions, reach,
                   {.rest_distance = reach, .rest_positions = rest_positions_}, arena, pairs_);
}

void ContactEnergy::make_terms(std::span<const Vec3d> positions, Curvature curvature,
                               ThreadArena& arena) {
  constexpr std::size_t kGrain = 64;
  const std::size_t barriers = contacts_.size() + pairs_.size();
  terms_.resize(barriers + rubbing_.size());
  parallel_for(arena, terms_.size(), kGrain, [&](std::size_t i) {
    if (i < contacts_.size()) {
      terms_[i] = barrier_term(contacts_[i], params_.barrier);
    } else if (i < barriers) {
      const auto& points = pairs_[i - contacts_.size()].points;
      terms_[i] = barrier_term(pairs_[i - contacts_.size()].kind, gather(positions, points),
                               gather(rest_positions_, points), params_.barrier, curvature);
      terms_[i].points = points;
    } else {
      terms_[i] = friction_term(rubbing_[i - barriers], start_, positions, slip_);
    }
  });
}

}  // namespace isochor::contact
