#include "reproduce/mixed_flight.h"

#include <algorithm>
#include <cmath>

#include "isochor/lattice/mixed_fields.h"

namespace isochor::reproduce {

namespace mixed = lattice::mixed;

MixedFlight::MixedFlight(const mixed::Model& model, Context& context)
    : state(mixed::make_state(model)),
      model_(model),
      context_(context),
      scratch_(model),
      held_(held_at_rest(model.base)) {}

mixed::StepReport MixedFlight::step(double dt, const Vec3d& gravity,
                                    std::span<const Vec3d> slide_directions) {
  const lattice::StepInput input{
      .gravity = gravity, .held_positions = held_, .slide_directions = slide_directions, .dt = dt};
  const mixed::StepReport report = mixed::advance(model_, state, input, scratch_, context_);
  add(report, dt);
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
