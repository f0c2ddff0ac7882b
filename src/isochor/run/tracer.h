#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "isochor/run/shading_mesh.h"

namespace isochor::run {

struct Ray {
  Vec3f origin, direction;  ///< the direction is a unit vector
  float near = 0;
  float far = std::numeric_limits<float>::infinity();

  Vec3f at(float t) const { return origin + direction * t; }
};

struct SurfaceHit {
  float distance;
  std::uint32_t triangle;
  float u, v;              ///< weights of the second and the third corner
  Vec3f geometric_normal;  ///< not normalised; outwards
};

/// Answers where rays meet the triangles and the lines of a scene. Constant once built; any number
/// of threads may ask at the same time.
class Tracer {
 public:
  Tracer(const ShadingMesh& mesh, std::span<const Segment> lines, float line_radius);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  std::optional<SurfaceHit> closest_surface(const Ray& ray) const;
  bool occluded(const Ray& ray) const;  ///< by a triangle; lines cast no shadow

  struct LineHit {
    float distance;
    Vec3f normal;  ///< not normalised
  };
  std::optional<LineHit> closest_line(const Ray& ray) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace isochor::run
