#include "isochor/base/hash.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

std::string hash_of(std::string_view text) {
  Hash hash;
  hash.add(text);
  return hash.text();
}

// Vectors of the reference implementation by Landon Curt Noll.
TEST(BaseHash, AgreesWithPublishedVectors) {
  EXPECT_EQ(hash_of(""), "cbf29ce484222325");
  EXPECT_EQ(hash_of("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(hash_of("foobar"), "85944171f73967e8");
}

TEST(BaseHash, PiecesHashAsTheWhole) {
  Hash hash;
  hash.add("foo");
  hash.add("");
  hash.add("bar");
  EXPECT_EQ(hash.text(), hash_of("foobar"));
  EXPECT_EQ(hash.value(), 0x85944171f73967e8u);
}

TEST(BaseHash, BytesAbove127CountAsUnsigned) {
  // One byte 0xff by hand: (offset ^ 0xff) * prime.
  EXPECT_EQ(hash_of("\xff"), [] {
    Hash hash;
    const std::byte byte{0xff};
    hash.add(std::span(&byte, 1));
    return hash.text();
  }());
  Hash hash;
  hash.add("\xff");
  EXPECT_EQ(hash.value(), (0xcbf29ce484222325u ^ 0xffu) * 0x100000001b3u);
}

TEST(BaseHash, EveryBitOfEveryByteCounts) {
  const std::string text = "isochor";
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[i] = static_cast<char>(other[i] ^ 1 << bit);
      EXPECT_NE(hash_of(other), hash_of(text)) << i << " " << bit;
    }
  }
}

}  // namespace
}  // namespace isochor
