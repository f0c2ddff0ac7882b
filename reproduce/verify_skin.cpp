/// Skin on bodies of cells, three ways: as a membrane of the embedded surface (what scenes do), as
/// a part of the shear modulus of the cells that have it (its comparator), and as a layer of small
/// cells of its own, which is what both stand for.
///
/// A cylinder of rubber in a skin of rubber is pulled out: with all of it incompressible,
///     N = (mu pi R^2 + mu_s t 2 pi R) (lambda - lambda^-2).
/// A ball in skin is blown up by a dead traction p on its surface to l times its size:
///     p = mu (l - 1/l) + 3 lambda ln(l) / l + 2 mu_s t / R (l - l^-5).
/// A soft slab under a stiff skin is pressed in by a finger, a square of it; the layer of its own
/// says how deep.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "isochor/geometry/shapes.h"
#include "isochor/grid/embedding.h"
#include "reproduce/flight.h"
#include "reproduce/verification.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kSkinId = "verify/skin";
enum class As { Membrane, Mixture, Layer };
constexpr std::string_view kAsNames[] = {"best", "mixed into cells", "layer of cells"};

/// Skin on the part of a surface for which f(normal) is true.
template <class F>
void add_skin(lattice::BodySpec& body, const geometry::SurfaceMesh& surface, double mu,
              double thickness, As as, Context& context, F&& f) {
  std::vector<geometry::Triangle> triangles;
  const auto& x = surface.positions;
  for (const geometry::Triangle& t : geometry::triangulate(surface)) {
    const Vec3d n = cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
    if (f(n * (1 / norm(n)))) triangles.push_back(t);
  }
  body.skin = {.law = shells::RubberLaw{.mu = mu},
               .thickness = thickness,
               .facets = grid::surface_facets(body.lattice, x, triangles, context.arena)};
  if (as == As::Membrane) return;
  const std::vector<double> more = lattice::smeared_skin(body);
  for (std::size_t c = 0; c < more.size(); ++c) {
    if (more[c] > 0) body.mu[c] += more[c] / body.fill[c];
  }
  body.skin = {};
}

Row skin_row(std::string quantity, As as, const StaticBody& body, std::string source) {
  Row row = verification_row(kSkinId, std::move(quantity), kAsNames[int(as)], std::move(source));
  row.note = fmt::format("{} cells, {} linear systems, {} iterations", body.model.base.cells.size(),
                         body.solves, body.iterations);
  return row;
}

// ---- a cylinder is pulled -----------------------------------------------------------------------

void pulled_cylinder(As as, int across, Context& context, std::vector<Row>& rows) {
  const double radius = 0.03, half = 0.06, mu = 20e3, skin_mu = 400e3, thickness = 2e-3;
  const double stretch = 1.3, h = 2 * radius / across;
  const Placement placement = Placement(false, h);
  const geometry::SurfaceMesh surface =
      geometry::make_cylinder({0.2 * h, 0.3 * h, 0}, {0, 0, 1}, radius, 2 * half, h / 3);
  const Discretisation& scheme = schemes()[0];
  lattice::BodySpec spec = make_embedded(surface, h, scheme.boundary, "neo_hookean", mu, 0.5,
                                         context, Vec3d{0, 0, 0}, grid::kLeastUnderSkin);
  add_skin(spec, surface, skin_mu, thickness, as, context,
           [](const Vec3d& n) { return std::abs(n[2]) < 0.9; });
  spec.holds = {hold_where(spec, placement, "ends",
                           [&](const Vec3d& p) { return std::abs(p[2]) > half - 1e-9; })};
  StaticBody body(std::move(spec), scheme, context);
  bool arrived = true;
  for (const double part : {0.5, 1.0}) {
    const double l = 1 + part * (stretch - 1), thin = 1 / std::sqrt(l);
    const std::vector<Vec3d> held = body.held([&](const Vec3d& p) {
      return Vec3d{thin * p[0], thin * p[1], l * p[2]};
    });
    arrived = arrived && body.advance({.held_positions = held});
  }
  const std::vector<Vec3d> pushes = body.pushes();
  double pull = 0;
  for (const std::int32_t n : body.model.base.holds[0].nodes) {
    if (body.state.positions[n][2] > 0) pull += pushes[n][2];
  }
  const double flesh = mu * std::numbers::pi * radius * radius;
  const double skin = skin_mu * thickness * 2 * std::numbers::pi * radius;
  const double expected = (flesh + skin) * (stretch - 1 / (stretch * stretch));
  Row row = skin_row(fmt::format("pull of a cylinder, {} cells across: error", across), as, body,
                     "closed form");
  row.note += fmt::format("; {:.3f} N of {:.3f} N, of which skin {:.0f} %", pull, expected,
                          100 * skin / (flesh + skin));
  row = claim(row, 100 * std::abs(pull / expected - 1), "%", Relation::AtMost, 3);
  if (as != As::Membrane) row.relation = Relation::Shown;
  if (!arrived) row.ours.reset();
  rows.push_back(row);
}

