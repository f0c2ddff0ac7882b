#include "isochor/sim/tet_scene.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "isochor/sim/collider_scene.h"
#include "isochor/sim/region.h"
#include "isochor/sim/tet_muscles.h"
#include "isochor/sim/tet_sheets.h"
#include "isochor/tets/fields.h"

namespace isochor::sim {
namespace {

/// A traction's share of every node: the surface's linear functions, carried to the tets.
SurfaceLoad make_traction(const BodySpec& spec, const LoadSpec& load, const TetBody& body,
                          const geometry::TetEmbedding& embedding, std::int32_t first_node) {
  const SurfacePatch patch = select_surface(
      region_of(load), {body.surface.mesh, body.triangles, body.surface.groups}, body.spacing);
  SurfaceLoad out{.spec = load,
                  .name = spec.name + "." + load.name,
                  .points = {},
                  .first_node = first_node,
                  .areas = std::vector<double>(body.spec.mesh.positions.size(), 0)};
  for (std::size_t k = 0; k < patch.vertices.size(); ++k) {
    out.points.push_back(body.surface.mesh.positions[patch.vertices[k]]);
    for (const auto& [node, weight] : embedding.weights(patch.vertices[k])) {
      out.areas[node] += weight * patch.areas[k];
    }
  }
  return out;
}

/// What is shown of a band is what it is made of.
void add_band(const tets::BodySpec& band, TetScene& scene) {
  const std::vector<Vec3d>& nodes = band.mesh.positions;
  files::BodyTopology topology{.name = band.name, .rest_nodes = nodes};
  topology.surface.positions = nodes;
  for (const geometry::Triangle& t : band.sheets[0].triangles) topology.surface.add_face(t);
  TetRider rider;
  for (std::int32_t n = 0; n < std::int32_t(nodes.size()); ++n) {
    rider.surface.points.push_back({.nodes = {n, n, n, n}, .weights = {1, 0, 0, 0}});
  }
  scene.topology.bodies.push_back(std::move(topology));
  scene.riders.push_back(std::move(rider));
}

}  // namespace

TetScene build_tet_scene(const SceneSpec& scene, const tets::Params& params, Context& context) {
  TetScene out;
  std::vector<TetBody> bodies;
  for (const BodySpec& spec : scene.bodies) {
    bodies.push_back(build_tet_body(spec, scene.file, context));
  }
  TetHolds holds = hold_bodies(scene, bodies, context);
  std::vector<tets::BodySpec> specs;
  std::int32_t first_node = 0;
  std::vector<tets::BodySpec> bands;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const BodySpec& spec = scene.bodies[b];
    TetBody& body = bodies[b];
    const geometry::TetMesh& mesh = body.spec.mesh;
    TetRider rider{.surface = embed(mesh, body.surface.mesh.positions, context.arena),
                   .triangles = {},
                   .painted = {},
                   .fibres = fibres_of(body.spec),
                   .parts = body.parts};
    for (const LoadSpec& load : spec.loads) {
      out.tractions.push_back(make_traction(spec, load, body, rider.surface, first_node));
    }
    if (scene.method.volume == "zones") {
      const std::size_t first =
          out.zones.empty() ? 0 : out.zones.back().first + out.zones.back().count;
      std::ranges::move(add_zones(spec, first, body), std::back_inserter(out.zones));
    }
    first_node += static_cast<std::int32_t>(mesh.positions.size());
    body.spec.sheets = build_skin(spec.skin, mesh);
    for (const BandSpec& band : spec.bands) {
      bands.push_back(build_band(band, spec, mesh, body.spacing));
    }
    std::erase_if(body.surface.groups,
                  [](const auto& g) { return g.name.starts_with(kPaintedGroup); });
    out.topology.bodies.push_back(
        {.name = spec.name,
         .rest_nodes = mesh.positions,
         .cells = {},
         .tets = mesh.tets,
         .surface = std::move(body.surface.mesh),
         .texture_coordinates = std::move(body.surface.texture_coordinates),
         .groups = std::move(body.surface.groups)});
    rider.triangles = std::move(body.triangles);
    rider.painted = std::move(body.fields);
    out.riders.push_back(std::move(rider));
    specs.push_back(std::move(body.spec));
  }
  for (tets::BodySpec& band : bands) {
    add_band(band, out);
    specs.push_back(std::move(band));
  }
  out.colliders = build_colliders(scene, context);
  double tet_size = std::numeric_limits<double>::infinity();
  for (const TetBody& body : bodies) tet_size = std::min(tet_size, body.spacing);
  out.model = tets::build_model(specs, params, context.arena, holds.springs,
                                build_obstacles(scene, out.colliders, tet_size, context));
  const auto add_drivers = [&](const std::vector<std::vector<HoldSpec>>& specs_of_bodies,
                               const auto& in_model, std::vector<Driver>& to) {
    for (const auto& of_body : specs_of_bodies) {
      for (const HoldSpec& hold : of_body) {
        std::vector<Vec3d> points;
        for (const std::int32_t n : in_model[to.size()].nodes) {
          points.push_back(out.model.rest_positions[n]);
        }
        to.push_back(make_driver(hold, std::move(points)));
      }
    }
  };
  add_drivers(holds.nodes, out.model.holds, out.holds);
  add_drivers(holds.sliding, out.model.sliding, out.sliding);
  out.soft_holds = std::move(holds.soft);
  out.bones = std::move(holds.bones);
  return out;
}

