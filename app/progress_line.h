#pragma once

#include <chrono>
#include <string>

#include "isochor/base/context.h"
#include "isochor/sim/simulation.h"

namespace isochor::app {

/// Shows how a run goes on standard error: one line that renews itself on a terminal, one line per
/// frame elsewhere, nothing if quiet.
class ProgressLine {
 public:
  enum class Style { Terminal, Lines, Quiet };

  explicit ProgressLine(Style style) : style_(style) {}
  static Style style_for(bool quiet);

  void set_range(int first, int last);
  void update(const Progress& progress);
  void frame_done(const sim::FrameReport& report, const sim::Measures& measures);
  /// Ends the renewing line, so that other text can follow.
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  std::string time_left(double frames_done) const;
  void show(const std::string& text);

  Style style_;
  int first_ = 0, last_ = 0;
  double volume_error_ = 0;
  Clock::time_point start_ = Clock::now(), shown_{};
  std::size_t width_ = 0;
};

}  // namespace isochor::app
