#include "isochor/lattice/holds.h"

#include <algorithm>

namespace isochor::lattice {
namespace {

/// Adds to what a node must not do. A direction within those that it has already says nothing new.
void hold_along(SlideFrame& frame, Vec3d direction, const Vec3d& target) {
  constexpr double kNothingNew = 1e-6;
  for (int k = 0; k < frame.count; ++k) {
    direction -= dot(frame.direction[k], direction) * frame.direction[k];
  }
  const double length = norm(direction);
  if (length < kNothingNew) return;
  direction *= 1 / length;
  frame.direction[frame.count] = direction;
  frame.place[frame.count++] = dot(direction, target);
}

/// The way from where a node is to where it may be.
Vec3d way_back(const SlideFrame& frame, const Vec3d& position) {
  Vec3d way{0, 0, 0};
  for (int k = 0; k < frame.count; ++k) {
    way += (frame.place[k] - dot(frame.direction[k], position)) * frame.direction[k];
  }
  return way;
}

/// Where a node is held when forces are evaluated.
Vec3d on_the_way(const Vec3d& start, const Vec3d& end, double reach) {
  return reach == 1 ? end : start + (1 / reach) * (end - start);
}

}  // namespace

void collect_slides(const Model& model, const StepInput& input, std::span<const Vec3d> start,
                    double reach, std::span<SlideFrame> slides) {
  for (SlideFrame& frame : slides) frame.count = 0;
  for_each_held(model, [&](std::int32_t n, std::size_t hold, std::size_t k) {
    if (model.freedom[n] != Freedom::Sliding) return;
    const auto place = std::ranges::lower_bound(model.sliding, n) - model.sliding.begin();
    const Vec3d& direction = input.slide_directions[hold];
    const Vec3d target = on_the_way(start[n], input.held_positions[k], reach);
    if (model.holds[hold].slide == Slide::InPlane) {
      hold_along(slides[place], direction, target);
      return;
    }
    for (int a = 0; a < 3; ++a) {
      Vec3d axis{0, 0, 0};
      axis[a] = 1;
      const Vec3d across = axis - dot(axis, direction) * direction;
      if (norm(across) > 0.5) hold_along(slides[place], (1 / norm(across)) * across, target);
    }
  });
}

void place_held(const Model& model, const StepInput& input, std::span<const Vec3d> start,
                double reach, std::span<const SlideFrame> slides, std::span<Vec3d> positions) {
  for_each_held(model, [&](std::int32_t n, std::size_t, std::size_t k) {
    if (model.freedom[n] != Freedom::Held) return;
    positions[n] = on_the_way(start[n], input.held_positions[k], reach);
  });
  for (std::size_t k = 0; k < model.sliding.size(); ++k) {
    Vec3d& position = positions[model.sliding[k]];
    position += way_back(slides[k], position);
  }
}

bool holds_rest(const Model& model, const StepInput& input, std::span<const Vec3d> start,
                std::span<const SlideFrame> slides) {
  constexpr double kRounding = 1e-15;
  // A motion about the middle of what is held rounds by the size of that.
  constexpr double kRoundingOfMotion = 1e-14;
  double largest = 0;
  for_each_held(model, [&](std::int32_t n, std::size_t, std::size_t) {
    largest = std::max(largest, norm(start[n]));
  });
  bool rest = true;
  for_each_held(model, [&](std::int32_t n, std::size_t, std::size_t k) {
    const double gap = norm(start[n] - input.held_positions[k]);
    rest = rest && (model.freedom[n] != Freedom::Held || gap <= kRoundingOfMotion * largest);
  });
  for (std::size_t k = 0; k < model.sliding.size(); ++k) {
    const Vec3d& position = start[model.sliding[k]];
    rest = rest && norm(way_back(slides[k], position)) <= kRounding * norm(position);
  }
  return rest;
}

}  // namespace isochor::lattice
