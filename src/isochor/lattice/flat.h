#pragma once

#include <span>

#include "isochor/math/vec3.h"

/// Vectors on nodes as the plain numbers that Krylov methods see, and back.
namespace isochor::lattice {

inline std::span<double> flat(std::span<Vec3d> v) { return {&v.data()->e[0], 3 * v.size()}; }
inline std::span<const double> flat(std::span<const Vec3d> v) {
  return {&v.data()->e[0], 3 * v.size()};
}
inline std::span<const Vec3d> vectors(std::span<const double> v) {
  return {reinterpret_cast<const Vec3d*>(v.data()), v.size() / 3};
}
inline std::span<Vec3d> vectors(std::span<double> v) {
  return {reinterpret_cast<Vec3d*>(v.data()), v.size() / 3};
}

}  // namespace isochor::lattice
