#include "isochor/contact/obstacle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "isochor/base/error.h"
#include "isochor/contact/key_span.h"
#include "isochor/geometry/shapes.h"

namespace isochor::contact {
namespace {

constexpr int kSides = 12;

struct Faceted {
  std::vector<Vec3d> vertices;
  std::vector<Triangle> triangles;  ///< outward
};

struct Ring {
  double height, radius;  ///< m, along and around the y axis
};

/// A profile turned about the y axis, upwards, with a point at either end.
Faceted turned(double bottom, std::span<const Ring> rings, double top) {
  Faceted out;
  out.vertices.push_back({0, bottom, 0});
  for (const Ring& ring : rings) {
    for (int k = 0; k < kSides; ++k) {
      const double angle = 2 * std::numbers::pi * k / kSides;
      out.vertices.push_back(
          {ring.radius * std::cos(angle), ring.height, ring.radius * std::sin(angle)});
    }
  }
  out.vertices.push_back({0, top, 0});
  const auto corner = [](std::size_t ring, int k) {
    return std::int32_t(1 + kSides * ring + std::size_t(k % kSides));
  };
  const auto last = std::int32_t(out.vertices.size() - 1);
  for (int k = 0; k < kSides; ++k) {
    out.triangles.push_back({0, corner(0, k), corner(0, k + 1)});
    for (std::size_t r = 0; r + 1 < rings.size(); ++r) {
      out.triangles.push_back({corner(r, k), corner(r + 1, k), corner(r + 1, k + 1)});
      out.triangles.push_back({corner(r, k), corner(r + 1, k + 1), corner(r, k + 1)});
    }
    out.triangles.push_back({last, corner(rings.size() - 1, k + 1), corner(rings.size() - 1, k)});
  }
  return out;
}

/// Of a capsule, which without length is a ball.
Faceted capsule(double half_length, double radius) {
  constexpr int kQuarter = kSides / 4;
  std::vector<Ring> rings;
  for (int end = -1; end <= 1; end += 2) {
    for (int k = 0; k < kQuarter; ++k) {
      const int from_equator = end < 0 ? kQuarter - 1 - k : k;
      if (half_length == 0 && end > 0 && k == 0) continue;
      const double angle = 2 * std::numbers::pi * from_equator / kSides;
      rings.push_back({end * (half_length + radius * std::sin(angle)), radius * std::cos(angle)});
    }
  }
  return turned(-half_length - radius, rings, half_length + radius);
}

Faceted faceted(const geometry::SurfaceMesh& mesh) {
  return {mesh.positions, geometry::triangulate(mesh)};
}

/// Round ones with their thickness, others without.
struct Facets {
  double thickness;

