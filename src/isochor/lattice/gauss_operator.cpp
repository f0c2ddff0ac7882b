#include "isochor/lattice/gauss_operator.h"

#include <array>
#include <numeric>

#include "isochor/materials/dense_law.h"
#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"
#include "isochor/materials/tangent_numbers.h"

namespace isochor::lattice::gauss {
namespace {

using materials::DenseTangent;
using materials::PrincipalTangent;

constexpr int kPoints = 8;

using Corners = std::array<Vec3d, 8>;

/// gradient[point][corner]: the gradient of the corner's trilinear shape function at a Gauss point
/// of the unit cell. Points are numbered as corners are, by the bits of x, y and z.
constexpr auto kGradients = [] {
  constexpr double kNear = 0.5 + 0.28867513459481287, kFar = 1 - kNear;  // 1/2 +- 1/sqrt(12)
  std::array<Corners, kPoints> gradients{};
  for (int point = 0; point < kPoints; ++point) {
    for (int corner = 0; corner < 8; ++corner) {
      for (int axis = 0; axis < 3; ++axis) {
        double slope = corner >> axis & 1 ? 1 : -1;
        for (int other = 0; other < 3; ++other) {
          if (other == axis) continue;
          slope *= (corner >> other & 1) == (point >> other & 1) ? kNear : kFar;
        }
        gradients[point][corner].e[axis] = slope;
      }
    }
  }
  return gradients;
}();

/// A cell's place among the arrays of a model.
struct Cell {
  Cell(const Model& m, std::size_t b, int l)
      : model(m),
        block(b),
        lane(l),
        group(m.groups[b / kGroupBlocks]),
        moduli(m.moduli[b / kGroupBlocks]),
        member(static_cast<int>(b % kGroupBlocks)),
        material(m.materials[m.bodies[group.body].first_material + m.blocks[b].material[l]]),
        has_axes(!materials::is_isotropic(material.law)) {}

  std::int32_t node(int c) const {
    return model.corner(static_cast<std::int32_t>(8 * block) + lane, c);
  }
  double fill() const { return moduli.fill[lane][member]; }
  Corners gather(std::span<const Vec3d> nodal) const {
    Corners corners;
    for (int c = 0; c < 8; ++c) corners[c] = nodal[node(c)];
    return corners;
  }
  void scatter(const Corners& corners, std::span<Vec3d> nodal) const {
    for (int c = 0; c < 8; ++c) nodal[node(c)] += corners[c];
  }

