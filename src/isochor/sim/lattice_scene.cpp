#include "isochor/sim/lattice_scene.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numeric>
#include <set>

#include "isochor/base/error.h"
#include "isochor/geometry/triangle_bvh.h"
#include "isochor/sim/loose_parts.h"
#include "isochor/sim/region.h"
#include "isochor/sim/sheet_spec.h"

namespace isochor::sim {
namespace {

template <class T>
std::vector<T> pick(const std::vector<T>& from, const std::vector<std::int32_t>& which) {
  std::vector<T> picked;
  for (const std::int32_t i : which) picked.push_back(from[i]);
  return picked;
}

/// Adds the point that rides on a body to the terms of a spring, with a sign.
void add_point(const grid::Embedding& embedding, std::size_t point, double sign,
               std::int32_t first_node, solve::Spring& spring) {
  for (const auto& [node, weight] : embedding.weights(point)) {
    spring.terms.push_back({first_node + node, sign * weight});
  }
}

lattice::mixed::Params mixed_params_of(const MethodSpec& method) {
  lattice::mixed::Params params{.tolerance = method.newton.tolerance,
                                .max_iterations = method.newton.max_iterations};
  using enum lattice::mixed::Mean;
  using enum lattice::mixed::MeanPoints;
  params.mean = method.mean == "volume" ? OfVolume : OfMeasure;
  params.mean_points = method.mean_points == "eight" ? Eight : Four;
  params.whole_in_matrix = method.tangent == "whole";
  if (!method.stabilise) params.stabilise = 0;
  if (method.variant == "paper") {
    params.variant = lattice::mixed::Variant::Published;
    params.jumps = 0;
  }
  return params;
}

lattice::Slide slide_of(const HoldSpec& hold) {
  return hold.slide == "plane"  ? lattice::Slide::InPlane
         : hold.slide == "line" ? lattice::Slide::AlongLine
                                : lattice::Slide::None;
}

/// Bodies on their way into a model.
class Assembly {
 public:
  Assembly(const SceneSpec& scene, Context& context) : scene_(scene), context_(context) {
    std::int32_t next = 0;
    for (const BodySpec& spec : scene.bodies) {
      bodies_.push_back(build_body(spec, scene.file, context));
      first_nodes_.push_back(next);
      next += static_cast<std::int32_t>(bodies_.back().lattice.rest_positions.size());
    }
    holds_.resize(bodies_.size());
    held_triangles_.resize(bodies_.size());
  }

  LatticeScene build(const lattice::Params& params) {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      int bones_inside = 0, bones_outside = 0;
      for (const HoldSpec& hold : scene_.bodies[b].holds) {
        if (hold.stiffness > 0) {
          const bool holds = add_soft_hold(b, hold);
          if (hold.from_bones) ++(holds ? bones_inside : bones_outside);
        } else if (hold.select == "surface") {
          add_held_surface(b, hold);
        } else {
          add_hold(b, hold);
        }
      }
      if (bones_outside > 0 && bones_inside == 0) {
        throw Error(Fault::Input, scene_.bodies[b].bones.place.text(),
                    fmt::format("no bone lies inside of '{}'", scene_.bodies[b].name),
                    "give skeleton and mesh the same scale, and joints where the mesh is");
      }
    }
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      for (const LoadSpec& load : scene_.bodies[b].loads) add_load(b, load);
    }
    for (const TieSpec& tie : scene_.ties) add_tie(tie);
    for (std::size_t b = 0; b < bodies_.size(); ++b) add_skin(b, scene_.bodies[b].skin);
    if (scene_.time.starts_in_equilibrium()) hold_loose_parts();

