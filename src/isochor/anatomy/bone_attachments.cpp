#include "isochor/anatomy/bone_attachments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isochor::anatomy {
namespace {

/// Of the length of a muscle: where bones vie for an end.
constexpr double kQuarter = 0.25;
/// Of the area of a muscle: less than this is no attachment.
constexpr double kLeastArea = 1e-3;

/// The bone that each triangle touches, or -1.
std::vector<int> touched_bones(const Solid& muscle, std::span<const Vec3d> middles,
                               std::span<const BoneSurface> bones, double touch) {
  std::vector<int> touched(muscle.triangles.size(), -1);
  for (std::size_t t = 0; t < touched.size(); ++t) {
    double nearest = touch;
    for (std::size_t b = 0; b < bones.size(); ++b) {
      const double distance = bones[b].distance(middles[t], nearest);
      if (!(distance < nearest || (touched[t] < 0 && distance <= nearest))) continue;
      nearest = distance;
      touched[t] = static_cast<int>(b);
    }
  }
  return touched;
}

/// Areas that touch each bone at one end.
struct Contest {
  std::vector<double> area;

  int winner(int without = -1) const {
    int best = -1;
    for (int b = 0; b < static_cast<int>(area.size()); ++b) {
      if (b != without && area[b] > 0 && (best < 0 || area[b] > area[best])) best = b;
    }
    return best;
  }
  double of(int bone) const { return bone < 0 ? 0 : area[bone]; }
};

}  // namespace

BoneSurface::BoneSurface(const Solid& bone, ThreadArena& arena)
    : tree_(std::make_shared<geometry::TriangleBvh>(bone.positions, bone.triangles, arena)),
      winding_(tree_) {}

double BoneSurface::distance(const Vec3d& point, double reach) const {
  const geometry::ClosestPoint closest = tree_->closest_point(point, reach);
  // Deep inside nothing may be within reach; far outside neither.
  if (winding_(point) > 0.5) return 0;
  return closest.triangle < 0 ? std::numeric_limits<double>::infinity()
                              : std::sqrt(closest.squared_distance);
}

AttachedEnds ends_at_bones(const Solid& muscle, std::span<const BoneSurface> bones, double touch,
                           double part) {
  const std::vector<double> ways = ways_along_axis(muscle);
  std::vector<Vec3d> middles;
  std::vector<double> areas;
  double whole = 0;
  for (const geometry::Triangle& t : muscle.triangles) {
    const Vec3d &a = muscle.positions[t[0]], &b = muscle.positions[t[1]],
                &c = muscle.positions[t[2]];
    middles.push_back((1.0 / 3) * (a + b + c));
    areas.push_back(0.5 * norm(cross(b - a, c - a)));
    whole += areas.back();
  }
  const std::vector<int> touched = touched_bones(muscle, middles, bones, touch);

  Contest first{std::vector<double>(bones.size(), 0)}, last = first;
  for (std::size_t t = 0; t < touched.size(); ++t) {
    if (touched[t] < 0) continue;
    if (ways[t] <= kQuarter) first.area[touched[t]] += areas[t];
    if (ways[t] >= 1 - kQuarter) last.area[touched[t]] += areas[t];
  }
  for (Contest* contest : {&first, &last}) {
    for (double& area : contest->area) area = area < kLeastArea * whole ? 0 : area;
  }
  AttachedEnds out{.ends = {}, .origin_bone = first.winner(), .insertion_bone = last.winner()};
  if (out.origin_bone >= 0 && out.origin_bone == out.insertion_bone) {
    if (first.of(out.origin_bone) >= last.of(out.insertion_bone)) {
      out.insertion_bone = last.winner(out.origin_bone);
    } else {
      out.origin_bone = first.winner(out.insertion_bone);
    }
  }

  const MuscleEnds extremes = ends_along_axis(muscle, part);
  if (out.origin_bone < 0) out.ends.origin = extremes.origin;
  if (out.insertion_bone < 0) out.ends.insertion = extremes.insertion;
  for (std::size_t t = 0; t < touched.size(); ++t) {
    if (touched[t] < 0) continue;
    const auto triangle = static_cast<std::int32_t>(t);
    if (ways[t] < 0.5 && touched[t] == out.origin_bone) out.ends.origin.push_back(triangle);
    if (ways[t] >= 0.5 && touched[t] == out.insertion_bone) out.ends.insertion.push_back(triangle);
  }
  return out;
}

}  // namespace isochor::anatomy
