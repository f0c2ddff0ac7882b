#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "isochor/geometry/shapes.h"
#include "isochor/lattice/operator.h"
#include "isochor/materials/registry.h"
#include "isochor/math/mat3.h"

namespace isochor::lattice {

/// A box of nx x ny x nz cells of edge h, from the origin, with a stiffness that differs by cell.
inline BodySpec box_spec(int nx, int ny, int nz, double h, double mu = 1, double lambda = 2) {
  ThreadArena arena(1);
  const Vec3d size{nx * h, ny * h, nz * h};
  BodySpec spec{.name = "box", .law = materials::law_index("corotated")};
  spec.lattice = grid::build_lattice(geometry::make_box(0.5 * size, size, h), h, "box", arena);
  for (std::size_t c = 0; c < spec.lattice.cell_count(); ++c) {
    const double factor = 1 + 0.5 * std::sin(double(c));
    spec.mu.push_back(mu * factor);
    spec.lambda.push_back(lambda * factor);
  }
  return spec;
}

inline void make_uniform(BodySpec& spec, double mu, double lambda) {
  spec.mu.assign(spec.mu.size(), mu);
  spec.lambda.assign(spec.lambda.size(), lambda);
}

/// The moduli of an entry of Model::cells.
inline double mu_of(const Model& model, std::int32_t cell) {
  return model.moduli[cell / 8 / kGroupBlocks].mu[cell % 8][cell / 8 % kGroupBlocks];
}
inline double lambda_of(const Model& model, std::int32_t cell) {
  return model.moduli[cell / 8 / kGroupBlocks].lambda[cell % 8][cell / 8 % kGroupBlocks];
}

/// Nodes for which f(rest position) is true.
template <class F>
HoldSpec hold_where(const BodySpec& spec, const std::string& name, F&& f) {
  HoldSpec hold{.name = name, .place = name};
  for (std::size_t n = 0; n < spec.lattice.rest_positions.size(); ++n) {
    if (f(spec.lattice.rest_positions[n])) hold.nodes.push_back(static_cast<std::int32_t>(n));
  }
  return hold;
}

/// Rest positions of all held nodes, in the order of StepInput::held_positions, moved by f.
template <class F>
std::vector<Vec3d> targets(const Model& model, F&& f) {
  std::vector<Vec3d> result;
  for (const Hold& hold : model.holds) {
    for (const std::int32_t n : hold.nodes) result.push_back(f(hold.name, model.rest_positions[n]));
  }
  return result;
}

inline constexpr double kL = 1.0;  // length of the bars along x

/// A bar along x, both ends held.
inline Model bar(double mu = 1e4, double lambda = 2e4, Params params = {}) {
  BodySpec spec = box_spec(8, 3, 3, kL / 8, mu, lambda);
  spec.holds = {hold_where(spec, "left", [](const Vec3d& p) { return p[0] < 1e-9; }),
                hold_where(spec, "right", [](const Vec3d& p) { return p[0] > kL - 1e-9; })};
  return build_model({std::move(spec)}, params);
}

/// The right end turned about x and pulled.
inline std::vector<Vec3d> twisted(const Model& model, double angle, double pull) {
  const Mat3d Q = rotation_from_vector({angle, 0, 0});
  return targets(model, [&](const std::string& name, const Vec3d& p) {
    return name == "box.right" ? Q * p + Vec3d{pull, 0, 0} : p;
  });
}

/// Rest positions with a random offset; an amplitude of a cell or more inverts some cells.
inline std::vector<Vec3d> shaken(const Model& model, double amplitude, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Vec3d> x = model.rest_positions;
  for (Vec3d& p : x) p += amplitude * Vec3d{normal(random), normal(random), normal(random)};
  return x;
}

inline std::vector<Vec3d> elastic_force(const Model& model, std::span<const Vec3d> x) {
  ThreadArena arena(1);
  std::vector<Vec3d> f(model.node_count());
  std::vector<double> energy(model.blocks.size());
  elastic_force(model, x, f, energy, arena);
  return f;
}

inline double elastic_energy(const Model& model, std::span<const Vec3d> x) {
  ThreadArena arena(1);
  std::vector<double> energy(model.blocks.size());
  return elastic_energy(model, x, energy, arena);
}

/// The stiffness matrix, column by column.
inline Eigen::MatrixXd assemble(const Model& model, const Tangents& tangents) {
  ThreadArena arena(1);
  const auto size = static_cast<Eigen::Index>(3 * model.node_count());
  Eigen::MatrixXd K(size, size);
  std::vector<Vec3d> unit(model.node_count(), Vec3d{0, 0, 0}), column(model.node_count());
  for (std::size_t n = 0; n < unit.size(); ++n) {
    for (int a = 0; a < 3; ++a) {
      unit[n][a] = 1;
      apply_stiffness(model, tangents, unit, column, arena);
      unit[n][a] = 0;
      K.col(static_cast<Eigen::Index>(3 * n + a)) =
          Eigen::Map<const Eigen::VectorXd>(&column[0][0], size);
    }
  }
  return K;
}

inline Tangents linearised(const Model& model, std::span<const Vec3d> x,
                           materials::Definiteness fix = materials::Definiteness::None) {
  ThreadArena arena(1);
  Tangents tangents(model);
  linearise(model, x, fix, tangents, arena);
  return tangents;
}

}  // namespace isochor::lattice