    LatticeScene out;
    std::vector<lattice::BodySpec> specs;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      Body& body = bodies_[b];
      out.riders.push_back(make_rider(b));
      std::erase_if(body.groups, [](const auto& g) { return g.name.starts_with(kPaintedGroup); });
      out.topology.bodies.push_back({.name = scene_.bodies[b].name,
                                     .rest_nodes = body.lattice.rest_positions,
                                     .cells = body.lattice.cell_nodes(),
                                     .tets = {},
                                     .surface = std::move(body.surface),
                                     .texture_coordinates = std::move(body.texture_coordinates),
                                     .groups = std::move(body.groups)});
      specs.push_back(std::move(body.spec));
    }
    if (scene_.method.volume == "mixed") {
      out.mixed = lattice::mixed::build_model(std::move(specs), params,
                                              mixed_params_of(scene_.method), springs_);
    } else {
      out.plain = lattice::build_model(specs, params, springs_);
    }
    // Nodes that another hold has altogether are no longer those of a hold that slides.
    std::size_t next = 0;
    for (const auto& holds : holds_) {
      for (const HoldSpec& hold : holds) {
        out.holds.push_back(
            make_driver(hold, pick(out.model().rest_positions, out.model().holds[next++].nodes)));
      }
    }
    out.soft_holds = std::move(soft_holds_);
    out.held_surfaces = std::move(held_surfaces_);
    out.bones = std::move(bones_);
    out.pressures = std::move(pressures_);
    out.tractions = std::move(tractions_);
    return out;
  }

 private:
  Rider make_rider(std::size_t b) {
    Body& body = bodies_[b];
    const auto kind = scene_.bodies[b].embedding == "tricubic" ? grid::Interpolation::Tricubic
                                                               : grid::Interpolation::Trilinear;
    const auto& rest = scene_.bodies[b].rest;
    if (rest && !rest->vertices.empty()) body.surface.positions = rest->vertices;
    return {grid::embed(body.lattice, body.surface.positions, body.lattice.vertex_cells, kind),
            std::move(body.triangles), std::move(body.fields), std::move(body.parts)};
  }

  std::optional<Enclosure> enclosure_of(const HoldSpec& hold, const Body& body) {
    return make_enclosure(hold, body.lattice.spacing, scene_.file, context_.arena);
  }

  void add_hold(std::size_t b, const HoldSpec& hold) {
    Body& body = bodies_[b];
    const geometry::Bounds bounds = geometry::bounds_of_faces(body.surface);
    const std::optional<Enclosure> enclosure = enclosure_of(hold, body);
    const auto cells = body.lattice.cell_nodes();
    const NodesAndCells nodes{.nodes = body.lattice.rest_positions,
                              .cells = {cells.data()->data(), 8 * cells.size()},
                              .corners = 8,
                              .spacing = body.lattice.spacing};
    std::vector<std::int32_t> held =
        select_nodes(hold, nodes, bounds, enclosure ? &*enclosure : nullptr);
    if (hold.where == "bone") share_out(b, hold, held);
    body.spec.holds.push_back({.name = hold.name,
                               .nodes = std::move(held),
                               .place = hold.place.text(),
                               .slide = slide_of(hold)});
    holds_[b].push_back(hold);
  }

  void share_out(std::size_t b, const HoldSpec& bone, std::vector<std::int32_t>& held) {
    Body& body = bodies_[b];
    for (std::size_t h = 0; h < holds_[b].size(); ++h) {
      sim::share_out(body.lattice.rest_positions, bone, held, holds_[b][h],
                     body.spec.holds[h].nodes);
    }
  }

  /// Whether it holds anything: bones made between joints may lie outside, as those of what a
  /// figure carries do.
  bool add_soft_hold(std::size_t b, const HoldSpec& hold) {
    const Body& body = bodies_[b];
    std::optional<Enclosure> bone = enclosure_of(hold, body);
    const SurfacePatch patch =
        bone ? whole_surface(bone->surface, bone->triangles)
             : select_surface(hold, {body.surface, body.triangles, body.groups},
                              body.lattice.spacing);
    std::vector<Vec3d> points =
        pick((bone ? bone->surface : body.surface).positions, patch.vertices);
    std::vector<double> areas = patch.areas;
    if (bone) keep_inside(body.lattice, points, areas);
    if (points.empty()) {
      const std::string outside =
          fmt::format("the bone '{}' lies outside of '{}'", hold.name, scene_.bodies[b].name);
      if (!hold.from_bones) {
        throw Error(Fault::Input, hold.place.text(), outside,
                    "move it into the body, or give its scale");
      }
      context_.log(LogLevel::Warning, outside + " and holds nothing");
      return false;
    }
    if (hold.slide == "surface") {
      add_sliding_bone(b, hold, std::move(*bone), std::move(points), areas);
      return true;
    }
    const grid::Embedding embedding =
        bone ? grid::embed(body.lattice, points)
             : grid::embed(body.lattice, points, pick(body.lattice.vertex_cells, patch.vertices));
    lattice::SpringGroupSpec group{.name = scene_.bodies[b].name + "." + hold.name, .springs = {}};
    for (std::size_t k = 0; k < points.size(); ++k) {
      solve::Spring spring{.terms = {},
                           .stiffness = Mat3d::identity() * (hold.stiffness * areas[k])};
      add_point(embedding, k, 1, first_nodes_[b], spring);
      group.springs.push_back(std::move(spring));
    }
    springs_.push_back(std::move(group));
    soft_holds_.push_back(make_driver(hold, std::move(points)));
    return true;
  }

  void add_sliding_bone(std::size_t b, const HoldSpec& hold, Enclosure bone,
                        std::vector<Vec3d> points, std::vector<double> areas) {
    for (double& area : areas) area *= hold.stiffness;
    grid::Embedding embedding = grid::embed(bodies_[b].lattice, points);
    bones_.push_back({.name = scene_.bodies[b].name + "." + hold.name,
                      .body = static_cast<std::int32_t>(b),
                      .driver = make_driver(hold, std::move(points)),
                      .points = std::move(embedding),
                      .stiffness = std::move(areas),
                      .surface = std::move(bone.surface),
                      .triangles = std::move(bone.triangles)});
  }

  /// Leaves only points that are in cells: a bone may reach out of its body, where there is nothing
  /// to hold.
  static void keep_inside(const grid::Lattice& lattice, std::vector<Vec3d>& points,
                          std::vector<double>& areas) {
    constexpr double kSlack = 1e-6;
    const grid::Embedding embedding = grid::embed(lattice, points);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Vec3d& local = embedding.points[k].local;
      if (*std::min_element(local.e, local.e + 3) < -kSlack) continue;
      if (*std::max_element(local.e, local.e + 3) > 1 + kSlack) continue;
      points[kept] = points[k];
      areas[kept++] = areas[k];
    }
    points.resize(kept);
    areas.resize(kept);
  }

  /// The part of a surface that a hold or a load speaks of, with its vertices.
  struct Part {
    std::vector<geometry::Triangle> triangles;
    std::vector<grid::SurfaceFacet> facets;
    std::vector<Vec3d> points;
  };
  Part surface_part(std::size_t b, const HoldSpec& region,
                    const std::set<geometry::Triangle>& without = {}) const {
    const Body& body = bodies_[b];
    std::vector<geometry::Triangle> triangles =
        select_triangles(region, {body.surface, body.triangles, body.groups}, body.lattice.spacing);
    std::erase_if(triangles, [&](const geometry::Triangle& t) { return without.contains(t); });
    std::set<std::int32_t> vertices;
    for (const geometry::Triangle& t : triangles) vertices.insert(t.begin(), t.end());
    auto facets =
        grid::surface_facets(body.lattice, body.surface.positions, triangles, context_.arena);
    return {std::move(triangles), std::move(facets),
            pick(body.surface.positions, {vertices.begin(), vertices.end()})};
  }

  void add_held_surface(std::size_t b, const HoldSpec& hold) {
    Part part = surface_part(b, hold);
    const double length = norm(hold.direction);
    held_triangles_[b].insert(part.triangles.begin(), part.triangles.end());
    bodies_[b].spec.held_surfaces.push_back(
        {.name = hold.name,
         .facets = std::move(part.facets),
         .slide = slide_of(hold),
         .direction = length > 0 ? hold.direction * (1 / length) : Vec3d{0, 0, 1}});
    held_surfaces_.push_back(make_driver(hold, std::move(part.points)));
  }

  void add_load(std::size_t b, const LoadSpec& load) {
    // A hold carries what is loaded there itself, and its traction must not be told of it.
    Part part = surface_part(b, region_of(load), held_triangles_[b]);
    if (part.triangles.empty()) {
      throw Error(Fault::Input, load.place.text(),
                  "pushes only at faces that a [[body.hold]] has with select = \"surface\"",
                  "load other faces: what is held does not move");
    }
    SurfaceLoad out{.spec = load,
                    .name = scene_.bodies[b].name + "." + load.name,
                    .points = std::move(part.points),
                    .first_node = first_nodes_[b]};
    if (load.kind == "traction") {
      out.areas = lattice::nodal_areas(bodies_[b].lattice, part.facets);
      tractions_.push_back(std::move(out));
    } else {
      bodies_[b].spec.pressures.push_back({load.name, std::move(part.facets)});
      pressures_.push_back(std::move(out));
    }
  }

  void add_skin(std::size_t b, const SkinSpec& skin) {
    if (skin.law == "none") return;
    Body& body = bodies_[b];
    body.spec.skin = {.law = sheet_law_of(skin),
                      .thickness = skin.thickness,
                      .facets = grid::surface_facets(body.lattice, body.surface.positions,
                                                     body.triangles, context_.arena)};
  }

  std::size_t body_named(const std::string& name) const {
    return std::ranges::find(scene_.bodies, name, &BodySpec::name) - scene_.bodies.begin();
  }

  /// One point of space that rides on both bodies: a spring has no length at rest, and none that
  /// turning both of them would stretch.
  void add_tie(const TieSpec& tie) {
    const std::size_t a = body_named(tie.first), b = body_named(tie.second);
    const Body &first = bodies_[a], &second = bodies_[b];
    const double reach = tie.distance > 0
                             ? tie.distance
                             : 0.5 * std::min(first.lattice.spacing, second.lattice.spacing);
    const geometry::TriangleBvh bvh(second.surface.positions, second.triangles, context_.arena);
    std::vector<std::int32_t> vertices;
    std::vector<double> areas;
    const SurfacePatch patch = whole_surface(first.surface, first.triangles);
    for (std::size_t k = 0; k < patch.vertices.size(); ++k) {
      const Vec3d& p = first.surface.positions[patch.vertices[k]];
      if (bvh.closest_point(p, reach).triangle < 0) continue;
      vertices.push_back(patch.vertices[k]);
      areas.push_back(patch.areas[k]);
    }
    if (vertices.empty()) {
      throw Error(
          Fault::Input, tie.place.text(),
          fmt::format("no vertex of '{}' is within {} m of '{}'", tie.first, reach, tie.second),
          "make distance larger, or move the bodies closer");
    }
    const std::vector<Vec3d> points = pick(first.surface.positions, vertices);
    const grid::Embedding on_first =
        grid::embed(first.lattice, points, pick(first.lattice.vertex_cells, vertices));
    const grid::Embedding on_second = grid::embed(second.lattice, points);
    lattice::SpringGroupSpec group{.name = tie.name, .springs = {}};
    for (std::size_t k = 0; k < points.size(); ++k) {
      solve::Spring spring{.terms = {},
                           .stiffness = Mat3d::identity() * (tie.stiffness * areas[k])};
      add_point(on_first, k, 1, first_nodes_[a], spring);
      add_point(on_second, k, -1, first_nodes_[b], spring);
      group.springs.push_back(std::move(spring));
    }
    springs_.push_back(std::move(group));
    soft_holds_.push_back({});
  }

  void hold_loose_parts();

  const SceneSpec& scene_;
  Context& context_;
  std::vector<Body> bodies_;
  std::vector<std::int32_t> first_nodes_;     ///< per body, in the model
  std::vector<std::vector<HoldSpec>> holds_;  ///< per body, as in its lattice::BodySpec
  std::vector<lattice::SpringGroupSpec> springs_;
  std::vector<Driver> soft_holds_;  ///< per group of springs
  std::vector<Driver> held_surfaces_;
  std::vector<BoneInFlesh> bones_;
  std::vector<std::set<geometry::Triangle>> held_triangles_;  ///< per body
  std::vector<SurfaceLoad> pressures_, tractions_;
};

