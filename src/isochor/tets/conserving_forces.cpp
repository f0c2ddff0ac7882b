#include "isochor/tets/conserving.h"

/// What contacts push with in a step.
namespace isochor::tets {

void Conserving::add_elastic_forces(std::span<const Vec3d> positions,
                                    const contact::PlacedColliders& placed) {
  for (const Slide& slide : scratch_.slides) {
    if (slide.held >= 0) continue;
    part_forces_.add_force(slide.node, slide.collider, slide.push * slide.normal, positions,
                           placed);
  }
  part_forces_.add(touch_.terms_of_contact(), positions, placed);
  part_forces_.add_bones(touch_.terms_of_springs());
}

void Conserving::add_corrections(std::span<const Vec3d> positions, double dt,
                                 const contact::PlacedColliders& placed) {
  if (rows_.size() == slides_.size()) return;
  rings_.gradient(pressures_.velocities, loads_);
  each_node([&](std::size_t i) { half_[i] = -inverse_mass_[i] * loads_[i]; });
  projection_.project(half_, params_.sweeps, context_.arena, impulses_);
  add_impulses(positions, dt, placed);
}

void Conserving::add_impulses(std::span<const Vec3d> positions, double dt,
                              const contact::PlacedColliders& placed) {
  if (carried_.size() == impulses_.size()) {
    for (std::size_t r = 0; r < carried_.size(); ++r) carried_[r] += impulses_[r];
  }
  const std::size_t first = slides_.size();
  part_forces_.add(std::span(rows_).subspan(first), std::span(impulses_).subspan(first), dt,
                   positions, placed);
  std::ranges::fill(impulses_, Vec3d{0, 0, 0});
}

/// Of two half steps: a sum of rows, up to what sweeps leave. Which ones have which part of it is
/// what a projection takes away again.
void Conserving::add_reactions(std::span<const Vec3d> positions, double dt,
                               const contact::PlacedColliders& placed) {
  if (rows_.size() == slides_.size()) return;
  each_node([&](std::size_t i) { way_[i] = -2 * inverse_mass_[i] * reaction_[i]; });
  projection_.project(way_, params_.sweeps, context_.arena, impulses_);
  add_impulses(positions, dt, placed);
  each_node([&](std::size_t i) {
    if (inverse_mass_[i] > 0) part_forces_.points[i] -= (model_.mass[i] / dt) * way_[i];
  });
}

}  // namespace isochor::tets
