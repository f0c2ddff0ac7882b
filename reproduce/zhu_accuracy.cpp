/// [Zhu10 (17), fig 15]: a disc whose deformation is known, on grids that do not follow its
/// outline, beside finite elements that do, and that do not.
///
/// Two opposite quadrants of the outline are held, tractions pull at the other two. They come as
/// forces of a polygon's sides, spread bilinearly to the faces around [Zhu10 sec 9.2]. The error is
/// the largest at unknowns inside the disc, against the largest displacement; as it goes up and
/// down with how the grid meets the outline, it is the geometric mean of several such. Orders are
/// slopes of the best line through all sizes.
#include <cmath>
#include <fmt/core.h>
#include <functional>

#include "isochor/base/file.h"
#include "isochor/run/plot.h"
#include "reproduce/experiment.h"
#include "reproduce/zhu_disc.h"

namespace isochor::reproduce {
namespace {

constexpr const char* kId = "zhu/accuracy";
constexpr double kShifts[][2] = {{0, 0}, {0.5, 0.5}, {0.3, 0.1}, {0.7, 0.4}, {0.15, 0.85}};

struct Scheme {
  const char *name, *variant;
  bool follows;  ///< the outline: one grid is as good as any other
  std::function<DiscErrors(const DiscGrid&, double poisson, Context&)> run;
};

const std::vector<Scheme>& schemes() {
  static const std::vector<Scheme> all{{"staggered", "best", false,
                                        [](const DiscGrid& grid, double nu, Context& context) {
                                          return staggered_disc(grid, nu, true, context);
                                        }},
                                       {"staggered", "paper", false,
                                        [](const DiscGrid& grid, double nu, Context& context) {
                                          return staggered_disc(grid, nu, false, context);
                                        }},
                                       {"conforming triangles", "reference", true,
                                        [](const DiscGrid& grid, double nu, Context& context) {
                                          return conforming_disc(grid.n, nu, context);
                                        }},
                                       {"embedded triangles", "reference", false, embedded_disc},
                                       {"lattice squares", "lattice", false, lattice_disc}};
  return all;
}

/// Geometric means over positions of the grid.
DiscErrors mean_errors(const Scheme& scheme, int n, double poisson, int positions,
                       Context& context) {
  DiscErrors mean{.largest = 1, .mean = 1};
  const int count = scheme.follows ? 1 : positions;
  for (int s = 0; s < count && !context.cancelled; ++s) {
    const DiscErrors one = scheme.run({n, {kShifts[s][0], kShifts[s][1]}}, poisson, context);
    mean.largest *= std::pow(one.largest, 1.0 / count);
    mean.mean *= std::pow(one.mean, 1.0 / count);
    mean.unknowns += one.unknowns / count;
    mean.iterations = std::max(mean.iterations, one.iterations);
    mean.residual = std::max(mean.residual, one.residual);
  }
  return mean;
}

/// Minus the slope of the best line through errors of sizes that double.
double order(const std::vector<DiscErrors>& errors, double DiscErrors::*error) {
  const double middle = 0.5 * double(errors.size() - 1);
  double products = 0, squares = 0;
  for (std::size_t k = 0; k < errors.size(); ++k) {
    products += (double(k) - middle) * std::log2(errors[k].*error);
    squares += (double(k) - middle) * (double(k) - middle);
  }
  return -products / squares;
}

/// How many unknowns a scheme takes for a largest error, by the line through its own.
double unknowns_for(double error, const std::vector<DiscErrors>& errors) {
  double middle = 0, unknowns = 0;
  for (const DiscErrors& e : errors) {
    middle += std::log(e.largest) / double(errors.size());
    unknowns += std::log(e.unknowns) / double(errors.size());
  }
  return std::exp(unknowns + (middle - std::log(error)) * 2 / order(errors, &DiscErrors::largest));
}

}  // namespace

std::vector<Row> zhu_accuracy(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  std::vector<run::Series> series;
  const int finest = options.full ? 256 : 128, positions = options.full ? 5 : 3;
  int colour = 0;
  for (const double poisson : {0.2, 0.45, 0.49}) {
    DiscErrors aim;  // ours, which come first
    for (const Scheme& scheme : schemes()) {
      std::vector<DiscErrors> errors;
      run::Series line{.name = fmt::format("{}, {}, nu {}", scheme.name, scheme.variant, poisson),
                       .dashed = poisson < 0.45,
                       .colour = colour++ % int(schemes().size())};
      for (int n = 32; n <= finest; n *= 2) {
        errors.push_back(mean_errors(scheme, n, poisson, positions, context));
        if (context.cancelled) return rows;
        const DiscErrors& e = errors.back();
        line.x.push_back(std::log10(e.unknowns));
        line.y.push_back(e.largest);
        rows.push_back(
            {.id = kId,
             .quantity = fmt::format("error/{}/nu={}/N={}", scheme.name, poisson, n),
             .variant = scheme.variant,
             .source = "fig 15",
             .ours = e.largest,
             .note = fmt::format("root of mean squares {:.1e}; {:.0f} unknowns; {} iterations",
                                 e.mean, e.unknowns, e.iterations)});
        if (e.residual > 1e-8) rows.back().ours.reset();
      }
      const bool ours = scheme.variant == std::string_view("best");
      rows.push_back(
          {.id = kId,
           .quantity = fmt::format("order/{}/nu={}", scheme.name, poisson),
           .variant = scheme.variant,
           .source = "fig 15",
           .paper = 1.15,
           .ours = order(errors, &DiscErrors::largest),
           .relation = ours ? Relation::AtLeast : Relation::Shown,
           .bound = ours ? std::optional(1.0) : std::nullopt,
           .note = fmt::format("of the largest error, N = 32 to {}; the paper has 1.15 to 1.25 for "
                               "all; of the root of mean squares {:.2f}",
                               finest, order(errors, &DiscErrors::mean))});
      if (ours) aim = errors.back();
      rows.push_back({.id = kId,
                      .quantity = fmt::format("unknowns for the error of ours at N={}/{}/nu={}",
                                              finest, scheme.name, poisson),
                      .variant = scheme.variant,
                      .source = "sec 9.2",
                      .ours = unknowns_for(aim.largest, errors) / aim.unknowns,
                      .unit = "of ours",
                      .note = fmt::format("error {:.2g} with {:.0f}; by the line through all sizes",
                                          aim.largest, aim.unknowns)});
      if (poisson != 0.45) series.push_back(std::move(line));
    }
  }
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    write_file_atomic(options.pictures / "zhu_accuracy.svg",
                      run::plot_svg(series, {.title = "Largest error of the disc",
                                             .x_label = "log10 of unknowns",
                                             .y_label = "error / largest displacement",
                                             .log_y = true,
                                             .width = 760,
                                             .height = 460}));
  }
  return rows;
}

}  // namespace isochor::reproduce
