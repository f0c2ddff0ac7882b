#include "python/bindings/errand.h"

#include <chrono>
#include <exception>
#include <thread>

namespace isochor::python {

void Errand::run(const std::function<void()>& job, const std::function<void()>& idle) {
  constexpr std::chrono::milliseconds kPatience{50};
  std::exception_ptr error;
  ended_ = false;
  std::thread worker([&] {
    try {
      job();
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  });
  std::unique_lock lock(mutex_);
  while (!ended_) {
    const bool news = changed_.wait_for(lock, kPatience, [&] { return call_ || ended_; });
    // The job may go on while this thread is idle, and is waiting while its call is made.
    const std::function<void()>* call = call_;
    lock.unlock();
    if (call) {
      (*call)();
    } else if (!news) {
      idle();
    }
    lock.lock();
    if (!call) continue;
    call_ = nullptr;
    changed_.notify_all();
  }
  lock.unlock();
  worker.join();
  if (error) std::rethrow_exception(error);
}

void Errand::ask(const std::function<void()>& call) {
  std::unique_lock lock(mutex_);
  call_ = &call;
  changed_.notify_all();
  changed_.wait(lock, [&] { return call_ == nullptr; });
}

}  // namespace isochor::python
