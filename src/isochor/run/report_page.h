#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isochor/run/diagnostics.h"
#include "isochor/run/viewer_data.h"

namespace isochor::run {

struct Picture {
  std::vector<std::byte> png;
  std::string caption;
};

struct Fact {
  std::string name, value;
};

using TitledSvg = std::pair<std::string, std::string>;  ///< title, SVG text

/// A run that can be turned and played on the page.
struct ViewedRun {
  std::string title;
  ViewerData data;
};

/// Words and numbers in rows, the first column a heading.
struct TextTable {
  std::string heading;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

struct ReportInput {
  std::string title, subtitle;
  std::string status;  ///< such as "done and converged"
  bool ok = false;     ///< decides how the status looks
  std::vector<Fact> facts;
  std::vector<ViewedRun> runs;    ///< usually one; several are shown side by side
  std::vector<Picture> pictures;  ///< in the order of time
  std::vector<TitledSvg> plots;   ///< from plot.h; placed as they are
  std::vector<TextTable> tables;
  DiagnosticsTable diagnostics;
  std::string scene_text;
  std::vector<std::string> warnings;
};

/// One page that needs nothing else: it opens from a disk without a network, in light and dark, on
/// small and large screens. Without scripts or WebGL it shows pictures in the place of the viewer.
std::string report_html(const ReportInput& input);

/// The plots that the columns of a diagnostics table allow, over the frames; those whose columns
/// are missing or hold no number are left out.
std::vector<TitledSvg> standard_plots(const DiagnosticsTable& table);

/// The residual at every Newton iteration (convergence_log.h), a line per step; none without rows.
std::vector<TitledSvg> convergence_plot(const DiagnosticsTable& convergence);

/// How the volume ratios of all cells of a frame are spread; none if it has none.
inline constexpr std::string_view kHistogramTitle = "Histogram of J";
std::vector<TitledSvg> volume_histogram(const files::Frame& frame);

}  // namespace isochor::run
