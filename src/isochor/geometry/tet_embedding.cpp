#include "isochor/geometry/tet_embedding.h"

#include <algorithm>
#include <limits>

#include "isochor/geometry/box_tree.h"
#include "isochor/geometry/triangle_queries.h"

namespace isochor::geometry {
namespace {

std::array<Vec3d, 4> corners_of(const TetMesh& mesh, std::size_t tet) {
  std::array<Vec3d, 4> corners;
  for (int k = 0; k < 4; ++k) corners[k] = mesh.positions[mesh.tets[tet][k]];
  return corners;
}

std::array<double, 4> barycentric(const std::array<Vec3d, 4>& tet, const Vec3d& point) {
  const double whole = signed_volume(tet[0], tet[1], tet[2], tet[3]);
  std::array<double, 4> weights;
  weights[0] = 1;
  for (int k = 1; k < 4; ++k) {
    std::array<Vec3d, 4> part = tet;
    part[k] = point;
    weights[k] = signed_volume(part[0], part[1], part[2], part[3]) / whole;
    weights[0] -= weights[k];
  }
  return weights;
}

}  // namespace

double squared_distance(const std::array<Vec3d, 4>& tet, const Vec3d& point) {
  const double whole = signed_volume(tet[0], tet[1], tet[2], tet[3]);
  bool inside = whole != 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 4; ++k) {
    std::array<Vec3d, 4> part = tet;
    part[k] = point;
    inside = inside && signed_volume(part[0], part[1], part[2], part[3]) * whole >= 0;
    const TriangleCorners face{tet[(k + 1) % 4], tet[(k + 2) % 4], tet[(k + 3) % 4]};
    nearest = std::min(nearest, closest_point_on(face, point).squared_distance);
  }
  return inside ? 0 : nearest;
}

void TetEmbedding::interpolate(std::span<const Vec3d> nodal, std::span<Vec3d> at_points) const {
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto& [n, w] = points[p];
    at_points[p] =
        w[0] * nodal[n[0]] + w[1] * nodal[n[1]] + w[2] * nodal[n[2]] + w[3] * nodal[n[3]];
  }
}

void TetEmbedding::interpolate(std::span<const double> nodal, std::span<double> at_points) const {
  for (std::size_t p = 0; p < points.size(); ++p) {
    double sum = 0, weight = 0;
    for (int k = 0; k < 4; ++k) {
      const double w = std::max(points[p].weights[k], 0.0);
      sum += w * nodal[points[p].nodes[k]];
      weight += w;
    }
    at_points[p] = sum / weight;
  }
}

std::array<TetEmbedding::Weight, 4> TetEmbedding::weights(std::size_t point) const {
  std::array<Weight, 4> weights;
  for (int k = 0; k < 4; ++k) weights[k] = {points[point].nodes[k], points[point].weights[k]};
  return weights;
}

TetEmbedding embed(const TetMesh& mesh, std::span<const Vec3d> points, ThreadArena& arena) {
  std::vector<Bounds> boxes;
  boxes.reserve(mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    boxes.push_back(bounds_of(corners_of(mesh, t)));
  const BoxTree tree(boxes);
  TetEmbedding embedding;
  embedding.points.resize(points.size());
  parallel_for(arena, points.size(), 64, [&](std::size_t p) {
    const std::int32_t tet = tree.nearest(points[p], [&](std::int32_t t) {
      return squared_distance(corners_of(mesh, t), points[p]);
    });
    embedding.points[p] = {mesh.tets[tet], barycentric(corners_of(mesh, tet), points[p])};
  });
  return embedding;
}

}  // namespace isochor::geometry