void Assembly::hold_loose_parts() {
  // All parts of all bodies, and what stands for everything that is held.
  std::vector<std::size_t> part_of;  // per node of the model
  std::size_t count = 1;
  for (const Body& body : bodies_) {
    const grid::Parts parts = grid::find_parts(body.lattice);
    for (const std::int32_t part : parts.of_node) part_of.push_back(count + part);
    count += parts.count;
  }
  DisjointSets sets(count);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    for (const lattice::HoldSpec& hold : bodies_[b].spec.holds) {
      for (const std::int32_t n : hold.nodes) sets.join(part_of[first_nodes_[b] + n], 0);
    }
    const auto cells = bodies_[b].lattice.cell_nodes();
    for (const lattice::HeldSurfaceSpec& hold : bodies_[b].spec.held_surfaces) {
      for (const grid::SurfaceFacet& facet : hold.facets) {
        sets.join(part_of[first_nodes_[b] + cells[facet.cell][0]], 0);
      }
    }
  }
  for (std::size_t g = 0; g < springs_.size(); ++g) {
    const bool soft_hold = !soft_holds_[g].points.empty();
    for (const solve::Spring& spring : springs_[g].springs) {
      const std::size_t part = part_of[spring.terms[0].index];
      for (const solve::SpringTerm& term : spring.terms) sets.join(part_of[term.index], part);
      if (soft_hold) sets.join(part, 0);
    }
  }
  for (const BoneInFlesh& bone : bones_) {
    for (const grid::Embedding::Point& point : bone.points.points) {
      sets.join(part_of[first_nodes_[bone.body] + point.nodes[0]], 0);
    }
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Body& body = bodies_[b];
    const BodySpec& spec = scene_.bodies[b];
    const std::vector<Vec3d>& nodes = body.lattice.rest_positions;
    std::vector<std::int32_t> loose = loose_nodes(
        spec, nodes, std::span(part_of).subspan(first_nodes_[b], nodes.size()), sets, context_);
    if (loose.empty()) continue;
    const HoldSpec hold{.name = std::string(kLooseParts), .where = "all"};
    body.spec.holds.push_back(
        {.name = hold.name, .nodes = std::move(loose), .place = spec.place.text()});
    holds_[b].push_back(hold);
  }
}

}  // namespace

