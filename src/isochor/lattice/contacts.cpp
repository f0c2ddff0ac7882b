#include "isochor/lattice/contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/lattice/braces.h"
#include "isochor/math/reduce.h"

namespace isochor::lattice {
namespace {

using contact::ColliderContact;
using contact::Pair;
using contact::Term;

constexpr std::size_t kGrain = 256;
/// From where on surfaces push each other, in cells and in edges of the surface.
constexpr double kReachInCells = 0.1, kReachInEdges = 0.3;
/// What a barrier pushes with half way, as a pressure in units of mu.
constexpr double kBarrierPressure = 1;
/// Of penalty springs, in units of mu area / h.
constexpr double kPenalty = 10;
/// No place within the one ring of a vertex's own cell counts as inside, in cells.
constexpr double kOneRing = 1.5;
/// Up to which distance pairs are listed, beside the reach, in edges of the surface: neighbours
/// along the surface are not to be most of them.
constexpr double kListed = 0.25, kMostListed = 0.5;
/// Nearer than this part of their reach surfaces count as touching.
constexpr double kTouching = 1e-3;
/// From which on a contact slides, in cells; and in cells per second.
constexpr double kSlip = 1e-3, kSlipSpeed = 0.05;

double mean_edge(const ContactSurface& surface) {
  double sum = 0;
  for (const contact::Triangle& t : surface.triangles) {
    for (int k = 0; k < 3; ++k) sum += norm(surface.rest[t[k]] - surface.rest[t[(k + 1) % 3]]);
  }
  return sum / (3.0 * double(surface.triangles.size()));
}

std::vector<double> areas_of(const ContactSurface& surface) {
  std::vector<double> areas(surface.point_count(), 0);
  for (const contact::Triangle& t : surface.triangles) {
    const Vec3d& a = surface.rest[t[0]];
    const double area = 0.5 * norm(cross(surface.rest[t[1]] - a, surface.rest[t[2]] - a));
    for (const std::int32_t p : t) areas[p] += area / 3;
  }
  return areas;
}

/// What a sum of points does as a spring, as an energy of these points.
Term spring_term(const std::array<std::int32_t, 4>& points, const std::array<double, 4>& weights,
                 std::int32_t count, const Mat3d& stiffness, const Vec3d& stretch) {
  Term term{.points = points, .count = count};
  const Vec3d pull = stiffness * stretch;
  term.energy = 0.5 * dot(stretch, pull);
  for (int i = 0; i < count; ++i) {
    term.gradient[i] = weights[i] * pull;
    for (int j = 0; j < count; ++j) term.hessian[4 * i + j] = stiffness * (weights[i] * weights[j]);
  }
  return term;
}

bool all_finite(std::span<const Vec3d> x) {
  return std::ranges::all_of(x, [](const Vec3d& v) { return std::isfinite(v[0] + v[1] + v[2]); });
}

}  // namespace

Contacts::Contacts(const Model& model, ContactSurface surface,
                   std::vector<contact::Collider> colliders, const ContactParams& params,
                   ThreadArena& arena, std::vector<SlidingBone> bones)
    : model_(model),
      surface_(std::move(surface)),
      colliders_(std::move(colliders), arena),
      params_(params),
      arena_(arena),
      bvh_(contact::make_surface(surface_.triangles, surface_.bodies)),
      areas_(areas_of(surface_)),
      bones_(std::move(bones)),
      bones_from_(bones_.size()),
      bones_to_(bones_.size()),
      start_(surface_.point_count()),
      x_(surface_.point_count()),
      way_(surface_.point_count()) {
  choose_sizes();
  if (params_.scheme == ContactScheme::Barrier) braces_ = find_braces(model_);
  braced_ = build_springs(braces_);
  brace_pull_.resize(braces_.size());
  brace_image_.resize(braces_.size());
  // Parts of a body that touch where it is at rest cannot be told from one part.
  filter_.rest_distance = kTouching * params_.reach;
  filter_.rest_positions = surface_.rest;
  for (const std::int32_t p : bvh_.surface().points) {
    bool moves = false;
    for (std::int32_t w = surface_.first[p]; w < surface_.first[p + 1]; ++w) {
      moves |= model_.freedom[surface_.weights[w].index] != Freedom::Held;
    }
    if (moves) free_points_.push_back(p);
  }
  if (params_.self_contact) {
    crossings_at_rest_ = contact::find_crossings(bvh_, surface_.rest, arena_).within_bodies;
  }
  set_interval(0, 0);
}

void Contacts::choose_sizes() {
  double smallest_cell = std::numeric_limits<double>::infinity();
  for (const BodyRange& body : model_.bodies) {
    const std::int32_t cell = model_.cells[body.first_cell];
    smallest_cell = std::min(smallest_cell, model_.blocks[cell / 8].h);
  }
  if (!(params_.reach > 0)) {
    params_.reach = std::min(kReachInCells * smallest_cell, kReachInEdges * mean_edge(surface_));
  }
  listed_ = params_.reach + kListed * mean_edge(surface_);
  most_listed_ = params_.reach + kMostListed * mean_edge(surface_);
  exclusion_ = 0;
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const BodyRange& body = model_.bodies[b];
    double mu = 0, area = 0;
    std::size_t points = 0;
    for (std::int32_t c = 0; c < body.cell_count; ++c) {
      mu += model_.mu(model_.cells[body.first_cell + c]) / body.cell_count;
    }
    for (std::size_t p = 0; p < areas_.size(); ++p) {
      if (surface_.bodies[p] != std::int32_t(b) || areas_[p] == 0) continue;
      area += areas_[p];
      ++points;
    }
    area /= double(std::max<std::size_t>(1, points));
    const double h = model_.blocks[model_.cells[body.first_cell] / 8].h;
    stiffness_.push_back(kBarrierPressure * mu * area / params_.reach);
    penalty_.push_back(kPenalty * mu * area / h);
    exclusion_ = std::max(exclusion_, kOneRing * h);
  }
  slip_ = kSlip * smallest_cell;
}

