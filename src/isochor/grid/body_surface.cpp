#include "isochor/grid/body_surface.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "isochor/geometry/mesh_report.h"
#include "isochor/geometry/orientation.h"
#include "isochor/geometry/overlap.h"
#include "isochor/geometry/predicates.h"

namespace isochor::grid {

using geometry::Triangle;

/// Triangles that hang together by their edges.
struct BodySurface::Component {
  double volume = 0;  ///< about a point of the surface
  double area = 0;
  double rim = 0;  ///< length of its open edges
  geometry::Bounds bounds{};

  bool is_closed() const { return rim == 0; }
  /// Mostly rim, and not most of what there is: a square has rim^2 / area = 16, half a sphere 6.
  bool is_sheet(double total_area) const { return rim * rim > 8 * area && area < 0.5 * total_area; }
};

BodySurface::BodySurface(const geometry::SurfaceMesh& surface, double spacing, ThreadArena& arena)
    : positions(surface.positions) {
  std::vector<Triangle> all = geometry::triangulate(surface);
  std::erase_if(all, geometry::has_equal_corners);
  triangles = geometry::oriented_outward(positions, all, arena).triangles;

  std::vector<double> rims;
  const std::vector<std::int32_t> component_of = find_neighbours(rims, arena);
  const std::vector<Component> components = find_components(component_of, rims);
  double largest = 0, area = 0;
  for (const Component& c : components) {
    largest = std::max(largest, std::abs(c.volume));
    area += c.area;
  }
  const double speck = std::min(spacing * spacing * spacing / 16, 0.01 * largest);
  std::vector<std::uint8_t> unwanted(triangles.size());
  in_sheet.resize(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Component& c = components[component_of[t]];
    const bool nothing = geometry::is_flat(c.volume, c.bounds) || std::abs(c.volume) < speck;
    unwanted[t] = c.is_closed() && nothing;
    in_sheet[t] = c.is_sheet(area);
    closed = closed && c.is_closed();
  }
  leave_out(unwanted);
  tree = std::make_shared<const geometry::TriangleBvh>(positions, triangles, arena);
  winding = std::make_unique<const geometry::WindingNumber>(tree);
}

/// Returns per triangle the number of its component; `rims` becomes the length of open edges that
/// each triangle is the first to have.
std::vector<std::int32_t> BodySurface::find_neighbours(std::vector<double>& rims,
                                                       ThreadArena& arena) {
  const std::size_t count = triangles.size();
  neighbours.resize(count);
  rims.assign(count, 0);
  for (std::size_t t = 0; t < count; ++t) neighbours[t].fill(static_cast<std::int32_t>(t));
  const std::vector<Triangle> merged =
      geometry::renamed(triangles, geometry::merge_equal_points(positions));
  geometry::DisjointSets sets(count);
  const geometry::EdgeTable edges(merged, positions.size(), arena);
  edges.for_each(
      [&](std::int32_t low, std::int32_t high, std::span<const geometry::EdgeTable::Use> uses) {
        int balance = 0;
        for (std::size_t i = 0; i < uses.size(); ++i) {
          const std::int32_t next = uses[(i + 1) % uses.size()].triangle();
          neighbours[uses[i].triangle()][uses[i].corner()] = next;
          sets.unite(uses[i].triangle(), next);
          balance += uses[i].forward() ? 1 : -1;
        }
        if (balance != 0) rims[uses[0].triangle()] += norm(positions[high] - positions[low]);
      });
  std::vector<std::int32_t> component_of(count);
  std::int32_t next = 0;
  for (std::size_t t = 0; t < count; ++t) {
    const std::int32_t first = sets.find(static_cast<std::int32_t>(t));
    const bool fresh = first == static_cast<std::int32_t>(t);
    component_of[t] = fresh ? next++ : component_of[first];
  }
  return component_of;
}

std::vector<BodySurface::Component> BodySurface::find_components(
    std::span<const std::int32_t> component_of, std::span<const double> rims) const {
  std::vector<Component> components;
  std::vector<Vec3d> origins;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const geometry::TriangleCorners p = corners(static_cast<std::int32_t>(t));
    const geometry::Bounds box = geometry::bounds_of(p);
    const std::size_t c = component_of[t];
    if (c == components.size()) {
      components.push_back({.bounds = box});
      origins.push_back(p[0]);
    }
    Component& component = components[c];
    component.bounds = {min(component.bounds.low, box.low), max(component.bounds.high, box.high)};
    const Vec3d a = p[0] - origins[c], b = p[1] - origins[c], d = p[2] - origins[c];
    component.volume += dot(a, cross(b, d)) / 6;
    component.area += 0.5 * norm(cross(b - a, d - a));
    component.rim += rims[t];
  }
  return components;
}

geometry::Bounds BodySurface::bounds() const {
  if (triangles.empty()) return {{0, 0, 0}, {0, 0, 0}};
  geometry::Bounds bounds = geometry::bounds_of(corners(0));
  for (const Triangle& t : triangles) {
    for (const std::int32_t v : t) {
      bounds = {min(bounds.low, positions[v]), max(bounds.high, positions[v])};
    }
  }
  return bounds;
}

