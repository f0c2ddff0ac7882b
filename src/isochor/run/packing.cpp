#include "isochor/run/packing.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <zlib.h>

#include "isochor/base/error.h"

namespace isochor::run {
namespace {

/// Small differences of either sign become small numbers, so that their high bytes are zero.
template <class Signed>
auto zigzag(Signed d) {
  using Unsigned = std::make_unsigned_t<Signed>;
  constexpr int kSign = 8 * sizeof(Signed) - 1;
  return static_cast<Unsigned>(static_cast<Unsigned>(static_cast<Unsigned>(d) << 1) ^
                               static_cast<Unsigned>(d >> kSign));
}

std::uint16_t wrapped(int difference) {
  return zigzag(static_cast<std::int16_t>(static_cast<std::uint16_t>(difference)));
}

}  // namespace

std::uint16_t Quantiser::code(double value) const {
  if (!std::isfinite(value)) return kNoValue;
  const double size = high_ - low_;
  const double place = size > 0 ? std::clamp((value - low_) / size, 0.0, 1.0) : 0;
  return static_cast<std::uint16_t>(std::lround(place * steps_));
}

Codes position_codes(std::span<const Vec3d> points, const geometry::Bounds& box) {
  Codes codes;
  codes.reserve(3 * points.size());
  for (const Vec3d& p : points) {
    const bool finite = std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
    for (int a = 0; a < 3; ++a) {
      const Quantiser axis(box.low[a], box.high[a], Quantiser::kPositionSteps);
      codes.push_back(finite ? axis.code(p[a]) : kNoValue);
    }
  }
  return codes;
}

/// All low bytes, then all higher ones: equal bytes come to lie side by side.
template <class T>
void PackedBlock::add_planes(std::span<const T> differences) {
  std::size_t at = bytes_.size();
  bytes_.resize(at + differences.size_bytes());
  for (std::size_t plane = 0; plane < sizeof(T); ++plane) {
    for (const T d : differences) bytes_[at++] = static_cast<std::byte>(d >> 8 * plane & 0xff);
  }
}

void PackedBlock::add(const Codes& codes, std::size_t stride) {
  Codes differences(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    differences[i] = wrapped(codes[i] - (i < stride ? 0 : codes[i - stride]));
  }
  add_planes<std::uint16_t>(differences);
}

void PackedBlock::add_after(const Codes& codes, const Codes& before) {
  Codes differences(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) differences[i] = wrapped(codes[i] - before[i]);
  add_planes<std::uint16_t>(differences);
}

void PackedBlock::add_after(const Codes& codes, const Codes& before, const Codes& two_before) {
  Codes differences(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    differences[i] = wrapped(codes[i] - 2 * before[i] + two_before[i]);
  }
  add_planes<std::uint16_t>(differences);
}

void PackedBlock::add(std::span<const std::int32_t> indices) {
  std::vector<std::uint32_t> differences(indices.size());
  std::int32_t last = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    differences[i] = zigzag(indices[i] - last);
    last = indices[i];
  }
  add_planes<std::uint32_t>(differences);
}

std::string PackedBlock::base64() const {
  uLongf size = compressBound(static_cast<uLong>(bytes_.size()));
  std::vector<std::byte> packed(size);
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes_.data()),
                               static_cast<uLong>(bytes_.size()), Z_DEFAULT_COMPRESSION);
  if (status != Z_OK) {
    throw Error(Fault::System, "report", "the compressor found no memory",
                "free memory, then let the run write its report again (--resume)");
  }
  packed.resize(size);
  return run::base64(packed);
}

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? std::to_integer<unsigned>(bytes[i + k]) : 0u);
    }
    const std::size_t digits = std::min<std::size_t>(bytes.size() - i, 3) + 1;
    for (std::size_t k = 0; k < 4; ++k) {
      text += k < digits ? kDigits[group >> (18 - 6 * k) & 63u] : '=';
    }
  }
  return text;
}

}  // namespace isochor::run
