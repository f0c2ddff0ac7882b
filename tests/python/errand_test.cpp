#include "python/bindings/errand.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace isochor::python {
namespace {

TEST(Errand, CallsAreMadeInOrderOnTheThreadThatWaits) {
  Errand errand;
  std::vector<int> made;
  std::thread::id worker, caller;
  errand.run(
      [&] {
        worker = std::this_thread::get_id();
        for (int i = 0; i < 1000; ++i) {
          errand.ask([&] {
            caller = std::this_thread::get_id();
            made.push_back(i);
          });
          EXPECT_EQ(made.size(), std::size_t(i) + 1) << "a call is made before its asker goes on";
        }
      },
      [] {});
  EXPECT_EQ(made.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(made.begin(), made.end()));
  EXPECT_EQ(caller, std::this_thread::get_id());
  EXPECT_NE(worker, caller);
}

TEST(Errand, WhatAJobThrowsIsThrownToTheThreadThatWaits) {
  Errand errand;
  EXPECT_THROW(errand.run([] { throw std::runtime_error("no"); }, [] {}), std::runtime_error);
  bool ran = false;
  errand.run([&] { ran = true; }, [] {});
  EXPECT_TRUE(ran) << "an errand can be run again";
}

TEST(Errand, ThreadThatWaitsLooksUpMeanwhile) {
  Errand errand;
  std::atomic<bool> stop{false};
  errand.run(
      [&] {
        while (!stop) std::this_thread::yield();
      },
      [&] { stop = true; });
  EXPECT_TRUE(stop);
}

}  // namespace
}  // namespace isochor::python
