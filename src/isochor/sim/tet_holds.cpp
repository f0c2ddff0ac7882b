#include "isochor/sim/tet_holds.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/geometry/tet_embedding.h"
#include "isochor/geometry/triangle_bvh.h"
#include "isochor/sim/loose_parts.h"
#include "isochor/sim/region.h"

namespace isochor::sim {
namespace {

NodesAndCells nodes_of(const TetBody& body) {
  const geometry::TetMesh& mesh = body.spec.mesh;
  return {.nodes = mesh.positions,
          .cells = {mesh.tets.data()->data(), 4 * mesh.tets.size()},
          .corners = 4,
          .spacing = body.spacing};
}

/// Adds the point that rides on a body to the terms of a spring, with a sign.
void add_point(const geometry::TetEmbedding& embedding, std::size_t point, double sign,
               std::int32_t first_node, solve::Spring& spring) {
  for (const auto& [node, weight] : embedding.weights(point)) {
    if (weight != 0) spring.terms.push_back({first_node + node, sign * weight});
  }
}

/// Leaves only points that are in tets: a bone may reach out of its body, where there is nothing to
/// hold.
void keep_inside(const geometry::TetMesh& mesh, std::vector<Vec3d>& points,
                 std::vector<double>& areas, ThreadArena& arena) {
  constexpr double kSlack = 1e-6;
  const geometry::TetEmbedding embedding = geometry::embed(mesh, points, arena);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (*std::ranges::min_element(embedding.points[k].weights) < -kSlack) continue;
    points[kept] = points[k];
    areas[kept++] = areas[k];
  }
  points.resize(kept);
  areas.resize(kept);
}

/// Bodies on their way to being held.
class Holding {
 public:
  Holding(const SceneSpec& scene, std::span<TetBody> bodies, Context& context)
      : scene_(scene), bodies_(bodies), context_(context) {
    std::int32_t next = 0;
    for (const TetBody& body : bodies) {
      first_nodes_.push_back(next);
      next += std::int32_t(body.spec.mesh.positions.size());
    }
    out_.nodes.resize(bodies.size());
    out_.sliding.resize(bodies.size());
  }

  TetHolds hold() {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      int bones_inside = 0, bones_outside = 0;
      for (const HoldSpec& hold : scene_.bodies[b].holds) {
        if (hold.stiffness == 0) {
          add_hold(b, hold);
          continue;
        }
        const bool holds = add_soft_hold(b, hold);
        if (hold.from_bones) ++(holds ? bones_inside : bones_outside);
      }
      if (bones_outside > 0 && bones_inside == 0) {
        throw Error(Fault::Input, scene_.bodies[b].bones.place.text(),
                    fmt::format("no bone lies inside of '{}'", scene_.bodies[b].name),
                    "give skeleton and mesh the same scale, and joints where the mesh is");
      }
    }
    for (std::size_t b = 0; b < bodies_.size(); ++b) drop_held(bodies_[b].spec);
    for (const TieSpec& tie : scene_.ties) add_tie(tie);
    if (scene_.time.starts_in_equilibrium()) hold_loose_parts();
    return std::move(out_);
  }

 private:
  std::optional<Enclosure> enclosure_of(const HoldSpec& hold, const TetBody& body) {
    return make_enclosure(hold, body.spacing, scene_.file, context_.arena);
  }

  void add_hold(std::size_t b, const HoldSpec& hold) {
    TetBody& body = bodies_[b];
    const bool clamps = hold.select == "surface";
    std::vector<std::int32_t> held = clamps ? nodes_on_surface(body, hold) : nodes_in(body, hold);
    if (hold.slide != "none") {
      body.spec.sliding.push_back(
          {.name = hold.name, .nodes = std::move(held), .along_line = hold.slide == "line"});
      out_.sliding[b].push_back(hold);
      return;
    }
    for (std::size_t h = 0; h < out_.nodes[b].size(); ++h) {
      std::vector<std::int32_t>& theirs = body.spec.holds[h].nodes;
      const auto is_theirs = [&](std::int32_t n) { return std::ranges::binary_search(theirs, n); };
      // Parts of the surface that are held have edges in common.
      if (clamps) std::erase_if(held, is_theirs);
      if (hold.where == "bone") {
        share_out(body.spec.mesh.positions, hold, held, out_.nodes[b][h], theirs);
      }
      if (std::ranges::none_of(held, is_theirs)) continue;
      throw Error(Fault::Input, hold.place.text(),
                  fmt::format("holds a node that '{}' holds already", body.spec.holds[h].name),
                  "make the two regions apart from each other");
    }
    body.spec.holds.push_back({.name = hold.name, .nodes = std::move(held)});
    out_.nodes[b].push_back(hold);
  }

  /// Nodes that another hold has altogether are no longer those of a hold that slides.
  static void drop_held(tets::BodySpec& body) {
    std::vector<std::uint8_t> held(body.mesh.positions.size(), 0);
    for (const tets::HoldSpec& hold : body.holds) {
      for (const std::int32_t n : hold.nodes) held[n] = 1;
    }
    for (tets::SlidingHoldSpec& hold : body.sliding) {
      std::erase_if(hold.nodes, [&](std::int32_t n) { return held[n] != 0; });
    }
  }

