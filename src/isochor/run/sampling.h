#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "isochor/math/vec3.h"

/// Random numbers for pictures. They depend on the pixel and the sample only, so that a picture has
/// the same bits however its pixels are shared out.
namespace isochor::run {

inline std::uint32_t mix_bits(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

struct Sample2 {
  float x, y;  ///< in [0, 1)
};

/// The same few Sobol points for every pixel, shifted around by a hash of the pixel: as even as the
/// points themselves and far cheaper than scrambling them anew.
class SampleTable {
 public:
  /// What a sample is for. Each purpose has the points in an order of its own.
  enum Purpose { Pixel, Light, Around };
  static constexpr int kPurposeCount = 3;

  explicit SampleTable(int samples) {
    for (int purpose = 0; purpose < kPurposeCount; ++purpose) {
      std::vector<Sample2>& points = points_[purpose];
      for (int i = 0; i < samples; ++i) points.push_back(sobol_point(i));
      // Reordered within each half, as the first half may have to do alone.
      for (int i = samples - 1; purpose > 0 && i > 0; --i) {
        const int begin = i < half_of(samples) ? 0 : half_of(samples);
        const auto choices = static_cast<std::uint32_t>(i - begin + 1);
        const std::uint32_t hash = mix_bits(static_cast<std::uint32_t>(i + 7919 * purpose));
        std::swap(points[i], points[begin + hash % choices]);
      }
    }
  }

  static int half_of(int samples) { return (samples + 1) / 2; }

  Sample2 get(Purpose purpose, int index, std::uint32_t pixel_hash) const {
    const Sample2& p = points_[purpose][index];
    const std::uint32_t shift = mix_bits(pixel_hash + 0x9e3779b9u * purpose);
    return {wrap(p.x + static_cast<float>(shift >> 16) * 0x1p-16f),
            wrap(p.y + static_cast<float>(shift & 0xffffu) * 0x1p-16f)};
  }

 private:
  static float wrap(float x) { return x < 1 ? x : x - 1; }

  /// First dimension: the radical inverse. Second: the Sobol matrix of x + 1.
  static Sample2 sobol_point(int number) {
    auto index = static_cast<std::uint32_t>(number);
    std::uint32_t x = 0, y = 0, bit = 1u << 31, direction = 1u << 31;
    for (; index != 0; index >>= 1, bit >>= 1, direction ^= direction >> 1) {
      if (index & 1u) x ^= bit, y ^= direction;
    }
    return {static_cast<float>(x >> 8) * 0x1p-24f, static_cast<float>(y >> 8) * 0x1p-24f};
  }

  std::array<std::vector<Sample2>, kPurposeCount> points_;
};

/// Two unit vectors that make an orthonormal frame with the unit vector `n`.
struct Tangents {
  Vec3<float> u, v;
};
inline Tangents tangents_of(const Vec3<float>& n) {
  const float sign = std::copysign(1.0f, n[2]), a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
  return {{1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]}, {b, sign + n[1] * n[1] * a, -n[1]}};
}

/// A point of the unit disk, evenly distributed.
inline Sample2 disk_sample(const Sample2& s) {
  const float radius = std::sqrt(s.x), angle = 6.2831853f * s.y;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// A direction about the unit vector `n`, with a density proportional to its cosine.
inline Vec3<float> cosine_sample(const Vec3<float>& n, const Sample2& s) {
  const Sample2 d = disk_sample(s);
  const Tangents t = tangents_of(n);
  return t.u * d.x + t.v * d.y + n * std::sqrt(max(0.0f, 1 - s.x));
}

}  // namespace isochor::run
