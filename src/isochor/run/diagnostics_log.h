#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "isochor/sim/simulation.h"

namespace isochor::run {

/// Wall time of a frame beside that of its solver, s.
struct OutputSeconds {
  double measure = 0;  ///< fields and measures of the state
  double write = 0;    ///< the checkpoint; the frame's file comes after its row
};

/// Writes diagnostics.csv, a row as soon as a frame is known.
class DiagnosticsLog {
 public:
  /// A new file; or, with `keep_through`, the rows of an earlier one up to that frame. An earlier
  /// one with other columns is an input error when the first row is added.
  DiagnosticsLog(std::filesystem::path path, std::optional<int> keep_through);

  void add(const sim::FrameReport& report, const sim::Measures& measures,
           const OutputSeconds& seconds);

 private:
  std::filesystem::path path_;
  std::string header_;  ///< of an earlier file, or once there is a row
};

}  // namespace isochor::run