void Contacts::interpolate(std::span<const Vec3d> nodal, std::span<Vec3d> at_points) const {
  parallel_for(arena_, at_points.size(), kGrain, [&](std::size_t p) {
    Vec3d sum{0, 0, 0};
    for (std::int32_t w = surface_.first[p]; w < surface_.first[p + 1]; ++w) {
      sum += surface_.weights[w].weight * nodal[surface_.weights[w].index];
    }
    at_points[p] = sum;
  });
}

void Contacts::add_to_nodes(std::span<const Vec3d> at_points, std::span<Vec3d> nodal) const {
  for (std::size_t p = 0; p < at_points.size(); ++p) {
    for (std::int32_t w = surface_.first[p]; w < surface_.first[p + 1]; ++w) {
      nodal[surface_.weights[w].index] += surface_.weights[w].weight * at_points[p];
    }
  }
}

void Contacts::set_interval(double from, double to) {
  from_ = from;
  to_ = to;
  colliders_move_ = false;
  for (std::size_t c = 0; c < colliders_.size(); ++c) {
    const contact::Collider& collider = colliders_[c];
    const auto* mesh = std::get_if<contact::Mesh>(&collider.shape);
    colliders_move_ |= from != to && (collider.keys.size() > 1 || (mesh && mesh->keys.size() > 1));
  }
  place(1);
  end_ = placed_;
}

void Contacts::place(double part) {
  done_ = part;
  placed_ = colliders_.at(from_ + part * (to_ - from_), arena_);
}

void Contacts::begin(std::span<const Vec3d> nodes, double dt) {
  interpolate(nodes, start_);
  std::ranges::copy(start_, x_.begin());
  const double h = model_.blocks[model_.cells[0] / 8].h;
  slip_ = dt > 0 ? kSlipSpeed * h * dt : kSlip * h;
  rounds_ = 0;
  list_.clear();  // what a step does depends on the state alone: a resumed run has the same bits
  frictions_.clear();
  held_.clear();
  sliding_.clear();
  settled_ = bones_.empty();
  sliding_rounds_ = 0;
  renew_sliding(bones_from_);
  place(0);
  apart_ = params_.scheme == ContactScheme::Barrier && !tangled(start_);
  if (apart_) {
    find_near();
    find_barrier_terms(contact::Curvature::None);
    renew_friction();
  } else {
    place(1);
    renew_springs(nodes, params_.scheme == ContactScheme::Published ? 0 : params_.reach);
  }
}

