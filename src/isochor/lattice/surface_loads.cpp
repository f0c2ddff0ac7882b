#include "isochor/lattice/surface_loads.h"

#include "isochor/math/reduce.h"

namespace isochor::lattice {

void add_pressure_force(const PressurePart& part, double p, const CellVectors& x,
                        CellVectors& force) {
  int pair = 0;
  for (int i = 0; i < 8; ++i) {
    for (int j = i + 1; j < 8; ++j, ++pair) {
      const Vec3d turn = (-p) * cross(x[i], x[j]);
      for (int c = 0; c < 8; ++c) force[c] += part.pairs[c][pair] * turn;
    }
  }
}

void add_pressure_tangent(const PressurePart& part, double p, const CellVectors& x, CellMatrix& K) {
  // With s_ci = sum_j C_cij x_j, moving corner i by d changes the force on corner c by -p d x s_ci.
  for (int c = 0; c < 8; ++c) {
    CellVectors s{};
    int pair = 0;
    for (int i = 0; i < 8; ++i) {
      for (int j = i + 1; j < 8; ++j, ++pair) {
        s[i] += part.pairs[c][pair] * x[j];
        s[j] -= part.pairs[c][pair] * x[i];
      }
    }
    for (int i = 0; i < 8; ++i) {
      for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, d = (a + 2) % 3;
        // The unit vector of axis a crossed with s has s_d along -b and s_b along d.
        K[3 * i + a][3 * c + b] -= p * s[i][d];
        K[3 * i + a][3 * c + d] += p * s[i][b];
      }
    }
  }
}

double pressure_work(const Model& model, std::span<const double> pressures,
                     std::span<const Vec3d> from, std::span<const Vec3d> way, double length,
                     std::span<double> memory, ThreadArena& arena) {
  const Surfaces& surfaces = model.surfaces;
  if (pressures.empty() || surfaces.pressure_parts.empty()) return 0;
  parallel_for(arena, surfaces.cells.size(), 16, [&](std::size_t k) {
    const SurfaceCell& cell = surfaces.cells[k];
    // Forces are of second degree in the length of the way, so that Simpson's rule is exact.
    constexpr double kWeight[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
    double work = 0;
    for (int point = 0; point < 3 && cell.first_pressure < cell.pressure_end; ++point) {
      CellVectors x, force{};
      for (int c = 0; c < 8; ++c) {
        x[c] = from[cell.nodes[c]] + (0.5 * point * length) * way[cell.nodes[c]];
      }
      for (std::int32_t part = cell.first_pressure; part < cell.pressure_end; ++part) {
        const PressurePart& pressed = surfaces.pressure_parts[part];
        add_pressure_force(pressed, pressures[pressed.load], x, force);
      }
      for (int c = 0; c < 8; ++c) {
        work += kWeight[point] * length * dot(force[c], way[cell.nodes[c]]);
      }
    }
    memory[k] = work;
  });
  return deterministic_sum(arena, surfaces.cells.size(), [&](std::size_t k, std::size_t end) {
    double sum = 0;
    for (; k < end; ++k) sum += memory[k];
    return sum;
  });
}

}  // namespace isochor::lattice
