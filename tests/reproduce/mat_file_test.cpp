#include "reproduce/mat_file.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"

namespace isochor::reproduce {
namespace {

using Bytes = std::vector<std::byte>;

/// A file as MATLAB writes it, put together by hand.
class MatWriter {
 public:
  MatWriter() : bytes_(124, std::byte{' '}) {
    put<std::uint16_t>(0x0100);
    put<std::uint16_t>(0x4d49);
  }

  /// An array of values of type T, whose code in the file is `type`.
  template <class T>
  MatWriter& array(const std::string& name, std::uint32_t type, const std::vector<T>& values,
                   std::uint32_t flags = 6) {
    MatWriter inside{Bytes{}};
    inside.element(6, std::vector<std::uint32_t>{flags, 0});
    inside.element(5, std::vector<std::int32_t>{static_cast<std::int32_t>(values.size()), 1});
    inside.element(1, std::vector<char>(name.begin(), name.end()));
    inside.element(type, values);
    element(14, inside.bytes_);
    return *this;
  }

  /// Up to four bytes go into the place of the size.
  template <class T>
  void element(std::uint32_t type, const std::vector<T>& values) {
    const auto size = static_cast<std::uint32_t>(values.size() * sizeof(T));
    const bool small = size <= 4 && size > 0;
    put(small ? type | size << 16 : type);
    if (!small) put(size);
    for (const T& v : values) put(v);
    while (bytes_.size() % 8 != 0) put(char{0});
  }

  void raw(const Bytes& more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  const Bytes& bytes() const { return bytes_; }

 private:
  explicit MatWriter(Bytes bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  void put(T value) {
    const auto b = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    bytes_.insert(bytes_.end(), b.begin(), b.end());
  }

  Bytes bytes_;
};

/// The array x = [1; 2.5; -3], deflated.
Bytes compressed_x() {
  constexpr unsigned char kPacked[] = {0x78, 0x9c, 0xe3, 0x63, 0x60, 0x60, 0xf0, 0x00, 0x62, 0x36,
                                       0x20, 0xe6, 0x80, 0xd2, 0x20, 0xc0, 0x0a, 0xe5, 0x33, 0x03,
                                       0x31, 0x23, 0x18, 0x33, 0x32, 0x54, 0x00, 0x69, 0x4e, 0x20,
                                       0x96, 0x60, 0x80, 0x81, 0x0f, 0xf6, 0x10, 0x9a, 0xc5, 0x01,
                                       0x42, 0x73, 0x1c, 0x00, 0x00, 0x50, 0x09, 0x03, 0x52};
  const std::uint32_t head[] = {15, sizeof kPacked};
  Bytes bytes(sizeof head + sizeof kPacked);
  std::memcpy(bytes.data(), head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, kPacked, sizeof kPacked);
  return bytes;
}

std::string refusal(const Bytes& bytes) {
  try {
    parse_mat(bytes, "a.mat");
  } catch (const Error& error) {
    EXPECT_EQ(error.place(), "a.mat");
    EXPECT_EQ(error.fault(), Fault::Input);
    return error.problem();
  }
  return "";
}

TEST(MatFile, ArraysOfAnyTypeBecomeDoubles) {
  MatWriter file;
  file.array<double>("stretch", 9, {1, 1.5, -2e-300});
  file.array<float>("y", 7, {0.5f});
  file.array<std::int16_t>("n", 3, {-7, 300, 5});
  file.array<std::uint8_t>("few", 2, {255});
  file.array<double>("none", 9, {});
  const MatArrays arrays = parse_mat(file.bytes(), "a.mat");
  EXPECT_EQ(arrays.size(), 5u);
  EXPECT_THAT(arrays.at("stretch"), testing::ElementsAre(1, 1.5, -2e-300));
  EXPECT_THAT(arrays.at("y"), testing::ElementsAre(0.5));
  EXPECT_THAT(arrays.at("n"), testing::ElementsAre(-7, 300, 5));
  EXPECT_THAT(arrays.at("few"), testing::ElementsAre(255));
  EXPECT_TRUE(arrays.at("none").empty());
}

TEST(MatFile, CompressedArraysAreRead) {
  MatWriter file;
  file.raw(compressed_x());
  file.raw(compressed_x());  // no padding between compressed elements
  EXPECT_THAT(parse_mat(file.bytes(), "a.mat").at("x"), testing::ElementsAre(1, 2.5, -3));
}

TEST(MatFile, WhatIsNoRealNumericArrayIsPassedOver) {
  constexpr std::uint32_t kText = 4, kStruct = 2, kComplexDouble = 0x806;
  MatWriter file;
  file.array<std::uint16_t>("text", 4, {65, 66}, kText);
  file.array<std::uint16_t>("struct", 4, {65, 66}, kStruct);
  file.array<double>("complex", 9, {1, 2}, kComplexDouble);
  file.element(2, std::vector<char>(11, 'a'));
  file.array<double>("x", 9, {4});
  const MatArrays arrays = parse_mat(file.bytes(), "a.mat");
  EXPECT_EQ(arrays.size(), 1u);
  EXPECT_THAT(arrays.at("x"), testing::ElementsAre(4));
}

TEST(MatFile, ForeignFilesAreRefused) {
  EXPECT_THAT(refusal(Bytes(10)), testing::HasSubstr("too short"));
  EXPECT_THAT(refusal(Bytes(1000)), testing::HasSubstr("not a MATLAB file"));
  Bytes swapped = MatWriter().bytes();
  std::swap(swapped[124], swapped[125]);
  std::swap(swapped[126], swapped[127]);
  EXPECT_THAT(refusal(swapped), testing::HasSubstr("big-endian"));
}

TEST(MatFile, TruncationIsNoticed) {
  MatWriter file;
  file.array<double>("stretch", 9, {1, 1.5, 2});
  file.raw(compressed_x());
  const std::size_t first = MatWriter().array<double>("stretch", 9, {1, 1.5, 2}).bytes().size();
  for (std::size_t size = 128; size < file.bytes().size(); ++size) {
    const Bytes cut(file.bytes().begin(), file.bytes().begin() + static_cast<long>(size));
    const bool whole = size == 128 || size == first;
    EXPECT_EQ(refusal(cut).empty(), whole) << size;
  }
}

TEST(MatFile, DamageIsRefusedOrHarmless) {
  MatWriter file;
  file.array<double>("stretch", 9, {1, 1.5, 2});
  file.raw(compressed_x());
  for (std::size_t i = 128; i < file.bytes().size(); ++i) {
    for (const int value : {0x00, 0x01, 0x7f, 0xff}) {
      Bytes damaged = file.bytes();
      damaged[i] = static_cast<std::byte>(value);
      refusal(damaged);
    }
  }
}

}  // namespace
}  // namespace isochor::reproduce