  const Model& model;
  std::size_t block;
  int lane;
  const BlockGroup& group;
  const GroupModuli& moduli;
  int member;  ///< of the group
  const Material& material;
  bool has_axes;
};

template <class S>
void clear(std::span<Vec3<S>> nodal, ThreadArena& arena) {
  parallel_for(arena, nodal.size(), solve::kVectorGrain, [&](std::size_t i) {
    nodal[i] = {0, 0, 0};
  });
}

/// Calls f(cell) for all cells, colour after colour.
template <class F>
void for_each_cell(const Model& model, ThreadArena& arena, F&& f) {
  const auto visit_tile = [&](std::size_t tile) {
    const std::size_t begin = std::size_t(model.tile_starts[tile]) * kGroupBlocks,
                      end = std::size_t(model.tile_starts[tile + 1]) * kGroupBlocks;
    for (std::size_t b = begin; b < end; ++b) {
      for (int lane = 0; lane < 8; ++lane) {
        if (model.blocks[b].active >> lane & 1) f(Cell(model, b, lane));
      }
    }
  };
  for (std::size_t c = 0; c + 1 < model.color_starts.size(); ++c) {
    const std::size_t begin = model.color_starts[c], end = model.color_starts[c + 1];
    parallel_for(arena, end - begin, 1, [&](std::size_t i) { visit_tile(begin + i); });
  }
}

/// What a cell's corners carry, differentiated at a Gauss point.
Mat3d gradient_at(int point, const Corners& x, double h) {
  Mat3d F = Mat3d::zero();
  for (int c = 0; c < 8; ++c) {
    for (int axis = 0; axis < 3; ++axis) F.column[axis] += kGradients[point][c][axis] * x[c];
  }
  return F * (1 / h);
}

/// Adds the forces of a stress at a Gauss point, each of which has an eighth of the material.
void add_forces(int point, const Mat3d& P, const Cell& cell, Corners& force) {
  const double h = cell.group.h, scale = 0.125 * cell.fill() * h * h;
  for (int c = 0; c < 8; ++c) force[c] -= scale * (P * kGradients[point][c]);
}

/// A law in one cell: F at its points in the law's own axes, as a batch wants it.
class CellBatch {
 public:
  CellBatch(const Cell& cell, const Configuration& at) : cell_(cell) {
    const Material& material = cell.material;
    std::copy(material.shape.begin(), material.shape.end(), common_.shape);
    if (cell.has_axes) {
      const GroupAxes& axes = cell.model.axes[cell.group.tangent];
      for (int i = 0; i < 9; ++i) axes_(i % 3, i / 3) = axes.Q[i][cell.lane][cell.member];
      common_.fibres = axes.fibres[cell.lane][cell.member];
      if (!at.activations.empty()) {
        common_.activation = axes.activation[cell.lane][cell.member] *
                             at.activations[cell.model.material(
                                 cell.group, cell.model.blocks[cell.block], cell.lane)];
      }
    }
    const Corners x = cell.gather(at.positions);
    for (int point = 0; point < kPoints; ++point) {
      Mat3d F = gradient_at(point, x, cell.group.h);
      if (cell.has_axes) F = F * axes_;
      for (int i = 0; i < 9; ++i) F_[i][point] = F(i % 3, i / 3);
      mu_[point] = cell.moduli.mu[cell.lane][cell.member];
      lambda_[point] = cell.moduli.lambda[cell.lane][cell.member];
    }
  }

  /// Of the whole cell, J.
  double energy() const {
    double density[kPoints];
    materials::LawBatch<double> b = batch();
    b.energy = density;
    materials::evaluate(cell_.material.law, b);
    return energy_of(density);
  }

  /// Adds the corner forces; returns the energy.
  double add_corner_forces(Corners& force) const {
    double density[kPoints], stress[9][kPoints];
    materials::LawBatch<double> b = batch();
    b.energy = density;
    b.stress = &stress[0][0];
    materials::evaluate(cell_.material.law, b);
    for (int point = 0; point < kPoints; ++point) {
      Mat3d P;
      for (int i = 0; i < 9; ++i) P(i % 3, i / 3) = stress[i][point];
      if (cell_.has_axes) P = times_transpose(P, axes_);
      add_forces(point, P, cell_, force);
    }
    return energy_of(density);
  }

  void linearise(materials::Definiteness fix, double* numbers) const {
    materials::LawBatch<double> b = batch();
    b.fix = fix;
    b.tangent = numbers;
    materials::evaluate(cell_.material.law, b);
    if (!cell_.has_axes) return;
    for (int point = 0; point < kPoints; ++point) {
      DenseTangent<double> t;
      for (int i = 0; i < t.kSize; ++i) t.entry[i] = numbers[i * kPoints + point];
      t = materials::turned(t, axes_);
      for (int i = 0; i < t.kSize; ++i) numbers[i * kPoints + point] = t.entry[i];
    }
  }

 private:
  materials::LawBatch<double> batch() const {
    return {.count = kPoints, .F = &F_[0][0], .mu = mu_, .lambda = lambda_, .common = common_};
  }

  double energy_of(const double (&density)[kPoints]) const {
    const double h = cell_.group.h;
    return 0.125 * cell_.fill() * h * h * h * std::accumulate(density, density + kPoints, 0.0);
  }

