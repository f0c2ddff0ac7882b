#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isochor/run/colormap.h"
#include "isochor/run/render.h"
#include "isochor/run/sampling.h"
#include "isochor/run/shading_mesh.h"
#include "isochor/run/tracer.h"

namespace isochor::run {

/// How values become colours.
struct ColourScale {
  Colormap map = Colormap::Sequential;
  double low = 0, high = 1;

  Colour colour(double value) const;
};

/// What one ray sees. Light and colour are apart so that noise in the light can be smoothed without
/// touching the colours that a reader takes values from.
struct Shade {
  Colour colour{0, 0, 0};  ///< of the surface
  Colour light{1, 1, 1};   ///< that falls on it
  Colour gloss{0, 0, 0};   ///< reflected, in addition to colour times light
  Vec3f normal{0, 0, 0};
  float depth = 0;
};

/// A white room: one large soft light, light from all around, a ground that shows only the shadows
/// that fall on it, so that it fades into the background without a horizon.
class Studio {
 public:
  Studio(const ShadingMesh& mesh, const Tracer& tracer, const UnitFrame& unit, const View& view,
         const RenderOptions& options, const ColourScale& scale);

  /// Sample `index` of a pixel; x and y in pixels from the upper left corner.
  Shade shade(int x, int y, int index) const;

 private:
  struct Lit {
    Colour light{0, 0, 0};
    Vec3f key_direction;
    float key_visible = 0;      ///< 0 or 1
    float ambient_visible = 0;  ///< 0 or 1
  };

  Ray camera_ray(float x, float y) const;
  Ray clipped(Ray ray) const;  ///< to the side of the cut plane that is kept
  Colour background(float x, float y) const;
  Lit illuminate(const Vec3f& point, const Vec3f& normal, int index, std::uint32_t seed) const;
  bool blocked(const Vec3f& point, const Vec3f& normal, const Vec3f& direction) const;
  Shade shade_surface(const Ray& ray, const SurfaceHit& hit, int index, std::uint32_t seed) const;
  Shade shade_cap(const Ray& ray, std::int32_t body, int index, std::uint32_t seed) const;
  Shade shade_ground(const Ray& ray, float distance, const Colour& backdrop, int index,
                     std::uint32_t seed) const;

  const ShadingMesh& mesh_;
  const Tracer& tracer_;
  SampleTable samples_;
  ColourScale scale_;
  float width_, height_;
  Vec3f eye_, right_, up_, back_;
  float tan_half_height_;
  std::optional<float> ground_;  ///< height along ground_normal_
  Vec3f ground_normal_;
  float size_;  ///< radius of the whole run, which may be larger than this frame's
  Vec3f key_direction_;
  Tangents key_tangents_;
  struct Cut {
    Vec3f normal;
    float offset;
  };
  std::optional<Cut> cut_;
};

}  // namespace isochor::run
