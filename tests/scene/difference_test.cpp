#include "isochor/scene/difference.h"

#include <gtest/gtest.h>

namespace isochor::scene {
namespace {

std::string told(const char* before, const char* after) {
  std::string text;
  for (const Difference& d : differences(parse_toml(before, "a"), parse_toml(after, "b"))) {
    text += d.key + ": " + d.before + " -> " + d.after + "\n";
  }
  return text;
}

TEST(Differences, AreToldKeyByKey) {
  EXPECT_EQ(told("a = 1\nb = \"x\"\n[c]\nd = [1.0, 2.5]\ne = true\n",
                 "a = 1\nb = \"y\"\n[c]\nd = [1.0, 2.0]\ne = false\n"),
            "b: \"x\" -> \"y\"\nc.d: [1.0, 2.5] -> [1.0, 2.0]\nc.e: true -> false\n");
}

TEST(Differences, KeysThatOnlyOneHasComeWithoutAValue) {
  EXPECT_EQ(told("a = 1\n[[l]]\nx = 1\n[[l]]\nx = 2\n", "b = 2\n[[l]]\nx = 1\n"),
            "a: 1 -> \nl[1].x: 2 -> \nb:  -> 2\n");
}

TEST(Differences, OrderAndCommentsDoNotMatter) {
  EXPECT_EQ(told("a = 1\nb = 2 # two\n", "b = 2\na = 1\n"), "");
}

}  // namespace
}  // namespace isochor::scene
