#include "isochor/sim/staggered_scene.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numeric>
#include <set>

#include "isochor/base/error.h"
#include "isochor/grid/surface_patches.h"
#include "isochor/materials/registry.h"
#include "isochor/sim/body_builder.h"
#include "isochor/sim/loose_parts.h"
#include "isochor/sim/region.h"
#include "isochor/staggered/body.h"
#include "isochor/staggered/loads.h"

namespace isochor::sim {
namespace {

using staggered::Cell;
using staggered::Index;

/// What the grid has not, with what to do instead.
void check_body(const BodySpec& body) {
  const auto refuse = [&](const std::string& key, const std::string& what) {
    throw Error(Fault::Input, body.place.text(key), what,
                "leave it out, or use another method (method.name = \"lattice\")");
  };
  if (body.damping.mass > 0) refuse("damping.mass", "the staggered grid has no damping by mass");
  if (!(materials::resolve(body.material).lambda > 0)) {
    refuse("material", "the staggered grid needs a positive Poisson's ratio");
  }
  for (const PaintSpec& paint : body.paints) {
    if (paint.quantity == "stiffness") {
      refuse("paint", "the staggered grid has one stiffness per body");
    }
  }
}

/// As the lattice around a body is built for this method: one cell per place, and a layer of
/// padding for what is held at its surface, and for its outline.
BodySpec on_grid(BodySpec spec) {
  spec.separate = false;
  spec.padding = std::max(spec.padding, 1);
  if (spec.boundary == "cut") spec.boundary = "weighted";
  return spec;
}

class Assembly {
 public:
  Assembly(const SceneSpec& scene, Context& context) : scene_(scene), context_(context) {}

  StaggeredScene build() {
    for (const BodySpec& spec : scene_.bodies) add_body(spec);
    return std::move(out_);
  }

 private:
  void add_body(const BodySpec& spec) {
    check_body(spec);
    Body body = build_body(on_grid(spec), scene_.file, context_);
    const std::size_t first_hold = out_.holds.size();
    const std::vector<std::int32_t> hold_of = held_cells(spec, body);
    std::vector<std::uint8_t> held;
    for (const std::int32_t h : hold_of) held.push_back(h >= 0);
    // As published, cells at the surface are as good as full.
    const bool fractions = scene_.method.variant == "best" && spec.boundary != "whole";
    staggered::Domain<3> domain =
        staggered::make_domain(body.lattice, held, fractions, spec.place.text());
    std::vector<Index<3>> cells;
    std::vector<std::int32_t> hold_in(domain.cells.size(), -1);
    body.lattice.for_each_cell([&](std::size_t block, int lane) {
      const grid::Index3 at = grid::cell_coordinate(body.lattice.blocks[block], lane);
      cells.push_back({at[0], at[1], at[2]});
      const std::size_t n = cells.size() - 1;
      Cell& label = domain.cells[domain.index(cells[n])];
      hold_in[domain.index(cells[n])] = hold_of[n];
      const bool padding = body.lattice.labels[n] == grid::CellLabel::Exterior;
      // Padding of this method's own is there for what is held alone, unless cells have fractions.
      if (padding && !fractions && spec.padding == 0 && label == Cell::Interior) {
        label = Cell::Exterior;
      }
    });
    const materials::Material material = materials::resolve(spec.material);
    const bool linear = spec.material.law == "linear";
    staggered::Params params =
        scene_.method.variant == "paper" ? staggered::Params::published() : staggered::Params{};
    if (!linear) params = params.corotated();
    staggered::Model<3> model = staggered::build_model<3>(
        domain, {.mu = material.mu, .compressibility = material.mu / material.lambda}, params,
        spec.place.text());
    std::vector<Index<3>> corners;
    const double h = body.lattice.spacing;
    for (const Vec3d& p : body.lattice.rest_positions) {
      const Vec3d at = (1 / h) * (p - body.lattice.origin);
      corners.push_back({std::int32_t(std::lround(at[0])), std::int32_t(std::lround(at[1])),
                         std::int32_t(std::lround(at[2]))});
    }
    staggered::NodeMap nodes(model, corners);
    const auto kind = spec.embedding == "tricubic" ? grid::Interpolation::Tricubic
                                                   : grid::Interpolation::Trilinear;
    StaggeredBody made{.name = spec.name,
                       .place = spec.place.text(),
                       .domain = std::move(domain),
                       .model = std::move(model),
                       .density = 0,
                       .damping = spec.damping.stiffness,
                       .origin = body.lattice.origin,
                       .cells = std::move(cells),
                       .nodes = std::move(nodes),
                       .node_mass = {},
                       .surface = grid::embed(body.lattice, body.surface.positions,
                                              body.lattice.vertex_cells, kind),
                       .triangles = body.triangles,
                       .painted = std::move(body.fields),
                       .given = {},
                       .tractions = {}};
    weigh(spec, body, made);
    add_given(hold_in, first_hold, made);
    for (const LoadSpec& load : spec.loads) add_traction(load, body, fractions, made);
    out_.topology.bodies.push_back({.name = spec.name,
                                    .rest_nodes = body.lattice.rest_positions,
                                    .cells = body.lattice.cell_nodes(),
                                    .tets = {},
                                    .surface = std::move(body.surface),
                                    .texture_coordinates = std::move(body.texture_coordinates),
                                    .groups = std::move(body.groups)});
    out_.bodies.push_back(std::move(made));
  }

