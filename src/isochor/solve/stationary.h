#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "isochor/solve/conjugate_gradient.h"

namespace isochor::solve {

enum class StationaryEnd { Converged, Diverged, Slow, TooManyCycles, Cancelled };
constexpr std::string_view text(StationaryEnd end) {
  constexpr std::array<std::string_view, 5> kTexts{
      "converged", "cycles diverged", "cycles became slow", "too many cycles", "cancelled"};
  return kTexts[static_cast<std::size_t>(end)];
}

/// How a stationary iteration went, with the relative residual at its begin and after each cycle.
struct StationaryReport {
  static constexpr int kMostCycles = 100;
  StationaryEnd end = StationaryEnd::TooManyCycles;
  int cycles = 0;
  std::array<double, kMostCycles + 1> residuals{};

  double residual() const { return residuals[cycles]; }
  std::span<const double> history() const { return {residuals.data(), std::size_t(cycles) + 1}; }
};

/// x += M^-1 (b - A x) from x = 0, the residual recomputed each time: cycles of multigrid as the
/// solver itself. apply(p, q): q = A p.  correct(r, z): z = M^-1 r.  stop(): give up (cancelled).
/// Ends early where the residual grows to a hundred times the smallest so far, or is not halved by
/// ten cycles: an iteration that does not pay is better left to a Krylov method. `scratch` vectors
/// must have the size of b, which is not among them.
template <class Apply, class Correct, class Stop>
StationaryReport stationary_iteration(ThreadArena& arena, Apply&& apply, Correct&& correct,
                                      Stop&& stop, std::span<const double> b, std::span<double> x,
                                      double tolerance, int most, KrylovScratch& scratch) {
  constexpr double kGrown = 100, kReduced = 0.5;
  constexpr int kPatience = 10;
  auto& [r, unused, z] = scratch;
  StationaryReport report;
  fill(arena, 0, x);
  copy(arena, b, r);
  const double b_norm = std::sqrt(dot(arena, b, b));
  if (b_norm == 0) return {.end = StationaryEnd::Converged};

  double smallest = report.residuals[0] = 1;
  while (report.cycles < std::min(most, StationaryReport::kMostCycles)) {
    correct(r, z);
    axpy(arena, 1, z, x);
    apply(x, r);
    xpby(arena, b, -1, r);
    const double now = std::sqrt(dot(arena, r, r)) / b_norm;
    report.residuals[++report.cycles] = now;
    const auto ended = [&](StationaryEnd end) {
      report.end = end;
      return report;
    };
    if (now <= tolerance) return ended(StationaryEnd::Converged);
    if (!(now <= kGrown * smallest)) return ended(StationaryEnd::Diverged);
    const int before = report.cycles - kPatience;
    if (before >= 0 && now > kReduced * report.residuals[before]) return ended(StationaryEnd::Slow);
    if (stop()) return ended(StationaryEnd::Cancelled);
    smallest = std::min(smallest, now);
  }
  return report;
}

}  // namespace isochor::solve
