#ifndef ISOCHOR_STD_THREADS

#include <algorithm>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <thread>

#include "isochor/base/parallel.h"

namespace isochor {

struct ThreadArena::Impl {
  // TBB has no more workers than processors, and warns on the terminal if asked for more.
  explicit Impl(int count)
      : threads(count), arena(std::min(count, tbb::info::default_concurrency())) {}
  int threads;
  tbb::task_arena arena;
};

ThreadArena::ThreadArena(int threads)
    : impl_(std::make_unique<Impl>(
          threads > 0 ? threads
                      : std::max(1, static_cast<int>(std::thread::hardware_concurrency())))) {}
ThreadArena::~ThreadArena() = default;

int ThreadArena::threads() const { return impl_->threads; }

void ThreadArena::for_chunks(std::size_t count, std::size_t grain,
                             FunctionRef<void(std::size_t, std::size_t)> body) {
  const std::size_t chunks = (count + grain - 1) / grain;
  const auto run = [&](std::size_t chunk) {
    body(chunk * grain, std::min(count, (chunk + 1) * grain));
  };
  if (impl_->threads == 1 || chunks <= 1) {
    for (std::size_t c = 0; c < chunks; ++c) run(c);
    return;
  }
  impl_->arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, chunks), [&](const auto& range) {
      for (std::size_t c = range.begin(); c < range.end(); ++c) run(c);
    });
  });
}

}  // namespace isochor

#endif