  /// Per cell of the lattice the hold that takes it, or -1. Adds the holds.
  std::vector<std::int32_t> held_cells(const BodySpec& spec, const Body& body) {
    const grid::Lattice& lattice = body.lattice;
    const auto cells = lattice.cell_nodes();
    const NodesAndCells all{.nodes = lattice.rest_positions,
                            .cells = {cells.data()->data(), 8 * cells.size()},
                            .corners = 8,
                            .spacing = lattice.spacing};
    std::vector<std::uint8_t> material(lattice.rest_positions.size());
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (lattice.labels[c] == grid::CellLabel::Exterior) continue;
      for (const std::int32_t n : cells[c]) material[n] = 1;
    }
    std::vector<std::int32_t> hold_of(cells.size(), -1);
    std::vector<std::uint8_t> chosen(material.size());
    const auto take = [&](const std::vector<std::int32_t>& nodes) {
      std::ranges::fill(chosen, std::uint8_t(0));
      for (const std::int32_t n : nodes) chosen[n] = 1;
      std::size_t count = 0;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        // Corners that only padding has do not count.
        bool some = false, whole = true;
        for (const std::int32_t n : cells[c]) {
          if (!material[n]) continue;
          some = true;
          whole = whole && chosen[n];
        }
        if (!some || !whole || hold_of[c] >= 0) continue;
        hold_of[c] = std::int32_t(out_.holds.size());
        ++count;
      }
      return count;
    };
    const auto add = [&](const HoldSpec& hold) {
      std::vector<Vec3d> points;
      for (std::size_t n = 0; n < chosen.size(); ++n) {
        if (chosen[n] && material[n]) points.push_back(lattice.rest_positions[n]);
      }
      out_.holds.push_back(make_driver(hold, std::move(points)));
      out_.hold_names.push_back(spec.name + "." + hold.name);
    };
    const geometry::Bounds bounds = geometry::bounds_of_faces(body.surface);
    for (const HoldSpec& hold : spec.holds) {
      const std::optional<Enclosure> enclosure =
          make_enclosure(hold, lattice.spacing, scene_.file, context_.arena);
      if (take(select_nodes(hold, all, bounds, enclosure ? &*enclosure : nullptr)) == 0) {
        throw Error(Fault::Input, hold.place.text(),
                    "holds corners of cells, but no whole cell, which is what the staggered grid "
                    "can hold",
                    "make the region larger or cells smaller, or take select = \"cells\"");
      }
      add(hold);
    }
    if (!scene_.time.starts_in_equilibrium()) return hold_of;
    const grid::Parts parts = grid::find_parts(lattice);
    DisjointSets sets(std::size_t(parts.count) + 1);
    std::vector<std::size_t> part_of;
    for (const std::int32_t part : parts.of_node) part_of.push_back(std::size_t(part) + 1);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (hold_of[c] >= 0) sets.join(part_of[cells[c][0]], 0);
    }
    const std::vector<std::int32_t> loose =
        loose_nodes(spec, lattice.rest_positions, part_of, sets, context_);
    if (!loose.empty()) {
      take(loose);
      add({.name = std::string(kLooseParts), .where = "all"});
    }
    return hold_of;
  }

  /// The body weighs what its surface encloses.
  static void weigh(const BodySpec& spec, const Body& body, StaggeredBody& made) {
    const double h = body.lattice.spacing, cell = h * h * h;
    const auto filled_of = [&](std::size_t n) {
      const std::size_t at = made.domain.index(made.cells[n]);
      if (made.domain.cells[at] == Cell::Exterior) return 0.0;
      return made.domain.fraction.empty() ? 1.0 : double(made.domain.fraction[at]);
    };
    double filled = 0;
    for (std::size_t n = 0; n < made.cells.size(); ++n) filled += cell * filled_of(n);
    const double enclosed =
        std::abs(geometry::enclosed_volume(body.surface.positions, body.triangles));
    made.density = spec.material.density * std::min(1.0, enclosed / filled);
    made.node_mass.assign(body.lattice.rest_positions.size(), 0);
    const auto nodes = body.lattice.cell_nodes();
    for (std::size_t n = 0; n < made.cells.size(); ++n) {
      for (const std::int32_t corner : nodes[n]) {
        made.node_mass[corner] += 0.125 * made.density * cell * filled_of(n);
      }
    }
  }

  void add_given(const std::vector<std::int32_t>& hold_in, std::size_t first_hold,
                 StaggeredBody& made) {
    staggered::for_each_given<3>(
        made.model, [&](const Index<3>& cell, int axis, std::size_t place) {
          std::int32_t hold = -1;
          for (const int by : {0, -1}) {
            const Index<3> at = staggered::moved<3>(cell, axis, by);
            if (hold < 0 && made.domain.contains(at)) hold = hold_in[made.domain.index(at)];
          }
          const auto x = staggered::position(made.model, cell, axis);
          made.given.push_back({.place = place,
                                .cell = cell,
                                .axis = axis,
                                .hold = hold < 0 ? std::int32_t(first_hold) : hold,
                                .at = made.origin + Vec3d{x[0], x[1], x[2]}});
        });
  }

  void add_traction(const LoadSpec& load, const Body& body, bool fractions, StaggeredBody& made) {
    const std::vector<geometry::Triangle> triangles = select_triangles(
        region_of(load), {body.surface, body.triangles, body.groups}, body.lattice.spacing);
    const auto facets =
        grid::surface_facets(body.lattice, body.surface.positions, triangles, context_.arena);
    StaggeredLoad out{.spec = load,
                      .name = made.name + "." + load.name,
                      .points = {},
                      .b = std::vector<double>(made.model.unknowns())};
    std::set<std::int32_t> vertices;
    for (const geometry::Triangle& t : triangles) vertices.insert(t.begin(), t.end());
    for (const std::int32_t v : vertices) out.points.push_back(body.surface.positions[v]);
    const double h = body.lattice.spacing;
    const auto cells = body.lattice.cell_nodes();
    std::vector<Vec3d> nodal(fractions ? 0 : body.lattice.rest_positions.size(), Vec3d{0, 0, 0});
    for (const grid::SurfaceFacet& facet : facets) {
      const Vec3d a = facet.corners[1] - facet.corners[0], b = facet.corners[2] - facet.corners[0];
      const Vec3d across = cross(a, b);
      const double twice = norm(across);
      if (!(twice > 0)) continue;
      const double area = 0.5 * h * h * twice;
      const Vec3d middle = (1.0 / 3) * (facet.corners[0] + facet.corners[1] + facet.corners[2]);
      if (fractions) {
        const Index<3>& cell = made.cells[facet.cell];
        staggered::Point<3> at, normal, traction;
        for (int k = 0; k < 3; ++k) {
          at[k] = h * (cell[k] + middle[k]);
          normal[k] = across[k] / twice;
          traction[k] = load.traction[k];
        }
        staggered::add_embedded_traction<3>(made.model, at, normal, traction, area, out.b);
        continue;
      }
      for (int c = 0; c < 8; ++c) {
        double weight = area;
        for (int k = 0; k < 3; ++k) weight *= c >> k & 1 ? middle[k] : 1 - middle[k];
        nodal[cells[facet.cell][c]] += weight * load.traction;
      }
    }
    // As published: each component to the faces around [Zhu10 sec 9.2].
    if (!fractions) made.nodes.add_forces(made.model, nodal, out.b);
    made.tractions.push_back(std::move(out));
  }

  const SceneSpec& scene_;
  Context& context_;
  StaggeredScene out_;
};

}  // namespace

staggered::Model<3> StaggeredBody::model_with(double inertia) const {
  staggered::Material material = model.material;
  material.inertia = inertia;
  return staggered::build_model<3>(domain, material, model.params, place);
}

StaggeredScene build_staggered_scene(const SceneSpec& scene, Context& context) {
  return Assembly(scene, context).build();
}

Setup setup_of(const StaggeredScene& scene) {
  Setup setup;
  for (std::size_t h = 0; h < scene.holds.size(); ++h) {
    setup.attachments.push_back({.name = scene.hold_names[h],
                                 .kind = Attachment::Kind::Hold,
                                 .points = scene.holds[h].points,
                                 .keys = scene.holds[h].spec.keys});
  }
  for (const StaggeredBody& body : scene.bodies) {
    for (const StaggeredLoad& load : body.tractions) {
      setup.attachments.push_back(
          {.name = load.name, .kind = Attachment::Kind::Load, .points = load.points, .keys = {}});
    }
    setup.bodies.push_back({.fibres = {}, .painted = body.painted});
  }
  return setup;
}

}  // namespace isochor::sim
