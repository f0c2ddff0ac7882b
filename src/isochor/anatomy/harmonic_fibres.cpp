#include "isochor/anatomy/harmonic_fibres.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <memory>

#include "isochor/base/error.h"
#include "isochor/math/symmetric_eigen.h"

namespace isochor::anatomy {
namespace {

using geometry::Moments;
using geometry::RegularGrid;
using geometry::Triangle;
using Corners = std::array<double, 8>;

/// Cells with less than this of the muscle in them are left out.
constexpr double kLeastVolume = 1e-6;
/// The penalty in multiples of 1/spacing: the potential is given this part of a cell outside.
constexpr double kPenalty = 20;
constexpr double kTolerance = 1e-9;
constexpr int kMostIterations = 20000;

Vec3d middle_of(const Solid& solid, std::int32_t t) {
  const Triangle& v = solid.triangles[t];
  return (1.0 / 3) * (solid.positions[v[0]] + solid.positions[v[1]] + solid.positions[v[2]]);
}

/// Times normal, m^2.
Vec3d area_of(const Solid& solid, std::int32_t t) {
  const Triangle& v = solid.triangles[t];
  const auto& x = solid.positions;
  return 0.5 * cross(x[v[1]] - x[v[0]], x[v[2]] - x[v[0]]);
}

Vec3d middle_of(const Solid& solid, std::span<const std::int32_t> triangles) {
  Vec3d sum{0, 0, 0};
  double area = 0;
  for (const std::int32_t t : triangles) {
    sum += norm(area_of(solid, t)) * middle_of(solid, t);
    area += norm(area_of(solid, t));
  }
  return (1 / area) * sum;
}

/// The grid around a muscle, with room for a layer of cells on every side.
RegularGrid grid_around(const Solid& muscle, double spacing) {
  Vec3d low = muscle.positions[muscle.triangles[0][0]], high = low;
  for (const Triangle& t : muscle.triangles) {
    for (const std::int32_t v : t) {
      low = min(low, muscle.positions[v]);
      high = max(high, muscle.positions[v]);
    }
  }
  RegularGrid grid{.origin = low - spacing * Vec3d{1, 1, 1}, .spacing = spacing};
  for (int a = 0; a < 3; ++a) {
    grid.size[a] = static_cast<std::int32_t>(std::ceil((high[a] - low[a]) / spacing)) + 2;
  }
  return grid;
}

/// One more node than cells along each axis; numbers of nodes, x fastest.
struct Nodes {
  explicit Nodes(const RegularGrid& grid)
      : size{grid.size[0] + 1, grid.size[1] + 1, grid.size[2] + 1} {}
  std::size_t count() const { return std::size_t(size[0]) * size[1] * size[2]; }
  std::size_t index(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return std::size_t(i) + std::size_t(size[0]) * (std::size_t(j) + std::size_t(size[1]) * k);
  }
  std::array<std::size_t, 8> of_cell(std::int32_t i, std::int32_t j, std::int32_t k) const {
    std::array<std::size_t, 8> corners;
    for (int c = 0; c < 8; ++c) corners[c] = index(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1));
    return corners;
  }
  std::array<std::int32_t, 3> size;
};

/// What the corners of a cell weigh at a point of it, 0 to 1 along each axis.
Corners weights_at(const Vec3d& at) {
  Corners weights;
  for (int c = 0; c < 8; ++c) {
    weights[c] = 1;
    for (int a = 0; a < 3; ++a) weights[c] *= c >> a & 1 ? at[a] : 1 - at[a];
  }
  return weights;
}

/// The mean over the muscle in a cell of the gradients of its eight trilinear functions, per cell.
/// Each is a product of two linear functions, so that moments of degree two make it exact.
std::array<Vec3d, 8> mean_gradients(const Moments& m) {
  std::array<Vec3d, 8> gradients;
  const double inverse = 1 / m.volume;
  for (int c = 0; c < 8; ++c) {
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, d = (a + 2) % 3;
      const double xb = inverse * m.first[b], xd = inverse * m.first[d];
      const double both = inverse * m.second[geometry::second_moment(b, d)];
      const bool high_b = c >> b & 1, high_d = c >> d & 1;
      const double mean =
          high_b ? (high_d ? both : xb - both) : (high_d ? xd - both : 1 - xb - xd + both);
      gradients[c][a] = c >> a & 1 ? mean : -mean;
    }
  }
  return gradients;
}

