#include "reproduce/convergence.h"

#include <fmt/core.h>

#include "isochor/grid/embedding.h"
#include "reproduce/order_study.h"

namespace isochor::reproduce {

namespace mixed = lattice::mixed;

Level solve_level(const ConvergenceCase& body, const Scheme& scheme, int cells_per_metre,
                  Context& context) {
  lattice::BodySpec spec = make_embedded(body.surface, 1.0 / cells_per_metre, scheme.boundary,
                                         "neo_hookean", 1, body.poisson, context);
  spec.holds = body.holds(spec.lattice);
  mixed::Params params{.jumps = body.jumps, .tolerance = 1e-7};
  if (std::string_view(scheme.variant) == "paper") params.hourglass = mixed::Hourglass::Spread;
  if (body.jumps == 0) params.max_krylov = 500;  // pressures want many iterations then
  const mixed::Model model = mixed::build_model({spec}, {.quadrature = scheme.quadrature}, params);
  mixed::State state = mixed::make_state(model);
  mixed::Scratch scratch(model);
  Level level{.cells_per_metre = cells_per_metre,
              .cells = spec.lattice.cell_count(),
              .cut = spec.lattice.cut_cells.size()};
  level.way = follow(
      model, [&](double t) { return body.holding(model.base, t); }, 1, state, scratch, context);
  if (!level.way.arrived) return level;
  level.energy = mixed::evaluate(model, {state.positions, state.pressure, {}}, scratch.force,
                                 scratch.volume, scratch.blocks, context.arena)
                     .energy;
  level.volumes = measured_volumes(model, state, 0.1, context);
  const auto placed = [&](const grid::Embedding& embedding) {
    std::vector<Vec3d> out(embedding.points.size());
    embedding.interpolate(std::span<const Vec3d>(state.positions), out);
    return out;
  };
  const auto& vertices = body.surface.positions;
  level.at_points = placed(grid::embed(spec.lattice, body.points));
  level.trilinear = placed(grid::embed(spec.lattice, vertices, spec.lattice.vertex_cells));
  level.tricubic = placed(grid::embed(spec.lattice, vertices, spec.lattice.vertex_cells,
                                      grid::Interpolation::Tricubic));
  return level;
}

namespace {

std::string describe(const Level& level) {
  return fmt::format("{} cells, {} of them cut; {} systems, {} iterations of GMRES", level.cells,
                     level.cut, level.way.solves, level.way.iterations);
}

std::vector<Vec3d> mapped(std::span<const Vec3d> points,
                          const std::function<Vec3d(const Vec3d&)>& map) {
  std::vector<Vec3d> out;
  for (const Vec3d& p : points) out.push_back(map(p));
  return out;
}

class Rows {
 public:
  Rows(const std::string& id, const Scheme& scheme, std::vector<Row>& rows)
      : id_(id), scheme_(scheme), rows_(rows) {}
  void add(const std::string& quantity, std::optional<double> ours, const char* unit,
           Relation relation, std::optional<double> bound, std::string note) {
    rows_.push_back({.id = id_,
                     .quantity = fmt::format("{}, {}", scheme_.name, quantity),
                     .variant = scheme_.variant,
                     .source = "ours",
                     .ours = ours,
                     .unit = unit,
                     .relation = relation,
                     .bound = bound,
                     .note = std::move(note)});
  }
  /// Errors of all levels against where points belong, and the order of the three finest.
  void add_errors(const char* of, const std::vector<Level>& levels,
                  std::vector<Vec3d> Level::*points, std::span<const Vec3d> expected,
                  std::optional<double> least_order) {
    std::vector<double> errors;
    for (const Level& level : levels) {
      errors.push_back(rms_difference(level.*points, expected));
      add(fmt::format("{}, {} cells per metre", of, level.cells_per_metre), errors.back(), "m",
          Relation::Shown, {}, describe(level));
    }
    add(fmt::format("{}: order", of), fitted_order(std::span(errors).last(3)), "",
        least_order ? Relation::AtLeast : Relation::Shown, least_order,
        scheme_.boundary == Boundary::Cut
            ? "of the three finest; leaving out cells below 2 % is a small error of first order"
            : "of the three finest");
  }

 private:
  std::string id_;
  const Scheme& scheme_;
  std::vector<Row>& rows_;
};

}  // namespace

std::vector<Level> measure_convergence(const std::string& id, const ConvergenceCase& body,
                                       const Scheme& scheme, std::span<const int> sizes,
                                       std::optional<double> least_order, Context& context,
                                       std::vector<Row>& rows) {
  Rows out(id, scheme, rows);
  std::vector<Level> levels;
  for (const int n : sizes) {
    if (context.cancelled) return levels;
    levels.push_back(solve_level(body, scheme, n, context));
    if (!levels.back().way.arrived) {
      out.add(fmt::format("{} cells per metre", n), {}, "m", Relation::Shown, {},
              "no equilibrium: " + describe(levels.back()));
      return levels;
    }
  }
  const std::size_t last = levels.size() - 1;
  const Extrapolation own =
      extrapolate(levels[last - 2].at_points, levels[last - 1].at_points, levels[last].at_points);
  if (!body.exact) {
    const std::vector<Vec3d>& expected = body.limit.empty() ? own.limit : body.limit;
    out.add_errors("error inside", levels, &Level::at_points, expected, least_order);
    out.add("order by the three finest", own.order, "", Relation::Shown, {},
            fmt::format("by differences; their extrapolation is off by {:.1e} m",
                        rms_difference(own.limit, expected)));
    return levels;
  }
  out.add_errors("error inside", levels, &Level::at_points, mapped(body.points, body.exact),
                 least_order);
  out.add("order by the three finest", own.order, "", Relation::Shown, {},
          fmt::format("by differences; their extrapolation is off by {:.1e} m",
                      rms_difference(own.limit, mapped(body.points, body.exact))));
  const std::vector<Vec3d> surface = mapped(body.surface.positions, body.exact);
  out.add_errors("error of the trilinear surface", levels, &Level::trilinear, surface, {});
  out.add_errors("error of the tricubic surface", levels, &Level::tricubic, surface, {});
  return levels;
}

}  // namespace isochor::reproduce
