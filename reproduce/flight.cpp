#include "reproduce/flight.h"

#include <array>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/lattice/elasticity.h"

namespace isochor::reproduce {

void StepCount::add(const solve::NewtonReport& report, double dt) {
  if (!report.converged()) {
    throw Error(Fault::Simulation, fmt::format("time {:.4g} s", time),
                fmt::format("{} (residual {:.2g})", text(report.end), report.residual),
                "use shorter steps");
  }
  time += dt;
  newton_iterations += report.iterations;
  krylov_iterations += report.krylov_iterations;
}

std::vector<Vec3d> held_at_rest(const lattice::Model& model) {
  std::vector<Vec3d> held;
  for (const lattice::Hold& hold : model.holds) {
    for (const std::int32_t n : hold.nodes) held.push_back(model.rest_positions[n]);
  }
  return held;
}

Flight::Flight(const lattice::Model& model, Context& context)
    : state(lattice::make_state(model)),
      model_(model),
      context_(context),
      scratch_(model),
      held_(held_at_rest(model)) {}

lattice::StepReport Flight::step(double dt, const Vec3d& gravity,
                                 std::span<const Vec3d> slide_directions) {
  const lattice::StepInput input{
      .gravity = gravity, .held_positions = held_, .slide_directions = slide_directions, .dt = dt};
  const lattice::StepReport report = lattice::advance(model_, state, input, scratch_, context_);
  add(report, dt);
  return report;
}

double Flight::elastic_energy() {
  return lattice::integrated_energy(model_, state.positions, scratch_.block_energy, context_.arena);
}

lattice::Momenta Flight::momenta() const { return lattice::momenta(model_, state, context_.arena); }

std::span<const NamedIntegrator> integrators() {
  using solve::Integrator;
  static constexpr std::array kIntegrators{
      NamedIntegrator{"backward-euler", Integrator::BackwardEuler},
      NamedIntegrator{"bdf2", Integrator::Bdf2}, NamedIntegrator{"midpoint", Integrator::Midpoint}};
  return kIntegrators;
}

Row verification_row(std::string_view id, std::string quantity, std::string_view variant,
                     std::string source) {
  return {.id = std::string(id),
          .quantity = std::move(quantity),
          .variant = std::string(variant),
          .source = std::move(source)};
}

Row claim(Row row, double ours, std::string unit, Relation relation, double bound) {
  row.ours = ours;
  row.unit = std::move(unit);
  row.relation = relation;
  row.bound = bound;
  return row;
}

}  // namespace isochor::reproduce