TetDemands demands_at(const TetScene& scene, const Guides& guides, double time) {
  TetDemands out;
  std::size_t next = 0;
  for (const Driver& driver : scene.holds) {
    const Pose pose = pose_at(driver, guides[next++], time);
    for (const Vec3d& point : driver.points) {
      out.held_positions.push_back(pose(point, driver.center));
    }
  }
  std::vector<Vec3d> directions, targets;
  for (const Driver& driver : scene.sliding) {
    const Pose pose = pose_at(driver, guides[next++], time);
    const Vec3d direction = rotation_from_vector(pose.rotation) * driver.spec.direction;
    directions.push_back((1 / norm(direction)) * direction);
    for (const Vec3d& point : driver.points) targets.push_back(pose(point, driver.center));
  }
  out.slides = tets::slides_of_holds(scene.model, directions, targets);
  out.spring_targets.assign(scene.model.springs.count(), Vec3d{0, 0, 0});
  for (std::size_t g = 0; g < scene.soft_holds.size(); ++g) {
    const Driver& driver = scene.soft_holds[g];
    const Pose pose = pose_at(driver, guides[next++], time);
    auto target = out.spring_targets.begin() + scene.model.spring_groups[g].first;
    for (const Vec3d& point : driver.points) *target++ = pose(point, driver.center);
  }
  for (const BoneInTets& bone : scene.bones) {
    const Pose pose = pose_at(bone.driver, guides[next++], time);
    out.bones.push_back({.rotation = rotation_from_vector(pose.rotation),
                         .translation = pose(Vec3d{0, 0, 0}, bone.driver.center)});
  }
  return out;
}

namespace {

/// The points at rest that ride on the first body of each spring of a tie.
std::vector<Vec3d> points_of_tie(const tets::Model& model, const tets::SpringGroup& group) {
  std::vector<Vec3d> points;
  for (std::int32_t s = group.first; s < group.first + group.count; ++s) {
    points.push_back(tets::first_point(model, s, model.rest_positions));
  }
  return points;
}

}  // namespace

Setup setup_of(const TetScene& scene) {
  Setup setup;
  for (std::size_t h = 0; h < scene.holds.size(); ++h) {
    const Driver& driver = scene.holds[h];
    setup.attachments.push_back({.name = scene.model.holds[h].name,
                                 .kind = Attachment::Kind::Hold,
                                 .points = driver.points,
                                 .keys = keys_about_middle(driver)});
  }
  for (std::size_t h = 0; h < scene.sliding.size(); ++h) {
    setup.attachments.push_back({.name = scene.model.sliding[h].name,
                                 .kind = Attachment::Kind::Slide,
                                 .points = scene.sliding[h].points,
                                 .keys = keys_about_middle(scene.sliding[h])});
  }
  for (std::size_t g = 0; g < scene.soft_holds.size(); ++g) {
    const Driver& driver = scene.soft_holds[g];
    const tets::SpringGroup& group = scene.model.spring_groups[g];
    Attachment attachment{.name = group.name,
                          .kind = Attachment::Kind::SoftHold,
                          .points = driver.points,
                          .keys = keys_about_middle(driver)};
    if (driver.points.empty()) {
      attachment.kind = Attachment::Kind::Tie;
      attachment.points = points_of_tie(scene.model, group);
    }
    setup.attachments.push_back(std::move(attachment));
  }
  for (const SurfaceLoad& load : scene.tractions) {
    setup.attachments.push_back(
        {.name = load.name, .kind = Attachment::Kind::Load, .points = load.points, .keys = {}});
  }
  for (const TetRider& rider : scene.riders) {
    setup.bodies.push_back(
        {.fibres = rider.fibres, .painted = rider.painted, .parts = rider.parts});
  }
  return setup;
}

}  // namespace isochor::sim
