#pragma once

#include "isochor/contact/colliders.h"

/// Signed distances of shapes in closed form, in their own coordinates: exact, inside and outside.
namespace isochor::contact {

struct ShapeSample {
  double distance;  ///< m, negative inside
  Vec3d normal;     ///< the gradient of the distance
};

ShapeSample sample(const HalfSpace& shape, const Vec3d& p);
ShapeSample sample(const Box& shape, const Vec3d& p);
ShapeSample sample(const Sphere& shape, const Vec3d& p);
ShapeSample sample(const Capsule& shape, const Vec3d& p);
ShapeSample sample(const Cylinder& shape, const Vec3d& p);
ShapeSample sample(const Stairs& shape, const Vec3d& p);

Bounds bounds_of(const HalfSpace& shape);  ///< everything
Bounds bounds_of(const Box& shape);
Bounds bounds_of(const Sphere& shape);
Bounds bounds_of(const Capsule& shape);
Bounds bounds_of(const Cylinder& shape);
Bounds bounds_of(const Stairs& shape);

/// What is wrong with a shape; empty: nothing.
std::string fault_of(const Shape& shape);

}  // namespace isochor::contact