/// The stiffness of a cell: that of the mean gradient, and for what the mean does not see that of a
/// full cell, by its share of it. Both are nothing for what a linear potential has no part in.
std::array<Corners, 8> stiffness(const Moments& m) {
  const std::array<Vec3d, 8> g = mean_gradients(m);
  std::array<Corners, 8> K;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      // Corners with unlike signs in yz, zx, xy and xyz.
      const int unlike = i ^ j, x = unlike & 1, y = unlike >> 1 & 1, z = unlike >> 2 & 1;
      const auto sign = [](int parity) { return parity & 1 ? -1.0 : 1.0; };
      const double twisted = (sign(y + z) + sign(z + x) + sign(x + y)) / 24 + sign(x + y + z) / 48;
      K[i][j] = m.volume * (dot(g[i], g[j]) + twisted);
    }
  }
  return K;
}

/// A symmetric matrix on nodes with entries for neighbours only.
class NodeMatrix {
 public:
  NodeMatrix(const Nodes& nodes, std::vector<std::int32_t> number, std::size_t count)
      : nodes_(nodes), number_(std::move(number)), rows_(count), columns_(count) {
    for (std::size_t r = 0; r < count; ++r) {
      rows_[r].fill(0);
      columns_[r].fill(static_cast<std::int32_t>(r));
    }
  }

  std::size_t size() const { return rows_.size(); }
  std::int32_t number(std::size_t node) const { return number_[node]; }

  /// Between two corners of a cell.
  void add(const std::array<std::size_t, 8>& corners, int i, int j, double value) {
    const auto step = [&](int a) { return (j >> a & 1) - (i >> a & 1) + 1; };
    const int slot = step(0) + 3 * step(1) + 9 * step(2);
    const std::int32_t row = number_[corners[i]];
    rows_[row][slot] += value;
    columns_[row][slot] = number_[corners[j]];
  }

  void apply(std::span<const double> x, std::span<double> y, ThreadArena& arena) const {
    parallel_for(arena, rows_.size(), 1024, [&](std::size_t r) {
      double sum = 0;
      for (int s = 0; s < 27; ++s) sum += rows_[r][s] * x[columns_[r][s]];
      y[r] = sum;
    });
  }

  double diagonal(std::size_t r) const { return rows_[r][13]; }

 private:
  Nodes nodes_;
  std::vector<std::int32_t> number_;  ///< per node of the grid, that of its row, or -1
  std::vector<std::array<double, 27>> rows_;
  std::vector<std::array<std::int32_t, 27>> columns_;
};

/// Calls f(corners, moments) for all cells with muscle in them.
template <class F>
void for_each_cell(const RegularGrid& grid, const std::vector<Moments>& moments, F&& f) {
  const Nodes nodes(grid);
  for (std::int32_t k = 0; k < grid.size[2]; ++k) {
    for (std::int32_t j = 0; j < grid.size[1]; ++j) {
      for (std::int32_t i = 0; i < grid.size[0]; ++i) {
        const Moments& m = moments[grid.index(i, j, k)];
        if (m.volume > kLeastVolume) f(nodes.of_cell(i, j, k), m);
      }
    }
  }
}

