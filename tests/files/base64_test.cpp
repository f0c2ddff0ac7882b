#include "isochor/files/base64.h"

#include <gtest/gtest.h>

#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

std::string decoded(std::string_view text, std::size_t limit = 1000) {
  const auto bytes = decode_base64(text, limit);
  return bytes ? std::string(text_of(*bytes)) : "no base64";
}

TEST(Base64, TheExamplesOfTheStandardAreDecoded) {
  EXPECT_EQ(decoded(""), "");
  EXPECT_EQ(decoded("Zg=="), "f");
  EXPECT_EQ(decoded("Zm8="), "fo");
  EXPECT_EQ(decoded("Zm9v"), "foo");
  EXPECT_EQ(decoded("Zm9vYmFy"), "foobar");
  EXPECT_EQ(decoded("+/+/"), "\xfb\xff\xbf");
}

TEST(Base64, PiecesWithTheirOwnPaddingFollowEachOther) {
  EXPECT_EQ(decoded("Zg==Zm8=YmFy"), "ffobar");
}

TEST(Base64, ALimitStopsSoonAfterIt) {
  EXPECT_EQ(decoded("Zm9vYmFy****", 6), "foobar");
  EXPECT_EQ(decoded("Zm9vYmFy", 2), "fo");
}

TEST(Base64, OtherCharactersAreRefused) {
  EXPECT_EQ(decoded("Zm9*"), "no base64");
  EXPECT_EQ(decoded("Zm9v Zm9v"), "no base64");
}

}  // namespace
}  // namespace isochor::files
