#include "isochor/geometry/orientation.h"

#include <algorithm>
#include <cmath>

#include "isochor/geometry/connectivity.h"
#include "isochor/geometry/triangle_bvh.h"
#include "isochor/geometry/winding_number.h"

namespace isochor::geometry {
namespace {

/// Rays per open patch and side.
constexpr int kVotes = 64;

/// A set of triangles that hang together across edges with two triangles.
struct Patch {
  std::int32_t begin, end;  ///< range in Patches::order
  std::int64_t turned = 0;  ///< triangles that had to be turned to agree with the first
  bool closed = true;
  bool one_sided = false;
};

struct Patches {
  std::vector<Patch> all;
  std::vector<std::int32_t> order;  ///< triangles, patch by patch
  std::vector<char> turn;           ///< per triangle
};

/// Per side of a triangle the one beyond it: twice its index, plus one if both run the same way.
std::vector<std::int32_t> find_neighbours(std::span<const Triangle> triangles,
                                          std::size_t vertex_count, ThreadArena& arena) {
  std::vector<std::int32_t> neighbours(3 * triangles.size(), -1);
  const EdgeTable edges(triangles, vertex_count, arena);
  edges.for_each([&](std::int32_t, std::int32_t, std::span<const EdgeTable::Use> uses) {
    if (uses.size() != 2) return;
    const bool same = uses[0].forward() == uses[1].forward();
    for (int i = 0; i < 2; ++i) {
      const std::size_t side = 3 * std::size_t(uses[i].triangle()) + uses[i].corner();
      neighbours[side] = 2 * uses[1 - i].triangle() + same;
    }
  });
  return neighbours;
}

/// Spreads the orientation of each patch's first triangle over it.
Patches flood(std::span<const Triangle> triangles, std::size_t vertex_count, ThreadArena& arena) {
  const std::vector<std::int32_t> neighbours = find_neighbours(triangles, vertex_count, arena);
  Patches patches;
  patches.turn.assign(triangles.size(), 0);
  patches.order.reserve(triangles.size());
  std::vector<char> reached(triangles.size(), 0);
  for (std::size_t seed = 0; seed < triangles.size(); ++seed) {
    if (reached[seed]) continue;
    Patch patch{.begin = static_cast<std::int32_t>(patches.order.size())};
    patches.order.push_back(static_cast<std::int32_t>(seed));
    reached[seed] = 1;
    for (std::size_t next = patch.begin; next < patches.order.size(); ++next) {
      const std::size_t t = patches.order[next];
      patch.turned += patches.turn[t];
      for (std::size_t side = 3 * t; side < 3 * t + 3; ++side) {
        if (neighbours[side] < 0) {
          patch.closed = false;
          continue;
        }
        const std::int32_t other = neighbours[side] / 2;
        const char turn = static_cast<char>(patches.turn[t] ^ (neighbours[side] & 1));
        if (!reached[other]) {
          reached[other] = 1;
          patches.turn[other] = turn;
          patches.order.push_back(other);
        } else if (patches.turn[other] != turn) {
          patch.one_sided = true;
        }
      }
    }
    patch.end = static_cast<std::int32_t>(patches.order.size());
    patches.all.push_back(patch);
  }
  return patches;
}

class Orienter {
 public:
  Orienter(std::span<const Vec3d> positions, std::span<const Triangle> triangles, Patches patches,
           ThreadArena& arena)
      : positions_(positions), triangles_(triangles), patches_(std::move(patches)), arena_(arena) {}

  Orientation orient(Cavities cavities) {
    for (Patch& patch : patches_.all) follow_majority(patch);
    turn_closed_patches(cavities);
    turn_open_patches();
    Orientation result{.triangles = {triangles_.begin(), triangles_.end()},
                       .patches = static_cast<std::int32_t>(patches_.all.size())};
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      if (!patches_.turn[t]) continue;
      std::swap(result.triangles[t][1], result.triangles[t][2]);
      ++result.turned;
    }
    for (const Patch& patch : patches_.all) result.one_sided += patch.one_sided;
    return result;
  }

 private:
  std::span<const std::int32_t> members(const Patch& patch) const {
    return std::span(patches_.order).subspan(patch.begin, patch.end - patch.begin);
  }
  void turn(const Patch& patch) {
    for (const std::int32_t t : members(patch)) patches_.turn[t] ^= 1;
  }
  TriangleCorners corners(std::int32_t t) const {
    const Triangle& v = triangles_[t];
    const bool turned = patches_.turn[t];
    return {positions_[v[0]], positions_[v[turned ? 2 : 1]], positions_[v[turned ? 1 : 2]]};
  }
  Vec3d area_normal(std::int32_t t) const {
    const auto [a, b, c] = corners(t);
    return 0.5 * cross(b - a, c - a);
  }

  void follow_majority(Patch& patch) {
    const std::int64_t count = patch.end - patch.begin;
    if (2 * patch.turned <= count) return;
    turn(patch);
    patch.turned = count - patch.turned;
  }

