#include "isochor/grid/embedding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "isochor/geometry/triangle_queries.h"
#include "isochor/grid/cell_box.h"

namespace isochor::grid {
namespace {

/// Finds cells by their place. Points are in cells from the origin.
class CellFinder {
 public:
  explicit CellFinder(const Lattice& lattice) : lattice_(lattice) {
    first_cells_.reserve(lattice.blocks.size());
    std::int32_t next = 0;
    for (const Block& block : lattice.blocks) {
      first_cells_.push_back(next);
      next += std::popcount(block.active);
    }
  }

  std::int32_t find(const Vec3d& point) const {
    Index3 at;
    Vec3d inside;
    for (int a = 0; a < 3; ++a) {
      inside[a] = std::clamp(point[a], 0.0, double(lattice_.size[a]));
      at[a] = static_cast<std::int32_t>(std::min(std::floor(inside[a]), lattice_.size[a] - 1.0));
    }
    const std::int32_t here = cell_at(at, point);
    return here >= 0 ? here : nearest(at, inside, point);
  }

 private:
  /// The cell in a place that holds a point, or -1.
  std::int32_t cell_at(const Index3& at, const Vec3d& point) const {
    const Index3 coordinate{at[0] / 2, at[1] / 2, at[2] / 2};
    const int lane = (at[0] & 1) + 2 * (at[1] & 1) + 4 * (at[2] & 1);
    const auto before = [](const Block& block, const Index3& c) {
      return std::lexicographical_compare(block.coordinate.rbegin(), block.coordinate.rend(),
                                          c.rbegin(), c.rend());
    };
    const auto first =
        std::lower_bound(lattice_.blocks.begin(), lattice_.blocks.end(), coordinate, before);
    const auto for_each = [&](auto&& f) {
      for (auto b = first; b != lattice_.blocks.end() && b->coordinate == coordinate; ++b) {
        if (!b->has(lane)) continue;
        f(first_cells_[b - lattice_.blocks.begin()] +
          std::popcount(b->active & ((1u << lane) - 1)));
      }
    };
    std::int32_t best = -1;
    int count = 0;
    for_each([&](std::int32_t cell) {
      if (count++ == 0) best = cell;
    });
    if (count < 2) return best;
    double best_distance = std::numeric_limits<double>::infinity();
    for_each([&](std::int32_t cell) {
      const double distance = squared_distance(cell, point);
      if (!(distance < best_distance)) return;
      best = cell;
      best_distance = distance;
    });
    return best;
  }

  /// To the surface in a cell that shares its place.
  double squared_distance(std::int32_t cell, const Vec3d& point) const {
    const Vec3d at = lattice_.origin + lattice_.spacing * point;
    const auto [first, last] =
        std::equal_range(lattice_.pieces.begin(), lattice_.pieces.end(), cell, ByCell{});
    double best = std::numeric_limits<double>::infinity();
    for (auto piece = first; piece != last; ++piece) {
      best = std::min(best, geometry::closest_point_on(piece->corners, at).squared_distance);
    }
    return best;
  }
  struct ByCell {
    bool operator()(const SurfacePiece& piece, std::int32_t cell) const {
      return piece.cell < cell;
    }
    bool operator()(std::int32_t cell, const SurfacePiece& piece) const {
      return cell < piece.cell;
    }
  };

  /// The cell whose middle is nearest, looked for in ever larger shells around a place.
  std::int32_t nearest(const Index3& from, const Vec3d& inside, const Vec3d& point) const {
    std::int32_t best = -1;
    double best_distance = std::numeric_limits<double>::infinity();
    const int largest = std::max({lattice_.size[0], lattice_.size[1], lattice_.size[2]});
    // Cells beyond a shell are further away than its radius and a half.
    for (int radius = 1; radius <= largest && best_distance > radius - 0.5; ++radius) {
      for_each_in_shell(from, radius, [&](const Index3& at) {
        const Vec3d away = inside - Vec3d{at[0] + 0.5, at[1] + 0.5, at[2] + 0.5};
        const double distance = norm(away);
        if (!(distance < best_distance)) return;
        const std::int32_t cell = cell_at(at, point);
        if (cell < 0) return;
        best = cell;
        best_distance = distance;
      });
    }
    return best;
  }
  template <class F>
  void for_each_in_shell(const Index3& from, int radius, F&& f) const {
    const auto range = [&](int axis) {
      return std::pair(std::max(0, from[axis] - radius),
                       std::min(lattice_.size[axis] - 1, from[axis] + radius));
    };
    const auto [k_first, k_last] = range(2);
    const auto [j_first, j_last] = range(1);
    const auto [i_first, i_last] = range(0);
    for (int k = k_first; k <= k_last; ++k) {
      for (int j = j_first; j <= j_last; ++j) {
        const bool whole_row = std::abs(k - from[2]) == radius || std::abs(j - from[1]) == radius;
        for (int i = i_first; i <= i_last; ++i) {
          if (whole_row || std::abs(i - from[0]) == radius) f(Index3{i, j, k});
        }
      }
    }
  }

  const Lattice& lattice_;
  std::vector<std::int32_t> first_cells_;  ///< per block
};

double trilinear_weight(const Vec3d& local, int corner) {
  double weight = 1;
  for (int a = 0; a < 3; ++a) weight *= corner >> a & 1 ? local[a] : 1 - local[a];
  return weight;
}

/// What value and slope at both ends of [0, 1] contribute to a cubic, [end][derivative].
struct Hermite {
  double value[2][2], slope[2][2];

