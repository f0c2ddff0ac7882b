#include "isochor/lattice/sliding_bones.h"

#include <cmath>

#include "isochor/lattice/contacts.h"

namespace isochor::lattice {
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

BoneSurface::BoneSurface(std::vector<Vec3d> positions, std::vector<geometry::Triangle> triangles,
                         ThreadArena& arena)
    : tree_(positions, triangles, arena), normals_(corner_normals(positions, triangles)) {}

BoneSurface::Foot BoneSurface::below(const Vec3d& point) const {
  const geometry::ClosestPoint closest = tree_.closest_point(point);
  const auto& corners = normals_[closest.triangle];
  Vec3d normal{0, 0, 0};
  for (int c = 0; c < 3; ++c) normal += closest.barycentric[c] * corners[c];
  return {closest.point, normal * (1 / norm(normal))};
}

void Contacts::set_bones(std::span<const BoneMotion> from, std::span<const BoneMotion> to) {
  bones_from_.assign(from.begin(), from.end());
  bones_to_.assign(to.begin(), to.end());
}

/// Springs of the points x_, with bones where they are at the end of the step, to the places that
/// are below them where bones are as given. Returns by how much, m, springs changed, in the mean.
double Contacts::renew_sliding(std::span<const BoneMotion> at) {
  std::vector<contact::PointSpring> last;
  last.swap(sliding_);
  for (std::size_t b = 0; b < bones_.size(); ++b) {
    const SlidingBone& bone = bones_[b];
    const std::size_t first = sliding_.size();
    sliding_.resize(first + bone.points.size());
    parallel_for(arena_, bone.points.size(), 64, [&](std::size_t k) {
      const BoneSurface::Foot foot = bone.surface.below(at[b].back(x_[bone.points[k]]));
      const Vec3d normal = bones_to_[b].rotation * foot.normal;
      sliding_[first + k] = {
          {bone.points[k]},        {1}, 1, -1, contact::outer(bone.stiffness[k] * normal, normal),
          bones_to_[b](foot.point)};
    });
  }
  if (last.empty()) return 0;
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < sliding_.size(); ++i) {
    const auto pull = [&](const contact::PointSpring& t) {
      return t.stiffness * (x_[t.points[0]] - t.target);
    };
    const auto& s = sliding_[i].stiffness;
    const double stiffness = s(0, 0) + s(1, 1) + s(2, 2);
    if (!(stiffness > 0)) continue;  // of triangles without area
    const Vec3d change = pull(sliding_[i]) - pull(last[i]);
    sum += dot(change, change) / stiffness;
    weight += stiffness;
  }
  return weight > 0 ? std::sqrt(sum / weight) : 0;
}

/// Whether flesh has slid to other places of bones, or has just found its own: then the search goes
/// on, roughly in the first case.
bool Contacts::slides_on() {
  if (bones_.empty()) return false;
  const bool was_settled = settled_;
  const double h = model_.blocks[model_.cells[0] / 8].h;
  settled_ = renew_sliding(bones_to_) <= kSlidOff * h || ++sliding_rounds_ >= kRounds;
  return !(was_settled && settled_);
}

double Contacts::sliding_energy(std::span<const Vec3d> nodes) {
  if (sliding_.empty()) return 0;
  interpolate(nodes, x_);
  double energy = 0;
  for (const contact::PointSpring& t : sliding_) {
    const Vec3d stretch = x_[t.points[0]] - t.target;
    energy += 0.5 * dot(stretch, t.stiffness * stretch);
  }
  return energy;
}

}  // namespace isochor::lattice