NodeMatrix assemble(const RegularGrid& grid, const std::vector<Moments>& moments) {
  const Nodes nodes(grid);
  std::vector<std::int32_t> number(nodes.count(), -1);
  std::int32_t count = 0;
  for_each_cell(grid, moments, [&](const auto& corners, const Moments&) {
    for (const std::size_t n : corners) {
      if (number[n] < 0) number[n] = count++;
    }
  });
  NodeMatrix matrix(nodes, std::move(number), std::size_t(count));
  for_each_cell(grid, moments, [&](const auto& corners, const Moments& m) {
    const std::array<Corners, 8> K = stiffness(m);
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 8; ++j) matrix.add(corners, i, j, K[i][j]);
    }
  });
  return matrix;
}

/// Holds the potential of an end at `value`. Returns how much of its area was found in cells.
double hold_end(const Solid& muscle, std::span<const std::int32_t> triangles, double value,
                const RegularGrid& grid, const std::vector<Moments>& moments, NodeMatrix& matrix,
                std::vector<double>& rhs) {
  const Nodes nodes(grid);
  double found = 0;
  for (const std::int32_t t : triangles) {
    const Triangle& v = muscle.triangles[t];
    const Vec3d a = grid.in_cells(muscle.positions[v[0]]),
                b = grid.in_cells(muscle.positions[v[1]]),
                c = grid.in_cells(muscle.positions[v[2]]);
    const Vec3d normal = cross(b - a, c - a);
    if (!(norm(normal) > 0)) continue;
    // Parts smaller than half a cell, each looked at in its middle, a touch inside.
    const double longest = std::max({norm(b - a), norm(c - b), norm(a - c)});
    const int parts = std::max(1, static_cast<int>(std::ceil(2 * longest)));
    const double area = 0.5 * norm(normal) / (parts * parts);
    const Vec3d inward = (-1e-6 / norm(normal)) * normal;
    const auto look_at = [&](double s, double r) {
      const Vec3d p = a + (s / parts) * (b - a) + (r / parts) * (c - a) + inward;
      const std::int32_t i = static_cast<std::int32_t>(std::floor(p[0])),
                         j = static_cast<std::int32_t>(std::floor(p[1])),
                         k = static_cast<std::int32_t>(std::floor(p[2]));
      if (moments[grid.index(i, j, k)].volume <= kLeastVolume) return;
      const std::array<std::size_t, 8> corners = nodes.of_cell(i, j, k);
      const Corners w = weights_at(p - Vec3d{double(i), double(j), double(k)});
      for (int m = 0; m < 8; ++m) {
        for (int n = 0; n < 8; ++n) matrix.add(corners, m, n, kPenalty * area * w[m] * w[n]);
        rhs[matrix.number(corners[m])] += kPenalty * area * w[m] * value;
      }
      found += area;
    };
    for (int s = 0; s < parts; ++s) {
      for (int r = 0; r + s < parts; ++r) {
        look_at(s + 1.0 / 3, r + 1.0 / 3);
        if (r + s + 1 < parts) look_at(s + 2.0 / 3, r + 2.0 / 3);
      }
    }
  }
  return found;
}

/// Gives nodes without a value the mean of neighbours that have one, layer after layer.
void spread_outward(const Nodes& nodes, std::vector<std::uint8_t>& known,
                    std::vector<Vec3d>& values) {
  std::vector<std::size_t> filled;
  do {
    filled.clear();
    for (std::int32_t k = 0; k < nodes.size[2]; ++k) {
      for (std::int32_t j = 0; j < nodes.size[1]; ++j) {
        for (std::int32_t i = 0; i < nodes.size[0]; ++i) {
          const std::size_t n = nodes.index(i, j, k);
          if (known[n]) continue;
          Vec3d sum{0, 0, 0};
          int count = 0;
          const auto look_at = [&](std::int32_t x, std::int32_t y, std::int32_t z) {
            if (std::min({x, y, z}) < 0 || x >= nodes.size[0] || y >= nodes.size[1] ||
                z >= nodes.size[2] || !known[nodes.index(x, y, z)]) {
              return;
            }
            sum += values[nodes.index(x, y, z)];
            ++count;
          };
          for (const int step : {-1, 1}) {
            look_at(i + step, j, k);
            look_at(i, j + step, k);
            look_at(i, j, k + step);
          }
          if (count == 0) continue;
          values[n] = (1.0 / count) * sum;
          filled.push_back(n);
        }
      }
    }
    for (const std::size_t n : filled) known[n] = 1;
  } while (!filled.empty());
}

}  // namespace

