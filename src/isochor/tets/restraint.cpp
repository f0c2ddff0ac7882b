#include "isochor/tets/restraint.h"

#include <algorithm>

namespace isochor::tets {
namespace {

/// Adds a direction along which a node is held, but for what others of it, from `first`, say.
void hold_along(Vec3d direction, const Vec3d& target, std::int32_t node, std::int32_t held,
                std::size_t first, std::vector<Slide>& to) {
  constexpr double kNothingNew = 1e-6;
  double place = dot(direction, target);
  for (std::size_t k = first; k < to.size(); ++k) {
    const double part = dot(to[k].normal, direction);
    direction -= part * to[k].normal;
    place -= part * to[k].place;
  }
  const double length = norm(direction);
  if (length < kNothingNew) return;
  to.push_back(
      {.node = node, .normal = (1 / length) * direction, .place = place / length, .held = held});
}

}  // namespace

std::vector<Slide> slides_of_holds(const Model& model, std::span<const Vec3d> directions,
                                   std::span<const Vec3d> targets) {
  struct Held {
    std::int32_t node;
    std::size_t hold, number;
  };
  std::vector<Held> all;
  for (std::size_t h = 0; h < model.sliding.size(); ++h) {
    for (const std::int32_t n : model.sliding[h].nodes) all.push_back({n, h, all.size()});
  }
  std::ranges::stable_sort(all, {}, &Held::node);
  const std::size_t before = model.held_count();
  std::vector<Slide> out;
  std::size_t first = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto& [node, hold, number] = all[k];
    if (k > 0 && all[k - 1].node != node) first = out.size();
    const Vec3d &direction = directions[hold], &target = targets[number];
    const auto place = std::int32_t(before + number);
    if (!model.sliding[hold].along_line) {
      hold_along(direction, target, node, place, first, out);
      continue;
    }
    for (int a = 0; a < 3; ++a) {
      Vec3d axis{0, 0, 0};
      axis[a] = 1;
      const Vec3d across = axis - dot(axis, direction) * direction;
      // At least two of three axes are far from the line.
      if (norm(across) > 0.5) {
        hold_along((1 / norm(across)) * across, target, node, place, first, out);
      }
    }
  }
  return out;
}

}  // namespace isochor::tets
