#include "isochor/geometry/tet_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isochor::geometry {
namespace {

/// A tet that a surface comes into is halved so often along each edge.
constexpr int kHalvings = 2;
/// Parts of a tet below this are rounding.
constexpr double kLeast = 1e-9;

struct Corner {
  Vec3d at;
  std::vector<double> distances;  ///< from solids, negative inside
};
using Corners = std::array<Corner, 4>;

/// Volume, and its first moment.
struct Moments {
  double volume = 0;
  Vec3d first{0, 0, 0};
  void add(double v, const Vec3d& centroid) {
    volume += v;
    first += v * centroid;
  }
};

double volume_of(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  return std::abs(dot(b - a, cross(c - a, d - a))) / 6;
}

void add_tet(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d, Moments& to) {
  to.add(volume_of(a, b, c, d), 0.25 * (a + b + c + d));
}

/// Adds the part of a tet where a linear function of these values at its corners is negative.
void add_negative(const std::array<Vec3d, 4>& x, const std::array<double, 4>& value, Moments& to) {
  std::array<int, 4> order;
  int inside = 0, outside = 4;
  for (int c = 0; c < 4; ++c) order[value[c] < 0 ? inside++ : --outside] = c;
  if (inside == 0) return;
  // Where the function is zero between corners order[i] inside and order[j] outside.
  const auto zero = [&](int i, int j) {
    const double from = value[order[i]], way = from / (from - value[order[j]]);
    return x[order[i]] + way * (x[order[j]] - x[order[i]]);
  };
  if (inside == 4) {
    add_tet(x[0], x[1], x[2], x[3], to);
  } else if (inside == 1) {
    add_tet(x[order[0]], zero(0, 1), zero(0, 2), zero(0, 3), to);
  } else if (inside == 2) {
    // A wedge between two triangles.
    const Vec3d &a = x[order[0]], &b = x[order[1]];
    const Vec3d a2 = zero(0, 2), a3 = zero(0, 3), b2 = zero(1, 2), b3 = zero(1, 3);
    add_tet(a, a2, a3, b3, to);
    add_tet(a, a2, b3, b2, to);
    add_tet(a, b, b2, b3, to);
  } else {
    Moments beyond;
    add_tet(x[order[3]], zero(0, 3), zero(1, 3), zero(2, 3), beyond);
    add_tet(x[0], x[1], x[2], x[3], to);
    to.volume -= beyond.volume;
    to.first -= beyond.first;
  }
}

/// What a solid has of one tet.
struct Part {
  std::int32_t solid;
  Moments alone, left;
};

/// A tet and the solids that reach into it.
class Divider {
 public:
  Divider(std::span<const SignedDistance> solids, std::vector<Part>& parts)
      : solids_(solids), parts_(parts) {}

  Corner corner(const Vec3d& at) const {
    Corner out{at, {}};
    for (const Part& part : parts_) out.distances.push_back(solids_[part.solid](at).distance);
    return out;
  }

  void divide(const Corners& corners, int halvings) {
    if (halvings == 0 || !is_near(corners)) return add(corners);
    const auto between = [&](int i, int j) {
      return corner(0.5 * (corners[i].at + corners[j].at));
    };
    const Corner m01 = between(0, 1), m02 = between(0, 2), m03 = between(0, 3), m12 = between(1, 2),
                 m13 = between(1, 3), m23 = between(2, 3);
    const auto& [a, b, c, d] = corners;
    for (const Corners& part :
         {Corners{a, m01, m02, m03}, Corners{b, m01, m12, m13}, Corners{c, m02, m12, m23},
          Corners{d, m03, m13, m23}, Corners{m01, m23, m02, m03}, Corners{m01, m23, m03, m13},
          Corners{m01, m23, m13, m12}, Corners{m01, m23, m12, m02}}) {
      divide(part, halvings - 1);
    }
  }

 private:
  /// Whether a surface may come into it.
  bool is_near(const Corners& corners) const {
    double longest = 0;
    for (int c = 1; c < 4; ++c) {
      for (int k = 0; k < c; ++k) longest = std::max(longest, norm(corners[c].at - corners[k].at));
    }
    return std::ranges::any_of(corners[0].distances,
                               [&](double distance) { return std::abs(distance) < longest; });
  }

  void add(const Corners& corners) {
    std::array<Vec3d, 4> x;
    std::array<double, 4> earlier;
    for (int c = 0; c < 4; ++c) {
      x[c] = corners[c].at;
      earlier[c] = std::numeric_limits<double>::infinity();
    }
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      std::array<double, 4> own, left;
      for (int c = 0; c < 4; ++c) {
        own[c] = corners[c].distances[k];
        left[c] = std::max(own[c], -earlier[c]);
        earlier[c] = std::min(earlier[c], own[c]);
      }
      add_negative(x, own, parts_[k].alone);
      add_negative(x, left, parts_[k].left);
    }
  }

  std::span<const SignedDistance> solids_;
  std::vector<Part>& parts_;
};

/// Of the solids that reach into a tet; what none of their surfaces comes into is not cut.
std::vector<Part> parts_of(const std::array<Vec3d, 4>& x, std::span<const SignedDistance> solids) {
  const Vec3d middle = 0.25 * (x[0] + x[1] + x[2] + x[3]);
  double radius = 0;
  for (const Vec3d& corner : x) radius = std::max(radius, norm(corner - middle));
  std::vector<Part> parts;
  bool cut = false;
  for (std::size_t s = 0; s < solids.size(); ++s) {
    const bool near = solids[s].tree().closest_point(middle, radius).triangle >= 0;
    if (!near && !solids[s].is_inside(middle)) continue;
    parts.push_back({.solid = std::int32_t(s), .alone = {}, .left = {}});
    cut = cut || near;
  }
  if (cut) {
    Divider divider(solids, parts);
    divider.divide(
        {divider.corner(x[0]), divider.corner(x[1]), divider.corner(x[2]), divider.corner(x[3])},
        kHalvings);
    return parts;
  }
  for (Part& part : parts) add_tet(x[0], x[1], x[2], x[3], part.alone);
  if (!parts.empty()) parts[0].left = parts[0].alone;
  return parts;
}

}  // namespace

std::vector<SolidShares> shares_in_tets(const TetMesh& mesh, std::span<const SignedDistance> solids,
                                        ThreadArena& arena) {
  std::vector<std::vector<Part>> parts(mesh.tets.size());
  parallel_for(arena, mesh.tets.size(), 16, [&](std::size_t t) {
    std::array<Vec3d, 4> x;
    for (int c = 0; c < 4; ++c) x[c] = mesh.positions[mesh.tets[t][c]];
    parts[t] = parts_of(x, solids);
  });
  std::vector<SolidShares> out(solids.size());
  for (std::size_t t = 0; t < parts.size(); ++t) {
    const double volume = std::abs(signed_volume(mesh, t));
    for (const Part& part : parts[t]) {
      SolidShares& solid = out[part.solid];
      solid.alone += part.alone.volume;
      if (!(part.left.volume > kLeast * volume)) continue;
      solid.left += part.left.volume;
      solid.tets.push_back({std::int32_t(t), std::min(1.0, part.left.volume / volume),
                            (1 / part.left.volume) * part.left.first});
    }
  }
  return out;
}

}  // namespace isochor::geometry
