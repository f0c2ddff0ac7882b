#include "isochor/contact/collider_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isochor::contact {
namespace {

/// Where a point is in a direction that is the same all along an axis.
ShapeSample interval(double x, double half, const Vec3d& axis) {
  return {std::abs(x) - half, x < 0 ? -axis : axis};
}

/// Of points that are in both of two sets which lie in directions perpendicular to each other, as
/// an interval of z and a figure in the plane of x and y do.
ShapeSample product(const ShapeSample& a, const ShapeSample& b) {
  if (a.distance <= 0 || b.distance <= 0) return a.distance > b.distance ? a : b;
  const double distance = std::hypot(a.distance, b.distance);
  return {distance, (a.distance * a.normal + b.distance * b.normal) * (1 / distance)};
}

/// Of all points within `radius` of the point at the end of `from`.
ShapeSample ball(const Vec3d& from, double radius, const Vec3d& if_none) {
  const double length = norm(from);
  return {length - radius, length > 0 ? from * (1 / length) : if_none};
}

constexpr Vec3d kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

/// The outline of stairs in the plane of x and y: which of its sides is the nearest, and whether
/// the point is inside.
class Outline {
 public:
  explicit Outline(const Vec3d& p) : p_{p[0], p[1], 0} {}

  /// A straight side from a to b whose outside is along `normal`.
  void add_side(const Vec3d& a, const Vec3d& b, const Vec3d& normal) {
    const Vec3d along = b - a;
    const double t = std::clamp(dot(p_ - a, along) / dot(along, along), 0.0, 1.0);
    const Vec3d offset = p_ - (a + t * along);
    const double squared = dot(offset, offset);
    if (squared >= squared_) return;
    squared_ = squared;
    offset_ = offset;
    normal_ = normal;
  }
  ShapeSample sample(bool inside) const {
    const double distance = std::sqrt(squared_), sign = inside ? -1 : 1;
    if (distance == 0) return {0, normal_};
    return {sign * distance, offset_ * (sign / distance)};
  }

