#include "reproduce/mixed_count.h"

#include <cmath>

#include "isochor/solve/symmetric_qmr.h"

namespace isochor::reproduce {

namespace mixed = lattice::mixed;

namespace {

/// krylov(system, load, solution) solves.
template <class Krylov>
Count count(const mixed::Model& model, const mixed::State& state, mixed::Fix fix,
            mixed::Scratch& scratch, Context& context, Krylov&& krylov) {
  mixed::LinearSystem system(model, scratch.slides, scratch.linear, context.arena);
  const mixed::Configuration at{state.positions, state.pressure, {}};
  system.linearise(at, fix);
  system.prepare(at);
  std::vector<double> b(mixed::unknowns(model), 0.0), x(b.size()), image(b.size());
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    const Vec3d& p = model.base.rest_positions[i];
    mixed::positions_of(model, std::span(b))[i] =
        model.base.mass[i] * Vec3d{0.3 + p[1], -1, 0.6 - p[0]};
  }
  system.keep_free(b);
  const solve::KrylovReport report = krylov(system, b, x);
  system.apply(x, image);
  solve::xpby(context.arena, b, -1, image);
  return {report.iterations,
          std::sqrt(solve::dot(context.arena, image, image) / solve::dot(context.arena, b, b))};
}

auto applied(mixed::LinearSystem& system) {
  return [&](std::span<const double> p, std::span<double> q) { system.apply(p, q); };
}

}  // namespace

Count count_gmres(const mixed::Model& model, const mixed::State& state, mixed::Fix fix,
                  mixed::Scratch& scratch, Context& context) {
  constexpr int kMost = 200;
  return count(model, state, fix, scratch, context, [&](auto& system, const auto& b, auto& x) {
    return solve::gmres(
        context.arena, applied(system),
        [&](std::span<const double> r, std::span<double> z) { system.precondition(r, z); },
        [&] { return bool(context.cancelled); }, b, x, kCountTolerance, kMost, scratch.krylov);
  });
}

Count count_qmr(const mixed::Model& model, const mixed::State& state, mixed::Scratch& scratch,
                Context& context) {
  constexpr int kMost = 5000;
  solve::QmrScratch memory(mixed::unknowns(model));
  return count(model, state, mixed::Fix::Published, scratch, context,
               [&](auto& system, const auto& b, auto& x) {
                 return solve::symmetric_qmr(
                     context.arena, applied(system),
                     [&](std::span<const double> r, std::span<double> z) {
                       solve::copy(context.arena, r, z);
                     },
                     [&] { return bool(context.cancelled); }, b, x, kCountTolerance, kMost, memory);
               });
}

}  // namespace isochor::reproduce
