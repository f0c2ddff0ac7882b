#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "isochor/base/parallel.h"

namespace isochor {

enum class LogLevel { Info, Warning };

/// How far a long job has come; shown by whoever listens, ignored otherwise.
struct Progress {
  int frame = 0;              ///< frame being computed
  int last_frame = 0;         ///< frame at which the job ends
  double fraction = 0;        ///< part of this frame that is done, 0 to 1
  int newton_iterations = 0;  ///< in this frame so far
  int krylov_iterations = 0;  ///< in this frame so far
  double residual = 0;        ///< relative, see lattice::StepReport
};

/// All that a simulation shares with the program around it. There are no globals: two simulations
/// with two contexts run in one process.
struct Context {
  explicit Context(int threads = 0) : arena(threads) {}

  ThreadArena arena;
  std::atomic<bool> cancelled{false};  ///< set from a signal handler or another thread
  std::function<void(LogLevel, std::string_view)> log = [](LogLevel, std::string_view) {};
  std::function<void(const Progress&)> progress = [](const Progress&) {};
};

}  // namespace isochor