// ---- a ball grows -------------------------------------------------------------------------------

void grown_ball(int across, Context& context, std::vector<Row>& rows) {
  const double radius = 0.05, mu = 20e3, poisson = 0.3, young = 1e6, thickness = 2e-3, e = 1e-3;
  const double h = 2 * radius / across;
  const double lambda = 2 * mu * poisson / (1 - 2 * poisson), l = 1 + e;
  const double flesh = mu * (l - 1 / l) + 3 * lambda * std::log(l) / l;
  const double skin = 2 * young / 3 * thickness / radius * (l - std::pow(l, -5));
  const double pressure = flesh + skin;
  const Placement placement(false, h);
  const geometry::SurfaceMesh surface = geometry::make_sphere({0, 0, 0}, radius, h / 3);
  const Discretisation& scheme = schemes()[0];
  lattice::BodySpec spec = make_embedded(surface, h, scheme.boundary, "neo_hookean", mu, poisson,
                                         context, Vec3d{0, 0, 0}, grid::kLeastUnderSkin);
  add_skin(spec, surface, young / 3, thickness, As::Membrane, context,
           [](const Vec3d&) { return true; });
  // Held as it grows, so that it stays where it is.
  spec.holds = {
      hold_where(spec, placement, "middle", [&](const Vec3d& p) { return norm(p) < 1.1 * h; })};
  const grid::Embedding embedding =
      grid::embed(spec.lattice, surface.positions, spec.lattice.vertex_cells);
  std::vector<Vec3d> loads(spec.lattice.rest_positions.size(), Vec3d{0, 0, 0});
  add_traction(
      spec.lattice, surface, placement,
      [&](const Vec3d& at, const Vec3d&) { return (pressure / norm(at)) * at; }, loads, context);
  StaticBody body(std::move(spec), scheme, context);
  const std::vector<Vec3d> held = body.held([&](const Vec3d& p) { return (1 + e) * p; });
  const bool arrived = body.advance({.held_positions = held, .loads = loads});
  std::vector<Vec3d> now(surface.positions.size());
  embedding.interpolate(body.state.positions, now);
  double mean = 0;
  for (std::size_t v = 0; v < now.size(); ++v) {
    const Vec3d& p = surface.positions[v];
    mean += dot(now[v] - p, p) / dot(p, p) / static_cast<double>(now.size());
  }
  Row row = skin_row(fmt::format("growth of a ball, {} cells across: error", across), As::Membrane,
                     body, "closed form");
  row.note +=
      fmt::format("; {:.6f} of {:.6f}; skin takes {:.0f} %", mean, e, 100 * skin / pressure);
  row = claim(row, 100 * std::abs(mean / e - 1), "%", Relation::AtMost, 0.5);
  if (!arrived) row.ours.reset();
  rows.push_back(row);
}

// ---- a slab is pressed in -----------------------------------------------------------------------

