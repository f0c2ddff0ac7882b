#pragma once

#include <functional>
#include <string>
#include <vector>

#include "isochor/files/frame.h"
#include "isochor/sim/setup.h"

namespace isochor::run {

/// What the viewer of a page shows, as the page carries it (docs/formats/report-data.md).
struct ViewerData {
  std::string header;               ///< JSON that is safe inside a script element
  std::vector<std::string> blocks;  ///< base64: first what no frame changes, then one per frame
  std::vector<std::string> notes;   ///< what is rounded and what is left out, for the reader
};

/// Where frames come from; each is asked for twice, in ascending order.
struct ViewerSource {
  const files::Topology& topology;
  const sim::Setup& setup;
  int frame_count = 0;  ///< 0: only the set-up is shown
  std::function<files::Frame(int)> frame;
  Vec3d up{0, 1, 0};  ///< where the ceiling is
};

/// Bytes of numbers that a page may hold before compression; that much memory a browser needs.
inline constexpr std::size_t kViewerBudget = std::size_t{128} << 20;

/// Rounds and packs frames. Where they do not fit the budget, the lattice is left out first, then
/// frames, then vertices; `notes` says so.
ViewerData pack_viewer(const ViewerSource& source, std::size_t budget = kViewerBudget);

}  // namespace isochor::run
