#include "isochor/contact/sliding_bones.h"

#include <algorithm>
#include <cmath>

#include "isochor/math/quaternion.h"

namespace isochor::contact {
namespace {

constexpr double kSharpest = 0.5;  // cosine of the angle between the normals of two triangles
/// How far from a bone, in cells, what slides over it may be in the mean; and how often its place
/// there is looked for.
constexpr double kSlidOff = 1e-3;
constexpr int kRounds = 16;

std::vector<std::array<Vec3d, 3>> corner_normals(std::span<const Vec3d> positions,
                                                 std::span<const geometry::Triangle> triangles) {
  std::vector<Vec3d> areas;
  std::vector<std::vector<std::int32_t>> around(positions.size());
  for (const geometry::Triangle& t : triangles) {
    for (const std::int32_t v : t) around[v].push_back(std::int32_t(areas.size()));
    const Vec3d& a = positions[t[0]];
    areas.push_back(cross(positions[t[1]] - a, positions[t[2]] - a));
  }
  std::vector<std::array<Vec3d, 3>> out(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int c = 0; c < 3; ++c) {
      Vec3d sum{0, 0, 0};
      for (const std::int32_t other : around[triangles[t][c]]) {
        const double size = norm(areas[t]) * norm(areas[other]);
        if (dot(areas[t], areas[other]) >= kSharpest * size) sum += areas[other];
      }
      out[t][c] = norm(sum) > 0 ? sum * (1 / norm(sum)) : Vec3d{0, 0, 1};
    }
  }
  return out;
}

}  // namespace

BoneMotion between(const BoneMotion& from, const BoneMotion& to, double part,
                   const Vec3d& at_rest) {
  if (part == 0) return from;
  if (part == 1) return to;
  const Quaternion<double> a = long_quaternion(from.rotation), b = long_quaternion(to.rotation);
  const double sign = dot(a.v, b.v) + a.w * b.w < 0 ? -1 : 1;
  Quaternion<double> q{(1 - part) * a.v + (sign * part) * b.v,
                       (1 - part) * a.w + (sign * part) * b.w};
  const double length = std::sqrt(dot(q.v, q.v) + q.w * q.w);
  const Mat3d turned = rotation(Quaternion<double>{(1 / length) * q.v, q.w / length});
  const Vec3d place = (1 - part) * from(at_rest) + part * to(at_rest);
  return {turned, place - turned * at_rest};
}

BoneSurface::BoneSurface(std::vector<Vec3d> positions, std::vector<geometry::Triangle> triangles,
                         ThreadArena& arena)
    : tree_(positions, triangles, arena), normals_(corner_normals(positions, triangles)) {
  for (const Vec3d& x : positions) middle_ += (1.0 / double(positions.size())) * x;
}

BoneSurface::Foot BoneSurface::below(const Vec3d& point) const {
  const geometry::ClosestPoint closest = tree_.closest_point(point);
  const auto& corners = normals_[closest.triangle];
  Vec3d normal{0, 0, 0};
  for (int c = 0; c < 3; ++c) normal += closest.barycentric[c] * corners[c];
  return {closest.point, normal * (1 / norm(normal))};
}

SlidingBones::SlidingBones(std::vector<SlidingBone> bones, double spacing)
    : bones_(std::move(bones)),
      spacing_(spacing),
      first_(bones_.size()),
      last_(bones_.size()),
      from_(bones_.size()),
      to_(bones_.size()) {
  for (const SlidingBone& bone : bones_) {
    for (const SlidingPoint& p : bone.points) {
      largest_stiffness_ = std::max(largest_stiffness_, p.stiffness);
    }
  }
}

void SlidingBones::set_motions(std::span<const BoneMotion> from, std::span<const BoneMotion> to) {
  first_.assign(from.begin(), from.end());
  last_.assign(to.begin(), to.end());
  set_part(0, 1);
}

void SlidingBones::set_part(double from, double to) {
  for (std::size_t b = 0; b < bones_.size(); ++b) {
    const Vec3d& middle = bones_[b].surface.middle();
    from_[b] = between(first_[b], last_[b], from, middle);
    to_[b] = between(first_[b], last_[b], to, middle);
  }
}

void SlidingBones::begin(std::span<const Vec3d> positions, ThreadArena& arena) {
  springs_.clear();
  settled_ = bones_.empty();
  rounds_ = 0;
  renew(positions, from_, arena);
}

/// Springs of points, with bones where they are at the end of the step, to the places that are
/// below them where bones are as given. Returns by how much, m, springs changed, in the mean.
double SlidingBones::renew(std::span<const Vec3d> positions, std::span<const BoneMotion> at,
                           ThreadArena& arena) {
  std::vector<PointSpring> last;
  last.swap(springs_);
  std::vector<Vec3d> places;
  for (std::size_t b = 0; b < bones_.size(); ++b) {
    const SlidingBone& bone = bones_[b];
    const std::size_t first = springs_.size();
    springs_.resize(first + bone.points.size());
    places.resize(springs_.size());
    parallel_for(arena, bone.points.size(), 64, [&](std::size_t k) {
      const SlidingPoint& point = bone.points[k];
      places[first + k] = point.at(positions);
      const BoneSurface::Foot foot = bone.surface.below(at[b].back(places[first + k]));
      const Vec3d normal = to_[b].rotation * foot.normal;
      springs_[first + k] = {.points = point.points,
                             .weights = point.weights,
                             .count = point.count,
                             .stiffness = outer(point.stiffness * normal, normal),
                             .target = to_[b](foot.point)};
    });
  }
  if (last.empty()) return 0;
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const auto pull = [&](const PointSpring& t) { return t.stiffness * (places[i] - t.target); };
    const auto& s = springs_[i].stiffness;
    const double stiffness = s(0, 0) + s(1, 1) + s(2, 2);
    if (!(stiffness > 0)) continue;  // of triangles without area
    const Vec3d change = pull(springs_[i]) - pull(last[i]);
    sum += dot(change, change) / stiffness;
    weight += stiffness;
  }
  return weight > 0 ? std::sqrt(sum / weight) : 0;
}

bool SlidingBones::slides_on(std::span<const Vec3d> positions, ThreadArena& arena) {
  if (bones_.empty()) return false;
  const bool was_settled = settled_;
  settled_ = renew(positions, to_, arena) <= kSlidOff * spacing_ || ++rounds_ >= kRounds;
  return !(was_settled && settled_);
}

double SlidingBones::energy(std::span<const Vec3d> positions) const {
  double energy = 0;
  for (const PointSpring& spring : springs_) energy += spring_term(spring, positions).energy;
  return energy;
}

double SlidingBones::energy(std::span<const Vec3d> positions,
                            std::span<const BoneMotion> motions) const {
  double energy = 0;
  for (std::size_t b = 0; b < bones_.size(); ++b) {
    for (const SlidingPoint& point : bones_[b].points) {
      const Vec3d x = motions[b].back(point.at(positions));
      const BoneSurface::Foot foot = bones_[b].surface.below(x);
      const double off = dot(foot.normal, x - foot.point);
      energy += 0.5 * point.stiffness * off * off;
    }
  }
  return energy;
}

}  // namespace isochor::contact
