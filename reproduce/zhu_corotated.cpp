/// [Zhu10 fig 10], corotated elasticity: factors with frozen rotations by their angle, and those of
/// a figure whose arms are lifted, with the linear residual and with the true one.
#include "reproduce/zhu_corotated.h"

#include <cmath>
#include <fmt/core.h>
#include <numeric>
#include <random>

#include "isochor/math/mat3.h"
#include "isochor/staggered/corotated.h"
#include "isochor/staggered/loads.h"
#include "reproduce/zhu_bodies.h"

namespace isochor::reproduce {
namespace {

using namespace staggered;

Params params_of(bool published) {
  return (published ? Params::published() : Params{}).corotated();
}

Row make_row(std::string quantity, bool published, double ours, std::optional<double> paper,
             std::optional<double> bound, std::string note) {
  return {.id = "zhu/convergence",
          .quantity = std::move(quantity),
          .variant = published ? "paper" : "best",
          .source = paper ? "fig 10" : "ours",
          .paper = paper,
          .ours = ours,
          .unit = "",
          .relation = bound ? Relation::AtMost : Relation::Shown,
          .bound = bound,
          .note = std::move(note)};
}

/// A cube whose cells are all turned by an angle about a skew axis, and stay so, or turn on as
/// faces move: 24 cycles from random numbers, the mean of the last ten.
double turned_factor(int n, double poisson, double angle, bool spin, bool published,
                     Context& context) {
  constexpr int kCycles = 24;
  const Model<3> model = build_model<3>(elastic_box<3>(n, true), Material::from_poisson(1, poisson),
                                        params_of(published), "box");
  const auto turned = [&](const Point<3>& x, int k) {
    const Vec3d at{x[0], x[1], x[2]};
    return (rotation_from_vector(angle * Vec3d{0.2, 0.3, std::sqrt(0.87)}) * at - at)[k];
  };
  std::vector<double> u(model.unknowns()), r(u.size());
  const std::vector<double> zero(u.size());
  set_given<3>(model, turned, u);
  for_each_unknown<3>(model, [&](const Index<3>& cell, int k, std::size_t place) {
    if (k < 3) u[place] = turned(position(model, cell, k), k);
  });
  Turns<3> turns(model);
  find_turns<3>(model, u, turns, context.arena);
  turn_cycles<3>(model, spin, turns, context.arena);
  // The block is at rest: a change of it has a force in proportion.
  const std::vector<double> rest = u;
  MultigridMemory<3> memory(model);
  Multigrid<3> multigrid(model, memory, context.arena, &turns);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<float>& change = memory.levels[0].u;
  for_each_unknown<3>(model, [&](const Index<3>&, int k, std::size_t place) {
    change[place] = float(any(generator) * (k == 3 ? n : 1));
  });
  std::vector<double> spins(kPairs<3> * model.length()), right = zero;
  double sum = 0;
  for (int c = 0; c <= kCycles && !context.cancelled; ++c) {
    if (c > 0) multigrid.cycle();
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = double(change[i]);
    if (spin) turn_on<3>(model, turns, u, zero, spins, right, context.arena);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += rest[i];
    find_turned_residual<3>(model, turns, u, right, r, context.arena);
    const double norm = residual_norm<3>(model, r, context.arena);
    if (c > kCycles - 10) sum += 0.1 * std::log(norm);
    for (float& x : change) x = float(double(x) / norm);
  }
  return std::exp(sum);
}

/// A figure held at hands and feet whose hands are lifted by a tenth of its height and brought
/// together; measured is what follows, a step as in an animation.
void add_figure(int n, bool published, Context& context, std::vector<Row>& rows) {
  const Model<3> model = build_model<3>(zhu_body("figure", n), Material::from_poisson(1, 0.475),
                                        params_of(published), "figure");
  CorotatedMemory<3> memory(model, published ? CorotatedParams::published() : CorotatedParams{});
  std::vector<double> u(model.unknowns());
  const std::vector<double> zero(u.size());
  SolveReport report;
  constexpr int kMost = 25;
  for (const double lift : {0.10, 0.11}) {
    const std::vector<double> from = u;
    set_given<3>(
        model,
        [&](const Point<3>& x, int k) {
          if (x[2] < 0.3) return 0.0;
          return k == 2 ? lift : k == 0 ? (x[0] < 0.5 ? 0.4 : -0.4) * lift : 0.0;
        },
        u);
    report = solve_corotated<3>(model, zero, from, std::span(u), 1e-4, 0, kMost, memory, context);
  }
  const std::string note =
      fmt::format("{} cycles, true residual {:.1e}; the paper's is an armadillo of 302K vertices",
                  report.iterations, report.relative_residual);
  // Within windows rotations are frozen; the first are such in both variants.
  const std::size_t window = std::size_t(memory.params.window);
  double logs = 0;
  for (std::size_t c = 0; c < window; ++c) logs += std::log(memory.rates[c]);
  rows.push_back(make_row(fmt::format("factor/figure, corotated, linear residual/nu=0.475/N={}", n),
                          published, std::exp(logs / double(window)), 0.38,
                          published ? std::nullopt : std::optional(0.38), note));
  rows.push_back(
      make_row(fmt::format("factor/figure, corotated, nonlinear residual/nu=0.475/N={}", n),
               published, std::pow(report.relative_residual, 1.0 / report.iterations), 0.43,
               published ? std::nullopt : std::optional(0.43), note));
}

/// As [Zhu10 sec 9.3] measures: an animation in which hands are lifted step by step, two cycles a
/// frame. The linear residual is that of the system that a cycle works on, before and after it; the
/// nonlinear one that with the rotations of each moment, between begin and end of a frame. As
/// published, rotations are frozen and found anew after every fifth cycle; ours solves each frame
/// about the one before.
void add_animation(int n, bool published, Context& context, std::vector<Row>& rows) {
  constexpr int kFrames = 20, kCycles = 2, kEvery = 5;
  const Model<3> model = build_model<3>(zhu_body("figure", n), Material::from_poisson(1, 0.475),
                                        params_of(published), "figure");
  CorotatedMemory<3> memory(model, published ? CorotatedParams::published() : CorotatedParams{});
  Turns<3>& turns = memory.turns;
  Multigrid<3> multigrid(model, memory.cycles, context.arena, &turns);
  std::vector<double> u(model.unknowns()), r(u.size()), z(u.size());
  const std::vector<double> zero(u.size());
  const auto residual = [&](const Turns<3>& with) {
    find_turned_residual<3>(model, with, u, zero, r, context.arena);
    return residual_norm<3>(model, r, context.arena);
  };
  Turns<3> moment(model);
  const auto nonlinear_residual = [&] {
    find_turns<3>(model, u, moment, context.arena);
    return residual(moment);
  };
  double linear = 0, nonlinear = 0;
  for (int f = 0, c = 0; f < kFrames && !context.cancelled; ++f) {
    const double lift = 0.1 * (f + 1) / kFrames;
    const std::vector<double> from = u;
    set_given<3>(
        model,
        [&](const Point<3>& x, int k) {
          if (x[2] < 0.3) return 0.0;
          return k == 2 ? lift : k == 0 ? (x[0] < 0.5 ? 0.4 : -0.4) * lift : 0.0;
        },
        u);
    nonlinear -= std::log(nonlinear_residual());
    if (published) {
      for (int own = 0; own < kCycles; ++own, ++c) {
        if (c % kEvery == 0) {
          find_turns<3>(model, u, turns, context.arena);
          turn_cycles<3>(model, false, turns, context.arena);
        }
        linear -= std::log(residual(turns));
        multigrid.apply(r, z);
        solve::axpy(context.arena, 1, z, u);
        linear += std::log(residual(turns));
      }
    } else {
      solve_corotated<3>(model, zero, from, std::span(u), 0, 0, kCycles, memory, context);
      for (const double rate : memory.rates) linear += std::log(rate);
    }
    nonlinear += std::log(nonlinear_residual());
  }
  const auto add = [&](const char* residuals, double logs, double paper) {
    rows.push_back(make_row(
        fmt::format("factor/figure, corotated, {} residual, 2 cycles a frame/nu=0.475/N={}",
                    residuals, n),
        published, std::exp(logs / (kCycles * kFrames)), paper,
        published ? std::nullopt : std::optional(paper),
        published ? fmt::format("{} frames, rotations anew every {} cycles", kFrames, kEvery)
                  : fmt::format("{} frames, cells turn on from the frame before", kFrames)));
  };
  add("linear", linear, 0.38);
  add("nonlinear", nonlinear, 0.43);
}

}  // namespace

std::vector<Row> zhu_corotated(bool full, Context& context) {
  std::vector<Row> rows;
  const int n = full ? 32 : 16;
  for (const bool published : {false, true}) {
    for (const double poisson : {0.2, 0.475, 0.49}) {
      for (const double degrees : {0.0, 30.0, 60.0, 90.0, 150.0}) {
        if (context.cancelled) return rows;
        if (published && degrees != 0 && degrees != 90) continue;
        rows.push_back(make_row(
            fmt::format("factor/corotated, turned by {} degrees/nu={}/N={}", degrees, poisson, n),
            published, turned_factor(n, poisson, degrees * M_PI / 180, false, published, context),
            {}, published ? std::nullopt : std::optional(0.4),
            published ? "V(1,1), cells near the boundary one by one" : "W(1,1)"));
        if (published || poisson != 0.475) continue;
        rows.push_back(
            make_row(fmt::format("factor/corotated, cells turn on, turned by {} degrees/nu={}/N={}",
                                 degrees, poisson, n),
                     false, turned_factor(n, poisson, degrees * M_PI / 180, true, false, context),
                     {}, {}, "W(1,1); solves combine cycles"));
      }
    }
  }
  for (const bool published : {false, true}) {
    if (!context.cancelled) add_figure(full ? 64 : 40, published, context, rows);
    if (!context.cancelled) add_animation(full ? 64 : 40, published, context, rows);
  }
  return rows;
}

}  // namespace isochor::reproduce