 private:
  Vec3d p_, offset_{0, 0, 0}, normal_{0, 0, 0};
  double squared_ = std::numeric_limits<double>::infinity();
};

bool positive(double x) { return std::isfinite(x) && x > 0; }
bool finite(const Vec3d& v) {
  return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

std::string fault(const HalfSpace& s) {
  return finite(s.normal) && norm(s.normal) > 0 ? ""
                                                : "the normal of a half space has no direction";
}
std::string fault(const Box& s) {
  for (int a = 0; a < 3; ++a) {
    if (!positive(s.half_size[a])) return "the size of a box must be positive";
  }
  return "";
}
std::string fault(const Sphere& s) {
  return positive(s.radius) ? "" : "the radius of a sphere must be positive";
}
std::string fault(const Capsule& s) {
  const bool good = positive(s.radius) && std::isfinite(s.half_length) && s.half_length >= 0;
  return good ? "" : "a capsule needs a positive radius and a length that is not negative";
}
std::string fault(const Cylinder& s) {
  const bool good = positive(s.radius) && positive(s.half_length);
  return good ? "" : "the radius and the length of a cylinder must be positive";
}
std::string fault(const Stairs& s) {
  const bool good =
      s.steps > 0 && positive(s.step[0]) && positive(s.step[1]) && positive(s.step[2]);
  return good ? "" : "stairs need a step at least, of positive going, rise and width";
}
std::string fault(const Mesh& s) {
  const auto all_finite = [](std::span<const Vec3d> list) {
    return std::ranges::all_of(list, finite);
  };
  std::size_t count = s.positions.size();
  if (!s.keys.empty()) {
    count = s.keys.front().positions.size();
    for (std::size_t k = 0; k < s.keys.size(); ++k) {
      const std::string name = "key " + std::to_string(k) + " of the mesh";
      if (s.keys[k].positions.size() != count) {
        return name + " has " + std::to_string(s.keys[k].positions.size()) +
               " vertices, the first " + std::to_string(count);
      }
      if (!all_finite(s.keys[k].positions)) return name + " has a position that is not finite";
      if (!std::isfinite(s.keys[k].time)) return name + " has no time";
      if (k > 0 && !(s.keys[k].time > s.keys[k - 1].time))
        return name + " is not later than the last";
    }
  } else if (!all_finite(s.positions)) {
    return "the mesh has a position that is not finite";
  }
  if (s.triangles.empty()) return "the mesh has no triangles";
  for (const Triangle& t : s.triangles) {
    for (const std::int32_t v : t) {
      if (v < 0 || static_cast<std::size_t>(v) >= count) {
        return "a triangle of the mesh names a vertex that does not exist";
      }
    }
  }
  return "";
}

}  // namespace

ShapeSample sample(const HalfSpace& shape, const Vec3d& p) {
  const Vec3d normal = shape.normal * (1 / norm(shape.normal));
  return {dot(normal, p), normal};
}

ShapeSample sample(const Box& shape, const Vec3d& p) {
  const Vec3d& h = shape.half_size;
  return product(product(interval(p[0], h[0], kX), interval(p[1], h[1], kY)),
                 interval(p[2], h[2], kZ));
}

ShapeSample sample(const Sphere& shape, const Vec3d& p) { return ball(p, shape.radius, kY); }

ShapeSample sample(const Capsule& shape, const Vec3d& p) {
  const double along = std::clamp(p[1], -shape.half_length, shape.half_length);
  return ball(p - Vec3d{0, along, 0}, shape.radius, kX);
}

ShapeSample sample(const Cylinder& shape, const Vec3d& p) {
  return product(ball({p[0], 0, p[2]}, shape.radius, kX), interval(p[1], shape.half_length, kY));
}

ShapeSample sample(const Stairs& shape, const Vec3d& p) {
  const double going = shape.step[0], rise = shape.step[1];
  const Vec3d end{shape.steps * going, 0, 0}, top = end + Vec3d{0, shape.steps * rise, 0};
  Outline outline(p);
  for (int i = 0; i < shape.steps; ++i) {
    const Vec3d foot{i * going, i * rise, 0}, nose = foot + Vec3d{0, rise, 0};
    outline.add_side(foot, nose, -kX);
    outline.add_side(nose, nose + Vec3d{going, 0, 0}, kY);
  }
  outline.add_side(top, end, kX);
  outline.add_side(end, {0, 0, 0}, -kY);
  const double below = (std::floor(p[0] / going) + 1) * rise;
  const bool inside = p[0] > 0 && p[0] < end[0] && p[1] > 0 && p[1] < below;
  return product(outline.sample(inside), interval(p[2], 0.5 * shape.step[2], kZ));
}

Bounds bounds_of(const HalfSpace&) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  return {{-kFar, -kFar, -kFar}, {kFar, kFar, kFar}};
}
Bounds bounds_of(const Box& shape) { return {-shape.half_size, shape.half_size}; }
Bounds bounds_of(const Sphere& shape) {
  const Vec3d half{shape.radius, shape.radius, shape.radius};
  return {-half, half};
}
Bounds bounds_of(const Capsule& shape) {
  const Vec3d half{shape.radius, shape.half_length + shape.radius, shape.radius};
  return {-half, half};
}
Bounds bounds_of(const Cylinder& shape) {
  const Vec3d half{shape.radius, shape.half_length, shape.radius};
  return {-half, half};
}
Bounds bounds_of(const Stairs& shape) {
  const double width = 0.5 * shape.step[2];
  return {{0, 0, -width}, {shape.steps * shape.step[0], shape.steps * shape.step[1], width}};
}

std::string fault_of(const Shape& shape) {
  return std::visit([](const auto& s) { return fault(s); }, shape);
}

}  // namespace isochor::contact
