#include "bench/mixed_case.h"

#include <cmath>

#include "bench/benchmark.h"
#include "isochor/solve/symmetric_qmr.h"
#include "reproduce/mixed_block.h"

namespace isochor::bench {
namespace {

namespace mixed = lattice::mixed;
constexpr double kTolerance = 1e-6;

mixed::Model make_cube(int n, double poisson, double jumps, Context& context) {
  return mixed::build_model({reproduce::make_block({n, n, n}, "neo_hookean", poisson, context)}, {},
                            {.measure = materials::VolumeMeasure::J, .jumps = jumps});
}

}  // namespace

MixedCase cube_at_rest(int n, double poisson, double jumps, Context& context) {
  mixed::Model model = make_cube(n, poisson, jumps, context);
  mixed::State state = mixed::make_state(model);
  return {std::move(model), std::move(state)};
}

MixedCase::MixedCase(mixed::Model model, mixed::State state)
    : model_(std::move(model)),
      memory_(model_),
      state_(std::move(state)),
      system_(model_, {}, memory_, arena_),
      b_(mixed::unknowns(model_), 0.0),
      x_(b_.size()) {
  for (std::size_t i = 0; i < model_.node_count(); ++i) {
    const Vec3d& p = model_.base.rest_positions[i];
    mixed::positions_of(model_, std::span(b_))[i] =
        model_.base.mass[i] * Vec3d{0.3 + p[1], -1, 0.6 - p[0]};
    if (model_.base.freedom[i] != lattice::Freedom::Held) {
      free_.push_back(static_cast<std::int32_t>(i));
    }
  }
  system_.keep_free(b_);
}

solve::KrylovReport MixedCase::gmres(double tolerance, solve::GmresScratch& scratch) {
  return solve::gmres(
      arena_, [&](std::span<const double> p, std::span<double> q) { system_.apply(p, q); },
      [&](std::span<const double> r, std::span<double> z) { system_.precondition(r, z); },
      [] { return false; }, b_, x_, tolerance, 200, scratch);
}

MixedCase::Solve MixedCase::best(int repeats) {
  solve::GmresScratch scratch(b_.size(), mixed::kShortRestart);
  return measure(repeats, true, [&] { return gmres(kTolerance, scratch); });
}

double MixedCase::displacement_error() {
  const std::vector<double> before = x_;
  solve::GmresScratch scratch(b_.size(), mixed::kShortRestart);
  gmres(1e-11, scratch);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < 3 * model_.node_count(); ++i) {
    error += (x_[i] - before[i]) * (x_[i] - before[i]);
    size += x_[i] * x_[i];
  }
  return std::sqrt(error / size);
}

MixedCase::Solve MixedCase::published() {
  solve::QmrScratch scratch(b_.size());
  return measure(1, false, [&] {
    return solve::symmetric_qmr(
        arena_, [&](std::span<const double> p, std::span<double> q) { system_.apply(p, q); },
        [&](std::span<const double> r, std::span<double> z) { solve::copy(arena_, r, z); },
        [] { return false; }, b_, x_, kTolerance, 20000, scratch);
  });
}

const mixed::Tangents& MixedCase::linearise() {
  system_.linearise(at(), mixed::Fix::None);
  return memory_.tangents;
}

template <class Krylov>
MixedCase::Solve MixedCase::measure(int repeats, bool cycles, Krylov&& krylov) {
  Solve result;
  result.set_up = fastest(repeats, arena_, [&] {
    system_.linearise(at(), mixed::Fix::None);
    if (cycles) system_.prepare(at());
  });
  result.solve = fastest(repeats, arena_, [&] { result.iterations = krylov().iterations; });
  std::vector<double> image(b_.size());
  system_.apply(x_, image);
  solve::xpby(arena_, b_, -1, image);
  result.residual = std::sqrt(solve::dot(arena_, image, image) / solve::dot(arena_, b_, b_));
  return result;
}

}  // namespace isochor::bench
