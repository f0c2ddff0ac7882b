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
  double fraction = 0;        ///< part of this frame that is done, 0 to 1
  int newton_iterations = 0;  ///< in this step so far
  int krylov_iterations = 0;  ///< in this step so far
  double residual = 0;        ///< relative, see solve::NewtonReport
};

/// All that a simulation shares with the program around it. There are no globals: two simulations
/// with two contexts run in one process.
struct Context {
  explicit Context(int threads = 0) : arena(threads) {}

  ThreadArena arena;
  std::atomic<bool> cancelled{false};  ///< set from a signal handler or another thread
  std::function<void(LogLevel, std::string_view)> log = [](LogLevel, std::string_view) {};
  /// Each layer fills in what it knows of `status` and calls report().
  Progress status;
  std::function<void(const Progress&)> on_progress = [](const Progress&) {};
  void report() { on_progress(status); }
};

}  // namespace isochor
