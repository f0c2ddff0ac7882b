#include "isochor/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace isochor {
namespace {

using Chunk = std::pair<std::size_t, std::size_t>;

constexpr int kThreads[] = {1, 2, 3, 5, 8};

std::vector<Chunk> chunks_of(ThreadArena& arena, std::size_t count, std::size_t grain) {
  std::mutex mutex;
  std::vector<Chunk> chunks;
  arena.for_chunks(count, grain, [&](std::size_t begin, std::size_t end) {
    const std::lock_guard lock(mutex);
    chunks.emplace_back(begin, end);
  });
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

TEST(BaseParallel, EveryIndexIsVisitedExactlyOnce) {
  for (const int threads : kThreads) {
    ThreadArena arena(threads);
    for (const std::size_t count : {0, 1, 2, 7, 64, 1000, 4097}) {
      for (const std::size_t grain : {1, 3, 64, 100000}) {
        // Plain integers: a second visit by another thread is a race that the sanitizer sees.
        std::vector<int> visits(count, 0);
        parallel_for(arena, count, grain, [&](std::size_t i) { ++visits[i]; });
        EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), std::ptrdiff_t(count))
            << threads << " threads, " << count << " items, grain " << grain;
      }
    }
  }
}

TEST(BaseParallel, NothingIsCalledForNoItems) {
  for (const int threads : kThreads) {
    ThreadArena arena(threads);
    EXPECT_TRUE(chunks_of(arena, 0, 4).empty());
  }
}

TEST(BaseParallel, ChunksDependOnCountAndGrainOnly) {
  for (const std::size_t count : {1, 10, 999, 1000, 1001}) {
    for (const std::size_t grain : {1, 10, 333, 5000}) {
      std::vector<Chunk> expected;
      for (std::size_t at = 0; at < count; at += grain) {
        expected.emplace_back(at, std::min(count, at + grain));
      }
      for (const int threads : kThreads) {
        ThreadArena arena(threads);
        EXPECT_EQ(chunks_of(arena, count, grain), expected)
            << threads << " threads, " << count << " items, grain " << grain;
      }
    }
  }
}

TEST(BaseParallel, ThreadsAreAsManyAsAskedFor) {
  for (const int threads : kThreads) EXPECT_EQ(ThreadArena(threads).threads(), threads);
  for (const int threads : {0, -1}) EXPECT_GE(ThreadArena(threads).threads(), 1);
}

TEST(BaseParallel, ExceptionsReachTheCallerAndTheArenaLivesOn) {
  for (const int threads : kThreads) {
    ThreadArena arena(threads);
    for (const std::size_t bad : {0, 57, 99}) {
      try {
        parallel_for(arena, 100, 1, [&](std::size_t i) {
          if (i == bad) throw std::out_of_range("index " + std::to_string(i));
        });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const std::out_of_range& error) {
        EXPECT_EQ(error.what(), "index " + std::to_string(bad));
      }
    }
    EXPECT_THROW(parallel_for(arena, 100, 1, [](std::size_t) { throw 1; }), int);
    EXPECT_EQ(chunks_of(arena, 100, 10).size(), 10u);
  }
}

TEST(BaseParallel, ALoopWithinALoopOfTheSameArenaRunsInOneThread) {
  ThreadArena arena(3);
  std::vector<std::vector<int>> visits(12, std::vector<int>(500, 0));
  parallel_for(arena, visits.size(), 1, [&](std::size_t body) {
    const std::thread::id self = std::this_thread::get_id();
    parallel_for(arena, visits[body].size(), 16, [&](std::size_t i) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      ++visits[body][i];
    });
  });
  for (const auto& v : visits) EXPECT_EQ(std::count(v.begin(), v.end(), 1), 500);
}

TEST(BaseParallel, LoopsOfTwoCallersDoNotMix) {
  ThreadArena arena(3);
  std::vector<std::size_t> sums(2);
  const auto call = [&](std::size_t which) {
    std::vector<std::size_t> values(1000);
    for (int round = 0; round < 100; ++round) {
      parallel_for(arena, values.size(), 32, [&](std::size_t i) { values[i] += i + which; });
    }
    sums[which] = std::accumulate(values.begin(), values.end(), std::size_t{0});
  };
  std::thread other([&] { call(1); });
  call(0);
  other.join();
  EXPECT_EQ(sums[0], 100u * 499500);
  EXPECT_EQ(sums[1], 100u * 500500);
}

TEST(BaseParallel, WritesAreSeenAfterTheLoop) {
  ThreadArena arena(3);
  std::vector<std::size_t> values(5000);
  for (std::size_t round = 0; round < 50; ++round) {
    parallel_for(arena, values.size(), 64, [&](std::size_t i) { values[i] += i + round; });
  }
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], 50 * i + 49 * 50 / 2);
}

TEST(BaseParallel, TwoArenasRunAtTheSameTime) {
  std::vector<std::size_t> sums(2);
  const auto simulate = [&](std::size_t which) {
    ThreadArena arena(2);
    std::vector<std::size_t> values(1000);
    for (int round = 0; round < 100; ++round) {
      parallel_for(arena, values.size(), 32, [&](std::size_t i) { values[i] += i + which; });
    }
    sums[which] = std::accumulate(values.begin(), values.end(), std::size_t{0});
  };
  std::thread other([&] { simulate(1); });
  simulate(0);
  other.join();
  EXPECT_EQ(sums[0], 100u * 499500);
  EXPECT_EQ(sums[1], 100u * 500500);
}

TEST(BaseParallel, AChunkMayUseAnArenaOfItsOwn) {
  ThreadArena outer(3);
  std::vector<std::vector<int>> visits(12, std::vector<int>(500, 0));
  parallel_for(outer, visits.size(), 1, [&](std::size_t body) {
    ThreadArena inner(2);
    parallel_for(inner, visits[body].size(), 16, [&](std::size_t i) { ++visits[body][i]; });
  });
  for (const auto& v : visits) EXPECT_EQ(std::count(v.begin(), v.end(), 1), 500);
}

}  // namespace
}  // namespace isochor
