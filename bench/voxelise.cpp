/// How fast a lattice is built around a surface: a ball with a wavy radius, a million triangles,
/// two million cells.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "bench/benchmark.h"
#include "isochor/geometry/shapes.h"
#include "isochor/grid/embedding.h"

namespace isochor::bench {

std::vector<BenchRow> voxelise(Context& context) {
  geometry::SurfaceMesh body = geometry::make_sphere({0, 0, 0}, 1, std::numbers::pi / 2 / 289);
  for (Vec3d& p : body.positions) {
    p *= 1 + 0.05 * std::sin(9 * p[0]) * std::sin(11 * p[1]) * std::sin(10 * p[2]);
  }
  const double triangles = 2 * double(body.face_count());
  grid::Lattice lattice;
  const double seconds =
      fastest(1, [&] { lattice = grid::build_lattice(body, 2.0 / 156, "body", context.arena); });
  const double cells = double(lattice.cell_count());
  const double boundary =
      double(std::count(lattice.labels.begin(), lattice.labels.end(), grid::CellLabel::Boundary));
  const std::string note =
      fmt::format("{:.0f} triangles, {:.0f} cells, {:.0f} of them cut; {} threads", triangles,
                  cells, boundary, context.arena.threads());
  grid::Embedding embedding;
  const double embed_seconds = fastest(1, [&] {
    embedding =
        grid::embed(lattice, body.positions, lattice.vertex_cells, grid::Interpolation::Tricubic);
  });
  const double points = double(body.positions.size());
  return {{.name = "voxelise/cells",
           .value = 1e-6 * cells / seconds,
           .unit = "million cells per second",
           .note = note},
          {.name = "voxelise/triangles",
           .value = 1e-6 * triangles / seconds,
           .unit = "million triangles per second",
           .note = note},
          {.name = "voxelise/memory",
           .value = double(lattice.memory()) / cells,
           .unit = "bytes per cell",
           .note = note},
          {.name = "voxelise/embedding",
           .value = 1e-6 * points / embed_seconds,
           .unit = "million points per second",
           .note = fmt::format("tricubic; {:.0f} bytes per point",
                               double(embedding.memory()) / points)}};
}

}  // namespace isochor::bench
