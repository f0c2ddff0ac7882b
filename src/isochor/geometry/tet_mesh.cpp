#include "isochor/geometry/tet_mesh.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "isochor/math/z_curve.h"

namespace isochor::geometry {

double signed_volume(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  return dot(cross(b - a, c - a), d - a) / 6;
}

double signed_volume(const TetMesh& mesh, std::size_t tet) {
  const auto [a, b, c, d] = mesh.tets[tet];
  return signed_volume(mesh.positions[a], mesh.positions[b], mesh.positions[c], mesh.positions[d]);
}

double total_volume(const TetMesh& mesh) {
  double sum = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) sum += signed_volume(mesh, t);
  return sum;
}

std::array<double, 6> dihedral_angles(const std::array<Vec3d, 4>& corners) {
  std::array<double, 6> angles;
  for (int e = 0; e < 6; ++e) {
    const auto [i, j] = kTetEdges[e];
    const auto [k, l] = kTetEdges[5 - e];
    const Vec3d edge = corners[j] - corners[i];
    const Vec3d one = cross(edge, corners[k] - corners[i]);
    const Vec3d other = cross(edge, corners[l] - corners[i]);
    angles[e] = std::atan2(norm(cross(one, other)), dot(one, other));
  }
  return angles;
}

std::size_t fix_winding(TetMesh& mesh) {
  std::size_t fixed = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    if (signed_volume(mesh, t) >= 0) continue;
    std::swap(mesh.tets[t][2], mesh.tets[t][3]);
    ++fixed;
  }
  return fixed;
}

void order_by_place(TetMesh& mesh, double cube) {
  constexpr double kMost = (1 << 21) - 1;
  const Vec3d low = bounds_of(mesh.positions).low;
  const auto key_of = [&](const Vec3d& x) {
    std::array<std::uint32_t, 3> cell{};
    for (int a = 0; a < 3; ++a) cell[a] = std::uint32_t(std::min((x[a] - low[a]) / cube, kMost));
    return place_on_z_curve(cell);
  };
  std::vector<std::pair<std::uint64_t, std::int32_t>> nodes;
  for (const Vec3d& x : mesh.positions) nodes.emplace_back(key_of(x), std::int32_t(nodes.size()));
  std::ranges::sort(nodes);
  std::vector<std::int32_t> number(nodes.size());
  std::vector<Vec3d> positions;
  for (const auto& [key, node] : nodes) {
    number[node] = std::int32_t(positions.size());
    positions.push_back(mesh.positions[node]);
  }
  mesh.positions = std::move(positions);
  std::vector<std::pair<std::int32_t, std::int32_t>> order;  // lowest node, tet
  for (Tet& tet : mesh.tets) {
    for (std::int32_t& corner : tet) corner = number[corner];
    order.emplace_back(std::ranges::min(tet), std::int32_t(order.size()));
  }
  std::ranges::sort(order);
  const auto in_order = [&](auto& values) {
    if (values.empty()) return;
    auto before = values;
    for (std::size_t t = 0; t < order.size(); ++t) values[t] = before[order[t].second];
  };
  in_order(mesh.tets);
  in_order(mesh.regions);
}

std::vector<Triangle> boundary_triangles(std::span<const Tet> tets) {
  struct Face {
    Triangle sorted;
    std::int64_t place;  // four per tet
  };
  std::vector<Face> faces;
  faces.reserve(4 * tets.size());
  const auto corners = [&](std::int64_t place) {
    const Tet& tet = tets[place / 4];
    const auto& f = kTetFaces[place % 4];
    return Triangle{tet[f[0]], tet[f[1]], tet[f[2]]};
  };
  for (std::int64_t place = 0; place < std::int64_t(4 * tets.size()); ++place) {
    Triangle sorted = corners(place);
    std::ranges::sort(sorted);
    faces.push_back({sorted, place});
  }
  std::ranges::sort(faces, {}, [](const Face& f) { return std::pair(f.sorted, f.place); });
  std::vector<std::int64_t> single;
  for (std::size_t i = 0; i < faces.size();) {
    std::size_t end = i + 1;
    while (end < faces.size() && faces[end].sorted == faces[i].sorted) ++end;
    if (end == i + 1) single.push_back(faces[i].place);
    i = end;
  }
  std::ranges::sort(single);
  std::vector<Triangle> triangles;
  triangles.reserve(single.size());
  for (const std::int64_t place : single) triangles.push_back(corners(place));
  return triangles;
}

}  // namespace isochor::geometry
