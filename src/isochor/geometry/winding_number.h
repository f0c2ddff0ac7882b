#pragma once

#include <array>
#include <memory>
#include <vector>

#include "isochor/geometry/triangle_bvh.h"

namespace isochor::geometry {

/// The generalised winding number of a triangle surface: 1 inside, 0 outside, and a sensible
/// number between where the surface has holes. Far clusters of triangles act as their first two
/// moments (Barill et al. 2018, first order), so that a query costs O(log n). It takes triangles as
/// they are oriented: see `oriented_outward` for surfaces whose faces are not. Keeps a tree, about
/// 80 bytes per triangle with it; safe to query from several threads.
class WindingNumber {
 public:
  WindingNumber(std::span<const Vec3d> positions, std::span<const Triangle> triangles);
  /// Shares a tree made for other queries.
  explicit WindingNumber(std::shared_ptr<const TriangleBvh> tree);

  double operator()(const Vec3d& point) const;

  std::size_t memory() const;  ///< bytes, without the tree

 private:
  /// The triangles below a node of the tree as seen from afar, in lengths of about the size of the
  /// surface. One cache line: single precision is exact enough, since moments are taken about the
  /// rounded center.
  struct alignas(64) Cluster {
    std::array<float, 3> center;       ///< area-weighted, relative to the tree's origin
    std::array<float, 3> area_normal;  ///< sum of area times normal
    /// Sum of area times normal times (arm from `center`)^T, its symmetric part: xx yy zz yz xz xy.
    std::array<float, 6> moment;
    float near_squared;         ///< closer than the root of this it must be opened
    std::int32_t first, count;  ///< as in the tree's nodes
  };
  struct Builder;
  double leaf_angle(const Cluster& leaf, const Vec3d& point) const;

  std::shared_ptr<const TriangleBvh> tree_;
  double scale_ = 1;  ///< from lengths of the surface to those of the clusters, a power of two
  std::vector<Cluster> clusters_;
};

}  // namespace isochor::geometry
