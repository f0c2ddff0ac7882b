#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isochor::run {

/// One line of a plot; the shorter of x and y decides how many points it has. A value that is not
/// finite leaves a gap.
struct Series {
  std::string name;
  std::vector<double> x, y;
  bool points = false;  ///< dots without a line, as measurements are shown
  bool dashed = false;
  int colour = -1;  ///< from 0; negative: by its place among the lines
};

struct PlotOptions {
  std::string title;
  std::string x_label, y_label;  ///< with their units
  bool log_y = false;            ///< values that are not positive are left out
  bool x_is_frame = false;       ///< lets the script of a page mark the frame that is shown
  int width = 560, height = 320;
};

/// Plots as SVG text, to stand alone or inside a page. They take the text colour of the page and,
/// where it defines them, its custom properties `--series-1` to `--series-8`, so that one picture
/// serves light and dark pages. Without any value to show, the frame says so.
std::string plot_svg(std::span<const Series> series, const PlotOptions& options);

/// How many of `values` fall into each of `bins` equal intervals; values that are not finite are
/// left out. `log_y` is ignored.
std::string histogram_svg(std::span<const double> values, int bins, const PlotOptions& options);

/// Text made safe for HTML, SVG and their attributes.
std::string escape_html(std::string_view text);

}  // namespace isochor::run
