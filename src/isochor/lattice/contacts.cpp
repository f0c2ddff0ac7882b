#include "isochor/lattice/contacts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
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
constexpr double kListed = 0.25;
/// Of the gap, where a step ends before things meet.
constexpr double kRemaining = 0.1;
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

bool all_finite(std::span<const Vec3d> x) {
  return std::ranges::all_of(x, [](const Vec3d& v) { return std::isfinite(v[0] + v[1] + v[2]); });
}

}  // namespace

Contacts::Contacts(const Model& model, ContactSurface surface,
                   std::vector<contact::Collider> colliders, const ContactParams& params,
                   ThreadArena& arena, std::vector<contact::SlidingBone> bones)
    : model_(model),
      surface_(std::move(surface)),
      colliders_(std::move(colliders), arena),
      params_(params),
      arena_(arena),
      areas_(areas_of(surface_)),
      energy_(make_energy()),
      bones_(std::move(bones), model.blocks[model.cells[0] / 8].h),
      start_(surface_.point_count()),
      x_(surface_.point_count()),
      way_(surface_.point_count()) {
  if (params_.scheme == ContactScheme::Barrier) {
    for (const BodyRange& body : model_.bodies) {
      std::ranges::move(find_braces(model_, body, kBraceOfContact), std::back_inserter(braces_));
    }
  }
  braced_ = build_springs(braces_);
  brace_pull_.resize(braces_.size());
  brace_image_.resize(braces_.size());
  if (params_.self_contact) {
    crossings_at_rest_ =
        contact::find_crossings(energy_.surface(), surface_.rest, arena_).within_bodies;
  }
  set_interval(0, 0);
}

/// Chooses what was left open on the way.
contact::ContactEnergy Contacts::make_energy() {
  double smallest_cell = std::numeric_limits<double>::infinity();
  for (const BodyRange& body : model_.bodies) {
    const std::int32_t cell = model_.cells[body.first_cell];
    smallest_cell = std::min(smallest_cell, model_.blocks[cell / 8].h);
  }
  if (!(params_.reach > 0)) {
    params_.reach = std::min(kReachInCells * smallest_cell, kReachInEdges * mean_edge(surface_));
  }
  contact::EnergyParams energy{.barrier = {.reach = params_.reach},
                               .friction = params_.friction,
                               .creep = 0,
                               .remaining = kRemaining,
                               .listed = kListed * mean_edge(surface_)};
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
    energy.body_stiffness.push_back(kBarrierPressure * mu * area / params_.reach);
    penalty_.push_back(kPenalty * mu * area / h);
    exclusion_ = std::max(exclusion_, kOneRing * h);
  }
  std::vector<std::uint8_t> held(surface_.point_count(), 1);
  for (std::size_t p = 0; p < held.size(); ++p) {
    for (std::int32_t w = surface_.first[p]; w < surface_.first[p + 1]; ++w) {
      if (model_.freedom[surface_.weights[w].index] != Freedom::Held) held[p] = 0;
    }
  }
  return {contact::make_surface(surface_.triangles, surface_.bodies), surface_.rest, held, energy};
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

void Contacts::add_braces(std::span<const Vec3d> nodes, std::span<Vec3d> force) const {
  std::vector<Vec3d> pull(braces_.size());
  spring_pulls(braced_, nodes, {}, pull, arena_);
  add_pulls(braced_, pull, 1, force, arena_);
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
  done_ = 1;
  energy_.place(colliders_.at(from_ + done_ * (to_ - from_), arena_), to_ - from_);
}

void Contacts::place(double part) {
  done_ = part;
  energy_.move(colliders_.at(from_ + part * (to_ - from_), arena_));
}

void Contacts::keep_apart(bool apart) {
  apart_ = apart;
  energy_.params().collider_barriers = apart;
  energy_.params().pairs = apart && params_.self_contact;
}

void Contacts::begin(std::span<const Vec3d> nodes, double dt) {
  interpolate(nodes, start_);
  std::ranges::copy(start_, x_.begin());
  const double h = model_.blocks[model_.cells[0] / 8].h;
  energy_.params().slip = dt > 0 ? kSlipSpeed * h * dt : kSlip * h;
  rounds_ = 0;
  steady_ = true;
  held_.clear();
  bones_.begin(x_, arena_);
  place(0);
  keep_apart(params_.scheme == ContactScheme::Barrier && !tangled(start_));
  energy_.begin(start_, arena_);
  if (apart_) return;
  place(1);
  renew_springs(nodes, params_.scheme == ContactScheme::Published ? 0 : params_.reach);
}

bool Contacts::is_outside(std::span<const Vec3d> points) {
  find_contacts(energy_.colliders(), energy_.free_points(), points, params_.reach, arena_,
                near_colliders_);
  return std::ranges::all_of(near_colliders_, [&](const ColliderContact& c) {
    return c.distance > contact::kTouching * params_.reach;
  });
}

