#include "isochor/base/streaming.h"

#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace isochor {
namespace {

// Also where an array of four byte numbers begins half way between two words of eight bytes.
TEST(Streaming, WritesWhatAnAssignmentWrites) {
  using Ten = std::array<float, 10>;
  std::vector<float> memory(64);
  for (const std::size_t shift : {0, 1}) {
    std::ranges::fill(memory, -1.0f);
    for (int i = 0; i < 3; ++i) {
      Ten from;
      std::iota(from.begin(), from.end(), float(10 * i));
      stream(from, reinterpret_cast<Ten*>(memory.data() + shift) + i);
    }
    finish_streaming();
    for (std::size_t k = 0; k < memory.size(); ++k) {
      const bool inside = k >= shift && k < shift + 30;
      EXPECT_EQ(memory[k], inside ? float(k - shift) : -1.0f);
    }
  }
}

}  // namespace
}  // namespace isochor
