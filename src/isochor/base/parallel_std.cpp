// The thread backend for the thread sanitizer, which cannot see into a prebuilt TBB.
#ifdef ISOCHOR_STD_THREADS

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "isochor/base/parallel.h"

namespace isochor {

struct ThreadArena::Impl {
  using Body = FunctionRef<void(std::size_t, std::size_t)>;

  explicit Impl(int thread_count) : threads(thread_count) {
    for (int i = 1; i < thread_count; ++i) workers.emplace_back([this] { work(); });
  }
  ~Impl() {
    {
      std::lock_guard lock(mutex);
      stopping = true;
    }
    wake.notify_all();
    for (auto& w : workers) w.join();
  }

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return stopping || (body && next < count); });
      if (stopping) return;
      drain(lock);
    }
  }

  /// Takes chunks until none is left. Holds the lock on entry and on return.
  void drain(std::unique_lock<std::mutex>& lock) {
    while (body && next < count) {
      const std::size_t begin = next, end = std::min(count, begin + grain);
      next = end;
      ++running;
      const Body call = *body;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        call(begin, end);
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      if (thrown && !failure) failure = thrown;
      if (--running == 0 && next >= count) done.notify_all();
    }
  }

  int threads;
  std::mutex mutex;
  std::condition_variable wake, done;
  const Body* body = nullptr;
  std::size_t count = 0, grain = 1, next = 0;
  int running = 0;
  bool stopping = false;
  std::exception_ptr failure;
  std::vector<std::thread> workers;
};

ThreadArena::ThreadArena(int threads)
    : impl_(std::make_unique<Impl>(
          threads > 0 ? threads
                      : std::max(1, static_cast<int>(std::thread::hardware_concurrency())))) {}
ThreadArena::~ThreadArena() = default;

int ThreadArena::threads() const { return impl_->threads; }

void ThreadArena::for_chunks(std::size_t count, std::size_t grain,
                             FunctionRef<void(std::size_t, std::size_t)> body) {
  std::unique_lock lock(impl_->mutex);
  impl_->body = &body;
  impl_->count = count;
  impl_->grain = grain;
  impl_->next = 0;
  impl_->failure = nullptr;
  impl_->wake.notify_all();
  impl_->drain(lock);
  impl_->done.wait(lock, [this] { return impl_->running == 0; });
  impl_->body = nullptr;
  if (impl_->failure) std::rethrow_exception(impl_->failure);
}

}  // namespace isochor

#endif
