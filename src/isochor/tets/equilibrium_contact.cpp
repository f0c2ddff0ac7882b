#include <algorithm>

#include "isochor/tets/equilibrium.h"

/// What touches in a step, and what slides over bones.
namespace isochor::tets {

bool Equilibrium::slides_on_colliders() const {
  return input_.contact && !input_.contact->params().collider_barriers;
}

bool Equilibrium::finds_contacts() const { return time_ && !zonal_ && slides_on_colliders(); }

void Equilibrium::add_slides(std::span<const contact::ColliderContact> inside) {
  const std::size_t before = scratch_.slides.size();
  for (const contact::ColliderContact& c : inside) {
    const std::span<const Slide> known(scratch_.slides.data(), before);
    if (std::ranges::binary_search(known, c.point, {}, &Slide::node)) continue;
    scratch_.slides.push_back({.node = c.point,
                               .normal = c.normal,
                               .place = dot(c.normal, scratch_.positions[c.point]) - c.distance,
                               .friction = c.friction,
                               .velocity = c.velocity,
                               .collider = c.collider});
  }
  std::ranges::sort(scratch_.slides, {}, &Slide::node);
  restraint_.slides = scratch_.slides;
}

void Equilibrium::stick() {
  std::ranges::fill(scratch_.step, Vec3d{0, 0, 0});
  for (const contact::FrictionContact& c : scratch_.rubbing) {
    const std::int32_t n = c.points[0];
    if (recalls_friction_ && rubbed_before(n)) continue;
    const Vec3d way = start_.positions[n] + c.carried - scratch_.positions[n];
    for (const Vec3d& t : c.tangents) scratch_.step[n] += dot(t, way) * t;
  }
  move(longest_step());
}

bool Equilibrium::rubbed_before(std::int32_t node) const {
  return !start_.contact_pushes.empty() && start_.contact_pushes[node] > 0;
}

template <class Push>
bool Equilibrium::lag_friction(Push&& push_of) {
  scratch_.rubbing.clear();
  for (const Slide& slide : scratch_.slides) {
    const double push = push_of(slide);
    if (push <= 0 || slide.friction == 0) continue;
    const contact::ColliderContact touch{.point = slide.node,
                                         .collider = slide.collider,
                                         .normal = slide.normal,
                                         .velocity = slide.velocity,
                                         .friction = slide.friction};
    scratch_.rubbing.push_back(contact::friction_of(touch, push, input_.contact->duration()));
  }
  return input_.contact->lag_friction(scratch_.positions, scratch_.rubbing);
}

void Equilibrium::recall_friction() {
  // Where much comes and goes, as at an impact, pushes of the last step tell little.
  constexpr double kSame = 0.75;
  recalls_friction_ = false;
  if (!time_ || start_.contact_pushes.empty()) return;
  const auto rubs = [](const Slide& slide) { return slide.held < 0 && slide.friction > 0; };
  const auto touching = std::ranges::count_if(scratch_.slides, rubs);
  if (touching == 0) return;
  const auto known = std::ranges::count_if(scratch_.slides, [&](const Slide& slide) {
    return rubs(slide) && rubbed_before(slide.node);
  });
  const auto before =
      std::ranges::count_if(start_.contact_pushes, [](double push) { return push > 0; });
  if (double(known) < kSame * double(std::max(touching, before))) return;
  recalls_friction_ = true;
  // What sticks may creep by how far it goes as fast as it went: what gravity adds it does not go.
  each_node([&](std::size_t i) { scratch_.positions[i] = scratch_.target[i]; });
  lag_friction([&](const Slide& slide) { return start_.contact_pushes[slide.node]; });
}

bool Equilibrium::follow_friction() {
  follows_friction_ = true;
  return lag_friction(
      [&](const Slide& slide) { return -dot(slide.normal, scratch_.force[slide.node]); });
}

void Equilibrium::take_springs() {
  const std::span<const contact::PointSpring> springs = input_.bones->springs();
  input_.contact->springs().assign(springs.begin(), springs.end());
}

bool Equilibrium::slides_on() {
  if (!has_bones() || !input_.bones->slides_on(scratch_.positions, context_.arena)) return false;
  take_springs();
  return true;
}

bool Equilibrium::has_only_bones() const {
  return has_bones() && !input_.contact->params().pairs && input_.contact->colliders().size() == 0;
}

}  // namespace isochor::tets
