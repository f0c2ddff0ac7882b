#include "reproduce/mixed_flight.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/lattice/mixed_fields.h"

namespace isochor::reproduce {

namespace mixed = lattice::mixed;

MixedFlight::MixedFlight(const mixed::Model& model, Context& context)
    : state(mixed::make_state(model)), model_(model), context_(context), scratch_(model) {
  for (const lattice::Hold& hold : model.base.holds) {
    for (const std::int32_t n : hold.nodes) held_.push_back(model.base.rest_positions[n]);
  }
}

mixed::StepReport MixedFlight::step(double dt, const Vec3d& gravity,
                                    std::span<const Vec3d> slide_directions) {
  const lattice::StepInput input{
      .gravity = gravity, .held_positions = held_, .slide_directions = slide_directions, .dt = dt};
  const mixed::StepReport report = mixed::advance(model_, state, input, scratch_, context_);
  if (!report.converged()) {
    throw Error(Fault::Simulation, fmt::format("time {:.4g} s", time),
                fmt::format("{} (residual {:.2g})", text(report.end), report.residual),
                "use shorter steps");
  }
  time += dt;
  newton_iterations += report.iterations;
  krylov_iterations += report.krylov_iterations;
  return report;
}

lattice::Momenta MixedFlight::momenta() const {
  return lattice::momenta(model_.base, state, context_.arena);
}

double MixedFlight::energy() const {
  return momenta().kinetic_energy +
         mixed::stored_energy(model_, {state.positions, state.pressure, {}}, context_.arena);
}

double MixedFlight::worst_block() const {
  std::vector<double> M(model_.pressure_count());
  mixed::measure(model_, {state.positions, state.pressure, {}}, M, context_.arena);
  std::vector<double> whole(model_.base.blocks.size()), change(whole.size());
  for (const std::int32_t cell : model_.base.cells) {
    const std::int32_t block = cell / 8;
    const double volume = model_.volumes[std::size_t(block / lattice::kGroupBlocks)]
                              .volume[cell % 8][block % lattice::kGroupBlocks];
    whole[std::size_t(block)] += volume;
    change[std::size_t(block)] += volume * M[mixed::Model::pressure_at(cell)];
  }
  double worst = 0;
  for (std::size_t b = 0; b < whole.size(); ++b) {
    if (whole[b] > 0) worst = std::max(worst, std::abs(change[b] / whole[b]));
  }
  return worst;
}

}  // namespace isochor::reproduce
