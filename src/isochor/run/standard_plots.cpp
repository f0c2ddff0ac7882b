#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string_view>

#include "isochor/run/plot.h"
#include "isochor/run/report_page.h"

namespace isochor::run {
namespace {

/// "worst_cell_volume_error" reads better as "worst cell volume error"; what all lines of a plot
/// have in common is in its title.
std::string spoken(std::string_view name) {
  constexpr std::string_view kSuffix = "_seconds";
  for (const std::string_view prefix : {"reaction.", "band."}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

class PlotList {
 public:
  explicit PlotList(const DiagnosticsTable& table) : table_(table), frames_(table.values("frame")) {
    for (const std::string& header : table.columns) columns_.push_back(parse_column(header));
    for (std::size_t i = frames_.size(); i < table.rows.size(); ++i) {
      frames_.push_back(static_cast<double>(i));
    }
  }

  const std::vector<ColumnHeader>& columns() const { return columns_; }

  /// Adds one plot of those columns that exist; none if none has a number.
  void add(const std::string& title, std::span<const std::string> names,
           const std::string& quantity, bool log_y = false) {
    std::vector<Series> series;
    std::string unit;
    for (const std::string& name : names) {
      Series s{spoken(name), frames_, table_.values(name)};
      // A logarithm shows sizes; the sign of an error is in the table.
      if (log_y)
        std::transform(s.y.begin(), s.y.end(), s.y.begin(), [](double y) { return std::abs(y); });
      if (std::none_of(s.y.begin(), s.y.end(), [](double y) { return std::isfinite(y); })) continue;
      if (unit.empty()) unit = columns_[table_.column(name)].unit;
      series.push_back(std::move(s));
    }
    if (series.empty()) return;
    PlotOptions options;
    options.title = title;
    options.x_label = "frame";
    options.y_label = quantity;
    options.log_y = log_y;
    options.x_is_frame = true;
    if (!unit.empty()) options.y_label += " [" + unit + "]";
    plots_.emplace_back(title, plot_svg(series, options));
  }

  std::vector<TitledSvg> take() { return std::move(plots_); }

 private:
  const DiagnosticsTable& table_;
  std::vector<double> frames_;
  std::vector<ColumnHeader> columns_;
  std::vector<TitledSvg> plots_;
};

}  // namespace

std::vector<TitledSvg> standard_plots(const DiagnosticsTable& table) {
  using Names = std::vector<std::string>;
  PlotList plots(table);
  plots.add("Residual", Names{"residual"}, "relative residual", true);
  plots.add("Iterations", Names{"newton_iterations", "krylov_iterations"}, "iterations", true);
  plots.add("Volume error",
            Names{"volume_error", "worst_zone_volume_error", "worst_cell_volume_error"},
            "size of the error", true);
  plots.add("Smallest volume ratio", Names{"min_j"}, "minimum J");
  plots.add("Inverted cells", Names{"inverted_cells"}, "cells");
  plots.add("Energy balance since frame 0", Names{"hold_work", "damping_loss", "integrator_loss"},
            "energy");
  const auto axes = [](const std::string& name) {
    return Names{name + ".x", name + ".y", name + ".z"};
  };
  plots.add("Centre of mass", axes("center_of_mass"), "position");
  plots.add("Linear momentum", axes("momentum"), "momentum");
  plots.add("Angular momentum about the centre of mass", axes("angular_momentum"),
            "angular momentum");

  // Forces and moments do not share a scale: one plot per unit.
  Names times, energies, volumes, pressures, girths, worn, tensions;
  std::map<std::string, Names> reactions;
  for (const ColumnHeader& c : plots.columns()) {
    if (c.name.ends_with("_seconds")) times.push_back(c.name);
    if (c.name.ends_with("_energy") && c.unit == "J") energies.push_back(c.name);
    if (c.name.starts_with("zone.")) (c.unit == "Pa" ? pressures : volumes).push_back(c.name);
    if (c.name.starts_with("band.")) {
      if (c.unit == "m") girths.push_back(c.name);
      if (c.unit == "mmHg") worn.push_back(c.name);
      if (c.unit == "N/m") tensions.push_back(c.name);
    }
    if (c.name.starts_with("reaction.")) reactions[c.unit].push_back(c.name);
  }
  plots.add("Volume of zones", volumes, "over that at rest");
  plots.add("Pressure of zones", pressures, "pressure");
  plots.add("Girth of bands and of the body beneath", girths, "girth");
  plots.add("Pressure of bands", worn, "pressure");
  plots.add("Tension of bands", tensions, "tension");
  plots.add("Energy", energies, "energy");
  plots.add("Time per phase", times, "wall time");
  for (const auto& [unit, names] : reactions) {
    const bool moment = unit == "N m";
    plots.add(moment ? "Reaction moments" : "Reaction forces", names, moment ? "moment" : "force");
  }
  return plots.take();
}

std::vector<TitledSvg> convergence_plot(const DiagnosticsTable& convergence) {
  const std::vector<double> iterations = convergence.values("newton_iterations");
  const std::vector<double> residuals = convergence.values("residual");
  if (residuals.empty()) return {};
  Series line{.name = "residual"};
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    // A new step begins: its residual does not follow from the one before.
    if (i > 0 && iterations[i] == 0) {
      line.x.push_back(static_cast<double>(i));
      line.y.push_back(std::nan(""));
    }
    line.x.push_back(static_cast<double>(i));
    line.y.push_back(residuals[i]);
  }
  const std::string title = "Residual per Newton iteration";
  const PlotOptions options{.title = title,
                            .x_label = "Newton iteration of the run, a line per step",
                            .y_label = "relative residual",
                            .log_y = true};
  return {{title, plot_svg(std::span(&line, 1), options)}};
}

std::vector<TitledSvg> volume_histogram(const files::Frame& frame) {
  std::vector<double> ratios;
  for (const files::BodyFrame& body : frame.bodies) {
    for (const files::Field& field : body.fields) {
      if (field.name != "J" || field.support != files::Support::Cell) continue;
      ratios.insert(ratios.end(), field.values.begin(), field.values.end());
    }
  }
  if (ratios.empty()) return {};
  const std::string title(kHistogramTitle);
  const PlotOptions options{.title = title + ", frame " + std::to_string(frame.index),
                            .x_label = "J, volume now / at rest",
                            .y_label = "cells"};
  constexpr int kBins = 60;
  return {{title, histogram_svg(ratios, kBins, options)}};
}

}  // namespace isochor::run
