#include "isochor/contact/contact_energy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "isochor/base/error.h"

namespace isochor::contact {
namespace {

constexpr std::size_t kGrain = 64;

}  // namespace

ContactEnergy::ContactEnergy(Surface surface, std::vector<Vec3d> rest_positions,
                             std::span<const std::uint8_t> held, const EnergyParams& params)
    : params_(params),
      rest_positions_(std::move(rest_positions)),
      bvh_(std::move(surface)),
      end_(rest_positions_.size()) {
  if (!(params.barrier.reach > 0) ||
      (params.body_stiffness.empty() && !(params.barrier.stiffness > 0))) {
    throw Error(Fault::Input, "contact::ContactEnergy", "the barrier has no reach or no stiffness",
                "give both a positive number");
  }
  for (const std::int32_t p : bvh_.surface().points) {
    if (!held[p]) free_points_.push_back(p);
  }
}

PairFilter ContactEnergy::filter() const {
  return {.within_bodies = params_.among_bodies,
          .between_bodies = params_.among_bodies,
          .rest_distance = kTouching * params_.barrier.reach,
          .rest_positions = rest_positions_};
}

Barrier ContactEnergy::barrier_of(const Pair& pair) const {
  Barrier barrier = params_.barrier;
  const std::vector<std::int32_t>& bodies = bvh_.surface().bodies;
  const std::int32_t a = bodies[pair.points[0]], b = bodies[pair.points[3]];
  if (!params_.body_stiffness.empty()) {
    const auto stiffness = [&](std::int32_t body) {
      return body < bvh_.surface().first_obstacle ? params_.body_stiffness[body]
                                                  : std::numeric_limits<double>::infinity();
    };
    barrier.stiffness = std::min(stiffness(a), stiffness(b));
  }
  if (a == b) {
    const double at_rest = closest_points(pair.kind, gather(rest_positions_, pair.points)).distance;
    barrier.reach = std::min(barrier.reach, 0.5 * at_rest);
  }
  return barrier;
}

void ContactEnergy::place(PlacedColliders colliders, double duration,
                          std::vector<Placement> before) {
  colliders_ = end_colliders_ = std::move(colliders);
  before_ = std::move(before);
  duration_ = duration;
}

void ContactEnergy::begin(std::span<const Vec3d> start, ThreadArena& arena) {
  start_ = start;
  rubbing_.clear();
  followed_.clear();
  springs_.clear();
  list_.clear();  // what a step does depends on its start alone
  find(start, arena);
  // Of points that a collider has come to nothing is known yet.
  std::erase_if(contacts_, [](const ColliderContact& c) { return c.distance <= 0; });
  make_terms(start, Curvature::None, arena);
  lag_friction(start);
}

bool ContactEnergy::clear(std::span<Vec3d> positions, ThreadArena& arena) {
  if (params_.collider_barriers && !push_out(positions, arena)) return false;
  if (!params_.pairs) return true;
  const auto is_free = [&] {
    return contact::largest_step(bvh_, start_, positions, {.remaining = 0.01}, filter(), arena) ==
           1;
  };
  if (is_free()) return true;
  if (!params_.collider_barriers) return false;
  give_way(positions);
  return push_out(positions, arena) && is_free();
}

bool ContactEnergy::push_out(std::span<Vec3d> positions, ThreadArena& arena) {
  constexpr double kPart = 0.1;  // of the reach
  constexpr int kRounds = 8;     // in a corner, one way out leads into the next collider
  const double least = kPart * params_.barrier.reach;
  find_passed(positions, arena);
  for (const ColliderContact& c : passed_) {
    positions[c.point] += (least - c.distance) * c.normal;
  }
  for (int round = 0;; ++round) {
    find_contacts(colliders_, free_points_, positions, 0.5 * least, arena, contacts_);
    if (contacts_.empty()) return true;
    if (round == kRounds) return false;
    for (const ColliderContact& c : contacts_) {
      positions[c.point] += (least - c.distance) * c.normal;
    }
  }
}

void ContactEnergy::find_passed(std::span<const Vec3d> positions, ThreadArena& arena) {
  constexpr double kLeast = 0.1;  // of the reach
  passed_.clear();
  if (before_.empty()) return;
  contact::find_passed(before_, colliders_, free_points_, start_, positions,
                       kLeast * params_.barrier.reach, arena, passed_);
}

/// Points that no collider has pushed follow those that they are near, by pairs at the start; those
/// that obstacles come to, whatever else has pushed them.
void ContactEnergy::give_way(std::span<Vec3d> positions) {
  constexpr int kRounds = 16;      // through as many layers
  constexpr double kKept = 0.5;    // of a gap
  constexpr double kLeast = 0.05;  // of a pair, what may follow: less would go too far
  enum : std::uint8_t { Held, Pushed, Free };
  std::vector<std::uint8_t> state(positions.size(), Held);
  const auto way_of = [&](std::int32_t p) { return positions[p] - start_[p]; };
  for (const std::int32_t p : free_points_) state[p] = norm(way_of(p)) == 0 ? Free : Pushed;
  const Surface& surface = bvh_.surface();
  for (int round = 0; round < kRounds; ++round) {
    for (const Pair& pair : pairs_) {
      const bool driven =
          surface.is_obstacle(pair.points[0]) || surface.is_obstacle(pair.points[3]);
      const auto follows = [&](std::int32_t p) { return state[p] >= (driven ? Pushed : Free); };
      double approach = -(1 - kKept) * pair.distance, mobility = 0;
      for (int i = 0; i < 4; ++i) {
        const std::int32_t p = pair.points[i];
        approach -= pair.weights[i] * dot(pair.normal, way_of(p));
        if (follows(p)) mobility += pair.weights[i] * pair.weights[i];
      }
      if (!(approach > 0) || mobility < kLeast) continue;
      for (int i = 0; i < 4; ++i) {
        if (!follows(pair.points[i])) continue;
        positions[pair.points[i]] += (pair.weights[i] * approach / mobility) * pair.normal;
      }
    }
  }
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
  const auto inside = [](const ColliderContact& c) { return !(c.distance > 0); };
  if (std::ranges::any_of(contacts_, inside)) {
    value.energy = std::numeric_limits<double>::infinity();
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

void ContactEnergy::linearise(std::span<const Vec3d> positions, Curvature curvature,
                              ThreadArena& arena) {
  follow_friction(positions);
  make_terms(positions, curvature, arena);
}

/// What forces would be by the last linearisation, and no more than they can.
void ContactEnergy::follow_friction(std::span<const Vec3d> positions) {
  for (std::size_t i = 0; i < rubbing_.size(); ++i) {
    Followed& f = followed_[i];
    const FrictionContact& contact = rubbing_[i];
    const FrictionValue now = friction_at(contact, start_, positions, slip_);
    const Vec3d way = now.way - f.value.way;
    if (f.known && norm(way) == 0) continue;  // linearised anew, as definite
    if (f.known) {
      f.dual = f.value.gradient + f.value.slope * way;
      const double size = norm(f.dual);
      if (size > contact.force) f.dual *= contact.force / size;
    } else {
      f.dual = now.gradient;
    }
    f.known = true;
    f.value = friction_at(contact, start_, positions, slip_, &f.dual);
  }
}

const ContactMatrix& ContactEnergy::assemble(ThreadArena& arena) {
  matrix_.assemble(terms_, arena);
  return matrix_;
}

PointSpring ContactEnergy::as_spring(std::size_t i) const {
  const Term& term = terms_[i];
  PointSpring spring{.points = term.points, .count = term.count, .collider = term.collider};
  if (i < contacts_.size()) {
    spring.weights = {1};
    spring.stiffness = term.hessian[0];
    return spring;
  }
  i -= contacts_.size();
  if (i < pairs_.size()) {
    const Pair& pair = pairs_[i];
    const BarrierValue value = contact::evaluate(barriers_[i], pair.distance);
    // Of nearly parallel edges only a part counts.
    const double part = value.energy > 0 ? term.energy / value.energy : 0;
    spring.weights = pair.weights;
    spring.stiffness = outer((part * value.curvature) * pair.normal, pair.normal);
    return spring;
  }
  i -= pairs_.size();
  if (i >= rubbing_.size()) return springs_[i - rubbing_.size()];
  spring.weights = rubbing_[i].weights;
  const auto lesser = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto main = std::ranges::max_element(spring.weights, lesser);
  const std::ptrdiff_t at = main - spring.weights.begin();
  spring.stiffness = term.hessian[5 * at] * (1 / (*main * *main));
  return spring;
}

double ContactEnergy::largest_step(std::span<const Vec3d> positions, std::span<const Vec3d> way,
                                   ThreadArena& arena) {
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
  return part * free_of_pairs(positions, end_, arena);
}

double ContactEnergy::free_of_pairs(std::span<const Vec3d> start, std::span<const Vec3d> end,
                                    ThreadArena& arena) {
  // How far pairs are listed for a way, in units of it: more than what two points that meet go.
  constexpr double kSpare = 2.5;
  double furthest = 0;
  for (std::size_t p = 0; params_.listed > 0 && p < start.size(); ++p) {
    const Vec3d way = end[p] - start[p];
    furthest = std::max(furthest, dot(way, way));
  }
  furthest = std::sqrt(furthest);
  if (!(params_.listed > 0) || listed_range(start, arena) < furthest) {
    // A list for this way and for what is near at its end, unless that would be very long.
    if (!(kSpare * furthest < 2 * params_.listed)) {
      return contact::largest_step(bvh_, start, end, impact_options(), filter(), arena);
    }
    list_.make(bvh_, start, params_.barrier.reach + kSpare * furthest, filter(), arena);
  }
  return list_.largest_step(start, end, impact_options(), arena);
}

double ContactEnergy::listed_range(std::span<const Vec3d> positions, ThreadArena& arena) const {
  return list_.range(positions, 0, impact_options(), arena);
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
    ColliderContact c = contacts_[i];
    if (c.friction == 0) continue;
    c.velocity = end_colliders_.sample(c.collider, positions[c.point]).velocity;
    rubbing_.push_back(friction_of(c, normal_force(i), duration_));
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const auto& points = pairs_[i].points;
    const double friction = bvh_.surface().friction_of(points[0], points[3], params_.friction,
                                                       params_.obstacle_friction);
    if (friction == 0) continue;
    rubbing_.push_back(friction_of(pairs_[i], normal_force(contacts_.size() + i), friction));
  }
  std::erase_if(rubbing_, [](const FrictionContact& c) { return c.force == 0; });
  followed_.assign(rubbing_.size(), {});
  find_slip(positions);
  return !rubbing_.empty();
}

void ContactEnergy::find_slip(std::span<const Vec3d> positions) {
  double way = 0, force = 0;
  for (const FrictionContact& c : rubbing_) {
    Vec3d u = -c.carried;
    for (int i = 0; i < c.count; ++i) {
      u += c.weights[i] * (positions[c.points[i]] - start_[c.points[i]]);
    }
    way += c.force * std::hypot(dot(c.tangents[0], u), dot(c.tangents[1], u));
    force += c.force;
  }
  const bool timed = duration_ > 0 && params_.slip_speed > 0;
  slip_ = timed ? params_.slip_speed * duration_ : params_.slip;
  if (force > 0) slip_ = std::max(slip_, params_.creep * way / force);
}

std::span<const ColliderContact> ContactEnergy::find_inside(std::span<const Vec3d> positions,
                                                            ThreadArena& arena) {
  // What rounding leaves of a point on a surface is not inside.
  const double rounding = 1e-9 * params_.barrier.reach;
  find_contacts(colliders_, free_points_, positions, -rounding, arena, inside_);
  find_passed(positions, arena);
  // Of a collider that was passed the nearest surface is the wrong one.
  std::erase_if(inside_, [&](const ColliderContact& c) {
    const auto place = [](const ColliderContact& other) {
      return std::pair(other.point, other.collider);
    };
    return std::ranges::binary_search(passed_, place(c), {}, place);
  });
  inside_.insert(inside_.end(), passed_.begin(), passed_.end());
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
  barriers_.clear();
  if (!params_.pairs) return;
  if (params_.listed > 0) {
    if (list_.range(positions, reach, impact_options(), arena) < 0) {
      list_.make(bvh_, positions, reach + params_.listed, filter(), arena);
    }
    list_.find_close(positions, reach, arena, pairs_);
  } else {
    find_close_pairs(bvh_, positions, reach, filter(), arena, pairs_);
  }
  barriers_.resize(pairs_.size());
  parallel_for(arena, pairs_.size(), kGrain,
               [&](std::size_t i) { barriers_[i] = barrier_of(pairs_[i]); });
  // Those that push.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (pairs_[i].distance >= barriers_[i].reach) continue;
    barriers_[kept] = barriers_[i];
    pairs_[kept++] = pairs_[i];
  }
  pairs_.resize(kept);
  barriers_.resize(kept);
}

void ContactEnergy::make_terms(std::span<const Vec3d> positions, Curvature curvature,
                               ThreadArena& arena) {
  const std::size_t barriers = contacts_.size() + pairs_.size();
  const std::size_t unsprung = barriers + rubbing_.size();
  terms_.resize(unsprung + springs_.size());
  parallel_for(arena, terms_.size(), kGrain, [&](std::size_t i) {
    if (i < contacts_.size()) {
      Barrier barrier = params_.barrier;
      if (!params_.body_stiffness.empty()) {
        barrier.stiffness = params_.body_stiffness[bvh_.surface().bodies[contacts_[i].point]];
      }
      terms_[i] = barrier_term(contacts_[i], barrier);
    } else if (i < barriers) {
      const auto& points = pairs_[i - contacts_.size()].points;
      terms_[i] =
          barrier_term(pairs_[i - contacts_.size()].kind, gather(positions, points),
                       gather(rest_positions_, points), barriers_[i - contacts_.size()], curvature);
      terms_[i].points = points;
    } else if (i < unsprung) {
      terms_[i] = friction_term(rubbing_[i - barriers], start_, positions, slip_,
                                &followed_[i - barriers].dual);
    } else {
      terms_[i] = spring_term(springs_[i - unsprung], positions);
    }
  });
}

}  // namespace isochor::contact