bool Contacts::is_outside(const contact::PlacedColliders& placed, std::span<const Vec3d> points) {
  find_contacts(placed, free_points_, points, params_.reach, arena_, near_colliders_);
  return std::ranges::all_of(near_colliders_, [&](const ColliderContact& c) {
    return c.distance > kTouching * params_.reach;
  });
}

bool Contacts::tangled(std::span<const Vec3d> points) {
  if (!is_outside(placed_, points)) return true;
  if (!params_.self_contact) return false;
  const auto same = [](const Vec3d& a, const Vec3d& b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
  };
  if (std::ranges::equal(points, untangled_, same)) return false;
  find_close_pairs(bvh_, points, params_.reach, filter_, arena_, near_pairs_);
  for (const Pair& pair : near_pairs_) {
    if (pair.distance <= kTouching * barrier_of(pair).reach) return true;
  }
  return contact::find_crossings(bvh_, points, arena_).count() > crossings_at_rest_;
}

/// Parts of one body that are near each other at rest do not push each other there.
contact::Barrier Contacts::barrier_of(const Pair& pair) const {
  const std::int32_t a = surface_.bodies[pair.points[0]], b = surface_.bodies[pair.points[3]];
  contact::Barrier barrier{.reach = params_.reach,
                           .stiffness = std::min(stiffness_[a], stiffness_[b])};
  if (a == b) {
    const double at_rest =
        closest_points(pair.kind, contact::gather(surface_.rest, pair.points)).distance;
    barrier.reach = std::min(barrier.reach, 0.5 * at_rest);
  }
  return barrier;
}

contact::Barrier Contacts::barrier_of(std::int32_t point) const {
  return {.reach = params_.reach, .stiffness = stiffness_[surface_.bodies[point]]};
}

/// What the points x_ are near to.
void Contacts::find_near() {
  find_contacts(placed_, free_points_, x_, params_.reach, arena_, near_colliders_);
  near_pairs_.clear();
  if (params_.self_contact) {
    const double reach = params_.reach;
    if (list_.range(x_, reach, arena_) < 0) {
      list_.make(bvh_, x_, listed_, filter_, arena_);
    }
    list_.find_close(x_, reach, arena_, near_pairs_);
  }
}

