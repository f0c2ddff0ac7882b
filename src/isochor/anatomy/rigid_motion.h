#pragma once

#include "isochor/math/mat3.h"
#include "isochor/math/quaternion.h"

/// Motions of joints: affine in files, rigid where bones follow them.
namespace isochor::anatomy {

/// x becomes linear x + translation.
struct Transform {
  Mat3d linear = Mat3d::identity();
  Vec3d translation{0, 0, 0};

  Vec3d operator()(const Vec3d& x) const { return linear * x + translation; }
  /// First b, then a.
  friend Transform operator*(const Transform& a, const Transform& b) {
    return {a.linear * b.linear, a(b.translation)};
  }
};

/// NaN or infinite where the linear part is singular.
Transform inverse(const Transform& transform);

using Quaternion = isochor::Quaternion<double>;

/// Scaled, then turned, then moved: how a joint lies in its parent.
struct LocalTransform {
  Vec3d translation{0, 0, 0};
  Quaternion rotation{{0, 0, 0}, 1};  ///< of length 1
  Vec3d scale{1, 1, 1};
};
Transform transform_of(const LocalTransform& local);
/// What is left of a shear is lost; a mirror becomes a scale of -1 along x.
LocalTransform local_of(const Transform& transform);

Quaternion quaternion_of(const Mat3d& rotation);
/// The same rotation with length 1; no rotation at all where the length is zero.
Quaternion normalised(const Quaternion& q);
/// Along the shorter great circle at an even pace; `way` from 0 to 1.
Quaternion slerp(const Quaternion& a, const Quaternion& b, double way);
LocalTransform blend(const LocalTransform& a, const LocalTransform& b, double way);

/// The vector, axis times angle, of a rotation. Of all those that differ by whole turns, the one
/// nearest to `previous`, so that a motion sampled in small steps has vectors in small steps.
Vec3d rotation_vector(const Mat3d& rotation, const Vec3d& previous = {0, 0, 0});

}  // namespace isochor::anatomy
