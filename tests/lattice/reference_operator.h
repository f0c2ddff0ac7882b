#pragma once

#include "isochor/lattice/element_kernel.h"
#include "isochor/lattice/operator.h"
#include "isochor/materials/registry.h"

/// The lattice's operators as one would write them first: cell by cell from what bodies are made
/// of, scalar, in double, without groups, tiles or stored tangents. Nodes and cells of a body come
/// after those of the body before it.
namespace isochor::lattice {

class ReferenceOperator {
 public:
  ReferenceOperator(const std::vector<BodySpec>& bodies, bool stabilise)
      : bodies_(bodies), stabilise_(stabilise) {}

  double energy(const Configuration& at) const {
    double total = 0;
    for_each_cell(at, [&](const Cell& cell, const CellLaw& law) {
      total += cell.volume() * law.respond(cell.F).energy +
               stabilisation_energy(cell.x, cell.F, cell.h, cell.spread_mu);
    });
    return total;
  }

  std::vector<Vec3d> force(const Configuration& at) const {
    std::vector<Vec3d> result(at.positions.size(), Vec3d{0, 0, 0});
    for_each_cell(at, [&](const Cell& cell, const CellLaw& law) {
      add_forces(cell, cell.x, cell.F, law.respond(cell.F).stress, result);
    });
    return result;
  }

  std::vector<CellStress> stresses(const Configuration& at) const {
    std::vector<CellStress> result;
    for_each_cell(at, [&](const Cell& cell, const CellLaw& law) {
      result.push_back({cell.F, law.respond(cell.F).stress * (1 / law.fill)});
    });
    return result;
  }

  /// K d, linearised with the fix.
  std::vector<Vec3d> apply(const Configuration& at, materials::Definiteness fix,
                           std::span<const Vec3d> d) const {
    std::vector<Vec3d> result(d.size(), Vec3d{0, 0, 0});
    for_each_cell(at, [&](const Cell& cell, const CellLaw& law) {
      Vec3d dx[8];
      for (int c = 0; c < 8; ++c) dx[c] = -d[cell.nodes[c]];
      const Mat3d dF = deformation_gradient(dx, 1 / cell.h);
      add_forces(cell, dx, dF, law.stress_differential(cell.F, fix, dF), result);
    });
    return result;
  }

  /// The diagonal of K, column by column.
  std::vector<Vec3d> diagonal(const Configuration& at, materials::Definiteness fix) const {
    std::vector<Vec3d> result(at.positions.size(), Vec3d{0, 0, 0});
    for_each_cell(at, [&](const Cell& cell, const CellLaw& law) {
      for (int c = 0; c < 8; ++c) {
        for (int a = 0; a < 3; ++a) {
          Vec3d dx[8] = {}, f[8] = {};
          dx[c][a] = -1;
          const Mat3d dF = deformation_gradient(dx, 1 / cell.h);
          const Mat3d dP = law.stress_differential(cell.F, fix, dF);
          add_corner_forces(dx, dF, dP, cell.h, cell.spread_mu, f);
          result[cell.nodes[c]][a] += f[c][a];
        }
      }
    });
    return result;
  }

 private:
  struct Cell {
    std::int32_t nodes[8];
    Vec3d x[8];
    double h, spread_mu;
    Mat3d F;
    double volume() const { return h * h * h; }
  };

  /// A law at work in one cell: parameters and axes filled in.
  struct CellLaw {
    int law;
    materials::Parameters<double> parameters;
    Mat3d Q = Mat3d::identity();
    double fill = 1;

    materials::Response<double> respond(const Mat3d& F) const {
      materials::Response<double> response;
      materials::with_law(law, [&]<class Law>(Law) { response = Law::respond(F * Q, parameters); });
      response.energy *= fill;
      response.stress = times_transpose(response.stress, Q) * fill;
      return response;
    }
    Mat3d stress_differential(const Mat3d& F, materials::Definiteness fix, const Mat3d& dF) const {
      Mat3d dP;
      materials::with_law(law, [&]<class Law>(Law) {
        auto tangent = Law::linearise(F * Q, parameters);
        materials::make_definite(tangent, fix);
        dP = materials::stress_differential(tangent, dF * Q);
      });
      return times_transpose(dP, Q) * fill;
    }
  };

  /// Calls f(cell, law) for all cells of all bodies.
  template <class F>
  void for_each_cell(const Configuration& at, F&& f) const {
    std::int32_t first_node = 0;
    std::size_t first_material = 0;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const BodySpec& body = bodies_[b];
      std::size_t number = 0;
      body.lattice.for_each_cell([&](std::size_t block, int lane) {
        const double fill = body.fill.empty() ? 1 : body.fill[number];
        Cell cell{.h = body.lattice.spacing, .spread_mu = stabilise_ ? fill * body.mu[number] : 0};
        for (int c = 0; c < 8; ++c) {
          cell.nodes[c] = first_node + body.lattice.blocks[block].nodes[grid::block_node(lane, c)];
          cell.x[c] = at.positions[cell.nodes[c]];
        }
        cell.F = deformation_gradient(cell.x, 1 / cell.h);
        const int m = body.cell_materials.empty() ? 0 : body.cell_materials[number];
        const Material material =
            m == 0 ? Material{body.law, body.shape} : body.more_materials[m - 1];
        CellLaw law{material.law, {body.mu[number], body.lambda[number]}};
        law.fill = fill;
        std::copy(material.shape.begin(), material.shape.end(), law.parameters.shape);
        if (!materials::is_isotropic(material.law)) {
          if (!body.axes.empty()) law.Q = body.axes[number];
          if (!body.fibres.empty()) law.parameters.fibres = body.fibres[number];
          if (!at.activations.empty()) {
            law.parameters.activation = at.activations[first_material + std::size_t(m)] *
                                        (body.activation.empty() ? 1 : body.activation[number]);
          }
        }
        f(cell, law);
        ++number;
      });
      first_node += static_cast<std::int32_t>(body.lattice.rest_positions.size());
      first_material += 1 + body.more_materials.size();
    }
  }

  /// The forces of stress P [McAdams11 (5)] and of the stabilisation, edge by edge.
  static void add_corner_forces(const Vec3d (&x)[8], const Mat3d& F, const Mat3d& P, double h,
                                double spread_mu, Vec3d (&force)[8]) {
    for_each_edge([&](int axis, int low, int high) {
      const Vec3d spread = (x[high] - x[low]) * (1 / h) - F.column[axis];
      const Vec3d pull = P.column[axis] * (0.25 * h * h) + spread * (0.5 * spread_mu * h * h);
      force[high] -= pull;
      force[low] += pull;
    });
  }

  static void add_forces(const Cell& cell, const Vec3d (&x)[8], const Mat3d& F, const Mat3d& P,
                         std::vector<Vec3d>& nodal) {
    Vec3d f[8] = {};
    add_corner_forces(x, F, P, cell.h, cell.spread_mu, f);
    for (int c = 0; c < 8; ++c) nodal[cell.nodes[c]] += f[c];
  }

  const std::vector<BodySpec>& bodies_;
  bool stabilise_;
};

}  // namespace isochor::lattice
