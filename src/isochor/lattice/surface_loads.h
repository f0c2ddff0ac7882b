#pragma once

#include "isochor/lattice/model.h"

/// Follower pressure on embedded surfaces. Through the trilinear map x = sum_i w_i x_i of a cell, a
/// piece of surface N dA becomes cof(F) N dA, so that a pressure p pushes the nodes with
///     f_c = -p integral of w_c cof(F) N dA = -p sum_{i<j} C_cij x_i x x_j,
///     C_cij = integral of w_c (grad w_i x grad w_j) . N dA.
/// The integrals are exact: a closed surface feels neither force nor moment, and the work on it is
/// -p times the volume that it gains. On a surface with an edge that moves there is no energy, and
/// the tangent is not symmetric.
namespace isochor::lattice {

/// Corners of a cell.
using CellVectors = Vec3d[8];
/// Of what the twenty-four displacements of a cell do to its forces; [column][row].
using CellMatrix = double[24][24];

/// Adds the forces of a pressure p, Pa.
void add_pressure_force(const PressurePart& part, double p, const CellVectors& x,
                        CellVectors& force);

/// Adds minus their derivative by positions.
void add_pressure_tangent(const PressurePart& part, double p, const CellVectors& x, CellMatrix& K);

/// What pressures do on a straight way of all nodes from `from` by length times `way`, J: exact,
/// whether there is an energy or not. `memory` has one number per cell of Model::surfaces.
double pressure_work(const Model& model, std::span<const double> pressures,
                     std::span<const Vec3d> from, std::span<const Vec3d> way, double length,
                     std::span<double> memory, ThreadArena& arena);

}  // namespace isochor::lattice
