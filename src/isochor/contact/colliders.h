#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/contact/surface.h"
#include "isochor/math/mat3.h"

/// Things that bodies touch and that move as they are told. Shapes are plain data in coordinates of
/// their own; lengths in metres.
namespace isochor::contact {

/// All points with normal . x <= 0.
struct HalfSpace {
  Vec3d normal{0, 1, 0};  ///< of any length but zero
};
/// About the origin.
struct Box {
  Vec3d half_size;
};
struct Sphere {
  double radius;
};
/// All points within `radius` of the segment from (0, -half_length, 0) to (0, half_length, 0).
struct Capsule {
  double half_length, radius;
};
/// About the origin, its axis along y.
struct Cylinder {
  double half_length, radius;
};
/// A solid staircase that rises towards x, as of `geometry::make_stairs` with its foot in the
/// origin.
struct Stairs {
  int steps;
  Vec3d step;  ///< going (x), rise (y) and width (z)
};

/// What of a triangle mesh is solid.
enum class Sides {
  Solid,  ///< its inside; see `geometry::SignedDistance` for meshes with holes or turned faces
  Sheet,  ///< nothing: a surface that is pushed away from on both sides, by its thickness
};
struct MeshKey {
  double time;                   ///< s
  std::vector<Vec3d> positions;  ///< as many as the mesh has
};
struct Mesh {
  std::vector<Vec3d> positions;  ///< of a mesh without keys
  std::vector<Triangle> triangles;
  Sides sides = Sides::Solid;
  std::vector<MeshKey> keys;  ///< in order of time; between them vertices move in straight lines
};

using Shape = std::variant<HalfSpace, Box, Sphere, Capsule, Cylinder, Stairs, Mesh>;

/// Where a shape's own coordinates are: x = translation + R(rotation) y.
struct PoseKey {
  double time = 0;             ///< s
  Vec3d translation{0, 0, 0};  ///< m
  Vec3d rotation{0, 0,
                 0};  ///< rotation vector, rad; blended linearly, so that it may exceed a turn
};

struct Collider {
  std::string name;
  Shape shape;
  std::vector<PoseKey> keys{
      PoseKey{}};         ///< in order of time; it rests before the first and after the last
  double friction = 0;    ///< coefficient
  double thickness = 0;   ///< m by which it is larger than its shape
  Vec3d turned{0, 0, 0};  ///< rotation vector of the shape before keys move it, rad
};

/// A collider as seen from a point.
struct ColliderSample {
  double distance;  ///< m, negative inside
  Vec3d normal;     ///< of length one, out of the collider: the gradient of the distance
  Vec3d point;      ///< of the collider's surface, the nearest one
  Vec3d velocity;   ///< m/s, of the material there
};

/// A rigid motion at one time, and how it goes on.
struct Placement {
  Mat3d rotation = Mat3d::identity();
  Vec3d translation{0, 0, 0};
  Vec3d velocity{0, 0, 0};          ///< m/s, of the origin of the shape
  Vec3d angular_velocity{0, 0, 0};  ///< rad/s

  /// In the shape's own coordinates.
  Vec3d local(const Vec3d& point) const { return transpose(rotation) * (point - translation); }
  Vec3d velocity_at(const Vec3d& point) const {
    return velocity + cross(angular_velocity, point - translation);
  }
};
/// Velocities are those on the way to `time`: at a key, of the part before it.
Placement placement_at(std::span<const PoseKey> keys, double time);
/// The same of a collider, whose shape is turned first.
Placement placement_of(const Collider& collider, double time);

class ColliderMesh;

/// Colliders at one time. Keeps what it needs of the list it came from. Safe to query from several
/// threads.
class PlacedColliders {
 public:
  std::size_t size() const { return colliders_.size(); }
  double friction(std::size_t collider) const { return colliders_[collider].collider->friction; }
  const Placement& placement(std::size_t collider) const { return colliders_[collider].placement; }

  ColliderSample sample(std::size_t collider, const Vec3d& point) const;
  /// False where the distance is surely larger than `reach`; quick.
  bool may_be_near(std::size_t collider, const Vec3d& point, double reach) const;
  /// False of half spaces: what is behind their surface is inside them.
  bool can_be_passed(std::size_t collider) const;
  /// Where a point would be that has moved with the collider since it was placed as `before`.
  Vec3d carried(std::size_t collider, const Placement& before, const Vec3d& point) const;
  /// How far a point may go along `way` without coming nearer than `distance`: a part of it, 0 to
  /// 1; early by a tenth of the gap, never late. 0 where it is nearer at the start, unless the
  /// shape is convex and the way leads off it.
  double largest_step(std::size_t collider, const Vec3d& point, const Vec3d& way,
                      double distance) const;

 private:
  friend class Colliders;
  struct Placed {
    std::shared_ptr<const Collider> collider;
    Placement placement;
    std::shared_ptr<const ColliderMesh> mesh;  ///< of a mesh
    Bounds bounds;  ///< of the shape with its thickness, in its own coordinates
  };
  std::vector<Placed> colliders_;
};

/// All colliders of a scene and their motions. A shape without extent, keys that are not in order
/// of time, or numbers that are not finite are input errors which name the collider.
class Colliders {
 public:
  explicit Colliders(std::vector<Collider> colliders, ThreadArena& arena);

  std::size_t size() const { return rest_.size(); }
  const Collider& operator[](std::size_t i) const { return *rest_.colliders_[i].collider; }

  /// Where they are at `time` (s). Meshes with keys are prepared anew, which takes about as long as
  /// building a tree over their triangles; all else is quick.
  PlacedColliders at(double time, ThreadArena& arena) const;

  /// How they are placed at `time` (s), one for each.
  std::vector<Placement> placements(double time) const;

  /// A bound, m, on how far the parts of colliders within `where` go between two times: what tells
  /// into how many samples a step must be cut so that none jumps over a thin body. Colliders that
  /// stay outside count for nothing.
  double travel(double from, double to, const Bounds& where) const;

 private:
  PlacedColliders rest_;
};

}  // namespace isochor::contact
