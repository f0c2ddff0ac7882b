#include "isochor/files/mixed_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

MixedScanner scanner(std::string_view text) { return {"file", std::as_bytes(std::span(text))}; }

TEST(MixedScanner, LinesWordsAndBytesFollowEachOther) {
  using namespace std::string_view_literals;
  MixedScanner in = scanner("  first line \r\ntwo 3 -4.5e1\n\0\1\0\2\nlast"sv);
  EXPECT_EQ(in.peek_line(), "first line");
  EXPECT_EQ(in.line(), "first line");
  EXPECT_EQ(in.word(), "two");
  EXPECT_EQ(in.integer(), 3);
  EXPECT_EQ(in.number(), -45);
  EXPECT_EQ(in.line(), "");
  EXPECT_THAT(in.raw_numbers(2, {NumberKind::Unsigned, 2, true}), ElementsAre(1, 2));
  in.skip_line_end();
  EXPECT_EQ(in.word(), "last");
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(in.word(), "");
}

TEST(MixedScanner, SectionsAreSkippedToTheLineThatEndsThem) {
  MixedScanner in = scanner("a\n$EndX1\nb $EndX\n$EndX \nc");
  EXPECT_TRUE(in.skip_past("$EndX"));
  // What precedes the word on its line may be bytes.
  EXPECT_EQ(in.word(), "$EndX");
  EXPECT_FALSE(in.skip_past("$EndY"));
  EXPECT_TRUE(in.at_end());
}

TEST(MixedScanner, ErrorsNameLineOrByte) {
  MixedScanner text = scanner("1\n2 x\n");
  text.integer();
  text.integer();
  EXPECT_EQ(error_of([&] { text.number(); }).place(), "file:2");
  MixedScanner bytes = scanner("1234567");
  bytes.raw<std::int32_t>();
  const Error error = error_of([&] { bytes.raw<double>(); });
  EXPECT_EQ(error.place(), "file, byte 4");
  EXPECT_THAT(error.problem(), HasSubstr("truncated"));
}

TEST(MixedScanner, CountsThatCannotBeTrueAreRefused) {
  for (const char* text : {"1000000000000 1 2 3", "-1 1 2 3", "5 1 2 3", "x"}) {
    MixedScanner in = scanner(text);
    EXPECT_NE(error_of([&] { in.count("numbers", 2); }).problem(), "") << text;
  }
  MixedScanner in = scanner("3 1 2 3");
  EXPECT_EQ(in.count("numbers", 2), 3u);
}

}  // namespace
}  // namespace isochor::files
