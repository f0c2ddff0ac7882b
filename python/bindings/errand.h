#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

namespace isochor::python {

/// A long job that an interpreter waits for. The job runs on a thread of its own; the thread that
/// waits stays free to notice signals, and makes all calls into Python: they come from the thread
/// that a user expects them on.
class Errand {
 public:
  /// Returns when the job has ended; throws what it threw. `idle` is called on this thread several
  /// times per second, and must not throw.
  void run(const std::function<void()>& job, const std::function<void()>& idle);

  /// From the job: has `call` made on the thread that waits, and returns when it has been. It must
  /// not throw.
  void ask(const std::function<void()>& call);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* call_ = nullptr;  ///< asked for and not yet made
  bool ended_ = false;
};

}  // namespace isochor::python