  Faceted operator()(const HalfSpace&) const { return {}; }
  Faceted operator()(const Box& box) const {
    const Vec3d size = 2 * box.half_size;
    return faceted(geometry::make_box({0, 0, 0}, size, std::max({size[0], size[1], size[2]})));
  }
  Faceted operator()(const Sphere& s) const { return capsule(0, s.radius + thickness); }
  Faceted operator()(const Capsule& c) const {
    return capsule(c.half_length, c.radius + thickness);
  }
  Faceted operator()(const Cylinder& c) const {
    const double half = c.half_length, radius = c.radius + thickness;  // ends would be rounded
    return turned(-half, std::array{Ring{-half, radius}, Ring{half, radius}}, half);
  }
  Faceted operator()(const Stairs& s) const {
    return faceted(geometry::make_stairs({0, 0, 0}, s.steps, s.step,
                                         std::max({s.step[0], s.step[1], s.step[2]})));
  }
  Faceted operator()(const Mesh& mesh) const {
    return {mesh.keys.empty() ? mesh.positions : mesh.keys[0].positions, mesh.triangles};
  }
};

double middle_of(Vec3d sizes) {
  std::ranges::sort(sizes.e);
  return sizes[1];
}

/// Vertices go to where all planes around them would meet if these had gone inwards, by least
/// squares, with areas as weights.
void shrink(std::span<const Triangle> triangles, double by, std::span<Vec3d> vertices) {
  constexpr double kFlat = 1e-3, kFarthest = 3;
  struct Planes {
    Mat3d square{};  ///< sum of n n^T
    Vec3d sum{0, 0, 0};
  };
  std::vector<Planes> planes(vertices.size());
  for (const Triangle& t : triangles) {
    const Vec3d& a = vertices[t[0]];
    const Vec3d area = cross(vertices[t[1]] - a, vertices[t[2]] - a);
    const double size = norm(area);
    if (!(size > 0)) continue;
    const Vec3d normal = (1 / size) * area;
    for (const std::int32_t v : t) {
      for (int c = 0; c < 3; ++c) planes[v].square.column[c] += (size * normal[c]) * normal;
      planes[v].sum += area;
    }
  }
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    Mat3d& A = planes[v].square;
    const Vec3d& b = planes[v].sum;
    // Along planes that are nearly one, nothing is known.
    const double least = kFlat * trace(A);
    for (int c = 0; c < 3; ++c) A.column[c][c] += least;
    const double det = determinant(A);
    if (!(det > 0)) continue;
    const auto& [x, y, z] = A.column;
    const Vec3d way =
        (by / det) * Vec3d{determinant(Mat3d{{b, y, z}}), determinant(Mat3d{{x, b, z}}),
                           determinant(Mat3d{{x, y, b}})};
    vertices[v] -= std::min(1.0, kFarthest * by / norm(way)) * way;
  }
}

/// How far inside of what points meet the triangles are.
double inset_of(const Collider& collider, double wanted) {
  constexpr double kMost = 1.0 / 8;
  if (const auto* mesh = std::get_if<Mesh>(&collider.shape)) {
    if (mesh->sides == Sides::Sheet) return 0;  // points stay away from it by its thickness
  }
  if (!is_round(collider.shape)) wanted = std::max(0.0, wanted - collider.thickness);
  return std::min(wanted, kMost * girth(collider));
}

}  // namespace

bool is_round(const Shape& shape) {
  return std::holds_alternative<Sphere>(shape) || std::holds_alternative<Capsule>(shape) ||
         std::holds_alternative<Cylinder>(shape);
}

double girth(const Collider& collider) {
  const double around = 2 * collider.thickness;
  if (const auto* s = std::get_if<Sphere>(&collider.shape)) return 2 * s->radius + around;
  if (const auto* s = std::get_if<Capsule>(&collider.shape)) return 2 * s->radius + around;
  if (const auto* s = std::get_if<Cylinder>(&collider.shape)) return 2 * s->radius + around;
  if (const auto* s = std::get_if<Box>(&collider.shape)) {
    return 2 * middle_of(s->half_size) + around;
  }
  const Faceted facets = std::visit(Facets{0}, collider.shape);
  if (facets.vertices.empty()) return std::numeric_limits<double>::infinity();
  return middle_of(geometry::bounds_of(facets.vertices).size()) + around;
}

Obstacle::Obstacle(const Collider& collider, std::int32_t number, double inset)
    : collider_(collider), number_(number), inset_(inset_of(collider, inset)) {
  Faceted facets = std::visit(Facets{collider.thickness}, collider.shape);
  if (facets.triangles.empty()) {
    throw Error(Fault::Input, "collider '" + collider.name + "'",
                "has no end, and no surface of triangles", "let points meet it");
  }
  vertices_ = std::move(facets.vertices);
  triangles_ = std::move(facets.triangles);
  shrink(triangles_, inset_, vertices_);
}

void Obstacle::place(double time, std::span<Vec3d> vertices) const {
  std::ranges::copy(vertices_, vertices.begin());
  if (const auto* mesh = std::get_if<Mesh>(&collider_.shape); mesh && !mesh->keys.empty()) {
    const KeySpan span = key_span(mesh->keys, time);
    const std::vector<Vec3d>&from = mesh->keys[span.from].positions,
          &to = mesh->keys[span.to].positions;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      vertices[v] = from[v] + span.part * (to[v] - from[v]);
    }
    shrink(triangles_, inset_, vertices);
  }
  const Placement placed = placement_of(collider_, time);
  for (Vec3d& x : vertices) x = placed.translation + placed.rotation * x;
}

}  // namespace isochor::contact
