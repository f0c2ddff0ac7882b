#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/geometry/surface_mesh.h"

/// Which triangles hang together, for surfaces of any quality.
namespace isochor::geometry {

/// For every vertex the first one with exactly the same coordinates; seams of a file (an STL, a
/// texture) are no seams of the body.
std::vector<std::int32_t> merge_equal_points(std::span<const Vec3d> positions);

/// The triangles over vertices renamed by `merged`.
std::vector<Triangle> renamed(std::span<const Triangle> triangles,
                              std::span<const std::int32_t> merged);

/// A triangle that is a line or a point; it has no part in what the surface encloses.
inline bool has_equal_corners(const Triangle& t) {
  return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

/// The edges of a set of triangles, each with all its triangles; those with equal corners are left
/// out. Takes 24 bytes per triangle; at most 715 million triangles.
class EdgeTable {
 public:
  /// One side of one triangle: corner `corner` and the next.
  class Use {
   public:
    Use(std::int32_t high, std::size_t half_edge, bool forward)
        : high_(high), code_(static_cast<std::uint32_t>(2 * half_edge + forward)) {}
    std::int32_t triangle() const { return static_cast<std::int32_t>(code_ / 6); }
    int corner() const { return static_cast<int>(code_ / 2 % 3); }
    bool forward() const { return code_ & 1; }  ///< runs from the lower vertex to the higher
    std::int32_t high() const { return high_; }
    friend bool operator<(const Use& a, const Use& b) {
      return a.high_ != b.high_ ? a.high_ < b.high_ : a.code_ < b.code_;
    }

   private:
    std::int32_t high_;
    std::uint32_t code_;
  };

  EdgeTable(std::span<const Triangle> triangles, std::size_t vertex_count, ThreadArena& arena);

  /// Calls f(low, high, uses) for the edges whose lower vertex is in [begin, end), in the order of
  /// their vertices; the uses in the order of their triangles.
  template <class F>
  void for_each(std::size_t begin, std::size_t end, F&& f) const {
    for (std::size_t low = begin; low < end; ++low) {
      const std::span<const Use> all(uses_.data() + starts_[low], uses_.data() + starts_[low + 1]);
      for (std::size_t first = 0; first < all.size();) {
        std::size_t last = first + 1;
        while (last < all.size() && all[last].high() == all[first].high()) ++last;
        f(static_cast<std::int32_t>(low), all[first].high(), all.subspan(first, last - first));
        first = last;
      }
    }
  }
  template <class F>
  void for_each(F&& f) const {
    for_each(0, starts_.size() - 1, f);
  }

 private:
  std::vector<std::uint32_t> starts_;  ///< per vertex: the uses of which it is the lower end
  std::vector<Use> uses_;
};

/// Sets that are united pair by pair; the name of a set is its smallest member.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::int32_t find(std::int32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(std::int32_t i, std::int32_t j) {
    i = find(i);
    j = find(j);
    if (i != j) parent_[std::max(i, j)] = std::min(i, j);
  }

 private:
  std::vector<std::int32_t> parent_;
};

}  // namespace isochor::geometry