/// Of what is near. Pairs that are kept are those that push.
void Contacts::find_barrier_terms(contact::Curvature curvature) {
  std::vector<contact::Barrier> barriers(near_pairs_.size());
  parallel_for(arena_, near_pairs_.size(), 64,
               [&](std::size_t i) { barriers[i] = barrier_of(near_pairs_[i]); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < near_pairs_.size(); ++i) {
    if (near_pairs_[i].distance >= barriers[i].reach) continue;
    barriers[kept] = barriers[i];
    near_pairs_[kept++] = near_pairs_[i];
  }
  near_pairs_.resize(kept);
  const std::size_t first_pair = near_colliders_.size();
  terms_.assign(first_pair + kept, Term{});
  touches_.assign(terms_.size(), Touch{});
  parallel_for(arena_, terms_.size(), 64, [&](std::size_t i) {
    Touch& touch = touches_[i];
    if (i < first_pair) {
      const ColliderContact& c = near_colliders_[i];
      terms_[i] = barrier_term(c, barrier_of(c.point));
      touch = {{c.point}, {1}, 1, c.collider, terms_[i].hessian[0], {}};
      return;
    }
    const Pair& pair = near_pairs_[i - first_pair];
    const contact::Barrier& barrier = barriers[i - first_pair];
    terms_[i] = barrier_term(pair.kind, contact::gather(x_, pair.points),
                             contact::gather(surface_.rest, pair.points), barrier, curvature);
    terms_[i].points = pair.points;
    const contact::BarrierValue value = contact::evaluate(barrier, pair.distance);
    // Of nearly parallel edges only a part counts.
    const double part = value.energy > 0 ? terms_[i].energy / value.energy : 0;
    touch = {pair.points,
             pair.weights,
             4,
             -1,
             contact::outer((part * value.curvature) * pair.normal, pair.normal),
             {}};
  });
}

void Contacts::add_spring_terms(std::span<const Touch> touches) {
  touches_.insert(touches_.end(), touches.begin(), touches.end());
  for (const Touch& touch : touches) {
    Vec3d stretch = -touch.target;
    for (int i = 0; i < touch.count; ++i) stretch += touch.weights[i] * x_[touch.points[i]];
    Term& term = terms_.emplace_back(
        spring_term(touch.points, touch.weights, touch.count, touch.stiffness, stretch));
    term.collider = touch.collider;
  }
}

/// From what pushes now.
void Contacts::renew_friction() {
  frictions_.clear();
  for (std::size_t i = 0; i < near_colliders_.size(); ++i) {
    ColliderContact c = near_colliders_[i];
    const double force = norm(terms_[i].gradient[0]);
    if (!(force * c.friction > 0)) continue;
    c.velocity = end_.sample(c.collider, x_[c.point]).velocity;
    frictions_.push_back(friction_of(c, force, to_ - from_));
  }
  if (!(params_.friction > 0)) return;
  for (std::size_t i = 0; i < near_pairs_.size(); ++i) {
    const Pair& pair = near_pairs_[i];
    const Term& term = terms_[near_colliders_.size() + i];
    const contact::BarrierValue value = contact::evaluate(barrier_of(pair), pair.distance);
    if (!(value.energy > 0)) continue;
    const double force = -value.slope * (term.energy / value.energy);
    if (force > 0) frictions_.push_back(friction_of(pair, force, params_.friction));
  }
}

void Contacts::add_friction_terms() {
  for (const contact::FrictionContact& f : frictions_) {
    const Term& term = terms_.emplace_back(friction_term(f, start_, x_, slip_));
    int main = 0;
    for (int i = 1; i < f.count; ++i) {
      if (std::abs(f.weights[i]) > std::abs(f.weights[main])) main = i;
    }
    const double weight = f.weights[main];
    touches_.push_back({f.points,
                        f.weights,
                        f.count,
                        f.collider,
                        term.hessian[5 * main] * (1 / (weight * weight)),
                        {}});
  }
}

Contacts::Sum Contacts::evaluate(std::span<const Vec3d> nodes) {
  interpolate(nodes, x_);
  if (!all_finite(x_)) return {.energy = std::numeric_limits<double>::infinity()};
  if (apart_) {
    find_near();
    find_barrier_terms(contact::Curvature::None);
  } else {
    terms_.clear();
    touches_.clear();
    add_spring_terms(held_);
  }
  add_friction_terms();
  add_spring_terms(sliding_);
  sort_terms();
  Sum sum;
  for (const Term& term : terms_) {
    sum.energy += term.energy;
    for (int i = 0; i < term.count; ++i) sum.square += dot(term.gradient[i], term.gradient[i]);
  }
  sum.energy += spring_pulls(braced_, nodes, {}, brace_pull_, arena_);
  const auto inside = [](const ColliderContact& c) { return !(c.distance > 0); };
  if (apart_ && std::ranges::any_of(near_colliders_, inside)) {
    sum.energy = std::numeric_limits<double>::infinity();
  }
  return sum;
}

/// Which terms each point is in.
void Contacts::sort_terms() {
  struct Corner {
    std::int32_t point, corner;
  };
  std::vector<Corner> all;
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    for (int i = 0; i < terms_[t].count; ++i) {
      all.push_back({terms_[t].points[i], std::int32_t(4 * t) + i});
    }
  }
  std::ranges::stable_sort(all, {}, &Corner::point);
  points_.clear();
  corners_.clear();
  first_corner_.clear();
  std::vector<Spring> riders;
  for (const Corner& c : all) {
    if (points_.empty() || points_.back() != c.point) {
      points_.push_back(c.point);
      first_corner_.push_back(std::int32_t(corners_.size()));
      Spring& rider = riders.emplace_back(Spring{.terms = {}, .stiffness = Mat3d::zero()});
      rider.terms.assign(surface_.weights.begin() + surface_.first[c.point],
                         surface_.weights.begin() + surface_.first[c.point + 1]);
    }
    corners_.push_back(c.corner);
  }
  first_corner_.push_back(std::int32_t(corners_.size()));
  riders_ = build_springs(riders);
  pull_.resize(points_.size());
  image_.resize(4 * terms_.size());
}

