#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "isochor/geometry/surface_mesh.h"
#include "isochor/math/vec3.h"

/// Numbers made small for a page: rounded to steps, predicted from what the reader already has,
/// and compressed. viewer/codec.js undoes it; docs/formats/report-data.md describes it.
namespace isochor::run {

using Codes = std::vector<std::uint16_t>;

/// The code of what is not finite.
inline constexpr std::uint16_t kNoValue = 0xffff;

/// Rounds numbers of an interval to equal steps.
class Quantiser {
 public:
  static constexpr int kPositionSteps = 0xfffe, kFieldSteps = 4095;

  Quantiser(double low, double high, int steps) : low_(low), high_(high), steps_(steps) {}

  std::uint16_t code(double value) const;
  /// The largest difference between a number of the interval and what is read back.
  double error() const { return 0.5 * (high_ - low_) / steps_; }

 private:
  double low_, high_;
  int steps_;
};

/// The codes of points in a box, x, y and z of each side by side; all three `kNoValue` for one that
/// is not finite.
Codes position_codes(std::span<const Vec3d> points, const geometry::Bounds& box);

/// Collects arrays and compresses them together.
class PackedBlock {
 public:
  /// Differences to what lies `stride` before.
  void add(const Codes& codes, std::size_t stride);
  /// Differences to the same array one frame before.
  void add_after(const Codes& codes, const Codes& before);
  /// Differences to the straight line through the two frames before: motion is smooth.
  void add_after(const Codes& codes, const Codes& before, const Codes& two_before);
  void add(std::span<const std::int32_t> indices);

  /// A zlib stream of all that was added, as base64 text.
  std::string base64() const;

 private:
  template <class T>
  void add_planes(std::span<const T> differences);

  std::vector<std::byte> bytes_;
};

/// The bytes as base64 text.
std::string base64(std::span<const std::byte> bytes);

}  // namespace isochor::run
