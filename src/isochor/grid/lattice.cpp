#include "isochor/grid/lattice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <unordered_map>

#include "isochor/base/error.h"
#include "isochor/geometry/orientation.h"
#include "isochor/geometry/overlap.h"
#include "isochor/geometry/winding_number.h"

namespace isochor::grid {
namespace {

using Index3 = std::array<std::int32_t, 3>;

/// A dense box of numbers, x fastest.
template <class T>
struct Box3 {
  explicit Box3(const Index3& extent, T value)
      : size(extent), data(std::size_t(extent[0]) * extent[1] * extent[2], value) {}
  T& operator()(int i, int j, int k) {
    return data[std::size_t(i) + std::size_t(size[0]) * (j + std::size_t(size[1]) * k)];
  }
  Index3 size;
  std::vector<T> data;
};

/// A box of whole cells around the surface, the surplus shared by both sides.
Lattice box_around(const geometry::Bounds& bounds, double spacing, const std::string& place) {
  // The box is dense while the lattice is built: five bytes per cell.
  constexpr double kMostCells = 4e8;
  // A mesh rounded to single precision still fills whole cells.
  constexpr double kSlack = 1e-6;
  Lattice lattice;
  lattice.spacing = spacing;
  double cells = 1;
  for (int a = 0; a < 3; ++a) {
    const double exact = bounds.size()[a] / spacing;
    const double count = std::max(1.0, std::ceil(exact - kSlack));
    cells *= count;
    if (!(cells <= kMostCells)) {
      throw Error(Fault::Input, place,
                  fmt::format("cells of {} m in a body of {:.3g} x {:.3g} x {:.3g} m are too many",
                              spacing, bounds.size()[0], bounds.size()[1], bounds.size()[2]),
                  "use a larger cell_size; check the unit of the mesh");
    }
    lattice.size[a] = static_cast<std::int32_t>(count);
    lattice.origin[a] = bounds.low[a] - 0.5 * (count - exact) * spacing;
  }
  return lattice;
}

/// Marks the cells that a triangle passes through. Cells are shrunk a little: a face that lies in
/// a cell wall belongs to the cell on its inner side, which the winding number finds.
void mark_surface(const geometry::SurfaceMesh& surface, const Lattice& lattice,
                  std::span<const geometry::Triangle> triangles, Box3<std::uint8_t>& cells) {
  const double h = lattice.spacing, half = 0.5 * h * (1 - 1e-6);
  for (const geometry::Triangle& t : triangles) {
    const std::array<Vec3d, 3> corners{surface.positions[t[0]], surface.positions[t[1]],
                                       surface.positions[t[2]]};
    const geometry::Bounds box = geometry::bounds_of(corners);
    Index3 from, to;
    for (int a = 0; a < 3; ++a) {
      const int last = lattice.size[a] - 1;
      from[a] = std::clamp(int((box.low[a] - lattice.origin[a]) / h), 0, last);
      to[a] = std::clamp(int((box.high[a] - lattice.origin[a]) / h), 0, last);
    }
    for (int k = from[2]; k <= to[2]; ++k) {
      for (int j = from[1]; j <= to[1]; ++j) {
        for (int i = from[0]; i <= to[0]; ++i) {
          const Vec3d center = lattice.origin + h * Vec3d{i + 0.5, j + 0.5, k + 0.5};
          if (!cells(i, j, k) &&
              geometry::triangle_overlaps_box(corners, center, {half, half, half})) {
            cells(i, j, k) = 1;
          }
        }
      }
    }
  }
}

/// Groups cells into blocks and numbers their nodes in the order of blocks.
void make_blocks(Box3<std::uint8_t>& cells, Lattice& lattice) {
  const Index3& n = lattice.size;
  Box3<std::int32_t> nodes({n[0] + 1, n[1] + 1, n[2] + 1}, kNoNode);
  for (int bk = 0; 2 * bk < n[2]; ++bk) {
    for (int bj = 0; 2 * bj < n[1]; ++bj) {
      for (int bi = 0; 2 * bi < n[0]; ++bi) {
        Block block{.nodes = {}, .coordinate = {bi, bj, bk}};
        block.nodes.fill(kNoNode);
        for (int lane = 0; lane < 8; ++lane) {
          const int i = 2 * bi + (lane & 1), j = 2 * bj + (lane >> 1 & 1),
                    k = 2 * bk + (lane >> 2 & 1);
          if (i >= n[0] || j >= n[1] || k >= n[2] || !cells(i, j, k)) continue;
          block.active = static_cast<std::uint8_t>(block.active | 1 << lane);
          for (int c = 0; c < 8; ++c) {
            const int x = i + (c & 1), y = j + (c >> 1 & 1), z = k + (c >> 2 & 1);
            std::int32_t& node = nodes(x, y, z);
            if (node == kNoNode) {
              node = static_cast<std::int32_t>(lattice.rest_positions.size());
              lattice.rest_positions.push_back(
                  lattice.origin + lattice.spacing * Vec3d{double(x), double(y), double(z)});
            }
            block.nodes[block_node(lane, c)] = node;
          }
        }
        if (block.active) lattice.blocks.push_back(block);
      }
    }
  }
}

/// Finds cells by their coordinate.
class CellIndex {
 public:
  struct Home {
    Index3 at{};
    std::size_t block = 0;
    int lane = 0;
    Vec3d corner() const { return {double(at[0]), double(at[1]), double(at[2])}; }
  };

