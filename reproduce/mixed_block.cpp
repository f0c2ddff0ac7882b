#include "reproduce/mixed_block.h"

#include <limits>

#include "isochor/geometry/shapes.h"
#include "isochor/materials/registry.h"

namespace isochor::reproduce {

namespace mixed = lattice::mixed;

lattice::BodySpec make_block(std::array<int, 3> cells, std::string_view law, double poisson,
                             Context& context) {
  const double h = 1.0 / cells[2];
  const Vec3d size{h * cells[0], h * cells[1], h * cells[2]};
  const auto surface = geometry::make_box(0.5 * size, size, 0.25);
  lattice::BodySpec body{.name = "block",
                         .lattice = grid::build_lattice(surface, h, "block", context.arena),
                         .law = materials::law_index(law)};
  const double lambda =
      poisson >= 0.5 ? std::numeric_limits<double>::infinity() : 2 * poisson / (1 - 2 * poisson);
  body.mu.assign(body.lattice.cell_count(), 1);
  body.lambda.assign(body.lattice.cell_count(), lambda);
  lattice::HoldSpec ends{.name = "ends"};
  for (std::size_t i = 0; i < body.lattice.rest_positions.size(); ++i) {
    const double x = body.lattice.rest_positions[i][0];
    if (x < 0.5 * h || x > size[0] - 0.5 * h) ends.nodes.push_back(static_cast<std::int32_t>(i));
  }
  body.holds.push_back(std::move(ends));
  return body;
}

FollowedMotion follow(const mixed::Model& model, const std::function<Holding(double)>& holding,
                      double first_step, mixed::State& state, mixed::Scratch& scratch,
                      Context& context, double shortest) {
  FollowedMotion motion;
  double t = 0, dt = first_step;
  while (t < 1 && dt >= shortest && !context.cancelled) {
    const double next = std::min(1.0, t + dt);
    const Holding at = holding(next);
    const mixed::StepReport report =
        advance(model, state, {.held_positions = at.positions, .slide_directions = at.directions},
                scratch, context);
    motion.solves += report.iterations;
    motion.iterations += report.krylov_iterations;
    motion.fallbacks += report.fallbacks;
    if (report.converged()) {
      t = next;
    } else {
      dt *= 0.5;
      ++motion.cuts;
    }
  }
  motion.arrived = t >= 1;
  motion.reached = t;
  return motion;
}

FollowedMotion follow(const mixed::Model& model,
                      const std::function<Vec3d(const Vec3d&, double)>& far_end,
                      mixed::State& state, mixed::Scratch& scratch, Context& context,
                      double shortest) {
  double length = 0;
  for (const Vec3d& p : model.base.rest_positions) length = std::max(length, p[0]);
  const auto holding = [&](double t) {
    Holding at;
    for (const std::int32_t n : model.base.holds[0].nodes) {
      const Vec3d& p = model.base.rest_positions[n];
      at.positions.push_back(p[0] > 0.5 * length ? far_end(p, t) : p);
    }
    return at;
  };
  return follow(model, holding, 0.25, state, scratch, context, shortest);
}

}  // namespace isochor::reproduce
