#include "isochor/files/obj_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"

namespace isochor::files {
namespace {

std::vector<anatomy::Polyline> read(const std::string& text) {
  return read_obj_lines("lines.obj", std::as_bytes(std::span(text)));
}

std::string failure(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(ObjLines, KeepTheirOrderAndMayCountBackwards) {
  const auto lines = read("v 0 0 0\nv 1 0 0\nv 1 2 0 # a comment\nl 1 2/5 3\nf 1 2 3\nl -1 -3\n");
  ASSERT_EQ(lines.size(), 2u);
  ASSERT_EQ(lines[0].size(), 3u);
  EXPECT_EQ(lines[0][2][1], 2);
  ASSERT_EQ(lines[1].size(), 2u);
  EXPECT_EQ(lines[1][0][0], 1);
  EXPECT_EQ(lines[1][1][0], 0);
}

TEST(ObjLines, MistakesNameTheirLine) {
  EXPECT_THAT(failure("v 0 0 0\nf 1 1 1\n"), testing::HasSubstr("no lines"));
  EXPECT_THAT(failure("v 0 0 0\nl 1\n"), testing::HasSubstr("fewer than two vertices"));
  EXPECT_THAT(failure("v 0 0 0\nv 1 0 0\nl 1 3\n"),
              testing::AllOf(testing::HasSubstr("lines.obj:3"), testing::HasSubstr("vertex 3")));
  EXPECT_THAT(failure("v 0 0 0\nl 1 x\n"), testing::HasSubstr("lines.obj:2"));
}

}  // namespace
}  // namespace isochor::files
