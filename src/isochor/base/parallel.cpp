#include "isochor/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace isochor {
namespace {

/// How often a thread looks for work, with a short pause between, before it goes to sleep: about
/// 50 microseconds. A solver's loops follow each other faster than that, and waking a thread takes
/// as long as a short one.
constexpr int kLooks = 2000;
/// How often it then looks on while it gives way to whoever needs the processor: about a
/// millisecond, as long as a solver may be in what is not worth two threads.
constexpr int kPoliteLooks = 2000;

void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Calls done() until it holds. Gives way after a while: who is waited for may need the processor.
template <class Done>
void wait_for(Done&& done) {
  for (int looks = 0; !done(); ++looks) {
    if (looks < kLooks) {
      pause_processor();
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace

/// Threads that share loops. A thread begins with the part of the chunks that is its own, always
/// the same, so that it finds in its cache what it had there in the loop before; then it helps the
/// others.
struct ThreadArena::Impl {
  using Body = FunctionRef<void(std::size_t, std::size_t)>;

  explicit Impl(int thread_count) : threads(thread_count), parts(std::size_t(thread_count)) {
    for (int i = 1; i < threads; ++i) workers.emplace_back([this, i] { serve(i); });
  }
  ~Impl() {
    stopping = true;
    call();
    for (std::thread& worker : workers) worker.join();
  }

  void loop(std::size_t new_count, std::size_t new_grain, const Body& new_body) {
    const std::lock_guard lock(callers);
    count = new_count;
    grain = new_grain;
    body = &new_body;
    failed = false;
    const std::size_t chunks = (count + grain - 1) / grain;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      parts[p].next.store(chunks * p / parts.size(), std::memory_order_relaxed);
      parts[p].end = chunks * (p + 1) / parts.size();
    }
    inside.fetch_or(kOpen);
    call();
    work(0);
    inside.fetch_and(~kOpen);
    wait_for([&] { return inside.load() == 0; });
    if (failed) std::rethrow_exception(failure);
  }

  /// Tells workers that there is something to do.
  void call() {
    calls.fetch_add(1);
    calls.notify_all();
  }

  void serve(int index) {
    for (std::uint32_t seen = 0;;) {
      const auto look = [&](int times, auto&& meanwhile) {
        for (int looks = 0; looks < times && calls.load() == seen; ++looks) meanwhile();
      };
      look(kLooks, pause_processor);
      look(kPoliteLooks, std::this_thread::yield);
      calls.wait(seen);
      seen = calls.load();
      if (stopping) return;
      // Whoever enters while a loop is open is waited for.
      if (inside.fetch_add(1) & kOpen) work(index);
      inside.fetch_sub(1);
    }
  }

  void work(int index) {
    const ThreadArena::Impl* const outer = std::exchange(working_for, this);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Part& part = parts[(std::size_t(index) + i) % parts.size()];
      for (;;) {
        const std::size_t chunk = part.next.fetch_add(1, std::memory_order_relaxed);
        if (chunk >= part.end || failed.load(std::memory_order_relaxed)) break;
        try {
          (*body)(chunk * grain, std::min(count, (chunk + 1) * grain));
        } catch (...) {
          if (!failed.exchange(true)) failure = std::current_exception();
        }
      }
    }
    working_for = outer;
  }

  /// Chunks that one thread begins with; on a cache line of its own.
  struct alignas(64) Part {
    std::atomic<std::size_t> next = 0;
    std::size_t end = 0;
  };
  static constexpr std::uint32_t kOpen = std::uint32_t{1} << 31;
  /// Whose chunks the thread is in the middle of.
  static thread_local const Impl* working_for;

  const int threads;
  std::mutex callers;  ///< one loop at a time
  std::vector<Part> parts;
  std::size_t count = 0, grain = 1;
  const Body* body = nullptr;
  std::atomic<std::uint32_t> inside = 0;  ///< workers that may be in the loop; kOpen: more may come
  std::atomic<std::uint32_t> calls = 0;
  std::atomic<bool> stopping = false, failed = false;
  std::exception_ptr failure;
  std::vector<std::thread> workers;
};
thread_local const ThreadArena::Impl* ThreadArena::Impl::working_for = nullptr;

ThreadArena::ThreadArena(int threads)
    : impl_(std::make_unique<Impl>(
          threads > 0 ? threads
                      : std::max(1, static_cast<int>(std::thread::hardware_concurrency())))) {}
ThreadArena::~ThreadArena() = default;

int ThreadArena::threads() const { return impl_->threads; }

void ThreadArena::for_chunks(std::size_t count, std::size_t grain,
                             FunctionRef<void(std::size_t, std::size_t)> body) {
  if (impl_->threads == 1 || count <= grain || Impl::working_for == impl_.get()) {
    for (std::size_t begin = 0; begin < count; begin += grain) {
      body(begin, std::min(count, begin + grain));
    }
    return;
  }
  impl_->loop(count, grain, body);
}

}  // namespace isochor
