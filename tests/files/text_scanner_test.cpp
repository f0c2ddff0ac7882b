#include "isochor/files/text_scanner.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr LineSyntax kAll{.comments = true, .continuations = true};

std::vector<std::string> words_of(std::string_view text, LineSyntax syntax) {
  TextScanner in("a.txt", text, syntax);
  std::vector<std::string> words;
  for (std::string_view word = in.next_word_anywhere(); !word.empty();
       word = in.next_word_anywhere()) {
    words.push_back(std::string(word) + "@" + std::to_string(in.line_number()));
  }
  return words;
}

TEST(TextScanner, WordsKnowTheirLine) {
  EXPECT_THAT(words_of("a  b\r\n\n\t c\n", {}), ElementsAre("a@1", "b@1", "c@3"));
}

TEST(TextScanner, AHashBeginsACommentOnlyAtTheStartOfAWord) {
  EXPECT_THAT(words_of("a#b # c\n#d\ne", kAll), ElementsAre("a#b@1", "e@3"));
  EXPECT_THAT(words_of("a # c\n", {}), ElementsAre("a@1", "#@1", "c@1"));
}

TEST(TextScanner, ABackslashJoinsLinesWhereTheFormatSaysSo) {
  EXPECT_THAT(words_of("a \\\nb\nc", kAll), ElementsAre("a@1", "b@1", "c@3"));
  EXPECT_THAT(words_of("a \\\nb\nc\\", kAll), ElementsAre("a@1", "b@1", "c@3"));
  EXPECT_THAT(words_of("a \\\nb", {}), ElementsAre("a@1", "\\@1", "b@2"));
}

TEST(TextScanner, TheRestOfALineHasNoBlanksAroundIt) {
  TextScanner in("a.txt", "name  left arm \r\nnext", {});
  ASSERT_TRUE(in.next_line());
  EXPECT_EQ(in.next_word(), "name");
  EXPECT_EQ(in.rest_of_line(), "left arm");
  EXPECT_EQ(in.next_word(), "");
  EXPECT_EQ(in.next_word_anywhere(), "next");
}

TEST(TextScanner, KnowsHowManyBytesAreLeft) {
  TextScanner in("a.txt", "one two\n\nthree", {});
  EXPECT_EQ(in.left(), 14u);
  ASSERT_TRUE(in.next_filled_line());
  EXPECT_EQ(in.next_word(), "one");
  EXPECT_EQ(in.left(), 10u);  // " two", and all after the first line
  in.rest_of_line();
  EXPECT_EQ(in.left(), 6u);
  ASSERT_TRUE(in.next_filled_line());
  EXPECT_EQ(in.line_number(), 3);
  EXPECT_FALSE((in.rest_of_line(), in.next_filled_line()));
  EXPECT_EQ(in.left(), 0u);
}

TEST(TextScanner, NumbersAreWholeWords) {
  TextScanner in("a.txt", "1", {});
  ASSERT_TRUE(in.next_line());
  EXPECT_EQ(in.number("+2.5e-3"), 2.5e-3);
  EXPECT_EQ(in.number("1e-400"), 0);
  EXPECT_EQ(in.number("-1e400"), -INFINITY);
  EXPECT_TRUE(std::isnan(in.number("nan")));
  EXPECT_EQ(in.integer("-12"), -12);
  EXPECT_EQ(in.integer("+12"), 12);
  for (const std::string_view bad : {"", "1.5x", "+-1", "1,5"}) {
    const Error error = error_of([&] { in.number(bad); });
    EXPECT_EQ(error.place(), "a.txt:1");
    EXPECT_THAT(error.problem(), HasSubstr("is not a number"));
  }
  for (const std::string_view bad : {"", "1.5", "99999999999999999999", "0x1"}) {
    EXPECT_THAT(error_of([&] { in.integer(bad); }).problem(), HasSubstr("is not a whole number"));
  }
}

TEST(TextScanner, AByteOrderMarkIsNoWord) {
  EXPECT_THAT(words_of("\xEF\xBB\xBFply", {}), ElementsAre("ply@1"));
}

}  // namespace
}  // namespace isochor::files