  double volume(const Patch& patch) const {
    const Vec3d origin = positions_[triangles_[patches_.order[patch.begin]][0]];
    double six_volumes = 0;
    for (const std::int32_t t : members(patch)) {
      const auto [a, b, c] = corners(t);
      six_volumes += dot(a - origin, cross(b - origin, c - origin));
    }
    return six_volumes / 6;
  }

  static bool has_volume(const Patch& patch) { return patch.closed && !patch.one_sided; }

  void turn_closed_patches(Cavities cavities) {
    std::vector<double> volumes(patches_.all.size(), 0);
    double total = 0;
    for (std::size_t p = 0; p < volumes.size(); ++p) {
      if (has_volume(patches_.all[p])) total += volumes[p] = volume(patches_.all[p]);
    }
    // A whole body with its cavities may be inside out.
    const double sign = total < 0 ? -1 : 1;
    std::vector<const Patch*> inward;
    for (std::size_t p = 0; p < volumes.size(); ++p) {
      const Patch& patch = patches_.all[p];
      const bool may_be_cavity = cavities == Cavities::Keep && patch.turned == 0;
      if (volumes[p] < 0) turn(patch);
      if (sign * volumes[p] < 0 && may_be_cavity) inward.push_back(&patch);
    }
    if (inward.empty()) return;
    const WindingNumber solid = winding_of_closed_patches();
    for (const Patch* patch : inward) {
      if (solid(just_outside(*patch)) > 0.5) turn(*patch);
    }
  }

  WindingNumber winding_of_closed_patches() const {
    std::vector<Triangle> closed;
    for (const Patch& patch : patches_.all) {
      if (!has_volume(patch)) continue;
      for (const std::int32_t t : members(patch)) {
        closed.push_back(triangles_[t]);
        if (patches_.turn[t]) std::swap(closed.back()[1], closed.back()[2]);
      }
    }
    return WindingNumber(std::make_shared<const TriangleBvh>(positions_, closed, arena_));
  }

  /// A point a little in front of the largest triangle.
  Vec3d just_outside(const Patch& patch) const {
    std::int32_t largest = patches_.order[patch.begin];
    for (const std::int32_t t : members(patch)) {
      if (norm(area_normal(t)) > norm(area_normal(largest))) largest = t;
    }
    const auto [a, b, c] = corners(largest);
    const Vec3d normal = area_normal(largest);
    // Relative to the size of the triangle, as that of the normal is its area.
    return (1.0 / 3) * (a + b + c) + (1e-3 / std::sqrt(norm(normal))) * normal;
  }

  void turn_open_patches() {
    const auto& all = patches_.all;
    if (std::all_of(all.begin(), all.end(), has_volume)) return;
    const TriangleBvh tree(positions_, triangles_, arena_);
    parallel_for(arena_, all.size(), 16, [&](std::size_t p) {
      if (!has_volume(all[p]) && faces_inward(all[p], tree)) turn(all[p]);
    });
  }

  bool faces_inward(const Patch& patch, const TriangleBvh& tree) const {
    double area = 0;
    Vec3d weighted{0, 0, 0};
    for (const std::int32_t t : members(patch)) {
      const auto [a, b, c] = corners(t);
      const double size = norm(area_normal(t));
      area += size;
      weighted += (size / 3) * (a + b + c);
    }
    if (!(area > 0)) return false;
    // A vote at equal steps of area: large triangles have more of them.
    const double step = area / std::min(kVotes, patch.end - patch.begin);
    const Vec3d middle = weighted * (1 / area);
    double passed = 0, next = 0.5 * step, bulge = 0, lead = 0;
    for (const std::int32_t t : members(patch)) {
      const Vec3d normal = area_normal(t);
      const auto [a, b, c] = corners(t);
      const Vec3d center = (1.0 / 3) * (a + b + c);
      passed += norm(normal);
      bulge += dot(normal, center - middle);
      if (!(passed > next)) continue;
      const double votes = std::ceil((passed - next) / step);
      next += votes * step;
      lead += votes * (tree.first_hit(Ray(center, normal), t).triangle < 0);
      lead -= votes * (tree.first_hit(Ray(center, -normal), t).triangle < 0);
    }
    if (lead != 0) return lead < 0;
    return bulge < -1e-6 * area * std::sqrt(area);
  }

  std::span<const Vec3d> positions_;
  std::span<const Triangle> triangles_;
  Patches patches_;
  ThreadArena& arena_;
};

}  // namespace

Orientation oriented_outward(std::span<const Vec3d> positions, std::span<const Triangle> triangles,
                             ThreadArena& arena, Cavities cavities) {
  const std::vector<std::int32_t> merged = merge_equal_points(positions);
  Patches patches = flood(renamed(triangles, merged), positions.size(), arena);
  return Orienter(positions, triangles, std::move(patches), arena).orient(cavities);
}

}  // namespace isochor::geometry
