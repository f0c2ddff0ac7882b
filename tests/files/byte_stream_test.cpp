#include "isochor/files/byte_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::HasSubstr;

std::vector<std::byte> sample() {
  ByteWriter out;
  out.put(std::uint8_t{200});
  out.put(std::uint32_t{0x01020304});
  out.put(std::int32_t{-5});
  out.put(std::numeric_limits<std::uint64_t>::max());
  out.put(-0.1);
  out.put("flesh");
  out.put(std::vector<float>{1, 2.5f});
  out.put(std::vector<double>{});
  return out.take();
}

TEST(ByteStream, WhatWasPutComesBack) {
  const std::vector<std::byte> bytes = sample();
  ByteReader in("a.bin", bytes);
  EXPECT_EQ(in.get<std::uint8_t>(), 200);
  EXPECT_EQ(in.get<std::uint32_t>(), 0x01020304u);
  EXPECT_EQ(in.get<std::int32_t>(), -5);
  EXPECT_EQ(in.get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(in.get<double>(), -0.1);
  EXPECT_EQ(in.get_string(), "flesh");
  EXPECT_EQ(in.get_vector<float>(), (std::vector<float>{1, 2.5f}));
  EXPECT_TRUE(in.get_vector<double>().empty());
  EXPECT_NO_THROW(in.expect_end());
}

TEST(ByteStream, NumbersAreLittleEndian) {
  ByteWriter out;
  out.put(std::uint32_t{0x01020304});
  EXPECT_EQ(out.bytes().front(), std::byte{4});
  EXPECT_EQ(out.bytes().back(), std::byte{1});
}

TEST(ByteStream, ReadingPastTheEndNamesTheFile) {
  const std::vector<std::byte> bytes(7);
  ByteReader in("run/a.bin", bytes);
  const Error error = error_of([&] { in.get<double>(); });
  EXPECT_EQ(error.place(), "run/a.bin");
  EXPECT_EQ(error.fault(), Fault::Input);
  EXPECT_THAT(error.problem(), HasSubstr("truncated"));
}

TEST(ByteStream, AHugeCountIsRefusedBeforeAllocating) {
  for (const std::uint64_t count : {std::uint64_t{2}, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
    ByteWriter out;
    out.put(count);
    out.put(1.0);  // one value where 2 and far more are announced
    ByteReader numbers("a.bin", out.bytes());
    EXPECT_THAT(error_of([&] { numbers.get_vector<double>(); }).problem(), HasSubstr("truncated"));
    if (count < 8) continue;
    ByteReader text("a.bin", out.bytes());
    EXPECT_THAT(error_of([&] { text.get_string(); }).problem(), HasSubstr("truncated"));
  }
}

TEST(ByteStream, BytesLeftOverAreRefused) {
  const std::vector<std::byte> bytes(3);
  const ByteReader in("a.bin", bytes);
  EXPECT_THAT(error_of([&] { in.expect_end(); }).problem(), HasSubstr("3 bytes"));
}

TEST(Envelope, GivesThePayloadBack) {
  const std::vector<std::byte> payload = sample();
  const std::vector<std::byte> sealed = seal("ISOTEST1", 4, payload);
  ASSERT_EQ(sealed.size(), 8 + 4 + payload.size() + 8);
  ByteReader in = open_sealed("a.bin", sealed, "ISOTEST1", 4);
  EXPECT_EQ(in.left(), payload.size());
  EXPECT_EQ(in.get<std::uint8_t>(), 200);
}

TEST(Envelope, HashIsFnv1aOfAllThatPrecedesIt) {
  const std::vector<std::byte> sealed = seal("ISOTEST1", 4, sample());
  std::uint64_t expected = 14695981039346656037u;
  for (std::size_t i = 0; i + 8 < sealed.size(); ++i) {
    expected = (expected ^ std::to_integer<std::uint64_t>(sealed[i])) * 1099511628211u;
  }
  EXPECT_EQ(sealed_hash(sealed), expected);
}

TEST(Envelope, AForeignFileIsCalledSo) {
  const std::vector<std::byte> sealed = seal("ISOTEST1", 1, sample());
  const Error error = error_of([&] { open_sealed("a.bin", sealed, "ISOTEST2", 1); });
  EXPECT_THAT(error.problem(), HasSubstr("begins with 'ISOTEST1', expected 'ISOTEST2'"));
  EXPECT_FALSE(error.remedy().empty());
}

TEST(Envelope, AnotherVersionIsCalledSoEvenIfItsHashDiffers) {
  std::vector<std::byte> sealed = seal("ISOTEST1", 2, sample());
  sealed.back() ^= std::byte{1};
  const Error error = error_of([&] { open_sealed("a.bin", sealed, "ISOTEST1", 1); });
  EXPECT_EQ(error.problem(), "format version 2, this program reads 1");
  EXPECT_FALSE(error.remedy().empty());
}

TEST(Envelope, AChangedPayloadIsCalledDamaged) {
  std::vector<std::byte> sealed = seal("ISOTEST1", 1, sample());
  sealed[20] ^= std::byte{1};
  const Error error = error_of([&] { open_sealed("a.bin", sealed, "ISOTEST1", 1); });
  EXPECT_THAT(error.problem(), HasSubstr("damaged"));
  EXPECT_FALSE(error.remedy().empty());
}

TEST(Envelope, EveryTruncationIsRefused) {
  const std::vector<std::byte> sealed = seal("ISOTEST1", 1, sample());
  for (std::size_t size = 0; size < sealed.size(); ++size) {
    const std::span<const std::byte> part = std::span(sealed).first(size);
    EXPECT_THAT(error_of([&] { open_sealed("a.bin", part, "ISOTEST1", 1); }).problem(),
                HasSubstr("truncated"))
        << size << " bytes";
  }
}

}  // namespace
}  // namespace isochor::files
