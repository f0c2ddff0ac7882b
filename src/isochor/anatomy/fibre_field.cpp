#include "isochor/anatomy/fibre_field.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "isochor/math/symmetric_eigen.h"

namespace isochor::anatomy {
namespace {

Vec3d unit(const Vec3d& v) { return (1 / norm(v)) * v; }

/// A line with a direction at each of its points.
class Fibre {
 public:
  /// Points that repeat the one before are left out.
  explicit Fibre(const Polyline& line) {
    for (const Vec3d& p : line) {
      if (points_.empty() || norm(p - points_.back()) > 0) points_.push_back(p);
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      // Long segments know the direction at their ends less well than short ones.
      Vec3d along{0, 0, 0};
      if (i > 0) along += segment_weight(i - 1) * (points_[i] - points_[i - 1]);
      if (i + 1 < points_.size()) along += segment_weight(i) * (points_[i + 1] - points_[i]);
      directions_.push_back(norm(along) > 0 ? unit(along) : unit(points_[1] - points_[0]));
    }
  }

  Vec3d chord() const { return points_.back() - points_.front(); }

  void turn_round() {
    std::ranges::reverse(points_);
    std::ranges::reverse(directions_);
    for (Vec3d& d : directions_) d *= -1;
  }

  struct Nearest {
    double squared_distance = std::numeric_limits<double>::infinity();
    Vec3d direction{0, 0, 0};
  };
  Nearest nearest(const Vec3d& point) const {
    Nearest best;
    for (std::size_t s = 0; s + 1 < points_.size(); ++s) {
      const Vec3d along = points_[s + 1] - points_[s];
      const double t = std::clamp(dot(point - points_[s], along) / dot(along, along), 0.0, 1.0);
      const Vec3d away = point - (points_[s] + t * along);
      if (dot(away, away) >= best.squared_distance) continue;
      best = {dot(away, away), (1 - t) * directions_[s] + t * directions_[s + 1]};
    }
    return best;
  }

 private:
  double segment_weight(std::size_t s) const {
    const Vec3d along = points_[s + 1] - points_[s];
    return 1 / dot(along, along);
  }

  std::vector<Vec3d> points_, directions_;
};

/// The direction that all of them are closest to, signs left aside.
Vec3d main_direction(const Mat3d& squares, const Vec3d& sum) {
  const SymmetricEigen<double> eigen = symmetric_eigen(squares);
  const int largest =
      static_cast<int>(std::max_element(eigen.values.e, eigen.values.e + 3) - eigen.values.e);
  const Vec3d& direction = eigen.vectors.column[largest];
  return unit(dot(direction, sum) < 0 ? -1 * direction : direction);
}

Mat3d square(const Vec3d& v) { return {{v[0] * v, v[1] * v, v[2] * v}}; }

}  // namespace

FibreField constant_fibres(const Vec3d& direction) {
  return [fibre = unit(direction)](const Vec3d&) { return fibre; };
}

double length_of(const Polyline& line) {
  double length = 0;
  for (std::size_t i = 1; i < line.size(); ++i) length += norm(line[i] - line[i - 1]);
  return length;
}

FibreField fibres_along(const std::vector<Polyline>& lines) {
  auto fibres = std::make_shared<std::vector<Fibre>>();
  double whole = 0;
  for (const Polyline& line : lines) {
    fibres->emplace_back(line);
    if (dot(fibres->back().chord(), fibres->front().chord()) < 0) fibres->back().turn_round();
    whole += length_of(line);
  }
  // What counts as being on a line.
  const double near = 1e-6 * whole / static_cast<double>(lines.size());
  return [fibres, near](const Vec3d& point) {
    Mat3d squares = Mat3d::zero();
    Vec3d sum{0, 0, 0};
    for (const Fibre& fibre : *fibres) {
      const Fibre::Nearest at = fibre.nearest(point);
      const double closeness = 1 / (at.squared_distance + near * near);
      squares += closeness * closeness * square(at.direction);
      sum += closeness * closeness * at.direction;
    }
    return main_direction(squares, sum);
  };
}

}  // namespace isochor::anatomy
