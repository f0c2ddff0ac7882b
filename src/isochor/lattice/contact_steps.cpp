/// Contacts on the way from one state to the next: how far nodes may go, colliders that move, and
/// springs that pull out what is inside.
#include <algorithm>
#include <cmath>

#include "isochor/lattice/contacts.h"

namespace isochor::lattice {
namespace {

using contact::ColliderContact;
using contact::Pair;

/// Of penalty springs along the surface, relative to across it [McAdams11 sec 7].
constexpr double kGrip = 0.1;
/// Equilibria with the friction of the one before, and with springs found anew.
constexpr int kFrictionRounds = 2, kSpringRounds = 12;
/// Published springs are found anew after few iterations.
constexpr int kPublishedRounds = 24;

/// Six tetrahedra about the diagonal from corner 0 to corner 7, which fit those of neighbours.
std::vector<geometry::Tet> tets_of(const Model& model) {
  constexpr int kAxes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  std::vector<geometry::Tet> tets;
  for (const std::int32_t cell : model.cells) {
    for (const auto& axes : kAxes) {
      const int first = 1 << axes[0], second = first | 1 << axes[1];
      tets.push_back({model.corner(cell, 0), model.corner(cell, first), model.corner(cell, second),
                      model.corner(cell, 7)});
    }
  }
  return tets;
}

/// Bodies as they are at rest, but each in a place of its own: distances within one must not see
/// another that overlaps it.
std::vector<Vec3d> apart_at_rest(std::span<const Vec3d> rest, std::span<const double> shifts,
                                 std::span<const std::int32_t> bodies) {
  std::vector<Vec3d> out(rest.begin(), rest.end());
  for (std::size_t i = 0; i < out.size(); ++i) out[i][0] += shifts[bodies[i]];
  return out;
}

/// Per vertex that is inside, the way out of the whole patch of the surface that is inside with it:
/// against the sum of its area vectors. Of length one, or zero.
std::vector<Vec3d> common_ways_out(const contact::Surface& surface, std::span<const Vec3d> x,
                                   std::span<const contact::Penetration> inside) {
  std::vector<std::int32_t> patch(surface.point_count(), -1);
  for (const contact::Penetration& p : inside) patch[p.vertex] = p.vertex;
  const auto root = [&](std::int32_t p) {
    while (patch[p] != p) p = patch[p] = patch[patch[p]];
    return p;
  };
  for (const contact::Edge& e : surface.edges) {
    if (patch[e[0]] < 0 || patch[e[1]] < 0) continue;
    const std::int32_t a = root(e[0]), b = root(e[1]);
    patch[std::max(a, b)] = std::min(a, b);
  }
  std::vector<Vec3d> sums(surface.point_count(), Vec3d{0, 0, 0});
  for (const contact::Triangle& t : surface.triangles) {
    const Vec3d area = cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
    for (const std::int32_t p : t) {
      if (patch[p] >= 0) sums[root(p)] -= area;
    }
  }
  std::vector<Vec3d> out;
  for (const contact::Penetration& p : inside) {
    const Vec3d& sum = sums[root(p.vertex)];
    out.push_back(norm(sum) > 0 ? sum * (1 / norm(sum)) : sum);
  }
  return out;
}

}  // namespace

double Contacts::passable(std::span<const Vec3d> nodes, std::span<const Vec3d> way) {
  if (!apart_) return 1;
  interpolate(nodes, x_);
  interpolate(way, way_);
  return energy_.largest_step(x_, way_, arena_);
}

double Contacts::worth_asking(std::span<const Vec3d> way) {
  constexpr double kMost = 64;
  if (!apart_) return kMost;
  double furthest = 0;
  for (const Vec3d& w : way) furthest = std::max(furthest, dot(w, w));
  furthest = std::sqrt(furthest);
  if (!(furthest > 0)) return 1;
  const double h = model_.blocks[model_.cells[0] / 8].h;
  // No new search for more than twice the way.
  const double listed = params_.self_contact ? energy_.listed_range(x_, arena_) : h;
  return std::clamp(std::min(h, std::max(listed, 2 * furthest)) / furthest, 1.0, kMost);
}

double Contacts::carry(std::span<const Vec3d> nodes, std::span<const Vec3d> way) {
  if (!apart_) return 1;
  const double left = 1 - done_, duration = left * (to_ - from_);
  if (!colliders_move_ || left == 0) {
    const double part = passable(nodes, way);
    done_ = part == 1 ? 1 : done_ + part * left;
    return part;
  }
  interpolate(nodes, x_);
  interpolate(way, way_);
  double part = 1;
  if (params_.self_contact) {
    std::vector<Vec3d> end(x_);
    for (std::size_t p = 0; p < end.size(); ++p) end[p] += way_[p];
    part = energy_.free_of_pairs(x_, end, arena_);
  }
  // As seen from a collider that goes on evenly; one that turns is asked again where it arrives.
  for (const std::int32_t p : energy_.free_points()) {
    for (std::size_t c = 0; c < colliders_.size(); ++c) {
      const Vec3d carried = duration * energy_.colliders_at_end().sample(c, x_[p]).velocity;
      const Vec3d relative = way_[p] - carried;
      if (!energy_.colliders().may_be_near(c, x_[p], norm(relative))) continue;
      part = std::min(part, energy_.colliders().largest_step(c, x_[p], relative, 0));
    }
  }
  const double before = done_;
  std::vector<Vec3d> reached(x_.size());
  for (constexpr double kLeast = 1e-6; part > kLeast; part *= 0.5) {
    for (std::size_t p = 0; p < x_.size(); ++p) reached[p] = x_[p] + part * way_[p];
    place(part == 1 ? 1 : before + part * left);
    find_contacts(energy_.colliders(), energy_.free_points(), reached, 0, arena_, near_colliders_);
    if (near_colliders_.empty()) return part;
  }
  place(before);
  return 0;
}

void Contacts::add_carried(std::span<Vec3d> force) {
  if (!colliders_move_ || !apart_) return;
  const double duration = (1 - done_) * (to_ - from_);
  std::vector<Vec3d> pushes(surface_.point_count(), Vec3d{0, 0, 0});
  for (const contact::Term& term : energy_.terms()) {
    if (term.collider < 0) continue;
    const std::int32_t p = term.points[0];
    pushes[p] += term.hessian[0] *
                 (duration * energy_.colliders_at_end().sample(term.collider, x_[p]).velocity);
  }
  add_to_nodes(pushes, force);
}

bool Contacts::goes_on(std::span<const Vec3d> nodes) {
  interpolate(nodes, x_);
  if (bones_.slides_on(x_, arena_)) return true;
  ++rounds_;
  if (apart_) {
    untangled_ = x_;
    const bool rubs =
        std::ranges::any_of(energy_.contacts(),
                            [](const ColliderContact& c) { return c.friction > 0; }) ||
        params_.friction > 0;
    if (!rubs || rounds_ >= kFrictionRounds) return false;
    energy_.lag_friction(x_);
    return true;
  }
  if (params_.scheme == ContactScheme::Published) {
    // Springs that change are not worth an equilibrium.
    if (steady_ && rounds_ >= kPublishedRounds) return false;
    const std::vector<contact::PointSpring> last = held_;
    renew_springs(nodes, 0);
    const bool same = std::ranges::equal(held_, last, {}, &contact::PointSpring::points,
                                         &contact::PointSpring::points);
    if (steady_ && same) return false;
    steady_ = same || rounds_ >= kPublishedRounds;
    return true;
  }
  if (rounds_ >= kSpringRounds) return false;
  if (!tangled(x_)) {
    keep_apart(true);
    held_.clear();
    return true;
  }
  renew_springs(nodes, (1 + rounds_) * params_.reach);
  return true;
}

/// Of points as they are, in place of barriers and friction: to the surface of what they are in,
/// and as far out of it as `margin`, m.
void Contacts::renew_springs(std::span<const Vec3d> nodes, double margin) {
  held_.clear();
  find_contacts(energy_.colliders(), energy_.free_points(), x_, margin, arena_, near_colliders_);
  for (const ColliderContact& c : near_colliders_) {
    if (!(c.distance < margin)) continue;
    const double stiffness = penalty_[surface_.bodies[c.point]];
    held_.push_back(penalty_spring(c, x_[c.point], stiffness, 0, margin));
  }
  if (!params_.self_contact) return;
  add_penetrations(nodes, margin);
  if (margin > 0) add_near_pairs(margin);
}

void Contacts::add_penetrations(std::span<const Vec3d> nodes, double margin) {
  if (!finder_) {
    double width = 0;
    for (const Vec3d& x : model_.rest_positions) {
      width = std::max(width, 4 * (std::abs(x[0]) + exclusion_));
    }
    std::vector<double> shifts;
    std::vector<std::int32_t> node_bodies(model_.node_count());
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      shifts.push_back(double(b) * width);
      const BodyRange& body = model_.bodies[b];
      std::fill_n(node_bodies.begin() + body.first_node, body.node_count, std::int32_t(b));
    }
    finder_ = std::make_unique<contact::PenetrationFinder>(
        tets_of(model_), apart_at_rest(model_.rest_positions, shifts, node_bodies),
        surface_.triangles, apart_at_rest(surface_.rest, shifts, surface_.bodies), surface_.bodies,
        arena_);
  }
  finder_->find(nodes, x_, exclusion_, arena_, inside_);
  const std::vector<Vec3d> ways_out =
      margin > 0 ? common_ways_out(energy_.surface().surface(), x_, inside_) : std::vector<Vec3d>{};
  for (std::size_t i = 0; i < inside_.size(); ++i) {
    const contact::Penetration& p = inside_[i];
    // The nearest way out of a corner may be another one than that of all around it.
    if (margin > 0 && !(dot(ways_out[i], p.normal) > 0.5)) continue;
    const double stiffness =
        std::min(penalty_[surface_.bodies[p.vertex]], penalty_[surface_.bodies[p.triangle[0]]]);
    held_.push_back(penalty_spring(p, stiffness, kGrip, margin));
  }
}

