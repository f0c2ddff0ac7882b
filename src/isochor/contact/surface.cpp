#include "isochor/contact/surface.h"

#include <algorithm>

#include "isochor/base/error.h"
#include "isochor/geometry/connectivity.h"

namespace isochor::contact {
namespace {

void check_corners(std::span<const Triangle> triangles, std::size_t point_count) {
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Triangle& corners = triangles[t];
    const auto missing = [&](std::int32_t v) {
      return v < 0 || static_cast<std::size_t>(v) >= point_count;
    };
    const std::string place = "triangle " + std::to_string(t) + " of the contact surface";
    if (std::ranges::any_of(corners, missing)) {
      throw Error(Fault::Input, place,
                  "names a point that does not exist; there are " + std::to_string(point_count),
                  "number the corners as the method numbers its points");
    }
    if (geometry::has_equal_corners(corners)) {
      throw Error(Fault::Input, place, "has a corner twice", "leave such triangles out");
    }
  }
}

template <class T>
void sort_unique(std::vector<T>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  list.shrink_to_fit();
}

}  // namespace

Surface make_surface(std::vector<Triangle> triangles, std::vector<std::int32_t> bodies) {
  check_corners(triangles, bodies.size());
  Surface surface;
  surface.edges.reserve(3 * triangles.size());
  surface.points.reserve(3 * triangles.size());
  for (const Triangle& t : triangles) {
    for (int i = 0; i < 3; ++i) {
      const auto [low, high] = std::minmax(t[i], t[(i + 1) % 3]);
      surface.edges.push_back({low, high});
      surface.points.push_back(t[i]);
    }
  }
  sort_unique(surface.edges);
  sort_unique(surface.points);
  surface.triangles = std::move(triangles);
  surface.bodies = std::move(bodies);
  return surface;
}

Surface make_surface(std::vector<Triangle> triangles, std::size_t point_count) {
  return make_surface(std::move(triangles), std::vector<std::int32_t>(point_count, 0));
}

}  // namespace isochor::contact
