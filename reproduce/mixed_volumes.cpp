#include "reproduce/mixed_volumes.h"

#include <algorithm>
#include <cmath>

#include "isochor/math/mat3.h"

namespace isochor::reproduce {

namespace mixed = lattice::mixed;

namespace {

/// J of a trilinear cell is a polynomial that two Gauss points per axis integrate. Of the unit
/// cell's: m^3.
double cell_volume(const lattice::Model& model, std::span<const Vec3d> x, std::int32_t cell) {
  const double g[2] = {0.5 - std::sqrt(1.0 / 12), 0.5 + std::sqrt(1.0 / 12)};
  double volume = 0;
  for (int point = 0; point < 8; ++point) {
    const double at[3] = {g[point & 1], g[point >> 1 & 1], g[point >> 2]};
    Mat3d F = Mat3d::zero();
    for (int corner = 0; corner < 8; ++corner) {
      for (int axis = 0; axis < 3; ++axis) {
        double slope = corner >> axis & 1 ? 1 : -1;
        for (int a = 0; a < 3; ++a) {
          if (a != axis) slope *= corner >> a & 1 ? at[a] : 1 - at[a];
        }
        F.column[axis] += slope * x[model.corner(cell, corner)];
      }
    }
    volume += determinant(F) / 8;
  }
  return volume;
}

/// `change(cell)` and `weight(cell)`, of entries of Model::cells, put together.
template <class Change, class Weight, class Counts>
Volumes gather(const lattice::Model& model, Change&& change, Weight&& weight, Counts&& counts) {
  struct Sum {
    double gained = 0, rest = 0;
    void add(double by, double volume) {
      gained += by * volume;
      rest += volume;
    }
    double change() const { return rest > 0 ? gained / rest : 0; }
  };
  std::vector<Sum> blocks(model.blocks.size());
  Sum whole;
  Volumes out;
  for (const std::int32_t cell : model.cells) {
    const double by = change(cell), volume = weight(cell);
    blocks[cell / 8].add(by, volume);
    whole.add(by, volume);
    if (counts(cell)) out.worst_cell = std::max(out.worst_cell, std::abs(by));
  }
  for (const Sum& block : blocks) {
    out.worst_block = std::max(out.worst_block, std::abs(block.change()));
  }
  out.total = whole.change();
  return out;
}

double cube_of(const lattice::Model& model, std::int32_t cell) {
  const double h = model.blocks[cell / 8].h;
  return h * h * h;
}

}  // namespace

Volumes trilinear_volumes(const lattice::Model& model, std::span<const Vec3d> positions) {
  const auto change = [&](std::int32_t cell) {
    return cell_volume(model, positions, cell) / cube_of(model, cell) - 1;
  };
  const auto weight = [&](std::int32_t cell) { return cube_of(model, cell); };
  return gather(model, change, weight, [](std::int32_t) { return true; });
}

Volumes measured_volumes(const mixed::Model& model, const mixed::State& state, double least_fill,
                         Context& context) {
  std::vector<double> M(model.pressure_count());
  mixed::measure(model, {state.positions, state.pressure, {}}, M, context.arena);
  const auto change = [&](std::int32_t cell) { return M[mixed::Model::pressure_at(cell)]; };
  const auto weight = [&](std::int32_t cell) {
    const auto& v = model.volumes[cell / mixed::kGroupCells];
    return v.volume[cell % 8][cell / 8 % lattice::kGroupBlocks];
  };
  const auto counts = [&](std::int32_t cell) {
    return weight(cell) >= least_fill * cube_of(model.base, cell);
  };
  return gather(model.base, change, weight, counts);
}

}  // namespace isochor::reproduce
