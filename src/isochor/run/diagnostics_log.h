#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "isochor/sim/simulation.h"

namespace isochor::run {

/// Writes diagnostics.csv, a row as soon as a frame is known.
class DiagnosticsLog {
 public:
  /// A new file; or, with `keep_through`, the rows of an earlier one up to that frame.
  DiagnosticsLog(std::filesystem::path path, std::optional<int> keep_through);

  void add(const sim::FrameReport& report, const sim::Measures& measures, double output_seconds);

 private:
  std::filesystem::path path_;
  bool has_header_ = false;
};

}  // namespace isochor::run
