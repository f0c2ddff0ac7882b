#include "reproduce/material_fit.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "isochor/materials/registry.h"

namespace isochor::reproduce {
namespace {

/// Relative error of a point at which the specimen has no state.
constexpr double kNoState = 10;

/// Compares specimens with curves. Remembers where the free faces were, which the next specimen
/// will be near to.
class Comparison {
 public:
  explicit Comparison(std::span<const MeasuredCurve> curves) : curves_(curves) {
    for (const MeasuredCurve& c : curves) {
      const auto size = [](double s) { return std::abs(s); };
      const double floor = 0.1 * size(std::ranges::max(c.stress, {}, size));
      for (const double s : c.stress) scales_.push_back(std::max(std::abs(s), floor));
    }
    states_.resize(scales_.size());
  }

  std::size_t size() const { return scales_.size(); }

  void residuals(const Specimen& specimen, std::span<double> r) {
    std::size_t k = 0;
    for (const MeasuredCurve& c : curves_) {
      for (std::size_t i = 0; i < c.stretch.size(); ++i, ++k) {
        const std::optional<double> stress = stress_of(specimen, c, i, states_[k]);
        r[k] = stress ? (*stress - c.stress[i]) / scales_[k] : kNoState;
      }
    }
  }

  static std::optional<double> stress_of(const Specimen& specimen, const MeasuredCurve& c,
                                         std::size_t i, std::optional<Stretched>& state) {
    std::optional<Stretched> found;
    if (state) {
      std::array<bool, 3> free{true, true, true};
      free[c.axis] = false;
      found = release(specimen, state->stretch, free);
    }
    if (!found) found = uniaxial(specimen, c.axis, c.stretch[i]);
    if (!found) return std::nullopt;
    state = found;
    return c.cauchy ? found->cauchy(c.axis) : found->nominal[c.axis];
  }

 private:
  std::span<const MeasuredCurve> curves_;
  std::vector<double> scales_;
  std::vector<std::optional<Stretched>> states_;
};

Specimen specimen_of(const FitProblem& problem, std::span<const double> values) {
  std::array<double, materials::kMaxShape> shape = problem.shape;
  double mu = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int slot = problem.numbers[i].slot;
    (slot == FitProblem::kMu ? mu : shape[slot]) = values[i];
  }
  return make_specimen(problem.law, mu, problem.kappa_of_mu * mu, shape);
}

double root_mean_square(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

}  // namespace

double misfit(const Specimen& specimen, std::span<const MeasuredCurve> curves) {
  Comparison comparison(curves);
  std::vector<double> residuals(comparison.size());
  comparison.residuals(specimen, residuals);
  return root_mean_square(residuals);
}

MaterialFit fit_law(const FitProblem& problem, std::span<const MeasuredCurve> curves) {
  Comparison comparison(curves);
  std::vector<Unknown> unknowns;
  for (const FitProblem::Number& n : problem.numbers) unknowns.push_back(n.range);
  const Fit fit = least_squares(
      [&](std::span<const double> values, std::span<double> residuals) {
        comparison.residuals(specimen_of(problem, values), residuals);
      },
      comparison.size(), unknowns);
  return {specimen_of(problem, fit.values), fit.rms, comparison.size()};
}

MaterialFit fit_law(FitProblem problem, std::span<const MeasuredCurve> curves, std::size_t which,
                    std::span<const double> starts) {
  MaterialFit best{.misfit = HUGE_VAL};
  for (const double start : starts) {
    problem.numbers[which].range.start = start;
    const MaterialFit fit = fit_law(problem, curves);
    if (fit.misfit < best.misfit) best = fit;
  }
  return best;
}

std::vector<double> stress_along(const Specimen& specimen, const MeasuredCurve& curve) {
  std::vector<double> stress;
  std::optional<Stretched> state;
  for (std::size_t i = 0; i < curve.stretch.size(); ++i) {
    state.reset();
    stress.push_back(Comparison::stress_of(specimen, curve, i, state)
                         .value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return stress;
}

std::string numbers_text(const FitProblem& problem, const Specimen& found) {
  std::string text = fmt::format("mu = {:.4g} Pa", found.parameters.mu);
  const auto list = materials::shape_parameters(problem.law);
  for (const FitProblem::Number& n : problem.numbers) {
    if (n.slot == FitProblem::kMu) continue;
    const double value = found.parameters.shape[n.slot];
    switch (list[n.slot].unit) {
      case Unit::Pressure:
        text += fmt::format(", {} = {:.4g} mu", list[n.slot].name, value);
        break;
      case Unit::Angle:
        text += fmt::format(", {} = {:.4g} deg", list[n.slot].name,
                            std::acos(value) * 180 / 3.14159265358979);
        break;
      default:
        text += fmt::format(", {} = {:.4g}", list[n.slot].name, value);
    }
  }
  return text;
}

}  // namespace isochor::reproduce
