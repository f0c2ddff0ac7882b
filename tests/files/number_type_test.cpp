#include "isochor/files/number_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string_view>

namespace isochor::files {
namespace {

using ::testing::ElementsAre;

std::vector<double> read(std::string_view bytes, NumberKind kind, std::size_t size,
                         bool big_endian = false) {
  return widened(std::as_bytes(std::span(bytes)), {kind, size, big_endian});
}

TEST(NumberType, SignAndSizeAreKept) {
  EXPECT_THAT(read("\xff\x01", NumberKind::Signed, 1), ElementsAre(-1, 1));
  EXPECT_THAT(read("\xff\x01", NumberKind::Unsigned, 1), ElementsAre(255, 1));
  EXPECT_THAT(read("\xfe\xff", NumberKind::Signed, 2), ElementsAre(-2));
  EXPECT_THAT(read("\xfe\xff\xff\xff", NumberKind::Unsigned, 4), ElementsAre(4294967294.0));
  EXPECT_THAT(read("\xfe\xff\xff\xff\xff\xff\xff\xff", NumberKind::Signed, 8), ElementsAre(-2));
}

TEST(NumberType, EitherByteOrderIsRead) {
  using namespace std::string_view_literals;
  EXPECT_THAT(read("\x01\x02"sv, NumberKind::Unsigned, 2), ElementsAre(0x201));
  EXPECT_THAT(read("\x01\x02"sv, NumberKind::Unsigned, 2, true), ElementsAre(0x102));
  EXPECT_THAT(read("\x00\x00\xc0\x3f"sv, NumberKind::Floating, 4), ElementsAre(1.5));
  EXPECT_THAT(read("\x3f\xc0\x00\x00"sv, NumberKind::Floating, 4, true), ElementsAre(1.5));
  EXPECT_THAT(read("\x3f\xf8\x00\x00\x00\x00\x00\x00"sv, NumberKind::Floating, 8, true),
              ElementsAre(1.5));
}

TEST(NumberType, SizesThatNoNumberHasAreMistakesOfTheCaller) {
  EXPECT_THROW(read("abc", NumberKind::Signed, 3), std::logic_error);
  EXPECT_THROW(read("ab", NumberKind::Floating, 2), std::logic_error);
}

}  // namespace
}  // namespace isochor::files
