#include "isochor/sim/tet_contact.h"

#include <algorithm>

#include "isochor/shells/fit.h"

namespace isochor::sim {
namespace {

bool has_bands(const SceneSpec& scene) {
  return std::ranges::any_of(scene.bodies, [](const BodySpec& b) { return !b.bands.empty(); });
}

bool may_touch(const SceneSpec& scene) { return scene.method.volume == "zones" && scene.touches(); }

/// All bands have the same friction.
double friction_of(const SceneSpec& scene) {
  for (const BodySpec& body : scene.bodies) {
    if (!body.bands.empty()) return body.bands[0].friction;
  }
  return scene.method.friction;
}

}  // namespace

TetContact::TetContact(const SceneSpec& scene, const tets::Model& model,
                       const std::vector<contact::Collider>& colliders, Context& context)
    : model_(model),
      frame_rate_(scene.time.frame_rate),
      touches_(may_touch(scene)),
      self_contact_(scene.method.self_contact),
      colliders_(touches_ ? colliders : std::vector<contact::Collider>{}, context.arena),
      contact_(tets::make_contact(
          model,
          {.pairs = self_contact_ || has_bands(scene) || !model.obstacles.empty(),
           .among_bodies = self_contact_ || has_bands(scene),
           .friction = friction_of(scene),
           .collider_barriers = colliders_.size() > 0},
          0)),
      scale_(tets::surface_scale(model, contact_.surface().surface())) {
  reach_ = contact_.params().barrier.reach;
  // Sheets of the model: skin of all bodies, then bands.
  for (const BodySpec& body : scene.bodies) {
    if (body.skin.law != "none") tight_at_.push_back(0);
  }
  for (const BodySpec& body : scene.bodies) {
    for (const BandSpec& band : body.bands) tight_at_.push_back(band.tight_at);
  }
  // Bodies of the model: those of the scene, then bands.
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    for (const BandSpec& band : scene.bodies[b].bands) {
      worn_.push_back({.name = scene.bodies[b].name + "." + band.name,
                       .band = scene.bodies.size() + worn_.size(),
                       .wearer = b});
    }
  }
  for (Worn& w : worn_) {
    const std::vector<geometry::Triangle> band = triangles_of(w.band);
    w.rest_girth = shells::girth_within(band, triangles_of(w.wearer), model.rest_positions,
                                        shells::middle_of(band, model.rest_positions));
  }
}

std::vector<geometry::Triangle> TetContact::triangles_of(std::size_t body) {
  const contact::Surface& surface = contact_.surface().surface();
  std::vector<geometry::Triangle> out;
  std::ranges::copy_if(surface.triangles, std::back_inserter(out),
                       [&](const auto& t) { return surface.bodies[t[0]] == std::int32_t(body); });
  return out;
}

void TetContact::enter(tets::StepInput& input, double from, double time, ThreadArena& arena) {
  contact_.params().barrier.stiffness =
      scale_.stiffness + (input.dt > 0 ? scale_.mass / (input.dt * input.dt) : 0);
  contact_.place(colliders_.at(time / frame_rate_, arena), input.dt,
                 colliders_.placements(from / frame_rate_));
  input.contact = &contact_;
  obstacles_.resize(model_.obstacle_node_count());
  tets::place_obstacles(model_, time / frame_rate_, obstacles_);
  input.obstacles = obstacles_;
  input.tightening = tightening_at(time);
}

std::span<const double> TetContact::tightening_at(double time) {
  tightening_.clear();
  for (const double frame : tight_at_) {
    tightening_.push_back(std::clamp(frame > 0 ? time / frame : 1 + time, 0.0, 1.0));
  }
  return tightening_;
}

std::vector<double> TetContact::pressures(std::span<const Vec3d> positions, double time,
                                          ThreadArena& arena) {
  contact_.place(colliders_.at(time / frame_rate_, arena), contact_.duration());
  contact_.begin(positions, arena);
  contact_.evaluate(positions, arena);
  return shells::spread_out(contact_.surface().surface().triangles, positions,
                            shells::contact_pressures(contact_, positions));
}

contact::ContactForces TetContact::forces(std::span<const Vec3d> positions) const {
  contact::ContactForces out;
  out.reset(positions.size(), colliders_.size());
  out.add(contact_.terms_of_contact(), positions, contact_.colliders());
  out.add_bones(contact_.terms_of_springs());
  tets::add_obstacles(model_, positions, contact_.colliders(), out);
  return out;
}

contact::ContactReport TetContact::report(std::span<const Vec3d> positions, double time,
                                          ThreadArena& arena) {
  const bool pairs = contact_.params().among_bodies;
  return contact::report_contact(contact_.surface(), positions, contact_.free_points(),
                                 colliders_.at(time / frame_rate_, arena), reach(),
                                 {.within_bodies = pairs,
                                  .between_bodies = pairs,
                                  .rest_distance = 2 * reach(),
                                  .rest_positions = model_.rest_positions},
                                 arena);
}

std::vector<NamedBand> TetContact::measure_bands(std::span<const Vec3d> positions,
                                                 std::span<const double> pressures, double time) {
  std::vector<NamedBand> out;
  for (const Worn& w : worn_) {
    const std::vector<geometry::Triangle> band = triangles_of(w.band);
    const shells::Plane middle = shells::middle_of(band, positions);
    const shells::PressureMeasure p = shells::pressure_on(band, positions, pressures);
    const tets::BodyRange& range = model_.bodies[w.band];
    out.push_back(
        {.name = w.name,
         .girth = shells::section_length(band, positions, middle.point, middle.normal),
         .body_girth = shells::girth_within(band, triangles_of(w.wearer), positions, middle),
         .rest_body_girth = w.rest_girth,
         .tension = shells::mean_tension(model_.sheets, {positions, tightening_at(time)},
                                         range.first_node, range.node_count),
         .pressure = p.mean,
         .most_pressure = p.most});
  }
  return out;
}

std::unique_ptr<TetContact> make_tet_contact(const SceneSpec& scene, const tets::Model& model,
                                             const std::vector<contact::Collider>& colliders,
                                             Context& context) {
  if (!has_bands(scene) && !may_touch(scene) && !scene.slides_over_bones()) return nullptr;
  return std::make_unique<TetContact>(scene, model, colliders, context);
}

}  // namespace isochor::sim