  std::vector<std::int32_t> nodes_in(const TetBody& body, const HoldSpec& hold) {
    const std::optional<Enclosure> enclosure = enclosure_of(hold, body);
    return select_nodes(hold, nodes_of(body), geometry::bounds_of_faces(body.surface.mesh),
                        enclosure ? &*enclosure : nullptr);
  }

  /// Nodes of the boundary of tets that are nearer to a part of the surface than to the rest of it:
  /// tets follow the surface, and what holds it holds these.
  std::vector<std::int32_t> nodes_on_surface(const TetBody& body, const HoldSpec& hold) {
    if (hold.encloses()) {
      throw Error(Fault::Input, hold.place.text("select"),
                  "tets do not follow the surface of a bone",
                  "give a stiffness, or hold nodes: select = \"nodes\"");
    }
    constexpr double kRounding = 1e-6, kFarthest = 0.5;  // of the spacing
    const geometry::SurfaceMesh& surface = body.surface.mesh;
    const geometry::TriangleBvh part(
        surface.positions,
        select_triangles(hold, {surface, body.triangles, body.surface.groups}, body.spacing),
        context_.arena);
    const geometry::TriangleBvh whole(surface.positions, body.triangles, context_.arena);
    const geometry::TetMesh& mesh = body.spec.mesh;
    std::vector<std::uint8_t> outside(mesh.positions.size(), 0);
    for (const geometry::Triangle& t : geometry::boundary_triangles(mesh.tets)) {
      for (const std::int32_t n : t) outside[n] = 1;
    }
    std::vector<std::int32_t> nodes;
    for (std::size_t n = 0; n < outside.size(); ++n) {
      if (!outside[n]) continue;
      const geometry::ClosestPoint nearest =
          part.closest_point(mesh.positions[n], kFarthest * body.spacing);
      if (nearest.triangle < 0) continue;
      const double reach = std::sqrt(nearest.squared_distance) - kRounding * body.spacing;
      if (reach > 0 && whole.closest_point(mesh.positions[n], reach).triangle >= 0) continue;
      nodes.push_back(std::int32_t(n));
    }
    if (nodes.empty()) {
      throw Error(Fault::Input, hold.place.text(),
                  fmt::format("no node of the tets is within {:.4g} m of that part of the surface",
                              kFarthest * body.spacing),
                  "make it larger, or tets smaller");
    }
    return nodes;
  }

  /// Whether it holds anything: bones made between joints may lie outside, as those of what a
  /// figure carries do.
  bool add_soft_hold(std::size_t b, const HoldSpec& hold) {
    const TetBody& body = bodies_[b];
    const geometry::TetMesh& mesh = body.spec.mesh;
    std::optional<Enclosure> bone = enclosure_of(hold, body);
    const SurfacePatch patch =
        bone ? whole_surface(bone->surface, bone->triangles)
             : select_surface(hold, {body.surface.mesh, body.triangles, body.surface.groups},
                              body.spacing);
    const std::vector<Vec3d>& vertices =
        bone ? bone->surface.positions : body.surface.mesh.positions;
    std::vector<Vec3d> points;
    for (const std::int32_t v : patch.vertices) points.push_back(vertices[v]);
    std::vector<double> areas = patch.areas;
    if (bone) keep_inside(mesh, points, areas, context_.arena);
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
    if (hold.slides_over_bone()) {
      add_sliding_bone(b, hold, *bone, std::move(points), areas);
      return true;
    }
    const geometry::TetEmbedding embedding = geometry::embed(mesh, points, context_.arena);
    tets::SpringGroupSpec group{.name = scene_.bodies[b].name + "." + hold.name, .springs = {}};
    for (std::size_t k = 0; k < points.size(); ++k) {
      solve::Spring spring{.terms = {},
                           .stiffness = Mat3d::identity() * (hold.stiffness * areas[k])};
      add_point(embedding, k, 1, first_nodes_[b], spring);
      group.springs.push_back(std::move(spring));
    }
    out_.springs.push_back(std::move(group));
    out_.soft.push_back(make_driver(hold, std::move(points)));
    return true;
  }

  void add_sliding_bone(std::size_t b, const HoldSpec& hold, const Enclosure& bone,
                        std::vector<Vec3d> points, std::span<const double> areas) {
    const geometry::TetEmbedding embedding =
        geometry::embed(bodies_[b].spec.mesh, points, context_.arena);
    std::vector<contact::SlidingPoint> sliding;
    for (std::size_t k = 0; k < points.size(); ++k) {
      contact::SlidingPoint& point = sliding.emplace_back();
      for (const auto& [node, weight] : embedding.weights(k)) {
        point.points[point.count] = first_nodes_[b] + node;
        point.weights[point.count++] = weight;
      }
      point.stiffness = hold.stiffness * areas[k];
    }
    out_.bones.push_back(
        {.driver = make_driver(hold, std::move(points)),
         .bone = {.name = scene_.bodies[b].name + "." + hold.name,
                  .surface = {bone.surface.positions, bone.triangles, context_.arena},
                  .points = std::move(sliding)}});
  }