/// Vertices that are outside, but not as far as they have to be.
void Contacts::add_near_pairs(double margin) {
  find_close_pairs(energy_.surface(), x_, margin, energy_.filter(), arena_, near_pairs_);
  for (const Pair& pair : near_pairs_) {
    if (pair.kind != contact::PairKind::PointTriangle) continue;
    const auto& p = pair.points;
    const Vec3d face = cross(x_[p[2]] - x_[p[1]], x_[p[3]] - x_[p[1]]);
    if (!(dot(face, pair.normal) > 0.5 * norm(face))) continue;
    const auto is_inside = [&](const contact::Penetration& i) { return i.vertex == p[0]; };
    if (std::ranges::any_of(inside_, is_inside)) continue;
    const std::int32_t a = surface_.bodies[p[0]], b = surface_.bodies[p[1]];
    if (a == b &&
        2 * margin > closest_points(pair.kind, contact::gather(surface_.rest, p)).distance) {
      continue;
    }
    held_.push_back(penalty_spring(pair, std::min(penalty_[a], penalty_[b]), 0, margin));
  }
}

contact::ContactReport Contacts::report(std::span<const Vec3d> nodes, double time, double reach) {
  interpolate(nodes, x_);
  // Parts that are near each other at rest do not push.
  const contact::PairFilter filter{.within_bodies = params_.self_contact,
                                   .between_bodies = params_.self_contact,
                                   .rest_distance = 2 * reach,
                                   .rest_positions = surface_.rest};
  return report_contact(energy_.surface(), x_, energy_.surface().surface().points,
                        colliders_.at(time, arena_), reach, filter, arena_);
}

}  // namespace isochor::lattice