  explicit CellIndex(const Lattice& lattice) : size_(lattice.size) {
    homes_.reserve(lattice.cell_count());
    lattice.for_each_cell([&](std::size_t b, int lane) {
      const Index3& at = lattice.blocks[b].coordinate;
      const Index3 cell{2 * at[0] + (lane & 1), 2 * at[1] + (lane >> 1 & 1),
                        2 * at[2] + (lane >> 2 & 1)};
      index_[key(cell)] = homes_.size();
      homes_.push_back({cell, b, lane});
    });
  }

  /// The cell that holds a point given in cells from the origin, or the nearest one.
  const Home& nearest(const Vec3d& point) const {
    Index3 at;
    for (int a = 0; a < 3; ++a) {
      at[a] = static_cast<std::int32_t>(std::clamp(std::floor(point[a]), 0.0, size_[a] - 1.0));
    }
    if (const auto found = index_.find(key(at)); found != index_.end())
      return homes_[found->second];
    // Rare: a point in a cell wall that fell on the empty side, a vertex that no face uses.
    return *std::min_element(homes_.begin(), homes_.end(), [&](const Home& s, const Home& t) {
      return square_distance(point, s) < square_distance(point, t);
    });
  }

 private:
  std::int64_t key(const Index3& at) const {
    return at[0] + std::int64_t{size_[0]} * (at[1] + std::int64_t{size_[1]} * at[2]);
  }
  static double square_distance(const Vec3d& point, const Home& home) {
    const Vec3d away = point - home.corner() - Vec3d{0.5, 0.5, 0.5};
    return dot(away, away);
  }

  Index3 size_;
  std::vector<Home> homes_;
  std::unordered_map<std::int64_t, std::size_t> index_;
};

double trilinear_weight(const Vec3d& local, int corner) {
  double weight = 1;
  for (int a = 0; a < 3; ++a) weight *= corner >> a & 1 ? local[a] : 1 - local[a];
  return weight;
}

template <class T>
T weighted_sum(const Embedding::Point& point, std::span<const T> nodal, T sum) {
  for (int c = 0; c < 8; ++c) {
    sum += trilinear_weight(point.local, c) * nodal[point.nodes[c]];
  }
  return sum;
}

}  // namespace

std::size_t Lattice::cell_count() const {
  std::size_t count = 0;
  for (const Block& b : blocks) count += std::popcount(b.active);
  return count;
}

Lattice build_lattice(const geometry::SurfaceMesh& surface, double spacing,
                      const std::string& place, ThreadArena& arena) {
  const std::vector<geometry::Triangle> triangles =
      geometry::oriented_outward(surface.positions, geometry::triangulate(surface), arena)
          .triangles;
  const geometry::Bounds bounds = geometry::bounds_of_faces(surface);
  const Vec3d extent = bounds.size();
  const double volume = std::abs(geometry::enclosed_volume(surface.positions, triangles));
  const double diameter = norm(extent);
  if (!(volume > 1e-9 * diameter * diameter * diameter)) {
    throw Error(Fault::Input, place,
                fmt::format("the surface has no thickness: it encloses {:.3g} m^3 in a box of "
                            "{:.3g} x {:.3g} x {:.3g} m",
                            volume, extent[0], extent[1], extent[2]),
                "give a closed surface with volume inside");
  }

  Lattice lattice = box_around(bounds, spacing, place);
  Box3<std::uint8_t> cells(lattice.size, 0);
  mark_surface(surface, lattice, triangles, cells);
  const geometry::WindingNumber winding(surface.positions, triangles);
  parallel_for(arena, cells.data.size(), 256, [&](std::size_t index) {
    if (cells.data[index]) return;
    const auto i = index % cells.size[0], rest = index / cells.size[0];
    const auto j = rest % cells.size[1], k = rest / cells.size[1];
    const Vec3d center =
        lattice.origin + spacing * Vec3d{double(i) + 0.5, double(j) + 0.5, double(k) + 0.5};
    // The magnitude: a surface turned inside out still means the same body.
    if (std::abs(winding(center)) > 0.5) cells.data[index] = 1;
  });
  make_blocks(cells, lattice);
  return lattice;
}

Embedding embed(const Lattice& lattice, std::span<const Vec3d> points) {
  const CellIndex cells(lattice);
  Embedding embedding;
  embedding.points.reserve(points.size());
  for (const Vec3d& point : points) {
    const Vec3d p = (point - lattice.origin) * (1 / lattice.spacing);
    const CellIndex::Home home = cells.nearest(p);
    Embedding::Point embedded{.nodes = {}, .local = p - home.corner()};
    for (int c = 0; c < 8; ++c) {
      embedded.nodes[c] = lattice.blocks[home.block].nodes[block_node(home.lane, c)];
    }
    embedding.points.push_back(embedded);
  }
  return embedding;
}

void Embedding::interpolate(std::span<const Vec3d> nodal, std::span<Vec3d> at_points) const {
  for (std::size_t p = 0; p < points.size(); ++p) {
    at_points[p] = weighted_sum(points[p], nodal, Vec3d{0, 0, 0});
  }
}

void Embedding::interpolate(std::span<const double> nodal, std::span<double> at_points) const {
  for (std::size_t p = 0; p < points.size(); ++p) {
    at_points[p] = weighted_sum(points[p], nodal, 0.0);
  }
}

}  // namespace isochor::grid