void BodySurface::leave_out(std::span<const std::uint8_t> unwanted) {
  std::vector<std::int32_t> moved_to(triangles.size());
  std::size_t kept = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    moved_to[t] = static_cast<std::int32_t>(kept);
    if (unwanted[t]) continue;
    triangles[kept] = triangles[t];
    neighbours[kept] = neighbours[t];
    in_sheet[kept] = in_sheet[t];
    ++kept;
  }
  triangles.resize(kept);
  neighbours.resize(kept);
  in_sheet.resize(kept);
  for (Triangle& beyond : neighbours) {
    for (std::int32_t& t : beyond) t = moved_to[t];
  }
}

namespace {

/// Whether two triangles cross at a place in a box.
bool cross_in_box(const geometry::TriangleCorners& s, const geometry::TriangleCorners& t,
                  const Vec3d& center, const Vec3d& half) {
  if (!geometry::triangles_cross(s, t)) return false;
  std::vector<Vec3d> ends;
  const auto add = [&](const geometry::TriangleCorners& from, const geometry::TriangleCorners& to) {
    for (int side = 0; side < 3; ++side) {
      const geometry::Ray ray(from[side], from[(side + 1) % 3] - from[side]);
      const std::optional<double> at = ray.meets(to);
      if (at && *at >= 0 && *at <= 1) ends.push_back(ray.origin() + *at * ray.direction());
    }
  };
  add(s, t);
  add(t, s);
  return !ends.empty() &&
         geometry::triangle_overlaps_box({ends.front(), ends.back(), ends.back()}, center, half);
}

/// The triangles of a box, and sets of those that are connected in it.
class BoxedSurface {
 public:
  BoxedSurface(const BodySurface& body, const geometry::Bounds& box)
      : body_(body), center_(0.5 * (box.low + box.high)), half_(0.5 * box.size()) {
    body.tree->for_each_in_box(box, [&](std::int32_t t) { triangles_.push_back(t); });
    std::sort(triangles_.begin(), triangles_.end());
    sets_ = geometry::DisjointSets(triangles_.size());
  }

  void join_across_edges() {
    for (std::size_t i = 0; i < triangles_.size(); ++i) {
      const geometry::TriangleCorners corners = body_.corners(triangles_[i]);
      for (int side = 0; side < 3; ++side) {
        const std::int32_t beyond = find(body_.neighbours[triangles_[i]][side]);
        const Vec3d &a = corners[side], &b = corners[(side + 1) % 3];
        if (beyond > static_cast<std::int32_t>(i) &&
            geometry::triangle_overlaps_box({a, b, b}, center_, half_)) {
          sets_.unite(static_cast<std::int32_t>(i), beyond);
        }
      }
    }
  }

  void join_where_they_cross() {
    std::vector<geometry::Bounds> boxes;
    std::vector<std::int32_t> order(triangles_.size());
    for (std::size_t i = 0; i < triangles_.size(); ++i) {
      boxes.push_back(geometry::bounds_of(body_.corners(triangles_[i])));
      order[i] = static_cast<std::int32_t>(i);
    }
    std::sort(order.begin(), order.end(),
              [&](auto i, auto j) { return boxes[i].low[0] < boxes[j].low[0]; });
    for (std::size_t first = 0; first < order.size(); ++first) {
      const std::int32_t i = order[first];
      for (std::size_t second = first + 1; second < order.size(); ++second) {
        const std::int32_t j = order[second];
        if (boxes[j].low[0] > boxes[i].high[0]) break;
        bool apart = false;
        for (int a = 1; a < 3; ++a) {
          apart = apart || boxes[j].low[a] > boxes[i].high[a] || boxes[i].low[a] > boxes[j].high[a];
        }
        if (!apart && sets_.find(i) != sets_.find(j) &&
            cross_in_box(body_.corners(triangles_[i]), body_.corners(triangles_[j]), center_,
                         half_)) {
          sets_.unite(i, j);
        }
      }
    }
  }

  /// How many sets the given triangles are in.
  std::size_t count_sets(std::span<const NamedTriangle> named) {
    std::vector<std::int32_t> sets;
    for (const NamedTriangle& n : named) sets.push_back(set_of(n.triangle));
    std::sort(sets.begin(), sets.end());
    return static_cast<std::size_t>(std::unique(sets.begin(), sets.end()) - sets.begin());
  }
  /// The set of a triangle, or -1.
  std::int32_t set_of(std::int32_t triangle) {
    const std::int32_t place = find(triangle);
    return place < 0 ? -1 : sets_.find(place);
  }

 private:
  std::int32_t find(std::int32_t triangle) const {
    const auto found = std::lower_bound(triangles_.begin(), triangles_.end(), triangle);
    const bool here = found != triangles_.end() && *found == triangle;
    return here ? static_cast<std::int32_t>(found - triangles_.begin()) : -1;
  }

  const BodySurface& body_;
  Vec3d center_, half_;
  std::vector<std::int32_t> triangles_;
  geometry::DisjointSets sets_{0};
};

}  // namespace

void find_connections(const BodySurface& body, const geometry::Bounds& box,
                      std::span<const NamedTriangle> named, FunctionRef<void(int, int)> f) {
  BoxedSurface boxed(body, box);
  boxed.join_across_edges();
  if (boxed.count_sets(named) > 1) boxed.join_where_they_cross();
  std::unordered_map<std::int32_t, int> name_of_set;
  for (const NamedTriangle& n : named) {
    const std::int32_t set = boxed.set_of(n.triangle);
    if (set < 0) continue;
    const auto [entry, fresh] = name_of_set.try_emplace(set, n.name);
    if (!fresh && entry->second != n.name) f(entry->second, n.name);
  }
}

}  // namespace isochor::grid
