#include "isochor/sim/lattice_contact.h"

#include <algorithm>

#include "isochor/sim/body_frame.h"
#include "isochor/sim/collider_scene.h"
#include "isochor/solve/momenta.h"

namespace isochor::sim {
namespace {

lattice::ContactSurface surface_of(const LatticeScene& scene,
                                   std::vector<std::vector<std::int32_t>>& points) {
  lattice::ContactSurface out;
  for (std::size_t b = 0; b < scene.riders.size(); ++b) {
    points.push_back(add_surface({.rest = scene.topology.bodies[b].surface.positions,
                                  .triangles = scene.riders[b].triangles,
                                  .embedding = scene.riders[b].surface,
                                  .body = static_cast<std::int32_t>(b),
                                  .first_node = scene.model().bodies[b].first_node},
                                 out));
  }
  return out;
}

/// Adds the points that slide over bones.
std::vector<contact::SlidingBone> bones_of(const LatticeScene& scene, ThreadArena& arena,
                                           lattice::ContactSurface& surface) {
  std::vector<contact::SlidingBone> out;
  for (const BoneInFlesh& bone : scene.bones) {
    const std::int32_t first = add_points(bone.driver.points, bone.points, bone.body,
                                          scene.model().bodies[bone.body].first_node, surface);
    std::vector<contact::SlidingPoint> points;
    for (std::size_t k = 0; k < bone.driver.points.size(); ++k) {
      points.push_back({.points = {first + std::int32_t(k)},
                        .weights = {1},
                        .count = 1,
                        .stiffness = bone.stiffness[k]});
    }
    out.push_back({.name = bone.name,
                   .surface = {bone.surface.positions, bone.triangles, arena},
                   .points = std::move(points)});
  }
  return out;
}

lattice::ContactParams params_of(const MethodSpec& method) {
  return {.scheme = method.variant == "paper" ? lattice::ContactScheme::Published
                                              : lattice::ContactScheme::Barrier,
          .self_contact = method.self_contact,
          .friction = method.friction};
}

lattice::Contacts make_contacts(const SceneSpec& spec, const LatticeScene& scene,
                                std::vector<std::vector<std::int32_t>>& points, Context& context) {
  lattice::ContactSurface surface = surface_of(scene, points);
  std::vector<contact::SlidingBone> bones = bones_of(scene, context.arena, surface);
  const bool rubs =
      spec.method.friction > 0 ||
      std::ranges::any_of(spec.colliders, [](const auto& c) { return c.friction > 0; });
  if (rubs && spec.method.variant == "paper") {
    context.log(
        LogLevel::Warning,
        "friction counts for nothing with method.variant = \"paper\": published springs have a "
        "stiffness along the surface of bodies in its place");
  }
  return {scene.model(),          std::move(surface), build_colliders(spec, context),
          params_of(spec.method), context.arena,      std::move(bones)};
}

}  // namespace

LatticeContact::LatticeContact(const SceneSpec& spec, const LatticeScene& scene, Context& context)
    : contacts_(make_contacts(spec, scene, points_, context)),
      forces_(contacts_.surface().point_count(), Vec3d{0, 0, 0}),
      loads_(contacts_.colliders().size()) {}

void LatticeContact::keep_forces() {
  contact::ContactForces now = contacts_.forces();
  forces_ = std::move(now.points);
  loads_ = std::move(now.colliders);
}

void LatticeContact::save(files::ByteWriter& writer) const {
  writer.put(forces_);
  std::vector<Vec3d> loads;
  for (const contact::ColliderLoad& load : loads_) {
    loads.insert(loads.end(), {load.force, load.moment});
  }
  writer.put(loads);
}

void LatticeContact::load(files::ByteReader& reader) {
  const auto forces = reader.get_vector<Vec3d>(), loads = reader.get_vector<Vec3d>();
  if (forces.size() != forces_.size() || loads.size() != 2 * loads_.size()) {
    reader.fail("it holds another number of contacts than the scene");
  }
  forces_ = forces;
  for (std::size_t c = 0; c < loads_.size(); ++c) loads_[c] = {loads[2 * c], loads[2 * c + 1]};
}

LatticeContact::Picture LatticeContact::picture(std::span<const Vec3d> nodes, double time) {
  Picture out;
  const contact::ContactReport report = contacts_.report(nodes, time, contacts_.reach());
  out.measures = measures_of(report, contacts_.reach(), contacts_.params().self_contact);
  for (std::size_t c = 0; c < loads_.size(); ++c) {
    out.reactions.push_back({contacts_.colliders()[c].name, -loads_[c].force, -loads_[c].moment});
  }
  std::vector<Vec3d> at(forces_.size());
  contacts_.interpolate(nodes, at);
  for (const contact::SlidingBone& bone : contacts_.bones()) {
    std::vector<solve::Push> pushes;
    for (const contact::SlidingPoint& point : bone.points) {
      pushes.push_back({at[point.points[0]], forces_[point.points[0]]});
    }
    const solve::Resultant reaction = solve::resultant(pushes);
    out.reactions.push_back({bone.name, reaction.force, reaction.moment});
  }
  for (const std::vector<std::int32_t>& of_vertex : points_) {
    files::Field force{
        .name = "contact_force", .unit = "N", .support = files::Support::Vertex, .components = 3};
    std::vector<double> pressure, gap;
    for (const std::int32_t p : of_vertex) {
      const Vec3d f = p < 0 ? Vec3d{0, 0, 0} : forces_[p];
      for (int a = 0; a < 3; ++a) force.values.push_back(static_cast<float>(f[a]));
      const double area = p < 0 ? 0 : contacts_.areas()[p];
      pressure.push_back(area > 0 ? norm(f) / area : 0);
      gap.push_back(p < 0 ? contacts_.reach() : report.gaps[p]);
    }
    out.fields.push_back({std::move(force),
                          make_field("contact_pressure", "Pa", files::Support::Vertex, pressure),
                          make_field("contact_gap", "m", files::Support::Vertex, gap)});
  }
  return out;
}

std::unique_ptr<LatticeContact> make_lattice_contact(const SceneSpec& spec,
                                                     const LatticeScene& scene, Context& context) {
  if (!spec.has_contact()) return nullptr;
  return std::make_unique<LatticeContact>(spec, scene, context);
}

}  // namespace isochor::sim
