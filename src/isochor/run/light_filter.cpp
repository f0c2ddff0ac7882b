#include "isochor/run/light_filter.h"

#include <algorithm>
#include <cmath>

namespace isochor::run {
namespace {

constexpr float kKernel[5] = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};

/// How far two pixels may share their light, 0 to 1; `tolerance` is a step in light that may be
/// noise.
float similarity(const PixelLight& a, const PixelLight& b, float tolerance) {
  const float depth = std::abs(a.depth - b.depth) / (0.02f * std::max(a.depth, b.depth) + 1e-6f);
  if (depth >= 1) return 0;
  const Vec3f bend = a.normal - b.normal;
  const Colour step = a.light - b.light;
  const float unlike = 12 * dot(bend, bend) + dot(step, step) / (tolerance * tolerance);
  return (1 - depth) / (1 + unlike * unlike);
}

}  // namespace

void smooth_light(std::vector<PixelLight>& pixels, int width, int height, ThreadArena& arena) {
  std::vector<PixelLight> source;
  // Each pass reaches twice as far and trusts what is left of the noise less.
  for (const int reach : {1, 2, 4}) {
    const float tolerance = 0.45f / static_cast<float>(reach);
    source = pixels;
    parallel_for(arena, static_cast<std::size_t>(height), 8, [&](std::size_t row) {
      const int y = static_cast<int>(row);
      for (int x = 0; x < width; ++x) {
        const std::size_t here = row * width + x;
        const PixelLight& centre = source[here];
        if (centre.depth == 0) continue;  // background
        Colour sum{0, 0, 0};
        float weights = 0;
        for (int j = -2; j <= 2; ++j) {
          const int v = y + j * reach;
          if (v < 0 || v >= height) continue;
          for (int i = -2; i <= 2; ++i) {
            const int u = x + i * reach;
            if (u < 0 || u >= width) continue;
            const PixelLight& other = source[static_cast<std::size_t>(v) * width + u];
            const float w = kKernel[i + 2] * kKernel[j + 2] * similarity(centre, other, tolerance);
            sum += other.light * w;
            weights += w;
          }
        }
        pixels[here].light = sum * (1 / weights);
      }
    });
  }
}

}  // namespace isochor::run
