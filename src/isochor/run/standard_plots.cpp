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
  constexpr std::string_view kPrefix = "reaction.", kSuffix = "_seconds";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
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
  plots.add("Volume error", Names{"volume_error", "worst_cell_volume_error"}, "size of the error",
            true);
  plots.add("Smallest volume ratio", Names{"min_j"}, "minimum J");
  plots.add("Inverted cells", Names{"inverted_cells"}, "cells");
  plots.add("Energy", Names{"elastic_energy", "spring_energy", "gravity_energy", "kinetic_energy"},
            "energy");
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
  Names times;
  std::map<std::string, Names> reactions;
  for (const ColumnHeader& c : plots.columns()) {
    if (c.name.ends_with("_seconds")) times.push_back(c.name);
    if (c.name.starts_with("reaction.")) reactions[c.unit].push_back(c.name);
  }
  plots.add("Time per phase", times, "wall time");
  for (const auto& [unit, names] : reactions) {
    const bool moment = unit == "N m";
    plots.add(moment ? "Reaction moments" : "Reaction forces", names, moment ? "moment" : "force");
  }
  return plots.take();
}

}  // namespace isochor::run