std::vector<double> ways_along_axis(const Solid& muscle) {
  // Moments of the surface: a solid's longest axis is that of its surface, nearly.
  Vec3d middle{0, 0, 0};
  double whole = 0;
  const auto count = static_cast<std::int32_t>(muscle.triangles.size());
  for (std::int32_t t = 0; t < count; ++t) {
    middle += norm(area_of(muscle, t)) * middle_of(muscle, t);
    whole += norm(area_of(muscle, t));
  }
  middle *= 1 / whole;
  Mat3d spread = Mat3d::zero();
  for (std::int32_t t = 0; t < count; ++t) {
    const Vec3d arm = middle_of(muscle, t) - middle;
    spread += norm(area_of(muscle, t)) * Mat3d{{arm[0] * arm, arm[1] * arm, arm[2] * arm}};
  }
  const SymmetricEigen<double> eigen = symmetric_eigen(spread);
  int longest = 0, leading = 0;
  for (int a = 1; a < 3; ++a) longest = eigen.values[a] > eigen.values[longest] ? a : longest;
  Vec3d axis = eigen.vectors.column[longest];
  for (int a = 1; a < 3; ++a) leading = std::abs(axis[a]) > std::abs(axis[leading]) ? a : leading;
  if (axis[leading] < 0) axis *= -1;

  double low = INFINITY, high = -INFINITY;
  for (const Triangle& t : muscle.triangles) {
    for (const std::int32_t v : t) {
      low = std::min(low, dot(axis, muscle.positions[v]));
      high = std::max(high, dot(axis, muscle.positions[v]));
    }
  }
  std::vector<double> ways;
  for (std::int32_t t = 0; t < count; ++t) {
    ways.push_back((dot(axis, middle_of(muscle, t)) - low) / (high - low));
  }
  return ways;
}

MuscleEnds ends_along_axis(const Solid& muscle, double part) {
  const std::vector<double> ways = ways_along_axis(muscle);
  MuscleEnds ends;
  for (std::size_t t = 0; t < ways.size(); ++t) {
    if (ways[t] <= part) ends.origin.push_back(static_cast<std::int32_t>(t));
    if (ways[t] >= 1 - part) ends.insertion.push_back(static_cast<std::int32_t>(t));
  }
  return ends;
}

double default_spacing(const Solid& muscle) {
  constexpr double kCellsAcross = 10;
  double area = 0;
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(muscle.triangles.size()); ++t) {
    area += norm(area_of(muscle, t));
  }
  // Four times volume by surface is the diameter of a long cylinder.
  const double volume = std::abs(geometry::enclosed_volume(muscle.positions, muscle.triangles));
  return 4 * volume / area / kCellsAcross;
}

