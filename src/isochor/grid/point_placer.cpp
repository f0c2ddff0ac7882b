#include "isochor/grid/point_placer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "isochor/math/quaternion.h"

namespace isochor::grid {
namespace {

using geometry::FourPoints;

constexpr int kRounds = 9;
constexpr int kStraight = 2;    ///< rotations in the first round
constexpr int kRoundSize = 24;  ///< in each of the others
/// Of less than this part of a cell rounding leaves no moments.
constexpr double kNothing = 1e-12;

/// None and a quarter turn, which gives the other half of the Gauss points; then a sequence of low
/// discrepancy in the cube, mapped evenly onto rotations (Shoemake 1992).
std::vector<Mat3d> make_rotations() {
  constexpr double kRoot = 1.2207440846057594754;  // of x^4 = x + 1
  std::vector<Mat3d> rotations{Mat3d::identity(), {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}}};
  Vec3d u{0.5, 0.5, 0.5};
  while (rotations.size() < kStraight + (kRounds - 1) * kRoundSize) {
    double step = 1;
    for (int a = 0; a < 3; ++a) {
      step /= kRoot;
      u[a] += step;
      u[a] -= std::floor(u[a]);
    }
    const double s = std::sqrt(1 - u[0]), t = std::sqrt(u[0]);
    const double a = 2 * std::numbers::pi * u[1], b = 2 * std::numbers::pi * u[2];
    rotations.push_back(rotation(
        Quaternion<double>{{s * std::sin(a), s * std::cos(a), t * std::sin(b)}, t * std::cos(b)}));
  }
  return rotations;
}

bool in_cell(const FourPoints& points) {
  return std::all_of(points.begin(), points.end(), [](const Vec3d& p) {
    return std::min({p[0], p[1], p[2]}) >= 0 && std::max({p[0], p[1], p[2]}) <= 1;
  });
}

/// The points moved towards their middle until they are in the cell.
FourPoints shrunk(const geometry::Spread& spread, const FourPoints& points) {
  Vec3d middle;
  for (int a = 0; a < 3; ++a) middle[a] = std::clamp(spread.centroid[a], 0.0, 1.0);
  double scale = 1;
  for (const Vec3d& p : points) {
    for (int a = 0; a < 3; ++a) {
      const double away = p[a] - middle[a], room = away > 0 ? 1 - middle[a] : -middle[a];
      if (std::abs(away) > std::abs(room)) scale = std::min(scale, room / away);
    }
  }
  FourPoints moved;
  for (int i = 0; i < 4; ++i) moved[i] = middle + scale * (points[i] - middle);
  return moved;
}

}  // namespace

FourPoints full_cell_points() {
  return four_points(spread_of(geometry::box_moments({0, 0, 0}, {1, 1, 1})), Mat3d::identity());
}

CutCounts count(std::span<const CutCell> cells) {
  CutCounts counts;
  for (const CutCell& cell : cells) {
    ++(cell.source == MomentSource::Clipped ? counts.clipped : counts.sampled);
    ++(cell.places == PointPlaces::InBody   ? counts.in_body
       : cell.places == PointPlaces::InCell ? counts.in_cell
                                            : counts.shrunk);
  }
  return counts;
}

PointPlacer::PointPlacer(const BodySurface& body, const CellBox& box)
    : body_(body), box_(box), rotations_(make_rotations()) {}

CutCell PointPlacer::place(std::int32_t cell, const Index3& at, std::span<const Touch> touches,
                           const geometry::Moments& moments, MomentSource source) {
  CutCell result{.cell = cell, .source = source, .fraction = moments.volume, .points = {}};
  if (!(moments.volume > kNothing)) {
    result.places = PointPlaces::Shrunk;
    result.points = full_cell_points();
    return result;
  }
  const geometry::Spread spread = spread_of(moments);
  low_ = box_.corner(at);
  find_triangles(touches);
  Candidate best{.points = {}, .stiffness = -1};
  for (int round = 0; round < kRounds; ++round) {
    look_at_round(spread, round);
    for (const Candidate& candidate : candidates_) {
      if (!in_body(candidate.points, source)) continue;
      result.points = candidate.points;
      return result;
    }
    if (!candidates_.empty() && candidates_[0].stiffness > best.stiffness) best = candidates_[0];
  }
  const bool found = best.stiffness >= 0;
  result.places = found ? PointPlaces::InCell : PointPlaces::Shrunk;
  result.points = found ? best.points : shrunk(spread, four_points(spread, rotations_[0]));
  return result;
}

void PointPlacer::look_at_round(const geometry::Spread& spread, int round) {
  candidates_.clear();
  const int first = round == 0 ? 0 : kStraight + (round - 1) * kRoundSize;
  const int size = round == 0 ? kStraight : kRoundSize;
  for (int i = first; i < first + size; ++i) {
    const FourPoints points = four_points(spread, rotations_[i]);
    if (in_cell(points)) candidates_.push_back({points, geometry::hourglass_stiffness(points)});
  }
  std::stable_sort(
      candidates_.begin(), candidates_.end(),
      [](const Candidate& a, const Candidate& b) { return a.stiffness > b.stiffness; });
}

void PointPlacer::find_triangles(std::span<const Touch> touches) {
  triangles_.clear();
  for (const Touch& touch : touches) {
    if (!touch.enters()) continue;
    triangles_.push_back(body_.corners(touch.triangle()));
    for (Vec3d& p : triangles_.back()) p = (p - low_) * (1 / box_.spacing);
  }
}

bool PointPlacer::in_body(const FourPoints& points, MomentSource source) const {
  const bool clean = source == MomentSource::Clipped;
  return is_inside(points[0]) && std::all_of(points.begin() + 1, points.end(), [&](const Vec3d& p) {
           return clean ? is_inside_like(points[0], p) : is_inside(p);
         });
}

/// Whether a point is inside, as another one is known to be.
bool PointPlacer::is_inside_like(const Vec3d& known, const Vec3d& point) const {
  const Vec3d way = point - known;
  if (norm(way) == 0) return true;
  const geometry::Ray ray(known, way);
  int winding = 1;
  for (const geometry::TriangleCorners& t : triangles_) {
    const std::optional<double> at = ray.meets(t);
    if (!at || *at <= 0 || *at >= 1) continue;
    winding -= dot(cross(t[1] - t[0], t[2] - t[0]), ray.direction()) > 0 ? 1 : -1;
  }
  // An edge may have been met twice.
  return winding == 0 || winding == 1 ? winding == 1 : is_inside(point);
}

}  // namespace isochor::grid
