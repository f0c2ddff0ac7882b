#include "isochor/sim/setup.h"

#include <algorithm>

#include "isochor/materials/registry.h"
#include "isochor/sim/lattice_scene.h"

namespace isochor::sim {
namespace {

std::int32_t body_of(const lattice::Model& model, std::int32_t node) {
  const auto after =
      std::ranges::upper_bound(model.bodies, node, {}, &lattice::BodyRange::first_node);
  return static_cast<std::int32_t>(after - model.bodies.begin()) - 1;
}

/// The point at rest where a spring takes hold of the first of its bodies.
Vec3d spring_point(const lattice::Model& model, std::int32_t spring) {
  const solve::Springs& springs = model.springs;
  const std::int32_t first = springs.first[spring];
  const std::int32_t body = body_of(model, springs.terms[first].index);
  Vec3d point{0, 0, 0};
  for (std::int32_t t = first; t < springs.first[spring + 1]; ++t) {
    const auto& [node, weight] = springs.terms[t];
    if (body_of(model, node) == body) point += weight * model.rest_positions[node];
  }
  return point;
}

std::vector<Attachment> attachments_of(const LatticeScene& scene) {
  const lattice::Model& model = scene.model();
  std::vector<Attachment> all;
  for (std::size_t h = 0; h < scene.holds.size(); ++h) {
    const Driver& driver = scene.holds[h];
    const bool slides = model.holds[h].slide != lattice::Slide::None;
    all.push_back({.name = model.holds[h].name,
                   .kind = slides ? Attachment::Kind::Slide : Attachment::Kind::Hold,
                   .points = driver.points,
                   .keys = keys_about_middle(driver)});
  }
  for (std::size_t h = 0; h < scene.held_surfaces.size(); ++h) {
    const bool slides = model.surfaces.holds[h].slide != lattice::Slide::None;
    all.push_back({.name = model.surfaces.holds[h].name,
                   .kind = slides ? Attachment::Kind::Slide : Attachment::Kind::Hold,
                   .points = scene.held_surfaces[h].points,
                   .keys = keys_about_middle(scene.held_surfaces[h])});
  }
  for (const BoneInFlesh& bone : scene.bones) {
    all.push_back({.name = bone.name,
                   .kind = Attachment::Kind::Slide,
                   .points = bone.driver.points,
                   .keys = keys_about_middle(bone.driver)});
  }
  for (const auto* loads : {&scene.pressures, &scene.tractions}) {
    for (const SurfaceLoad& load : *loads) {
      all.push_back(
          {.name = load.name, .kind = Attachment::Kind::Load, .points = load.points, .keys = {}});
    }
  }
  for (std::size_t g = 0; g < scene.soft_holds.size(); ++g) {
    const Driver& driver = scene.soft_holds[g];
    const lattice::SpringGroup& group = model.spring_groups[g];
    Attachment attachment{.name = group.name,
                          .kind = Attachment::Kind::SoftHold,
                          .points = driver.points,
                          .keys = keys_about_middle(driver)};
    if (driver.points.empty()) {
      attachment.kind = Attachment::Kind::Tie;
      for (std::int32_t s = 0; s < group.count; ++s) {
        attachment.points.push_back(spring_point(model, group.first + s));
      }
    }
    all.push_back(std::move(attachment));
  }
  return all;
}

/// Empty where no cell of the body has a direction.
std::vector<Vec3d> fibres_of(const lattice::Model& model, const lattice::BodyRange& body) {
  std::vector<Vec3d> fibres(body.cell_count, Vec3d{0, 0, 0});
  bool any = false;
  for (std::int32_t c = 0; c < body.cell_count; ++c) {
    const std::int32_t cell = model.cells[body.first_cell + c];
    const std::int32_t block = cell / 8, lane = cell % 8, member = block % lattice::kGroupBlocks;
    const std::int32_t material = body.first_material + model.blocks[block].material[lane];
    if (materials::is_isotropic(model.materials[material].law)) continue;
    const lattice::BlockGroup& group = model.groups[block / lattice::kGroupBlocks];
    const auto& Q = model.axes[group.tangent].Q;
    fibres[c] = {Q[0][lane][member], Q[1][lane][member], Q[2][lane][member]};
    any = true;
  }
  if (!any) fibres.clear();
  return fibres;
}

}  // namespace

Setup setup_of(const LatticeScene& scene) {
  Setup setup{.attachments = attachments_of(scene), .bodies = {}, .scenery = {}};
  const lattice::Model& model = scene.model();
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    setup.bodies.push_back({.fibres = fibres_of(model, model.bodies[b]),
                            .painted = scene.riders[b].painted,
                            .parts = scene.riders[b].parts});
  }
  return setup;
}

}  // namespace isochor::sim
