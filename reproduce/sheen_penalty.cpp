/// [Sheen21 fig 3]: penalties on the change of volume side by side, and the conditions a) to e) of
/// section 5 as numbers. "Ours" is the code that the laws use: [Sheen21 (13), (14), (15)] for the
/// penalty, [Sheen21 (11)] for the factor that takes the volume change out of F.
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <span>

#include "isochor/base/file.h"
#include "isochor/materials/smooth.h"
#include "isochor/run/plot.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

using Penalty = materials::Smooth<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// lambda/2 ln^2 J of [Sheen21 (4)], which ends at zero.
Penalty neo_hookean(double J) {
  if (J <= 0) return {kNan, kNan, kNan};
  const double l = std::log(J);
  return {0.5 * l * l, l / J, (1 - l) / (J * J)};
}

Penalty stable_neo_hookean(double J) { return {0.5 * (J - 1) * (J - 1), J - 1, 1}; }

/// The logarithm to second order, ln J ~ x - x^2 / 2 with x = J - 1, where stable neo-Hookean has
/// it to first order.
Penalty second_order(double J) {
  const double x = J - 1, l = x - 0.5 * x * x;
  return {0.5 * l * l, l * (1 - x), (1 - x) * (1 - x) - l};
}

/// Kikuuwe et al. 2009: lambda/12 ((1 - J) / 6)^3 against compression alone.
Penalty kikuuwe(double J) {
  const double x = std::min(J - 1, 0.0);
  return {-x * x * x / 2592, -x * x / 864, -x / 432};
}

template <int kBeta>
Penalty ours(double J) {
  return materials::compression_penalty(J - 1, double(kBeta));
}

struct Candidate {
  std::string_view name;
  std::string_view variant;
  Penalty (*at)(double J);
};
constexpr std::array kCandidates{
    Candidate{"neo-Hookean", "comparator", neo_hookean},
    Candidate{"stable neo-Hookean", "comparator", stable_neo_hookean},
    Candidate{"stable neo-Hookean, second order", "comparator", second_order},
    Candidate{"Kikuuwe 2009", "comparator", kikuuwe},
    Candidate{"Sheen, beta = 1", "paper", ours<1>},
    Candidate{"Sheen, beta = 6", "paper", ours<6>},
};

class Rows {
 public:
  void add(std::string quantity, std::string_view variant, std::string_view where, double value,
           Relation relation, std::optional<double> bound, std::string note = "") {
    rows_.push_back({.id = "sheen/penalty",
                     .quantity = std::move(quantity),
                     .variant = std::string(variant),
                     .source = fmt::format("Sheen 2021, {}", where),
                     .ours = value,
                     .relation = relation,
                     .bound = bound,
                     .note = std::move(note)});
  }
  std::vector<Row> take() { return std::move(rows_); }

 private:
  std::vector<Row> rows_;
};

/// Volume ratios for statements about all of them.
std::vector<double> wide_range() {
  std::vector<double> all;
  for (int i = -1000; i <= 1000; ++i) all.push_back(0.01 * i);
  return all;
}

/// One condition on a penalty, as a number and its bound.
struct Condition {
  std::string_view text;
  double value;
  Relation relation;
  double bound;
};

std::array<Condition, 5> conditions(const Candidate& c) {
  const Penalty rest = c.at(1);
  int undefined = 0;
  double least = HUGE_VAL;
  for (const double J : wide_range()) {
    const Penalty u = c.at(J);
    const bool defined = std::isfinite(u.value + u.slope + u.curvature);
    undefined += !defined;
    if (defined) least = std::min(least, u.curvature);
  }
  return {
      {{"a) size of U(1)", std::abs(rest.value), Relation::AtMost, 0},
       {"b) size of U'(1)", std::abs(rest.slope), Relation::AtMost, 0},
       {"c) size of U''(1) - 1", std::abs(rest.curvature - 1), Relation::AtMost, 0},
       {"d) undefined at, of 2001 ratios from -10 to 10", double(undefined), Relation::AtMost, 0},
       {"e) least U'', J from -10 to 10", least, Relation::AtLeast, 0}}};
}

