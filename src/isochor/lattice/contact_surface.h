#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/contact/surface.h"
#include "isochor/grid/embedding.h"
#include "isochor/solve/springs.h"

namespace isochor::lattice {

/// Triangles of all bodies whose corners ride on nodes of a model.
struct ContactSurface {
  std::vector<contact::Triangle> triangles;  ///< outward
  std::vector<Vec3d> rest;                   ///< per point, m
  std::vector<std::int32_t> bodies;          ///< per point, of the model
  std::vector<std::int32_t> first{0};        ///< point p rides on [first[p], first[p + 1])
  std::vector<solve::SpringTerm> weights;    ///< of nodes of the model
  /// As if points rode on their cells alone, trilinearly, which is what preconditioners know.
  std::vector<std::array<solve::SpringTerm, 8>> corners;

  std::size_t point_count() const { return rest.size(); }
};

/// A surface that rides on the lattice of a body of a model.
struct EmbeddedSurface {
  std::span<const Vec3d> rest;  ///< per vertex, m
  std::span<const contact::Triangle> triangles;
  const grid::Embedding& embedding;
  std::int32_t body = 0;        ///< of the model
  std::int32_t first_node = 0;  ///< of that body
};

/// Vertices of one place that ride on the same cell become one point: seams of texture coordinates
/// must not part, nor touch themselves. Returns the point of each vertex, -1 for those of no
/// triangle.
std::vector<std::int32_t> add_surface(const EmbeddedSurface& added, ContactSurface& to);

/// Points that ride on a body but are of no triangle; returns the first.
std::int32_t add_points(std::span<const Vec3d> rest, const grid::Embedding& embedding,
                        std::int32_t body, std::int32_t first_node, ContactSurface& to);

}  // namespace isochor::lattice
