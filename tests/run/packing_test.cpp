#include "isochor/run/packing.h"

#include <cmath>
#include <gtest/gtest.h>

#include "isochor/files/base64.h"
#include "isochor/files/inflate.h"

namespace isochor::run {
namespace {

/// Reads blocks as the page does, written from the description of the format.
class Unpacker {
 public:
  Unpacker(const PackedBlock& block, std::size_t size)
      : bytes_(*files::inflated(*files::decode_base64(block.base64()), size,
                                files::DeflateFrame::Zlib)) {}

  std::vector<int> differences(std::size_t count, int planes) {
    std::vector<int> out;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t z = 0;
      for (int p = 0; p < planes; ++p) {
        z |= std::to_integer<std::uint32_t>(bytes_[at_ + p * count + i]) << (8 * p);
      }
      out.push_back(static_cast<int>(z >> 1) ^ -static_cast<int>(z & 1));
    }
    at_ += count * planes;
    return out;
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

Codes added(const std::vector<int>& differences, const std::function<int(std::size_t)>& guess) {
  Codes codes;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    codes.push_back(static_cast<std::uint16_t>(differences[i] + guess(i)));
  }
  return codes;
}

TEST(Packing, RoundingStaysWithinTheErrorThatIsSaid) {
  const Quantiser quantiser(-2, 3, Quantiser::kFieldSteps);
  double worst = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double value = -2 + 5 * i / 1000.0;
    const double back = -2 + 5.0 * quantiser.code(value) / Quantiser::kFieldSteps;
    worst = std::max(worst, std::abs(back - value));
  }
  EXPECT_LE(worst, quantiser.error() * (1 + 1e-9));
  EXPECT_GT(worst, 0.5 * quantiser.error());
  EXPECT_EQ(quantiser.code(-7), 0);
  EXPECT_EQ(quantiser.code(7), Quantiser::kFieldSteps);
  EXPECT_EQ(quantiser.code(std::nan("")), kNoValue);
  EXPECT_EQ(Quantiser(1, 1, Quantiser::kPositionSteps).code(1), 0);
}

TEST(Packing, APointThatIsNotFiniteIsNowhere) {
  const Codes codes =
      position_codes(std::vector<Vec3d>{{0, 0.5, 1}, {0, std::nan(""), 0}}, {{0, 0, 0}, {1, 1, 1}});
  EXPECT_EQ(codes, (Codes{0, Quantiser::kPositionSteps / 2, Quantiser::kPositionSteps, kNoValue,
                          kNoValue, kNoValue}));
}

TEST(Packing, EveryPredictionCanBeUndone) {
  // Values at both ends make differences wrap around.
  const Codes first{0, 65534, 3, 40000, kNoValue, 7}, second{65534, 0, 4, 41000, 1, kNoValue},
      third{1, 2, 65534, 42000, 65534, 0};
  PackedBlock block;
  block.add(first, 3);
  block.add_after(second, first);
  block.add_after(third, second, first);
  block.add(std::vector<std::int32_t>{5, 0, 2'000'000'000, 1});
  Unpacker in(block, 3 * 2 * 6 + 4 * 4);

  Codes got;
  const std::vector<int> begin = in.differences(6, 2);
  for (std::size_t i = 0; i < 6; ++i) {
    got.push_back(static_cast<std::uint16_t>(begin[i] + (i < 3 ? 0 : got[i - 3])));
  }
  EXPECT_EQ(got, first);
  EXPECT_EQ(added(in.differences(6, 2), [&](std::size_t i) { return first[i]; }), second);
  EXPECT_EQ(added(in.differences(6, 2), [&](std::size_t i) { return 2 * second[i] - first[i]; }),
            third);
  std::vector<int> indices = in.differences(4, 4);
  for (std::size_t i = 1; i < 4; ++i) indices[i] += indices[i - 1];
  EXPECT_EQ(indices, (std::vector<int>{5, 0, 2'000'000'000, 1}));
}

}  // namespace
}  // namespace isochor::run