  std::size_t body_named(const std::string& name) const {
    return std::ranges::find(scene_.bodies, name, &BodySpec::name) - scene_.bodies.begin();
  }

  /// One point of space that rides on both bodies: a spring has no length at rest, and none that
  /// turning both of them would stretch.
  void add_tie(const TieSpec& tie) {
    const std::size_t a = body_named(tie.first), b = body_named(tie.second);
    const TetBody &first = bodies_[a], &second = bodies_[b];
    const double reach =
        tie.distance > 0 ? tie.distance : 0.5 * std::min(first.spacing, second.spacing);
    const geometry::TriangleBvh bvh(second.surface.mesh.positions, second.triangles,
                                    context_.arena);
    std::vector<Vec3d> points;
    std::vector<double> areas;
    const SurfacePatch patch = whole_surface(first.surface.mesh, first.triangles);
    for (std::size_t k = 0; k < patch.vertices.size(); ++k) {
      const Vec3d& p = first.surface.mesh.positions[patch.vertices[k]];
      if (bvh.closest_point(p, reach).triangle < 0) continue;
      points.push_back(p);
      areas.push_back(patch.areas[k]);
    }
    if (points.empty()) {
      throw Error(
          Fault::Input, tie.place.text(),
          fmt::format("no vertex of '{}' is within {} m of '{}'", tie.first, reach, tie.second),
          "make distance larger, or move the bodies closer");
    }
    const geometry::TetEmbedding on_first =
        geometry::embed(first.spec.mesh, points, context_.arena);
    const geometry::TetEmbedding on_second =
        geometry::embed(second.spec.mesh, points, context_.arena);
    tets::SpringGroupSpec group{.name = tie.name, .springs = {}};
    for (std::size_t k = 0; k < points.size(); ++k) {
      solve::Spring spring{.terms = {},
                           .stiffness = Mat3d::identity() * (tie.stiffness * areas[k])};
      add_point(on_first, k, 1, first_nodes_[a], spring);
      add_point(on_second, k, -1, first_nodes_[b], spring);
      group.springs.push_back(std::move(spring));
    }
    out_.springs.push_back(std::move(group));
    out_.soft.push_back({});
  }

  void hold_loose_parts() {
    std::size_t count = 1;  // set 0 stands for all that is held
    for (const TetBody& body : bodies_) count += body.spec.mesh.positions.size();
    DisjointSets sets(count);
    const auto set_of = [](std::int32_t node) { return std::size_t(node) + 1; };
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const std::int32_t first = first_nodes_[b];
      for (const geometry::Tet& tet : bodies_[b].spec.mesh.tets) {
        for (int k = 1; k < 4; ++k) sets.join(set_of(first + tet[k]), set_of(first + tet[0]));
      }
      for (const tets::HoldSpec& hold : bodies_[b].spec.holds) {
        for (const std::int32_t n : hold.nodes) sets.join(set_of(first + n), 0);
      }
      for (const tets::SlidingHoldSpec& hold : bodies_[b].spec.sliding) {
        for (const std::int32_t n : hold.nodes) sets.join(set_of(first + n), 0);
      }
    }
    for (std::size_t g = 0; g < out_.springs.size(); ++g) {
      const bool soft_hold = !out_.soft[g].points.empty();
      for (const solve::Spring& spring : out_.springs[g].springs) {
        const std::size_t set = set_of(spring.terms[0].index);
        for (const solve::SpringTerm& term : spring.terms) sets.join(set_of(term.index), set);
        if (soft_hold) sets.join(set, 0);
      }
    }
    for (const BoneInTets& bone : out_.bones) {
      for (const contact::SlidingPoint& p : bone.bone.points) sets.join(set_of(p.points[0]), 0);
    }
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const std::vector<Vec3d>& nodes = bodies_[b].spec.mesh.positions;
      std::vector<std::size_t> parts;
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        parts.push_back(sets.find(set_of(first_nodes_[b] + std::int32_t(n))));
      }
      std::vector<std::int32_t> loose = loose_nodes(scene_.bodies[b], nodes, parts, sets, context_);
      if (loose.empty()) continue;
      const std::string name(kLooseParts);
      bodies_[b].spec.holds.push_back({.name = name, .nodes = std::move(loose)});
      out_.nodes[b].push_back({.name = name, .where = "all"});
    }
  }

  const SceneSpec& scene_;
  std::span<TetBody> bodies_;
  Context& context_;
  std::vector<std::int32_t> first_nodes_;  ///< per body, in the model
  TetHolds out_;
};

}  // namespace

TetHolds hold_bodies(const SceneSpec& scene, std::span<TetBody> bodies, Context& context) {
  return Holding(scene, bodies, context).hold();
}

}  // namespace isochor::sim
