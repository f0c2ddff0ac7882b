#include "reproduce/verification.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "isochor/grid/anchored_lattice.h"
#include "isochor/grid/embedding.h"
#include "isochor/grid/facet_points.h"
#include "isochor/lattice/mixed_fields.h"

namespace isochor::reproduce {

namespace mixed = lattice::mixed;

std::span<const Discretisation> schemes() {
  using lattice::Quadrature;
  static constexpr std::array kSchemes{
      Discretisation{"best", Boundary::Cut, Quadrature::OnePoint},
      Discretisation{"paper", Boundary::Cut, Quadrature::FourPoints},
      Discretisation{"weighted", Boundary::Weighted, Quadrature::OnePoint},
  };
  return kSchemes;
}

Placement::Placement(bool is_turned, double h) : name_(is_turned ? "turned" : "aligned") {
  if (!is_turned) return;
  rotation_ = {{turned({1, 0, 0}), turned({0, 1, 0}), turned({0, 0, 1})}};
  shift_ = turned_and_shifted(Vec3d{0, 0, 0}, h);
}

Placement Placement::turned_about_x(double h) {
  Placement placement(true, h);
  placement.name_ = "turned about x";
  placement.rotation_ = rotation_from_vector({0.7, 0, 0});
  placement.shift_[0] = 0;
  return placement;
}

Vec3d Placement::direction_back(const Vec3d& in_lattice) const {
  return {dot(rotation_.column[0], in_lattice), dot(rotation_.column[1], in_lattice),
          dot(rotation_.column[2], in_lattice)};
}

geometry::SurfaceMesh Placement::surface(geometry::SurfaceMesh of_problem) const {
  for (Vec3d& p : of_problem.positions) p = point(p);
  return of_problem;
}

BodySamples sample_body(const geometry::SurfaceMesh& surface, double h, Context& context) {
  const grid::Lattice lattice = grid::build_anchored_lattice(
      surface, {0, 0, 0}, {.spacing = h, .quadrature = true}, "samples", context.arena);
  const geometry::FourPoints whole = grid::full_cell_points();
  BodySamples samples;
  auto cut = lattice.cut_cells.begin();
  std::int32_t cell = 0;
  lattice.for_each_cell([&](std::size_t b, int lane) {
    const grid::Index3 at = grid::cell_coordinate(lattice.blocks[b], lane);
    const Vec3d corner = lattice.origin + h * Vec3d{double(at[0]), double(at[1]), double(at[2])};
    const bool is_cut = cut != lattice.cut_cells.end() && cut->cell == cell;
    const double part = is_cut ? cut->fraction : 1;
    for (const Vec3d& p : is_cut ? cut->points : whole) {
      samples.points.push_back(corner + h * p);
      samples.volumes.push_back(0.25 * part * h * h * h);
    }
    if (is_cut) ++cut;
    ++cell;
  });
  return samples;
}

namespace {

double corner_weight(int corner, const Vec3d& local) {
  double weight = 1;
  for (int a = 0; a < 3; ++a) weight *= corner >> a & 1 ? local[a] : 1 - local[a];
  return weight;
}

}  // namespace

void add_body_force(const grid::Lattice& lattice, const BodySamples& samples,
                    const Placement& placement, const VectorField& force, std::span<Vec3d> loads) {
  const grid::Embedding embedding = grid::embed(lattice, samples.points);
  for (std::size_t i = 0; i < samples.points.size(); ++i) {
    const Vec3d push =
        samples.volumes[i] * placement.direction(force(placement.point_back(samples.points[i])));
    const grid::Embedding::Point& point = embedding.points[i];
    for (int c = 0; c < 8; ++c) loads[point.nodes[c]] += corner_weight(c, point.local) * push;
  }
}

void add_traction(const grid::Lattice& lattice, const geometry::SurfaceMesh& surface,
                  const Placement& placement, const SurfaceField& traction, std::span<Vec3d> loads,
                  Context& context) {
  const auto nodes = lattice.cell_nodes();
  const double h = lattice.spacing;
  for (const grid::SurfaceFacet& facet : grid::surface_facets(
           lattice, surface.positions, geometry::triangulate(surface), context.arena)) {
    grid::integrate(facet, [&](const Vec3d& local, const Vec3d& area) {
      const double size = norm(area);
      if (size == 0) return;  // a facet that walls left nothing of
      const Vec3d at = lattice.rest_positions[nodes[facet.cell][0]] + h * local;
      const Vec3d push = (h * h * size) *
                         placement.direction(traction(placement.point_back(at),
                                                      placement.direction_back((1 / size) * area)));
      for (int c = 0; c < 8; ++c) loads[nodes[facet.cell][c]] += corner_weight(c, local) * push;
    });
  }
}

lattice::PressureSpec pressed_surface(const lattice::BodySpec& body, std::string name,
                                      const geometry::SurfaceMesh& surface, Context& context) {
  return {.name = std::move(name),
          .facets = grid::surface_facets(body.lattice, surface.positions,
                                         geometry::triangulate(surface), context.arena)};
}

lattice::HoldSpec hold_where(const lattice::BodySpec& body, const Placement& placement,
                             std::string name, const std::function<bool(const Vec3d&)>& condition,
                             lattice::Slide slide) {
  lattice::HoldSpec hold{.name = std::move(name), .slide = slide};
  for (std::size_t n = 0; n < body.lattice.rest_positions.size(); ++n) {
    if (condition(placement.point_back(body.lattice.rest_positions[n]))) {
      hold.nodes.push_back(static_cast<std::int32_t>(n));
    }
  }
  return hold;
}

StaticBody::StaticBody(lattice::BodySpec body, const Discretisation& scheme, Context& context,
                       double tolerance)
    : model(mixed::build_model({body}, {.quadrature = scheme.quadrature},
                               {.hourglass = scheme.hourglass, .tolerance = tolerance})),
      state(mixed::make_state(model)),
      body_(std::move(body)),
      scratch_(model),
      context_(context) {}

bool StaticBody::advance(const lattice::StepInput& input) {
  const mixed::StepReport report = mixed::advance(model, state, input, scratch_, context_);
  solves += report.iterations;
  iterations += report.krylov_iterations;
  fallbacks += report.fallbacks;
  return report.converged();
}

bool StaticBody::advance(lattice::StepInput input, double from, double to, int steps) {
  constexpr int kMostCuts = 6;
  const double whole = (to - from) / steps;
  double step = whole;
  pressure = from;
  for (int left = kMostCuts; pressure != to;) {
    const double next = std::abs(to - pressure) < 1.001 * std::abs(step) ? to : pressure + step;
    input.surfaces.pressures = std::span(&next, 1);
    if (advance(input)) {
      pressure = next;
      if (std::abs(step) < std::abs(whole)) step *= 2;
    } else {
      step = 0.5 * (next - pressure);
      ++cuts;
      if (left-- == 0) return false;
    }
  }
  return true;
}

std::vector<Vec3d> StaticBody::held(const VectorField& map) const {
  std::vector<Vec3d> positions;
  for (const lattice::Hold& hold : model.base.holds) {
    for (const std::int32_t n : hold.nodes) positions.push_back(map(model.base.rest_positions[n]));
  }
  return positions;
}

std::vector<Vec3d> StaticBody::pushes() const {
  std::vector<Vec3d> force =
      mixed::elasticity(model, {state.positions, state.pressure, {}}, context_.arena).force;
  for (Vec3d& f : force) f = -f;
  return force;
}

Errors errors_of(const StaticBody& body, const BodySamples& samples, const Placement& placement,
                 const VectorField& exact, const std::function<double(const Vec3d&)>& pressure) {
  const std::vector<std::int32_t> cells = grid::find_cells(body.lattice(), samples.points);
  const grid::Embedding embedding = grid::embed(body.lattice(), samples.points, cells);
  std::vector<Vec3d> now(samples.points.size());
  embedding.interpolate(body.state.positions, now);
  const lattice::Model& base = body.model.base;
  const auto is_held = [&](std::int32_t cell) {
    bool held = true;
    for (int c = 0; c < 8; ++c) {
      held = held && base.freedom[base.corner(cell, c)] == lattice::Freedom::Held;
    }
    return held;
  };
  double volume = 0, places = 0, free_volume = 0, pressures = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Vec3d rest = placement.point_back(samples.points[i]);
    const Vec3d away = placement.point_back(now[i]) - exact(rest);
    volume += samples.volumes[i];
    places += samples.volumes[i] * dot(away, away);
    const std::int32_t cell = base.cells[cells[i]];
    if (is_held(cell)) continue;
    const double off = body.state.pressure[mixed::Model::pressure_at(cell)] - pressure(rest);
    free_volume += samples.volumes[i];
    pressures += samples.volumes[i] * off * off;
  }
  return {std::sqrt(places / volume), std::sqrt(pressures / free_volume)};
}

run::Series series_of(const Discretisation& scheme, const Placement& placement) {
  const auto place = std::ranges::find(schemes(), scheme.name, &Discretisation::name);
  return {.name = std::string(scheme.name) + ", " + std::string(placement.name()),
          .dashed = placement.is_turned(),
          .colour = static_cast<int>(place - schemes().begin())};
}

double Refinement::order() const {
  const std::size_t n = error.size(), first = n >= 3 ? n - 3 : 0;
  // The least-squares line through logarithms.
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (std::size_t i = first; i < n; ++i) {
    mean_x += std::log(h[i]) / double(n - first);
    mean_y += std::log(std::abs(error[i])) / double(n - first);
  }
  for (std::size_t i = first; i < n; ++i) {
    const double x = std::log(h[i]) - mean_x;
    xx += x * x;
    xy += x * (std::log(std::abs(error[i])) - mean_y);
  }
  return xy / xx;
}

}  // namespace isochor::reproduce