  Cell cell_;
  materials::Parameters<double> common_{};
  Mat3d axes_ = Mat3d::identity();
  double F_[9][kPoints], mu_[kPoints], lambda_[kPoints];
};

int numbers_of(const BlockGroup& group) { return group.dense ? DenseTangent<double>::kSize : 30; }

/// Where a cell's numbers begin.
std::size_t offset_of(const Cell& cell, const Tangents& tangents) {
  return tangents.first[cell.block] + std::size_t(cell.lane * kPoints * numbers_of(cell.group));
}

void load(const double* numbers, int point, DenseTangent<double>& t) {
  for (int i = 0; i < t.kSize; ++i) t.entry[i] = numbers[i * kPoints + point];
}

void load(const double* numbers, int point, PrincipalTangent<double>& t) {
  t = materials::principal_from<double>([&](int e) { return numbers[e * kPoints + point]; });
}

/// Calls f(point, tangent) for the points of a cell.
template <class F>
void for_each_tangent(const Cell& cell, const Tangents& tangents, F&& f) {
  const double* numbers = tangents.numbers.data() + offset_of(cell, tangents);
  const auto visit = [&]<class Tangent>(Tangent tangent) {
    for (int point = 0; point < kPoints; ++point) {
      load(numbers, point, tangent);
      f(point, tangent);
    }
  };
  if (cell.has_axes) {
    visit(DenseTangent<double>{});
  } else {
    visit(PrincipalTangent<double>{});
  }
}

double sum_of(std::span<const double> values, ThreadArena& arena) {
  return deterministic_sum(arena, values.size(), [&](std::size_t begin, std::size_t end) {
    return std::accumulate(values.begin() + begin, values.begin() + end, 0.0);
  });
}

}  // namespace

Tangents::Tangents(const Model& model) {
  std::size_t size = 0;
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    first.push_back(size);
    size += std::size_t(8 * kPoints * numbers_of(model.groups[b / kGroupBlocks]));
  }
  numbers.resize(size);
}

double elastic_energy(const Model& model, const Configuration& at, std::span<double> block_energy,
                      ThreadArena& arena) {
  std::fill(block_energy.begin(), block_energy.end(), 0.0);
  for_each_cell(model, arena, [&](const Cell& cell) {
    block_energy[cell.block] += CellBatch(cell, at).energy();
  });
  return sum_of(block_energy, arena);
}

double elastic_force(const Model& model, const Configuration& at, std::span<Vec3d> force,
                     std::span<double> block_energy, ThreadArena& arena) {
  clear(force, arena);
  std::fill(block_energy.begin(), block_energy.end(), 0.0);
  for_each_cell(model, arena, [&](const Cell& cell) {
    Corners f{};
    block_energy[cell.block] += CellBatch(cell, at).add_corner_forces(f);
    cell.scatter(f, force);
  });
  return sum_of(block_energy, arena);
}

void linearise(const Model& model, const Configuration& at, materials::Definiteness fix,
               Tangents& tangents, ThreadArena& arena) {
  for_each_cell(model, arena, [&](const Cell& cell) {
    CellBatch(cell, at).linearise(fix, tangents.numbers.data() + offset_of(cell, tangents));
  });
}

void apply_stiffness(const Model& model, const Tangents& tangents,
                     std::span<const Vec3d> displacements, std::span<Vec3d> out,
                     ThreadArena& arena) {
  clear(out, arena);
  for_each_cell(model, arena, [&](const Cell& cell) {
    const double h = cell.group.h;
    const Corners d = cell.gather(displacements);
    Corners f{};
    for_each_tangent(cell, tangents, [&](int point, const auto& tangent) {
      const Mat3d dF = gradient_at(point, d, h);
      // The force differential with the sign of K.
      add_forces(point, -1.0 * materials::stress_differential(tangent, dF), cell, f);
    });
    cell.scatter(f, out);
  });
}

void stiffness_diagonal(const Model& model, const Tangents& tangents, std::span<Vec3f> diagonal,
                        ThreadArena& arena) {
  clear(diagonal, arena);
  for_each_cell(model, arena, [&](const Cell& cell) {
    const double h = cell.group.h;
    Corners d{};
    for_each_tangent(cell, tangents, [&](int point, const auto& tangent) {
      for (int c = 0; c < 8; ++c) {
        const Vec3d gradient = kGradients[point][c] * (1 / h);
        d[c] +=
            (0.125 * cell.fill() * h * h * h) * materials::rank_one_curvatures(tangent, gradient);
      }
    });
    for (int c = 0; c < 8; ++c) {
      for (int a = 0; a < 3; ++a) diagonal[cell.node(c)][a] += static_cast<float>(d[c][a]);
    }
  });
}

}  // namespace isochor::lattice::gauss