/// A quarter of it; how deep the middle of the finger goes, m, and what that took.
struct Pressed {
  double depth = 0;
  std::string note;
};
Pressed pressed_slab(As as, double h, double skin_mu, Context& context) {
  const double size = 0.024, finger = 0.008, mu = 20e3, thickness = 2e-3, pressure = 500;
  const geometry::SurfaceMesh surface =
      geometry::make_box(0.5 * Vec3d{size, size, size}, {size, size, size}, 2e-3);
  const Discretisation& scheme = schemes()[0];
  lattice::BodySpec spec =
      make_embedded(surface, h, scheme.boundary, "neo_hookean", mu, 0.5, context, Vec3d{0, 0, 0});
  if (as == As::Layer) {
    const auto nodes = spec.lattice.cell_nodes();
    for (std::size_t c = 0; c < spec.mu.size(); ++c) {
      if (spec.lattice.rest_positions[nodes[c][0]][2] > size - thickness - 1e-6) {
        spec.mu[c] = skin_mu;
      }
    }
  } else {
    add_skin(spec, surface, skin_mu, thickness, as, context,
             [](const Vec3d& n) { return n[2] > 0.9; });
  }
  const Placement placement(false, h);
  using lattice::Slide;
  spec.holds = {
      hold_where(spec, placement, "bottom", [](const Vec3d& p) { return p[2] < 1e-9; }),
      hold_where(
          spec, placement, "x", [](const Vec3d& p) { return p[0] < 1e-9; }, Slide::InPlane),
      hold_where(
          spec, placement, "y", [](const Vec3d& p) { return p[1] < 1e-9; }, Slide::InPlane)};
  std::vector<geometry::Triangle> pushed;
  for (const geometry::Triangle& t : geometry::triangulate(surface)) {
    const Vec3d middle =
        (1.0 / 3) * (surface.positions[t[0]] + surface.positions[t[1]] + surface.positions[t[2]]);
    if (middle[2] > size - 1e-6 && middle[0] < finger && middle[1] < finger) pushed.push_back(t);
  }
  const std::vector<double> areas = lattice::nodal_areas(
      spec.lattice, grid::surface_facets(spec.lattice, surface.positions, pushed, context.arena));
  std::vector<Vec3d> loads;
  for (const double area : areas) loads.push_back({0, 0, -pressure * area});
  const std::vector<Vec3d> at{{0, 0, size}};
  const grid::Embedding embedding = grid::embed(spec.lattice, at);
  StaticBody body(std::move(spec), scheme, context);
  const std::vector<Vec3d> held = body.held([](const Vec3d& p) { return p; });
  const std::vector<Vec3d> directions{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  const bool arrived =
      body.advance({.held_positions = held, .slide_directions = directions, .loads = loads});
  std::vector<Vec3d> now(1);
  embedding.interpolate(body.state.positions, now);
  return {arrived ? size - now[0][2] : 0,
          fmt::format("{} cells, {} linear systems, {} iterations", body.model.base.cells.size(),
                      body.solves, body.iterations)};
}

void pressed_slabs(const ExperimentOptions& options, Context& context, std::vector<Row>& rows) {
  const double skin_mu = 400e3;
  const Pressed layer = pressed_slab(As::Layer, options.full ? 0.5e-3 : 1e-3, skin_mu, context);
  Row reference = verification_row(kSkinId, "depth of a finger in a slab", kAsNames[int(As::Layer)],
                                   "a layer of its own");
  reference.ours = 1000 * layer.depth;
  reference.unit = "mm";
  reference.note =
      layer.note + "; without skin " +
      fmt::format("{:.3f} mm", 1000 * pressed_slab(As::Layer, 2e-3, 20e3, context).depth);
  rows.push_back(reference);
  for (const As as : {As::Membrane, As::Mixture}) {
    for (const double h : {6e-3, 4e-3, 2e-3}) {
      const Pressed p = pressed_slab(as, h, skin_mu, context);
      Row row = verification_row(
          kSkinId, fmt::format("depth of a finger in a slab, cells of {:g} mm", 1000 * h),
          kAsNames[int(as)], "a layer of its own");
      row.paper = 1000 * layer.depth;
      if (p.depth > 0) row.ours = 1000 * p.depth;
      row.unit = "mm";
      row.note = fmt::format("{:+.1f} %; {}", 100 * (p.depth / layer.depth - 1), p.note);
      rows.push_back(row);
    }
  }
}

}  // namespace

std::vector<Row> verify_skin(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  for (const As as : {As::Membrane, As::Mixture}) {
    for (const int across : {6, 12}) pulled_cylinder(as, across, context, rows);
  }
  for (const int across : {8, 16, 24}) grown_ball(across, context, rows);
  pressed_slabs(options, context, rows);
  return rows;
}

}  // namespace isochor::reproduce