const Driver& LatticeScene::driver(std::size_t number) const {
  if (number < holds.size()) return holds[number];
  number -= holds.size();
  if (number < soft_holds.size()) return soft_holds[number];
  number -= soft_holds.size();
  return number < held_surfaces.size() ? held_surfaces[number]
                                       : bones[number - held_surfaces.size()].driver;
}

Demands demands_at(const LatticeScene& scene, const Guides& guides, double time) {
  Demands out;
  std::size_t next = 0;
  for (const Driver& driver : scene.holds) {
    const Pose pose = pose_at(driver, guides[next++], time);
    for (const Vec3d& point : driver.points) {
      out.held_positions.push_back(pose(point, driver.center));
    }
    const Vec3d direction = rotation_from_vector(pose.rotation) * driver.spec.direction;
    out.slide_directions.push_back((1 / norm(direction)) * direction);
  }
  out.spring_targets.assign(scene.model().springs.count(), Vec3d{0, 0, 0});
  for (std::size_t g = 0; g < scene.soft_holds.size(); ++g) {
    const Driver& driver = scene.soft_holds[g];
    const Pose pose = pose_at(driver, guides[next++], time);
    auto target = out.spring_targets.begin() + scene.model().spring_groups[g].first;
    for (const Vec3d& point : driver.points) *target++ = pose(point, driver.center);
  }
  for (const Driver& driver : scene.held_surfaces) {
    const Pose pose = pose_at(driver, guides[next++], time);
    const Mat3d rotation = rotation_from_vector(pose.rotation);
    const Vec3d direction = rotation * driver.spec.direction;
    out.surface_motions.push_back({.rotation = rotation,
                                   .translation = pose(Vec3d{0, 0, 0}, driver.center),
                                   .direction = (1 / norm(direction)) * direction});
  }
  for (const SurfaceLoad& load : scene.pressures) {
    out.pressures.push_back(load_at(load.spec, time) * load.spec.pressure);
  }
  return out;
}

std::vector<contact::BoneMotion> bone_motions_at(const LatticeScene& scene, const Guides& guides,
                                                 double time) {
  std::vector<contact::BoneMotion> out;
  std::size_t next = scene.driver_count() - scene.bones.size();
  for (const BoneInFlesh& bone : scene.bones) {
    const Pose pose = pose_at(bone.driver, guides[next++], time);
    out.push_back({.rotation = rotation_from_vector(pose.rotation),
                   .translation = pose(Vec3d{0, 0, 0}, bone.driver.center)});
  }
  return out;
}

LatticeScene build_lattice_scene(const SceneSpec& scene, const lattice::Params& params,
                                 Context& context) {
  return Assembly(scene, context).build(params);
}

}  // namespace isochor::sim
