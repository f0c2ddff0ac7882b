#include "app/progress_line.h"

#include <cstdio>
#include <fmt/core.h>

#include "isochor/base/file.h"

namespace isochor::app {

ProgressLine::Style ProgressLine::style_for(bool quiet) {
  if (quiet) return Style::Quiet;
  return is_terminal(fileno(stderr)) ? Style::Terminal : Style::Lines;
}

std::string ProgressLine::time_left(double position) const {
  const double done = position - begin_.value_or(0);
  if (done <= 0) return "--:--";
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  const auto left = static_cast<int>(spent / done * (last_ + 1 - position));
  return left >= 3600 ? fmt::format("{}:{:02}:{:02}", left / 3600, left / 60 % 60, left % 60)
                      : fmt::format("{}:{:02}", left / 60, left % 60);
}

void ProgressLine::show(const std::string& text) {
  fmt::print(stderr, "\r{:<{}}", text, width_);
  width_ = text.size();
  std::fflush(stderr);
}

void ProgressLine::update(const Progress& p) {
  constexpr auto kInterval = std::chrono::milliseconds(100);
  if (!begin_) begin_ = p.frame;
  if (style_ != Style::Terminal || Clock::now() - shown_ < kInterval) return;
  shown_ = Clock::now();
  show(fmt::format("frame {}/{}  newton {}  krylov {}  residual {:.1e}  volume {:+.3f} %  left {}",
                   p.frame, last_, p.newton_iterations, p.krylov_iterations, p.residual,
                   100 * volume_error_, time_left(p.frame + p.fraction)));
}

void ProgressLine::frame_done(const sim::FrameReport& report, const sim::Measures& measures) {
  volume_error_ = measures.volume_error;
  if (style_ != Style::Lines) return;
  fmt::print(stderr,
             "frame {}/{}  newton {}  krylov {}  residual {:.1e}  volume {:+.3f} %  {:.2f} s  "
             "left {}\n",
             report.frame, last_, report.newton_iterations, report.krylov_iterations,
             report.residual, 100 * measures.volume_error, report.solve_seconds,
             time_left(report.frame + 1));
}

void ProgressLine::close() {
  if (style_ == Style::Terminal && width_ > 0) fmt::print(stderr, "\r{:<{}}\r", "", width_);
  width_ = 0;
}

}  // namespace isochor::app
