#include "isochor/shells/band.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/shells/convex_hull.h"

namespace isochor::shells {
namespace {

/// A closed line that is followed at an even pace.
class Loop {
 public:
  explicit Loop(std::vector<Flat> corners) : corners_(std::move(corners)) {
    for (std::size_t i = 0; i < corners_.size(); ++i) {
      const Flat &a = corners_[i], &b = corners_[(i + 1) % corners_.size()];
      ends_.push_back(length() + std::hypot(b[0] - a[0], b[1] - a[1]));
    }
  }
  double length() const { return ends_.empty() ? 0 : ends_.back(); }

  /// The point after a part of the way.
  Flat at(double part) const {
    const double way = (part - std::floor(part)) * length();
    const std::size_t i = std::min<std::size_t>(
        std::ranges::upper_bound(ends_, way) - ends_.begin(), corners_.size() - 1);
    const Flat &a = corners_[i], &b = corners_[(i + 1) % corners_.size()];
    const double begin = i > 0 ? ends_[i - 1] : 0, edge = ends_[i] - begin;
    const double t = (way - begin) / edge;
    return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])};
  }

 private:
  std::vector<Flat> corners_;
  std::vector<double> ends_;  ///< of the edges, along the way
};

/// The hull of a convex loop that is `distance` wider, rounded at corners.
std::vector<Flat> widened(const std::vector<Flat>& hull, double distance) {
  constexpr int kDirections = 64;
  std::vector<Flat> points;
  for (const Flat& p : hull) {
    for (int k = 0; k < kDirections; ++k) {
      const double angle = 2 * M_PI * k / kDirections;
      // Around, not inside: the polygon holds the whole circle.
      const double r = distance / std::cos(M_PI / kDirections);
      points.push_back({p[0] + r * std::cos(angle), p[1] + r * std::sin(angle)});
    }
  }
  return convex_hull(std::move(points));
}

/// How far the chords of a loop, as the rows of a band have them, cut into a convex one.
double cut_of(const Loop& loop, int around, const std::vector<Flat>& inner) {
  double deepest = 0;
  for (int i = 0; i < 2 * around; ++i) {
    const Flat a = loop.at(0.5 * i / around), b = loop.at((0.5 * i + 1) / around);
    const double length = std::hypot(b[0] - a[0], b[1] - a[1]);
    for (const Flat& p : inner) deepest = std::max(deepest, -turn(a, b, p) / length);
  }
  return deepest;
}

}  // namespace

BandMesh make_band(int around, int rows, const Vec3d& axis,
                   const std::function<Vec3d(double, double)>& at) {
  BandMesh mesh;
  for (int j = 0; j <= rows; ++j) {
    for (int i = 0; i < around; ++i) {
      mesh.positions.push_back(at((i + 0.5 * (j % 2)) / around, double(j) / rows));
    }
  }
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < around; ++i) {
      const std::int32_t below = j * around, above = below + around;
      const std::int32_t next = (i + 1) % around;
      if (j % 2 == 0) {
        mesh.triangles.push_back({below + i, below + next, above + i});
        mesh.triangles.push_back({below + next, above + next, above + i});
      } else {
        mesh.triangles.push_back({below + i, above + next, above + i});
        mesh.triangles.push_back({below + i, below + next, above + next});
      }
    }
  }
  for (const geometry::Triangle& t : mesh.triangles) {
    const Vec3d normal = cross(mesh.positions[t[1]] - mesh.positions[t[0]],
                               mesh.positions[t[2]] - mesh.positions[t[0]]);
    mesh.directions.push_back(cross(axis, normal));
  }
  return mesh;
}

BandMesh wrap(std::span<const Vec3d> positions, std::span<const geometry::Triangle> triangles,
              const BandPlace& place, const std::string& name) {
  const Vec3d up = place.axis * (1 / norm(place.axis));
  const Vec3d other = std::abs(up[0]) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1};
  Vec3d u = cross(other, up);
  u = u * (1 / norm(u));
  const Vec3d v = cross(up, u);
  const double half = 0.5 * place.width + place.clearance;
  std::vector<Flat> seen;
  const auto see = [&](const Vec3d& x) {
    const Flat p{dot(u, x - place.center), dot(v, x - place.center)};
    if (place.within == 0 || std::hypot(p[0], p[1]) <= place.within) seen.push_back(p);
  };
  const auto height = [&](const Vec3d& x) { return dot(up, x - place.center); };
  for (const geometry::Triangle& t : triangles) {
    for (int k = 0; k < 3; ++k) {
      const Vec3d &a = positions[t[k]], &b = positions[t[(k + 1) % 3]];
      const double ha = height(a), hb = height(b);
      if (std::abs(ha) <= half) see(a);
      // Where edges leave the slab between the rims.
      for (const double rim : {-half, half}) {
        if ((ha < rim) != (hb < rim)) see(a + (rim - ha) / (hb - ha) * (b - a));
      }
    }
  }
  const std::vector<Flat> hull = convex_hull(std::move(seen));
  if (hull.size() < 3) {
    throw Error(Fault::Input, name, "there is no surface between the rims of the band",
                "move its center, turn its axis, or widen what is `within` it");
  }
  const std::vector<Flat> inner = widened(hull, place.clearance);
  Loop loop(inner);
  int around = 0;
  // As wide as its chords, which cut corners, need it.
  constexpr int kRounds = 30;
  constexpr double kMore = 1.1;
  double cut = 0;
  for (int round = 0; round < kRounds; ++round) {
    around = std::max(8, int(std::lround(loop.length() / place.edge)));
    const double more = cut_of(loop, around, inner);
    if (more == 0) break;
    cut += kMore * more;
    loop = Loop(widened(hull, place.clearance + cut));
  }
  const int rows = 2 * std::max(1, int(std::lround(0.5 * place.width / place.edge)));
  return make_band(around, rows, up, [&](double turn, double part) {
    const Flat p = loop.at(turn);
    return place.center + p[0] * u + p[1] * v + ((part - 0.5) * place.width) * up;
  });
}

}  // namespace isochor::shells