/// Each condition for the penalty of the paper; for the others, those that fail.
void add_conditions(const Candidate& c, Rows& rows) {
  int failed = 0;
  std::string which;
  for (const Condition& k : conditions(c)) {
    if (c.variant == "paper") {
      rows.add(fmt::format("{}: {}", k.text, c.name), c.variant, "section 5", k.value, k.relation,
               k.bound);
    } else if (!*holds(k.relation, k.value, k.bound)) {
      ++failed;
      which += fmt::format("{}{} is {:.4g}", which.empty() ? "" : "; ", k.text, k.value);
    }
  }
  if (c.variant == "paper") return;
  rows.add(fmt::format("conditions a) to e) that fail: {}", c.name), c.variant, "section 5", failed,
           Relation::Shown, std::nullopt, which);
}

/// Differences over five points are exact for a polynomial of fourth degree, which U is: what is
/// left is rounding.
void add_derivatives(double beta, Rows& rows) {
  constexpr double h = 0.25;
  double slope_error = 0, curvature_error = 0;
  for (const double J : wide_range()) {
    const auto value = [&](int k) {
      return materials::compression_penalty(J - 1 + k * h, beta).value;
    };
    const Penalty u = materials::compression_penalty(J - 1, beta);
    const double slope = (value(-2) - 8 * value(-1) + 8 * value(1) - value(2)) / (12 * h);
    const double curvature =
        (-value(-2) + 16 * value(-1) - 30 * value(0) + 16 * value(1) - value(2)) / (12 * h * h);
    slope_error = std::max(slope_error, std::abs(slope - u.slope) / (1 + std::abs(u.slope)));
    curvature_error = std::max(curvature_error, std::abs(curvature - u.curvature) / u.curvature);
  }
  const std::string name = fmt::format("beta = {:g}", beta);
  rows.add("U' against differences of U, " + name, "paper", "(14)", slope_error, Relation::AtMost,
           1e-11, "worst relative error, J from -10 to 10");
  rows.add("U'' against differences of U, " + name, "paper", "(15)", curvature_error,
           Relation::AtMost, 1e-11, "worst relative error, J from -10 to 10");
}

/// Under pressure from all sides, J settles where kappa U'(J) = -pressure.
double volume_under(double pressure_of_kappa, double beta) {
  double J = 1;
  for (int i = 0; i < 50; ++i) {
    const Penalty u = materials::compression_penalty(J - 1, beta);
    J -= (u.slope + pressure_of_kappa) / u.curvature;
  }
  return J;
}

void add_stiffening(Rows& rows) {
  double beta_0 = 0;
  for (const double J : wide_range()) {
    beta_0 = std::max(beta_0, std::abs(ours<0>(J).value - stable_neo_hookean(J).value) /
                                  (1 + stable_neo_hookean(J).value));
  }
  rows.add("U with beta = 0 against (J - 1)^2 / 2", "paper", "section 5", beta_0, Relation::AtMost,
           1e-15, "worst relative difference, J from -10 to 10");
  const double J = 0.1;
  for (const Candidate& c : kCandidates) {
    const bool paper = c.variant == "paper";
    rows.add(fmt::format("U'(0.1) over that of stable neo-Hookean: {}", c.name), c.variant,
             "fig. 3", c.at(J).slope / stable_neo_hookean(J).slope,
             paper ? Relation::Above : Relation::Shown, paper ? std::optional(1.0) : std::nullopt,
             c.at == kikuuwe ? "as Kikuuwe 2009 has it; the figure does not state its scale" : "");
  }
  double smaller = volume_under(1, 0);
  rows.add("volume left under a pressure of kappa, beta = 0", "comparator", "section 5", smaller,
           Relation::Shown, std::nullopt, "a cell that is crushed");
  for (const double beta : {1.0, 6.0}) {
    const double left = volume_under(1, beta);
    rows.add(fmt::format("volume left under a pressure of kappa, beta = {:g}", beta), "paper",
             "section 5", left, Relation::Above, smaller, "more than with the beta before");
    smaller = left;
  }
}

