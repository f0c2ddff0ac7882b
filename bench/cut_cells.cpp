/// What it costs to know the material in cells at the surface exactly: moments by clipping, four
/// points for each cell, and the surface cut along cells. The body is that of `voxelise`.
#include <cmath>
#include <fmt/core.h>
#include <numbers>
#include <random>

#include "bench/benchmark.h"
#include "isochor/geometry/shapes.h"
#include "isochor/grid/surface_patches.h"

namespace isochor::bench {
namespace {

/// Nanoseconds per triangle of the size of cells, half of them partly outside, on one core.
double clipping_time() {
  constexpr std::size_t kCount = 20000;
  std::mt19937_64 engine(1);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(engine() >> 11) * 0x1p-53);
  };
  std::vector<geometry::TriangleCorners> triangles(kCount);
  for (geometry::TriangleCorners& t : triangles) {
    const Vec3d at{uniform(0, 1), uniform(0, 1), uniform(0, 1)};
    for (Vec3d& p : t) p = at + Vec3d{uniform(-0.3, 0.3), uniform(-0.3, 0.3), uniform(-0.3, 0.3)};
  }
  double volume = 0;
  const double seconds = fastest(5, [&] {
    geometry::CubeMoments sum;
    for (const geometry::TriangleCorners& t : triangles) sum.add(t);
    volume += sum.bare_volume();
  });
  return std::isfinite(volume) ? 1e9 * seconds / kCount : INFINITY;
}

}  // namespace

std::vector<BenchRow> cut_cells(Context& context) {
  geometry::SurfaceMesh body = geometry::make_sphere({0, 0, 0}, 1, std::numbers::pi / 2 / 289);
  for (Vec3d& p : body.positions) {
    p *= 1 + 0.05 * std::sin(9 * p[0]) * std::sin(11 * p[1]) * std::sin(10 * p[2]);
  }
  const std::vector<geometry::Triangle> triangles = triangulate(body);
  grid::LatticeOptions options{.spacing = 2.0 / 156, .least_fraction = 0.02};
  grid::Lattice lattice;
  const auto build = [&] {
    return fastest(1, [&] { lattice = grid::build_lattice(body, options, "body", context.arena); });
  };
  const double without = build();
  options.quadrature = true;
  const double with = build();
  std::vector<grid::SurfacePatch> patches;
  const double cutting = fastest(1, [&] {
    patches = grid::surface_patches(lattice, body.positions, triangles, context.arena);
  });
  const double cells = double(lattice.cut_cells.size());
  const grid::CutCounts counts = grid::count(lattice.cut_cells);
  const std::string threads = fmt::format("{} threads", context.arena.threads());
  return {
      {.name = "cut-cells/clipping",
       .value = clipping_time(),
       .unit = "ns per triangle",
       .note = "moments up to degree two; one core"},
      {.name = "cut-cells/points",
       .value = 1e6 * (with - without) / cells,
       .unit = "us per cut cell",
       .note = fmt::format("{:.0f} cells, points of {} in the body; {}", cells, counts.in_body,
                           threads)},
      {.name = "cut-cells/build",
       .value = with,
       .unit = "s",
       .note = fmt::format("{} triangles, {} cells with their lattice; {}", triangles.size(),
                           lattice.cell_count(), threads)},
      {.name = "cut-cells/memory",
       .value = double(sizeof(grid::CutCell)),
       .unit = "bytes per cut cell"},
      {.name = "cut-cells/patches",
       .value = 1e-6 * double(patches.size()) / cutting,
       .unit = "million patches per second",
       .note = fmt::format("{} of {} triangles; {}", patches.size(), triangles.size(), threads)}};
}

}  // namespace isochor::bench
