#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "isochor/geometry/triangle_queries.h"
#include "isochor/math/vec3.h"

/// Lines through a cell, and where triangles cross them. Lengths are in cells, from its low corner.
namespace isochor::grid {

struct Crossing {
  std::int32_t line;
  double at;           ///< along the line
  std::int32_t touch;  ///< names the triangle
  int rise;            ///< 1 if the triangle faces the way of the line, else -1

  friend bool operator<(const Crossing& a, const Crossing& b) {
    return std::tie(a.line, a.at, a.touch) < std::tie(b.line, b.at, b.touch);
  }
};

/// `subdivision` squared lines per axis; those of the three axes meet in samples.
class CellLines {
 public:
  explicit CellLines(int subdivision) : n_(subdivision) {}

  int subdivision() const { return n_; }
  std::int32_t sample_count() const { return n_ * n_ * n_; }
  int line_count() const { return 3 * n_ * n_; }
  std::size_t lines_per_axis() const { return static_cast<std::size_t>(n_) * n_; }

  int axis(int line) const { return line / (n_ * n_); }
  /// Along its line.
  double coordinate(int line, int step) const { return axis_coordinate(axis(line), step); }
  std::int32_t sample(int line, int step) const {
    const int along = axis(line), rest = line % (n_ * n_);
    int at[3];
    at[along] = step;
    at[(along + 1) % 3] = rest % n_;
    at[(along + 2) % 3] = rest / n_;
    return at[0] + n_ * (at[1] + n_ * at[2]);
  }
  Vec3d position(std::int32_t sample) const {
    return {axis_coordinate(0, sample % n_), axis_coordinate(1, sample / n_ % n_),
            axis_coordinate(2, sample / (n_ * n_))};
  }
  /// Where a line ends among the faces x-, x+, y-, ... with their lines.
  int face_slot(int line, bool high) const {
    return (2 * axis(line) + high) * n_ * n_ + line % (n_ * n_);
  }

  /// Appends the crossings of a triangle with all lines, apart from those in a wall.
  void find_crossings(const geometry::TriangleCorners& corners, std::int32_t touch,
                      std::vector<Crossing>& crossings) const;

 private:
  /// A little off the middles of equal steps, as edges of regular meshes like to lie there.
  double axis_coordinate(int along, int step) const {
    constexpr double kOff[3] = {0.0113, -0.0071, 0.0173};
    return (step + 0.5 + kOff[along]) / n_;
  }
  /// The range of lines between two coordinates.
  std::pair<int, int> lines_between(int along, double low, double high) const;

  int n_;
};

/// What of a triangle lies in the cell.
struct ClippedTriangle {
  double area = 0;
  Vec3d center{0, 0, 0};
};
ClippedTriangle clip_to_cell(const geometry::TriangleCorners& corners);

}  // namespace isochor::grid
