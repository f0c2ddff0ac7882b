#include "isochor/sim/tet_scene.h"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>

#include "isochor/base/error.h"
#include "isochor/sim/loose_parts.h"
#include "isochor/sim/region.h"
#include "isochor/sim/tet_muscles.h"
#include "isochor/sim/tet_sheets.h"

namespace isochor::sim {
namespace {

NodesAndCells nodes_of(const TetBody& body) {
  const geometry::TetMesh& mesh = body.spec.mesh;
  return {.nodes = mesh.positions,
          .cells = {mesh.tets.data()->data(), 4 * mesh.tets.size()},
          .corners = 4,
          .spacing = body.spacing};
}

void add_holds(const BodySpec& spec, const std::filesystem::path& scene_file, TetBody& body,
               Context& context) {
  const geometry::Bounds bounds = geometry::bounds_of_faces(body.surface.mesh);
  std::vector<const HoldSpec*> holder(body.spec.mesh.positions.size(), nullptr);
  for (const HoldSpec& hold : spec.holds) {
    const std::optional<Enclosure> enclosure =
        make_enclosure(hold, body.spacing, scene_file, context.arena);
    std::vector<std::int32_t> nodes =
        select_nodes(hold, nodes_of(body), bounds, enclosure ? &*enclosure : nullptr);
    for (const std::int32_t n : nodes) {
      if (holder[n]) {
        throw Error(Fault::Input, hold.place.text(),
                    fmt::format("holds a node that '{}' holds already", holder[n]->name),
                    "make the two regions apart from each other");
      }
      holder[n] = &hold;
    }
    body.spec.holds.push_back({.name = hold.name, .nodes = std::move(nodes)});
  }
}

void hold_loose_parts(const BodySpec& spec, TetBody& body, Context& context) {
  const geometry::TetMesh& mesh = body.spec.mesh;
  DisjointSets sets(mesh.positions.size() + 1);  // set 0 stands for all that is held
  for (const geometry::Tet& tet : mesh.tets) {
    for (int k = 1; k < 4; ++k) sets.join(std::size_t(tet[k]) + 1, std::size_t(tet[0]) + 1);
  }
  std::vector<std::size_t> parts;
  for (std::size_t n = 0; n < mesh.positions.size(); ++n) parts.push_back(sets.find(n + 1));
  for (const tets::HoldSpec& hold : body.spec.holds) {
    for (const std::int32_t n : hold.nodes) sets.join(std::size_t(n) + 1, 0);
  }
  std::vector<std::int32_t> loose = loose_nodes(spec, mesh.positions, parts, sets, context);
  if (!loose.empty()) {
    body.spec.holds.push_back({.name = std::string(kLooseParts), .nodes = std::move(loose)});
  }
}

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
  std::vector<tets::BodySpec> specs;
  std::int32_t first_node = 0;
  std::vector<HoldSpec> holds;
  std::vector<tets::BodySpec> bands;
  for (const BodySpec& spec : scene.bodies) {
    TetBody body = build_tet_body(spec, scene.file, context);
    add_holds(spec, scene.file, body, context);
    if (scene.time.starts_in_equilibrium()) hold_loose_parts(spec, body, context);
    holds.insert(holds.end(), spec.holds.begin(), spec.holds.end());
    if (body.spec.holds.size() > spec.holds.size()) {
      holds.push_back({.name = std::string(kLooseParts), .where = "all"});
    }
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
  out.model = tets::build_model(specs, params, context.arena);
  for (std::size_t h = 0; h < holds.size(); ++h) {
    std::vector<Vec3d> points;
    for (const std::int32_t n : out.model.holds[h].nodes) {
      points.push_back(out.model.rest_positions[n]);
    }
    out.holds.push_back(make_driver(holds[h], std::move(points)));
  }
  return out;
}

std::vector<Vec3d> held_positions_at(const TetScene& scene, const Guides& guides, double time) {
  std::vector<Vec3d> positions;
  for (std::size_t h = 0; h < scene.holds.size(); ++h) {
    const Driver& driver = scene.holds[h];
    const Pose pose = pose_at(driver, guides[h], time);
    for (const Vec3d& point : driver.points) positions.push_back(pose(point, driver.center));
  }
  return positions;
}

Setup setup_of(const TetScene& scene) {
  Setup setup;
  for (std::size_t h = 0; h < scene.holds.size(); ++h) {
    const Driver& driver = scene.holds[h];
    setup.attachments.push_back({.name = scene.model.holds[h].name,
                                 .kind = Attachment::Kind::Hold,
                                 .points = driver.points,
                                 .keys = keys_about_middle(driver)});
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
