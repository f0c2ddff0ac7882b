#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "isochor/base/context.h"
#include "isochor/sim/simulation.h"

namespace isochor::app {

/// Shows how a run goes on standard error: one line that renews itself on a terminal, one line per
/// frame elsewhere, nothing if quiet.
class ProgressLine {
 public:
  enum class Style { Terminal, Lines, Quiet };

  ProgressLine(Style style, int last_frame) : style_(style), last_(last_frame) {}
  static Style style_for(bool quiet);

  void update(const Progress& progress);
  void frame_done(const sim::FrameReport& report, const sim::Measures& measures);
  /// Ends the renewing line, so that other text can follow.
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  /// `position` is the frame being computed plus the part of it that is done.
  std::string time_left(double position) const;
  void show(const std::string& text);

  Style style_;
  int last_;
  std::optional<int> begin_;  ///< the first frame computed
  double volume_error_ = 0;
  Clock::time_point start_ = Clock::now(), shown_{};
  std::size_t width_ = 0;
};

}  // namespace isochor::app