bool Contacts::tangled(std::span<const Vec3d> points) {
  if (!is_outside(points)) return true;
  if (!params_.self_contact) return false;
  const auto same = [](const Vec3d& a, const Vec3d& b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
  };
  if (std::ranges::equal(points, untangled_, same)) return false;
  find_close_pairs(energy_.surface(), points, params_.reach, energy_.filter(), arena_, near_pairs_);
  for (const Pair& pair : near_pairs_) {
    if (pair.distance <= contact::kTouching * energy_.barrier_of(pair).reach) return true;
  }
  return contact::find_crossings(energy_.surface(), points, arena_).count() > crossings_at_rest_;
}

contact::EnergyValue Contacts::evaluate(std::span<const Vec3d> nodes) {
  interpolate(nodes, x_);
  if (!all_finite(x_)) return {.energy = std::numeric_limits<double>::infinity()};
  energy_.springs() = held_;
  energy_.springs().insert(energy_.springs().end(), bones_.springs().begin(),
                           bones_.springs().end());
  contact::EnergyValue value = energy_.evaluate(x_, arena_);
  sort_terms();
  value.energy += spring_pulls(braced_, nodes, {}, brace_pull_, arena_);
  return value;
}

/// Which terms each point is in.
void Contacts::sort_terms() {
  struct Corner {
    std::int32_t point, corner;
  };
  const std::span<const Term> terms = energy_.terms();
  std::vector<Corner> all;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    for (int i = 0; i < terms[t].count; ++i) {
      all.push_back({terms[t].points[i], std::int32_t(4 * t) + i});
    }
  }
  std::ranges::stable_sort(all, {}, &Corner::point);
  points_.clear();
  corners_.clear();
  first_corner_.clear();
  std::vector<solve::Spring> riders;
  for (const Corner& c : all) {
    if (points_.empty() || points_.back() != c.point) {
      points_.push_back(c.point);
      first_corner_.push_back(std::int32_t(corners_.size()));
      solve::Spring& rider =
          riders.emplace_back(solve::Spring{.terms = {}, .stiffness = Mat3d::zero()});
      rider.terms.assign(surface_.weights.begin() + surface_.first[c.point],
                         surface_.weights.begin() + surface_.first[c.point + 1]);
    }
    corners_.push_back(c.corner);
  }
  first_corner_.push_back(std::int32_t(corners_.size()));
  riders_ = build_springs(riders);
  pull_.resize(points_.size());
  image_.resize(4 * terms.size());
}

void Contacts::add_forces(std::span<Vec3d> force) {
  parallel_for(arena_, points_.size(), kGrain, [&](std::size_t k) {
    pull_[k] = {0, 0, 0};
    for (std::int32_t c = first_corner_[k]; c < first_corner_[k + 1]; ++c) {
      pull_[k] -= energy_.terms()[corners_[c] / 4].gradient[corners_[c] % 4];
    }
  });
  add_pulls(riders_, pull_, 1, force, arena_);
  add_pulls(braced_, brace_pull_, 1, force, arena_);
}

solve::Spring Contacts::on_nodes(const contact::PointSpring& of_points) const {
  solve::Spring spring{.terms = {}, .stiffness = of_points.stiffness};
  for (int i = 0; i < of_points.count; ++i) {
    for (const solve::SpringTerm& corner : surface_.corners[of_points.points[i]]) {
      spring.terms.push_back({corner.index, of_points.weights[i] * corner.weight});
    }
  }
  std::ranges::stable_sort(spring.terms, {}, &solve::SpringTerm::index);
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
  energy_.linearise(x_, curvature, arena_);
  std::vector<solve::Spring> springs;
  bool ties = false;
  for (std::size_t i = 0; i < energy_.terms().size(); ++i) {
    springs.push_back(on_nodes(energy_.as_spring(i)));
    ties |= energy_.terms()[i].count > 1;
  }
  springs_ = make_level_springs(std::move(springs), braces_, ties, model_);
}

void Contacts::apply(std::span<const Vec3d> v, std::span<Vec3d> out) {
  add_spring_stiffness(braced_, v, brace_image_, out, arena_);
  const std::span<const Term> terms = energy_.terms();
  if (terms.empty()) return;
  parallel_for(arena_, points_.size(), kGrain, [&](std::size_t k) {
    const std::int32_t p = points_[k];
    Vec3d sum{0, 0, 0};
    for (std::int32_t w = surface_.first[p]; w < surface_.first[p + 1]; ++w) {
      sum += surface_.weights[w].weight * v[surface_.weights[w].index];
    }
    way_[p] = sum;
  });
  parallel_for(arena_, terms.size(), kGrain, [&](std::size_t t) {
    const Term& term = terms[t];
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

double Contacts::sliding_energy(std::span<const Vec3d> nodes) {
  if (bones_.empty()) return 0;
  interpolate(nodes, x_);
  return bones_.energy(x_);
}

contact::ContactForces Contacts::forces() const {
  contact::ContactForces out;
  out.reset(surface_.point_count(), colliders_.size());
  out.add(energy_.terms(), x_, energy_.colliders());
  return out;
}

}  // namespace isochor::lattice
