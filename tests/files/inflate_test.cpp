#include "isochor/files/inflate.h"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <zlib.h>

namespace isochor::files {
namespace {

std::vector<std::byte> packed(const std::vector<std::byte>& plain) {
  uLongf size = compressBound(plain.size());
  std::vector<std::byte> bytes(size);
  compress(reinterpret_cast<Bytef*>(bytes.data()), &size,
           reinterpret_cast<const Bytef*>(plain.data()), plain.size());
  bytes.resize(size);
  return bytes;
}

TEST(Inflate, WhatWasPackedComesBack) {
  std::vector<std::byte> plain(100000);
  for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = std::byte(i * i / 7 % 251);
  const std::vector<std::byte> bytes = packed(plain);
  EXPECT_EQ(inflated(bytes, plain.size(), DeflateFrame::Zlib), plain);
  // Without the two bytes of header and four of checksum it is a stream of a zip archive.
  EXPECT_EQ(
      inflated(std::span(bytes).subspan(2, bytes.size() - 6), plain.size(), DeflateFrame::None),
      plain);
  EXPECT_EQ(inflated(packed({}), 0, DeflateFrame::Zlib), std::vector<std::byte>{});
}

TEST(Inflate, AnotherSizeOrDamageGivesNothing) {
  const std::vector<std::byte> plain(1000, std::byte{5});
  std::vector<std::byte> bytes = packed(plain);
  EXPECT_FALSE(inflated(bytes, 999, DeflateFrame::Zlib));
  EXPECT_FALSE(inflated(bytes, 1001, DeflateFrame::Zlib));
  EXPECT_FALSE(inflated(bytes, std::numeric_limits<std::size_t>::max(), DeflateFrame::Zlib));
  EXPECT_FALSE(inflated(bytes, 1000, DeflateFrame::None));
  EXPECT_FALSE(inflated({}, 0, DeflateFrame::Zlib));
  EXPECT_FALSE(inflated(std::span(bytes).first(bytes.size() - 1), 1000, DeflateFrame::Zlib));
  bytes.back() ^= std::byte{1};
  EXPECT_FALSE(inflated(bytes, 1000, DeflateFrame::Zlib));
}

}  // namespace
}  // namespace isochor::files
