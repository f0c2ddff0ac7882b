#include "isochor/run/studio.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace isochor::run {
namespace {

constexpr float kKey = 0.76f, kAmbient = 0.48f;  // light on a surface that faces it
constexpr float kKeySpread = 0.22f;              // radius of the key light seen from the bodies
constexpr Colour kKeyTint{1.0f, 0.97f, 0.93f}, kSkyTint{0.95f, 0.98f, 1.03f};
constexpr float kSelfOffset = 2e-4f;  // keeps rays from hitting where they start
constexpr float kShadowReach = 7;     // ground farther away (in radii) is unshadowed

Vec3f unit_vector(const Vec3f& v) { return v * (1 / norm(v)); }

float smooth_step(float a, float b, float x) {
  const float t = std::clamp((x - a) / (b - a), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

Colour blend(const Colour& a, const Colour& b, float t) { return a * (1 - t) + b * t; }

/// The bodies lie in the unit ball: many rays miss it, and that is cheap to see.
bool meets_ball(const Ray& ray) {
  const float along = dot(ray.origin, ray.direction);
  const float outside = dot(ray.origin, ray.origin) - 1.01f;
  return outside <= 0 || (along < 0 && along * along >= outside);
}

Colour body_colour(std::int32_t body) {
  static const std::array<Colour, 6> kPalette = {decode_srgb(0xd9745f), decode_srgb(0x4b86b4),
                                                 decode_srgb(0x7fae92), decode_srgb(0xe0b66c),
                                                 decode_srgb(0x94749c), decode_srgb(0x66788c)};
  return kPalette[static_cast<std::size_t>(body) % kPalette.size()];
}

}  // namespace

Colour ColourScale::colour(double value) const {
  // Zero is the neutral colour of a diverging map, whatever the ends are.
  if (map == Colormap::Diverging) {
    return map_colour(map, 0.5 + 0.5 * value / std::max(std::abs(low), std::abs(high)));
  }
  return map_colour(map, high > low ? (value - low) / (high - low) : value - low + 0.5);
}

Studio::Studio(const ShadingMesh& mesh, const Tracer& tracer, const UnitFrame& unit,
               const View& view, const RenderOptions& options, const ColourScale& scale)
    : mesh_(mesh),
      tracer_(tracer),
      samples_(options.samples),
      scale_(scale),
      width_(static_cast<float>(options.width)),
      height_(static_cast<float>(options.height)),
      eye_(unit.point(view.eye)),
      right_(UnitFrame::direction(view.right)),
      up_(UnitFrame::direction(view.up)),
      back_(UnitFrame::direction(view.back)),
      tan_half_height_(static_cast<float>(view.tan_half_height)),
      ground_normal_(UnitFrame::direction(view.ground_normal)),
      size_(static_cast<float>(view.radius * unit.scale)),
      key_direction_(unit_vector(UnitFrame::direction(view.ground_normal) * 1.15f -
                                 UnitFrame::direction(view.right) * 0.65f +
                                 UnitFrame::direction(view.back) * 0.55f)),
      key_tangents_(tangents_of(key_direction_)) {
  if (options.ground) {
    ground_ = static_cast<float>((view.ground_offset - dot(view.ground_normal, unit.centre)) *
                                 unit.scale);
  }
  if (options.cut) {
    const Vec3d n = options.cut->normal * (1 / norm(options.cut->normal));
    const double offset = options.cut->offset / norm(options.cut->normal);
    cut_ = Cut{UnitFrame::direction(n),
               static_cast<float>((offset - dot(n, unit.centre)) * unit.scale)};
  }
}

Ray Studio::camera_ray(float x, float y) const {
  const float step = 2 * tan_half_height_ / height_;
  return {eye_, unit_vector(right_ * ((x - 0.5f * width_) * step) +
                            up_ * ((0.5f * height_ - y) * step) - back_)};
}

Ray Studio::clipped(Ray ray) const {
  if (!cut_) return ray;
  const float speed = dot(cut_->normal, ray.direction);
  const float room = cut_->offset - dot(cut_->normal, ray.origin);
  if (speed > 0) {
    ray.far = std::min(ray.far, room / speed);
  } else if (speed < 0) {
    ray.near = std::max(ray.near, room / speed);
  } else if (room < 0) {
    ray.far = ray.near;
  }
  return ray;
}

Colour Studio::background(float x, float y) const {
  const float dx = (x / width_ - 0.48f) * 1.15f, dy = y / height_ - 0.52f;
  const float edge = smooth_step(0.15f, 0.95f, std::sqrt(dx * dx + dy * dy));
  return blend(Colour{0.92f, 0.925f, 0.93f}, Colour{0.62f, 0.645f, 0.68f}, edge);
}

bool Studio::blocked(const Vec3f& point, const Vec3f& normal, const Vec3f& direction) const {
  const Ray ray{point + normal * kSelfOffset, direction, kSelfOffset};
  return meets_ball(ray) && tracer_.occluded(clipped(ray));
}

Studio::Lit Studio::illuminate(const Vec3f& point, const Vec3f& normal, int index,
                               std::uint32_t seed) const {
  Lit lit;
  const Sample2 spot = disk_sample(samples_.get(SampleTable::Light, index, seed));
  const Vec3f aside = key_tangents_.u * spot.x + key_tangents_.v * spot.y;
  lit.key_direction = unit_vector(key_direction_ + aside * kKeySpread);
  const float facing = dot(normal, lit.key_direction);
  lit.key_visible = facing > 0 && !blocked(point, normal, lit.key_direction) ? 1.0f : 0.0f;

  const Vec3f around = cosine_sample(normal, samples_.get(SampleTable::Around, index, seed));
  lit.ambient_visible = blocked(point, normal, around) ? 0.0f : 1.0f;
  const float height = dot(ground_normal_, around);
  float ambient = 0.16f;  // what other parts of the bodies hand on
  if (lit.ambient_visible > 0) {
    ambient = 0.85f + 0.45f * height;
    if (height < 0 && ground_) {
      // The ground gives back light, but little where the body itself shades it.
      const float above = std::max(0.0f, dot(ground_normal_, point) - *ground_);
      ambient = (0.35f + 0.35f * above / (above + 0.25f * size_)) * (1 + 0.3f * height);
    }
  }
  lit.light = kKeyTint * (kKey * std::max(0.0f, facing) * lit.key_visible) +
              kSkyTint * (kAmbient * ambient);
  return lit;
}

Shade Studio::shade_surface(const Ray& ray, const SurfaceHit& hit, int index,
                            std::uint32_t seed) const {
  const auto& triangle = mesh_.triangles[hit.triangle];
  const auto& normals = mesh_.normals[hit.triangle];
  const std::array<float, 3> weights = {1 - hit.u - hit.v, hit.u, hit.v};
  const Vec3f point = ray.at(hit.distance);
  Vec3f normal{0, 0, 0}, lift{0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    normal += normals[k] * weights[k];
    // Shadow rays start on the smooth surface that the normals suggest, not on the flat triangle
    // below it: otherwise coarse meshes show their facets at the edge of the shadow.
    const float below = std::min(0.0f, dot(point - mesh_.positions[triangle[k]], normals[k]));
    lift -= normals[k] * (below * weights[k]);
  }
  const bool outside = dot(hit.geometric_normal, ray.direction) < 0;
  if (!(dot(normal, normal) > 0)) normal = hit.geometric_normal;
  normal = unit_vector(outside ? normal : -normal);

  Shade shade;
  shade.depth = hit.distance;
  shade.normal = normal;
  shade.colour = body_colour(mesh_.body[hit.triangle]);
  if (!mesh_.values.empty()) {
    float value = 0;
    for (int k = 0; k < 3; ++k) value += weights[k] * mesh_.values[triangle[k]];
    shade.colour = scale_.colour(value);
  }
  const Lit lit = illuminate(outside ? point + lift : point, normal, index, seed);
  shade.light = lit.light;

  // A highlight of the key light and a pale rim; less of both where colours carry values.
  const float strength = mesh_.values.empty() ? 1.0f : 0.4f;
  const Vec3f half = unit_vector(lit.key_direction - ray.direction);
  const float highlight = std::pow(std::max(0.0f, dot(normal, half)), 45.0f);
  shade.gloss = kKeyTint * (0.17f * strength * highlight * lit.key_visible);
  const float grazing = 1 - std::clamp(-dot(normal, ray.direction), 0.0f, 1.0f);
  const float rim = strength * 0.25f * (grazing * grazing) * (grazing * grazing);
  shade.colour = blend(shade.colour, Colour{1, 1, 1}, rim);
  return shade;
}

Shade Studio::shade_cap(const Ray& ray, std::int32_t body, int index, std::uint32_t seed) const {
  Shade shade;
  shade.depth = ray.near;
  shade.normal = cut_->normal;
  // The field is known on the surface only; inside it is shown without value.
  shade.colour = mesh_.values.empty() ? blend(body_colour(body), Colour{1, 1, 1}, 0.3f)
                                      : Colour{0.55f, 0.55f, 0.55f};
  shade.light = illuminate(ray.at(ray.near), shade.normal, index, seed).light;
  return shade;
}

Shade Studio::shade_ground(const Ray& ray, float distance, const Colour& backdrop, int index,
                           std::uint32_t seed) const {
  Shade shade;
  shade.colour = backdrop;
  const Vec3f point = ray.at(distance);
  const float radius = norm(point) / std::max(size_, 1.0f);
  if (radius > kShadowReach) return shade;
  shade.depth = distance;
  shade.normal = ground_normal_;
  const Lit lit = illuminate(point, ground_normal_, index, seed);
  // Exactly one where nothing is in the way, so that the ground is one with the background.
  const float key = kKey * dot(key_direction_, ground_normal_), ambient = kAmbient;
  const float open = (key * lit.key_visible + ambient * lit.ambient_visible) / (key + ambient);
  const float shadow = (1 - open) * (1 - smooth_step(0.5f * kShadowReach, kShadowReach, radius));
  shade.light = Colour{1, 1, 1} - Colour{0.84f, 0.83f, 0.81f} * shadow;
  return shade;
}

Shade Studio::shade(int x, int y, int index) const {
  const std::uint32_t seed =
      mix_bits(static_cast<std::uint32_t>(x) + 65536u * static_cast<std::uint32_t>(y));
  const Sample2 jitter = samples_.get(SampleTable::Pixel, index, seed);
  const float px = static_cast<float>(x) + jitter.x, py = static_cast<float>(y) + jitter.y;
  const Ray ray = camera_ray(px, py);
  const Ray kept = clipped(ray);

  std::optional<SurfaceHit> hit;
  if (meets_ball(ray)) hit = tracer_.closest_surface(kept);
  Ray before_hit = kept;
  if (hit) before_hit.far = hit->distance;
  if (const auto line = tracer_.closest_line(before_hit)) {
    Shade shade;
    shade.depth = line->distance;
    shade.normal = unit_vector(line->normal);
    const float facing = std::abs(dot(shade.normal, ray.direction));
    shade.colour = Colour{0.035f, 0.045f, 0.06f} * (0.5f + 0.5f * facing);
    return shade;
  }
  if (hit) {
    // A ray that enters the kept side and first meets a surface from within starts in the body.
    const bool enters_cut = cut_ && kept.near > 0;
    if (enters_cut && dot(hit->geometric_normal, ray.direction) > 0) {
      return shade_cap(kept, mesh_.body[hit->triangle], index, seed);
    }
    return shade_surface(ray, *hit, index, seed);
  }

  const Colour backdrop = background(px, py);
  if (ground_) {
    const float speed = dot(ground_normal_, ray.direction);
    const float height = dot(ground_normal_, ray.origin) - *ground_;
    if (speed < 0 && height > 0) return shade_ground(ray, -height / speed, backdrop, index, seed);
  }
  Shade shade;
  shade.colour = backdrop;
  return shade;
}

}  // namespace isochor::run
