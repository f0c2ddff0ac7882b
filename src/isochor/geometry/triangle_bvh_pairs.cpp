#include <algorithm>
#include <cmath>

#include "isochor/geometry/triangle_bvh.h"

/// Descending two trees, or one tree twice, at the same time.
namespace isochor::geometry {
namespace {

using Node = TriangleBvh::Node;

/// A node of each tree whose triangles are still to be compared.
struct NodePair {
  std::int32_t a, b;
};

bool overlap(const Bounds& a, const Bounds& b) {
  for (int x = 0; x < 3; ++x) {
    if (a.low[x] > b.high[x] || b.low[x] > a.high[x]) return false;
  }
  return true;
}

/// The comparison of two trees; with the same tree twice, each pair comes once.
class PairWalk {
 public:
  PairWalk(const TriangleBvh& a, const TriangleBvh& b, TriangleBvh::PairFunction f)
      : a_(a), b_(b), self_(&a == &b), shift_(b.origin() - a.origin()), f_(f) {
    // Moving a box from one origin to the other rounds.
    for (int x = 0; x < 3; ++x) {
      slack_[x] = self_ ? 0 : 4 * std::numeric_limits<double>::epsilon() * std::abs(shift_[x]);
    }
  }

  /// Compares leaves; calls next(pair) for the parts of any other pair that overlap.
  template <class F>
  void step(const NodePair& pair, F&& next) const {
    const Node &a = a_.nodes()[pair.a], &b = b_.nodes()[pair.b];
    if (self_ && pair.a == pair.b) {
      if (a.count > 0) return compare_within(a);
      next({a.first, a.first});
      next({a.first + 1, a.first + 1});
      next({a.first, a.first + 1});
    } else if (!near(a, b)) {
      return;
    } else if (a.count > 0 && b.count > 0) {
      compare(a, b);
    } else if (b.count > 0 || (a.count == 0 && size(a) > size(b))) {
      next({a.first, pair.b});
      next({a.first + 1, pair.b});
    } else {
      next({pair.a, b.first});
      next({pair.a, b.first + 1});
    }
  }

  void walk(const NodePair& pair) const {
    step(pair, [this](const NodePair& part) { walk(part); });
  }

 private:
  bool near(const Node& a, const Node& b) const {
    for (int x = 0; x < 3; ++x) {
      if (a.low[x] > b.high[x] + shift_[x] + slack_[x]) return false;
      if (b.low[x] + shift_[x] - slack_[x] > a.high[x]) return false;
    }
    return true;
  }
  static float size(const Node& n) {
    return std::max({n.high[0] - n.low[0], n.high[1] - n.low[1], n.high[2] - n.low[2]});
  }

  void compare_within(const Node& leaf) const {
    for (std::int32_t i = 0; i < leaf.count; ++i) {
      const Bounds box = a_.bounds(leaf.first + i);
      for (std::int32_t j = i + 1; j < leaf.count; ++j) {
        if (overlap(box, a_.bounds(leaf.first + j))) report(leaf.first + i, leaf.first + j);
      }
    }
  }
  void compare(const Node& a, const Node& b) const {
    for (std::int32_t i = a.first; i < a.first + a.count; ++i) {
      const Bounds box = a_.bounds(i);
      for (std::int32_t j = b.first; j < b.first + b.count; ++j) {
        if (overlap(box, b_.bounds(j))) report(i, j);
      }
    }
  }
  void report(std::int32_t place_a, std::int32_t place_b) const {
    const std::int32_t i = a_.triangle_at(place_a), j = b_.triangle_at(place_b);
    self_ ? f_(std::min(i, j), std::max(i, j)) : f_(i, j);
  }

  const TriangleBvh &a_, &b_;
  bool self_;
  Vec3d shift_, slack_{0, 0, 0};
  TriangleBvh::PairFunction f_;
};

/// Goes down until there is work enough for many threads, then lets each take a part.
void walk_in_parallel(const PairWalk& walk, ThreadArena& arena) {
  constexpr std::size_t kEnough = 4096;
  std::vector<NodePair> pairs{{0, 0}}, parts;
  while (!pairs.empty() && pairs.size() < kEnough) {
    for (const NodePair& pair : pairs) {
      walk.step(pair, [&](const NodePair& part) { parts.push_back(part); });
    }
    pairs.swap(parts);
    parts.clear();
  }
  parallel_for(arena, pairs.size(), 16, [&](std::size_t i) { walk.walk(pairs[i]); });
}

}  // namespace

void TriangleBvh::for_each_pair(ThreadArena& arena, PairFunction f) const {
  if (!nodes_.empty()) walk_in_parallel(PairWalk(*this, *this, f), arena);
}

void TriangleBvh::for_each_pair(const TriangleBvh& other, ThreadArena& arena,
                                PairFunction f) const {
  if (nodes_.empty() || other.nodes_.empty()) return;
  walk_in_parallel(PairWalk(*this, other, f), arena);
}

}  // namespace isochor::geometry
