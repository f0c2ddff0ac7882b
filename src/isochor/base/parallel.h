#pragma once

#include <cstddef>
#include <memory>

#include "isochor/base/function_ref.h"

namespace isochor {

/// The threads one simulation may use. Two arenas in one process do not disturb each other.
class ThreadArena {
 public:
  /// `threads` <= 0 means one per processor.
  explicit ThreadArena(int threads = 0);
  ~ThreadArena();
  ThreadArena(const ThreadArena&) = delete;
  ThreadArena& operator=(const ThreadArena&) = delete;

  int threads() const;

  /// Calls body(begin, end) once for each chunk [k grain, (k+1) grain) of [0, count), in any
  /// order. Chunks depend on `count` and `grain` only, never on the number of threads, so that a
  /// result computed per chunk has the same bits on any machine. Chunks must not call back in.
  void for_chunks(std::size_t count, std::size_t grain,
                  FunctionRef<void(std::size_t begin, std::size_t end)> body);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Calls f(i) for every i in [0, count); `grain` items are the smallest piece of work.
template <class F>
void parallel_for(ThreadArena& arena, std::size_t count, std::size_t grain, F&& f) {
  arena.for_chunks(count, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) f(i);
  });
}

}  // namespace isochor