HarmonicFibres::HarmonicFibres(const Solid& muscle, const MuscleEnds& ends, double spacing,
                               const std::string& place, ThreadArena& arena)
    : grid_(grid_around(muscle, spacing)) {
  const std::vector<Moments> moments =
      geometry::moments_in_cells(muscle.positions, muscle.triangles, grid_, arena);
  NodeMatrix matrix = assemble(grid_, moments);
  unknowns_ = matrix.size();
  std::vector<double> rhs(matrix.size(), 0), x(matrix.size());
  const auto hold = [&](std::span<const std::int32_t> triangles, double value, const char* name) {
    if (hold_end(muscle, triangles, value, grid_, moments, matrix, rhs) > 0) return;
    throw Error(Fault::Input, place, fmt::format("the muscle's {} has no surface", name),
                "choose a group or a box that holds whole triangles of the muscle, or leave both "
                "ends to be found along its longest axis");
  };
  hold(ends.origin, 0, "origin");
  hold(ends.insertion, 1, "insertion");
  main_direction_ = middle_of(muscle, ends.insertion) - middle_of(muscle, ends.origin);

  solve::KrylovScratch scratch(matrix.size());
  report_ = solve::conjugate_gradient(
      arena, [&](std::span<const double> p, std::span<double> q) { matrix.apply(p, q, arena); },
      [&](std::span<const double> r, std::span<double> z) {
        parallel_for(arena, z.size(), solve::kVectorGrain,
                     [&](std::size_t i) { z[i] = r[i] / matrix.diagonal(i); });
      },
      [] { return false; }, rhs, x, kTolerance, kMostIterations, scratch);
  if (!report_.converged) {
    throw Error(Fault::Input, place,
                fmt::format("no fibres could be found between its ends: {} iterations leave a "
                            "residual of {:.1e}",
                            report_.iterations, report_.relative_residual),
                "mend the muscle's surface, see 'isochor inspect'");
  }

  const Nodes nodes(grid_);
  potential_.assign(nodes.count(), 0);
  gradient_.assign(nodes.count(), Vec3d{0, 0, 0});
  std::vector<double> weight(nodes.count(), 0);
  for_each_cell(grid_, moments, [&](const auto& corners, const Moments& m) {
    const std::array<Vec3d, 8> g = mean_gradients(m);
    Vec3d gradient{0, 0, 0};
    for (int c = 0; c < 8; ++c) {
      potential_[corners[c]] = x[matrix.number(corners[c])];
      gradient += potential_[corners[c]] * g[c];
    }
    for (const std::size_t n : corners) {
      gradient_[n] += m.volume * gradient;
      weight[n] += m.volume;
    }
  });
  double steepest = 0;
  std::vector<std::uint8_t> known(nodes.count(), 0);
  for (std::size_t n = 0; n < nodes.count(); ++n) {
    if (!(weight[n] > 0)) continue;
    known[n] = 1;
    gradient_[n] *= 1 / (weight[n] * spacing);
    steepest = std::max(steepest, norm(gradient_[n]));
  }
  if (!(steepest * norm(main_direction_) > 1e-3)) {
    throw Error(Fault::Input, place, "nothing connects the muscle's origin with its insertion",
                "choose ends on the same piece of it");
  }
  spread_outward(nodes, known, gradient_);
}

template <class T>
T HarmonicFibres::interpolate(const std::vector<T>& nodal, const Vec3d& point) const {
  const Nodes nodes(grid_);
  Vec3d at = grid_.in_cells(point);
  std::array<std::int32_t, 3> cell;
  for (int a = 0; a < 3; ++a) {
    at[a] = std::clamp(at[a], 0.0, double(grid_.size[a]));
    cell[a] = std::min(static_cast<std::int32_t>(at[a]), grid_.size[a] - 1);
    at[a] -= cell[a];
  }
  const std::array<std::size_t, 8> corners = nodes.of_cell(cell[0], cell[1], cell[2]);
  const Corners w = weights_at(at);
  T sum = w[0] * nodal[corners[0]];
  for (int c = 1; c < 8; ++c) sum += w[c] * nodal[corners[c]];
  return sum;
}

Vec3d HarmonicFibres::direction(const Vec3d& point) const {
  const Vec3d gradient = interpolate(gradient_, point);
  // In a part that hangs together with neither end the potential is constant.
  const bool flat = norm(gradient) * norm(main_direction_) < 1e-9;
  const Vec3d& along = flat ? main_direction_ : gradient;
  return (1 / norm(along)) * along;
}

double HarmonicFibres::potential(const Vec3d& point) const {
  return interpolate(potential_, point);
}

FibreField harmonic_fibres(const Solid& muscle, const MuscleEnds& ends, double spacing,
                           const std::string& place, ThreadArena& arena) {
  const auto fibres = std::make_shared<const HarmonicFibres>(muscle, ends, spacing, place, arena);
  return [fibres](const Vec3d& point) { return fibres->direction(point); };
}

}  // namespace isochor::anatomy