void Contacts::add_forces(std::span<Vec3d> force) {
  parallel_for(arena_, points_.size(), kGrain, [&](std::size_t k) {
    pull_[k] = {0, 0, 0};
    for (std::int32_t c = first_corner_[k]; c < first_corner_[k + 1]; ++c) {
      pull_[k] -= terms_[corners_[c] / 4].gradient[corners_[c] % 4];
    }
  });
  add_pulls(riders_, pull_, 1, force, arena_);
  add_pulls(braced_, brace_pull_, 1, force, arena_);
}

Spring Contacts::spring_of(const Touch& touch) const {
  Spring spring{.terms = {}, .stiffness = touch.stiffness};
  for (int i = 0; i < touch.count; ++i) {
    for (const SpringTerm& corner : surface_.corners[touch.points[i]]) {
      spring.terms.push_back({corner.index, touch.weights[i] * corner.weight});
    }
  }
  std::ranges::stable_sort(spring.terms, {}, &SpringTerm::index);
  std::size_t kept = 0;
  for (std::size_t t = 1; t < spring.terms.size(); ++t) {
    if (spring.terms[t].index == spring.terms[kept].index) {
      spring.terms[kept].weight += spring.terms[t].weight;
    } else {
      spring.terms[++kept] = spring.terms[t];
    }
  }
  spring.terms.resize(kept + 1);
  return spring;
}

void Contacts::linearise(contact::Curvature curvature) {
  if (apart_) {
    find_barrier_terms(curvature);
    add_friction_terms();
    add_spring_terms(sliding_);
  }
  std::vector<Spring> springs;
  bool ties = false;
  for (const Touch& touch : touches_) {
    springs.push_back(spring_of(touch));
    ties |= touch.count > 1;
  }
  springs_ = make_level_springs(std::move(springs), braces_, ties, model_);
}

void Contacts::apply(std::span<const Vec3d> v, std::span<Vec3d> out) {
  add_spring_stiffness(braced_, v, brace_image_, out, arena_);
  if (terms_.empty()) return;
  parallel_for(arena_, points_.size(), kGrain, [&](std::size_t k) {
    const std::int32_t p = points_[k];
    Vec3d sum{0, 0, 0};
    for (std::int32_t w = surface_.first[p]; w < surface_.first[p + 1]; ++w) {
      sum += surface_.weights[w].weight * v[surface_.weights[w].index];
    }
    way_[p] = sum;
  });
  parallel_for(arena_, terms_.size(), kGrain, [&](std::size_t t) {
    const Term& term = terms_[t];
    for (int i = 0; i < term.count; ++i) {
      Vec3d sum{0, 0, 0};
      for (int j = 0; j < term.count; ++j) {
        sum += term.hessian[4 * i + j] * way_[term.points[j]];
      }
      image_[4 * t + std::size_t(i)] = sum;
    }
  });
  parallel_for(arena_, points_.size(), kGrain, [&](std::size_t k) {
    pull_[k] = {0, 0, 0};
    for (std::int32_t c = first_corner_[k]; c < first_corner_[k + 1]; ++c) {
      pull_[k] += image_[corners_[c]];
    }
  });
  add_pulls(riders_, pull_, 1, out, arena_);
}

void Contacts::add_diagonal(std::span<Vec3f> diagonal) {
  add_spring_diagonal(springs_.finest, diagonal, arena_);
}

contact::ContactForces Contacts::forces() const {
  contact::ContactForces out;
  out.reset(surface_.point_count(), colliders_.size());
  out.add(terms_, x_, placed_);
  return out;
}

}  // namespace isochor::lattice
