#include "isochor/grid/solid_shares.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "isochor/geometry/grid_moments.h"
#include "isochor/geometry/winding_number.h"

namespace isochor::grid {
namespace {

/// Shares below this are none.
constexpr double kNothing = 1e-9;
constexpr int kPointsPerAxis = 6;

/// The cells of a lattice that a surface reaches into, as a grid of their own; empty: none.
struct Window {
  Index3 first;
  geometry::RegularGrid grid;

  Window(const Lattice& lattice, const SolidSurface& solid) {
    Vec3d low{INFINITY, INFINITY, INFINITY}, high = -1 * low;
    for (const geometry::Triangle& t : solid.triangles) {
      for (const std::int32_t v : t) {
        low = min(low, solid.positions[v]);
        high = max(high, solid.positions[v]);
      }
    }
    const double h = lattice.spacing;
    for (int a = 0; a < 3; ++a) {
      const double end = lattice.size[a];
      const double begin = std::floor((low[a] - lattice.origin[a]) / h);
      const double after = std::ceil((high[a] - lattice.origin[a]) / h);
      first[a] = static_cast<std::int32_t>(std::clamp(begin, 0.0, end));
      const auto last = static_cast<std::int32_t>(std::clamp(after, 0.0, end));
      grid.size[a] = std::max(0, last - first[a]);
      grid.origin[a] = lattice.origin[a] + h * first[a];
    }
    grid.spacing = h;
  }

  /// The number of a cell of the lattice in the grid, or -1.
  std::int64_t find(const Index3& at) const {
    for (int a = 0; a < 3; ++a) {
      if (at[a] < first[a] || at[a] >= first[a] + grid.size[a]) return -1;
    }
    return static_cast<std::int64_t>(
        grid.index(at[0] - first[0], at[1] - first[1], at[2] - first[2]));
  }
};

/// Low corners of all cells, by cell.
std::vector<Vec3d> corners_of(const Lattice& lattice) {
  std::vector<Vec3d> corners;
  corners.reserve(lattice.cell_count());
  lattice.for_each_cell([&](std::size_t b, int lane) {
    corners.push_back(lattice.rest_positions[lattice.blocks[b].nodes[block_node(lane, 0)]]);
  });
  return corners;
}

/// A solid in a cell that several reach into.
struct Claim {
  std::int32_t solid = 0;
  CellShare* share = nullptr;
};

/// Divides a cell among its claims, which come in the order of solids.
void divide(std::span<const Claim> claims, std::span<const geometry::WindingNumber* const> inside,
            const Vec3d& low, double h) {
  struct Count {
    int own = 0, kept = 0;
    Vec3d sum{0, 0, 0}, kept_sum{0, 0, 0};
  };
  std::vector<Count> counts(claims.size());
  for (int i = 0; i < kPointsPerAxis * kPointsPerAxis * kPointsPerAxis; ++i) {
    const std::array<int, 3> at{i % kPointsPerAxis, i / kPointsPerAxis % kPointsPerAxis,
                                i / (kPointsPerAxis * kPointsPerAxis)};
    Vec3d point = low;
    for (int a = 0; a < 3; ++a) point[a] += h * (at[a] + 0.5) / kPointsPerAxis;
    bool taken = false;
    for (std::size_t c = 0; c < claims.size(); ++c) {
      if (!((*inside[c])(point) > 0.5)) continue;
      ++counts[c].own;
      counts[c].sum += point;
      if (!taken) {
        ++counts[c].kept;
        counts[c].kept_sum += point;
      }
      taken = true;
    }
  }
  double left = 1;
  for (std::size_t c = 0; c < claims.size(); ++c) {
    CellShare& share = *claims[c].share;
    const Count& n = counts[c];
    if (n.own > 0) {
      share.fraction *= double(n.kept) / n.own;
      // By how much the middle of what is kept differs, as the points see it.
      if (n.kept > 0) {
        share.centroid += (1.0 / n.kept) * n.kept_sum - (1.0 / n.own) * n.sum;
      }
    }
    share.fraction = std::min(share.fraction, left);
    left -= share.fraction;
  }
}

}  // namespace

std::vector<std::vector<CellShare>> shares_in_cells(const Lattice& lattice,
                                                    std::span<const SolidSurface> solids,
                                                    ThreadArena& arena) {
  std::vector<std::vector<CellShare>> all(solids.size());
  const double h = lattice.spacing;
  for (std::size_t s = 0; s < solids.size(); ++s) {
    const Window window(lattice, solids[s]);
    if (window.grid.cell_count() == 0) continue;
    const std::vector<geometry::Moments> moments =
        geometry::moments_in_cells(solids[s].positions, solids[s].triangles, window.grid, arena);
    std::int32_t cell = 0;
    lattice.for_each_cell([&](std::size_t b, int lane) {
      const Block& block = lattice.blocks[b];
      const std::int64_t found = window.find(cell_coordinate(block, lane));
      if (found >= 0 && moments[found].volume > kNothing) {
        const geometry::Moments& m = moments[found];
        const Vec3d low = lattice.rest_positions[block.nodes[block_node(lane, 0)]];
        all[s].push_back({cell, m.volume, low + (h / m.volume) * m.first});
      }
      ++cell;
    });
  }
  return all;
}

void give_to_first(const Lattice& lattice, std::span<const SolidSurface> solids,
                   std::vector<std::vector<CellShare>>& shares, ThreadArena& arena) {
  std::vector<std::vector<Claim>> claims(lattice.cell_count());
  for (std::size_t s = 0; s < shares.size(); ++s) {
    for (CellShare& share : shares[s]) {
      claims[share.cell].push_back({static_cast<std::int32_t>(s), &share});
    }
  }
  // Trees only of solids that meet others.
  std::vector<std::optional<geometry::WindingNumber>> inside(solids.size());
  std::vector<std::int32_t> contested;
  for (std::size_t c = 0; c < claims.size(); ++c) {
    if (claims[c].size() < 2) continue;
    contested.push_back(static_cast<std::int32_t>(c));
    for (const Claim& claim : claims[c]) {
      const SolidSurface& solid = solids[claim.solid];
      if (!inside[claim.solid]) inside[claim.solid].emplace(solid.positions, solid.triangles);
    }
  }
  const std::vector<Vec3d> corners = corners_of(lattice);
  parallel_for(arena, contested.size(), 16, [&](std::size_t i) {
    const std::vector<Claim>& of_cell = claims[contested[i]];
    std::vector<const geometry::WindingNumber*> numbers;
    for (const Claim& claim : of_cell) numbers.push_back(&*inside[claim.solid]);
    divide(of_cell, numbers, corners[contested[i]], lattice.spacing);
  });
  for (std::vector<CellShare>& of_solid : shares) {
    std::erase_if(of_solid, [](const CellShare& share) { return share.fraction <= kNothing; });
  }
}

}  // namespace isochor::grid
