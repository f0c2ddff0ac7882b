#include <algorithm>
#include <cmath>

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
  // Where they change much, as at an impact, those of the last step tell little.
  constexpr double kSteady = 0.3;
  recalls_friction_ = false;
  if (!time_ || start_.contact_change > kSteady) return;
  const auto rubs = [](const Slide& slide) { return slide.held < 0 && slide.friction > 0; };
  if (std::ranges::none_of(scratch_.slides, rubs)) return;
  recalls_friction_ = true;
  // What sticks may creep by how far it goes as fast as it went: what gravity adds it does not go.
  each_node([&](std::size_t i) { scratch_.positions[i] = scratch_.target[i]; });
  lag_friction([&](const Slide& slide) { return start_.contact_pushes[slide.node]; });
}

void Equilibrium::keep_pushes() {
  std::ranges::fill(scratch_.contact_pushes, 0.0);
  for (const Slide& slide : scratch_.slides) {
    if (slide.held < 0) scratch_.contact_pushes[slide.node] = std::max(slide.push, 0.0);
  }
  double change = 0, all = 0;
  for (std::size_t n = 0; n < start_.contact_pushes.size(); ++n) {
    change += std::abs(scratch_.contact_pushes[n] - start_.contact_pushes[n]);
    all += scratch_.contact_pushes[n];
  }
  scratch_.contact_change = all > 0 ? change / all : 1;
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
