#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "isochor/run/diagnostics.h"

namespace isochor::run {

struct Picture {
  std::vector<std::byte> png;
  std::string caption;
};

struct Fact {
  std::string name, value;
};

using TitledSvg = std::pair<std::string, std::string>;  ///< title, SVG text

struct ReportInput {
  std::string title, subtitle;
  std::string status;  ///< such as "done and converged"
  bool ok = false;     ///< decides how the status looks
  std::vector<Fact> facts;
  std::vector<Picture> pictures;  ///< in the order of time
  std::vector<TitledSvg> plots;   ///< from plot.h; placed as they are
  DiagnosticsTable diagnostics;
  std::string scene_text;
  std::vector<std::string> warnings;
};

/// One page that needs nothing else: it opens from a disk without a network, in light and dark, on
/// small and large screens. Without scripts all pictures show below each other.
std::string report_html(const ReportInput& input);

/// The plots that the columns of a diagnostics table allow, over the frames; those whose columns
/// are missing or hold no number are left out.
std::vector<TitledSvg> standard_plots(const DiagnosticsTable& table);

}  // namespace isochor::run