  explicit Hermite(double s) {
    const double t = 1 - s;
    value[0][0] = t * t * (1 + 2 * s);
    value[0][1] = t * t * s;
    value[1][0] = s * s * (1 + 2 * t);
    value[1][1] = -s * s * t;
    slope[0][0] = -6 * s * t;
    slope[0][1] = t * (1 - 3 * s);
    slope[1][0] = 6 * s * t;
    slope[1][1] = s * (3 * s - 2);
  }
};

/// Weights of the jets at the corners of a cell, [corner][derivative].
using JetWeights = std::array<Jet<double>, 8>;

JetWeights tricubic_weights(const Vec3d& local) {
  const Vec3d inside = min(max(local, Vec3d{0, 0, 0}), Vec3d{1, 1, 1});
  const Vec3d beyond = local - inside;
  const Hermite axis[3] = {Hermite(inside[0]), Hermite(inside[1]), Hermite(inside[2])};
  JetWeights weights;
  for (int c = 0; c < 8; ++c) {
    for (int d = 0; d < 8; ++d) {
      double value = 1;
      for (int a = 0; a < 3; ++a) value *= axis[a].value[c >> a & 1][d >> a & 1];
      for (int along = 0; along < 3; ++along) {
        if (beyond[along] == 0) continue;
        double slope = beyond[along];
        for (int a = 0; a < 3; ++a) {
          const int end = c >> a & 1, derivative = d >> a & 1;
          slope *= a == along ? axis[a].slope[end][derivative] : axis[a].value[end][derivative];
        }
        value += slope;
      }
      weights[c][d] = value;
    }
  }
  return weights;
}

}  // namespace

std::vector<std::int32_t> find_cells(const Lattice& lattice, std::span<const Vec3d> points) {
  const CellFinder finder(lattice);
  std::vector<std::int32_t> cells;
  cells.reserve(points.size());
  for (const Vec3d& point : points) {
    cells.push_back(finder.find((point - lattice.origin) * (1 / lattice.spacing)));
  }
  return cells;
}

Embedding embed(const Lattice& lattice, std::span<const Vec3d> points,
                std::span<const std::int32_t> cells, Interpolation interpolation) {
  std::vector<std::int32_t> slots;
  slots.reserve(lattice.cell_count());
  lattice.for_each_cell(
      [&](std::size_t b, int lane) { slots.push_back(static_cast<std::int32_t>(8 * b + lane)); });
  Embedding embedding;
  embedding.points.reserve(points.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Block& block = lattice.blocks[slots[cells[p]] / 8];
    const int lane = slots[cells[p]] % 8;
    const Index3 at = cell_coordinate(block, lane);
    const Vec3d place = (points[p] - lattice.origin) * (1 / lattice.spacing);
    Embedding::Point point{.nodes = {},
                           .local = place - Vec3d{double(at[0]), double(at[1]), double(at[2])}};
    for (int c = 0; c < 8; ++c) point.nodes[c] = block.nodes[block_node(lane, c)];
    embedding.points.push_back(point);
  }
  if (interpolation == Interpolation::Tricubic) {
    std::vector<std::int32_t> nodes;
    nodes.reserve(8 * points.size());
    for (const Embedding::Point& point : embedding.points) {
      nodes.insert(nodes.end(), point.nodes.begin(), point.nodes.end());
    }
    embedding.jets_ = std::make_shared<const NodalJets>(lattice, nodes);
  }
  return embedding;
}

template <class T>
void Embedding::interpolate_any(std::span<const T> nodal, std::span<T> at_points) const {
  if (!jets_) {
    for (std::size_t p = 0; p < points.size(); ++p) {
      T sum{};
      for (int c = 0; c < 8; ++c) {
        sum += trilinear_weight(points[p].local, c) * nodal[points[p].nodes[c]];
      }
      at_points[p] = sum;
    }
    return;
  }
  std::vector<Jet<T>> jets(jets_->size());
  jets_->evaluate(nodal, std::span(jets));
  for (std::size_t p = 0; p < points.size(); ++p) {
    const JetWeights weights = tricubic_weights(points[p].local);
    T sum{};
    for (int c = 0; c < 8; ++c) {
      const Jet<T>& jet = jets[jets_->index(points[p].nodes[c])];
      for (int d = 0; d < 8; ++d) sum += weights[c][d] * jet[d];
    }
    at_points[p] = sum;
  }
}

void Embedding::interpolate(std::span<const Vec3d> nodal, std::span<Vec3d> at_points) const {
  interpolate_any(nodal, at_points);
}

void Embedding::interpolate(std::span<const double> nodal, std::span<double> at_points) const {
  interpolate_any(nodal, at_points);
}

std::vector<Embedding::Weight> Embedding::weights(std::size_t point) const {
  const Point& at = points[point];
  std::map<std::int32_t, double> sums;
  const JetWeights cubic = tricubic_weights(at.local);
  for (int c = 0; c < 8; ++c) {
    double& own = sums[at.nodes[c]];
    own += jets_ ? cubic[c][0] : trilinear_weight(at.local, c);
    if (!jets_) continue;
    const std::size_t jet = jets_->index(at.nodes[c]);
    const auto members = jets_->members(jet);
    for (std::size_t m = 0; m < members.size(); ++m) {
      double weight = 0;
      for (int d = 1; d < 8; ++d) weight += cubic[c][d] * jets_->weights(jet)[m][d];
      sums[members[m]] += weight;
      own -= weight;
    }
  }
  std::vector<Weight> result;
  result.reserve(sums.size());
  for (const auto& [node, weight] : sums) result.push_back({node, weight});
  return result;
}

std::size_t Embedding::memory() const {
  return points.capacity() * sizeof(Point) + (jets_ ? jets_->memory() : 0);
}

}  // namespace isochor::grid
