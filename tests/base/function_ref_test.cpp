#include "isochor/base/function_ref.h"

#include <gtest/gtest.h>
#include <string>

namespace isochor {
namespace {

int twice(FunctionRef<int(int)> f) { return f(f(1)); }

TEST(BaseFunctionRef, CallsLambdasWithTheirCaptures) {
  int calls = 0;
  EXPECT_EQ(twice([&](int x) {
              ++calls;
              return 10 * x;
            }),
            100);
  EXPECT_EQ(calls, 2);
}

TEST(BaseFunctionRef, RefersToTheCallableAndDoesNotCopyIt) {
  struct Counter {
    Counter() = default;
    Counter(const Counter&) = delete;
    int calls = 0;
    int operator()(int x) { return ++calls, x; }
  } counter;
  twice(counter);
  EXPECT_EQ(counter.calls, 2);
}

TEST(BaseFunctionRef, ConstCallablesAndCopiesOfItselfWork) {
  const auto append = [](std::string& text, char c) { text += c; };
  const FunctionRef<void(std::string&, char)> reference(append);
  const FunctionRef<void(std::string&, char)> copy = reference;
  std::string text;
  reference(text, 'a');
  copy(text, 'b');
  EXPECT_EQ(text, "ab");
}

}  // namespace
}  // namespace isochor