/// (11) as it is printed.
Penalty printed_factor(double J, double epsilon) {
  const double e1 = std::pow(epsilon, -1.0 / 3), e4 = e1 / epsilon, e7 = e4 / epsilon;
  if (J <= epsilon) {
    const double d = J - epsilon;
    return {e1 - e4 * d / 3 + 2.0 / 9 * e7 * d * d, -e4 / 3 + 4.0 / 9 * e7 * d, 4.0 / 9 * e7};
  }
  const double a = std::pow(J, -1.0 / 3);
  return {a, -a / (3 * J), 4.0 / 9 * a / (J * J)};
}

void add_deviatoric_factor(Rows& rows) {
  constexpr double epsilon = materials::kContinuedBelow;
  const auto at = [](double J) {
    Penalty f = materials::deviatoric_factor(J - 1);
    f.value += 1;
    return f;
  };
  const Penalty below = at(epsilon * (1 - 1e-12)), above = at(epsilon * (1 + 1e-12));
  const auto jump = [](double a, double b) { return std::abs(a - b) / std::abs(b); };
  const std::string note = fmt::format("relative, at epsilon = {:g}", epsilon);
  rows.add("jump of the deviatoric factor", "paper", "(11)", jump(below.value, above.value),
           Relation::AtMost, 1e-10, note);
  rows.add("jump of its slope", "paper", "(11)", jump(below.slope, above.slope), Relation::AtMost,
           1e-10, note);
  rows.add("jump of its curvature", "paper", "(11)", jump(below.curvature, above.curvature),
           Relation::AtMost, 1e-10, note);
  double worst = 0;
  for (const double J : wide_range()) {
    const Penalty f = at(J), p = printed_factor(J, epsilon);
    worst = std::max(
        {worst, jump(f.value, p.value), jump(f.slope, p.slope), jump(f.curvature, p.curvature)});
  }
  rows.add("deviatoric factor and derivatives against (11) as printed", "paper", "(11)", worst,
           Relation::AtMost, 1e-12, "worst relative difference, J from -10 to 10");
}

/// One plot of the figure; what grows out of it is cut off.
void draw(const std::filesystem::path& folder, const char* file, const char* title,
          const char* label, double Penalty::*part, double low, double high) {
  std::vector<run::Series> series;
  for (const Candidate& c : kCandidates) {
    run::Series s{.name = std::string(c.name)};
    for (int i = 0; i <= 500; ++i) {
      const double J = -0.5 + 0.005 * i, y = c.at(J).*part;
      s.x.push_back(J);
      s.y.push_back(y >= low && y <= high ? y : kNan);
    }
    series.push_back(std::move(s));
  }
  write_file_atomic(folder / file, run::plot_svg(series, {.title = title,
                                                          .x_label = "volume ratio J",
                                                          .y_label = label,
                                                          .width = 720,
                                                          .height = 460}));
}

}  // namespace

std::vector<Row> sheen_penalty(const ExperimentOptions& options, Context&) {
  Rows rows;
  for (const Candidate& c : kCandidates) add_conditions(c, rows);
  for (const double beta : {1.0, 6.0}) add_derivatives(beta, rows);
  add_stiffening(rows);
  add_deviatoric_factor(rows);
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    draw(options.pictures, "sheen_penalty_energy.svg",
         "Penalty on the change of volume, lambda = 1", "U / lambda", &Penalty::value, 0, 2.5);
    draw(options.pictures, "sheen_penalty_stress.svg", "Stress of the penalty, lambda = 1",
         "U' / lambda", &Penalty::slope, -6, 3.5);
  }
  return rows.take();
}

}  // namespace isochor::reproduce
