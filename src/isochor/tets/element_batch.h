#pragma once

#include "isochor/materials/tangent.h"

/// What the kernel reads and writes that makes stiffnesses of tets out of the tangents of their
/// laws.
namespace isochor::tets {

/// Blocks of a tet's stiffness beside the diagonal, 3x3 by columns: rows of one corner, columns of
/// another, in this order. Those on the diagonal follow, since a tet that is shifted has no force.
inline constexpr int kCornerPairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
/// Which of them two corners have.
inline constexpr int kPairOf[4][4] = {{-1, 0, 1, 2}, {0, -1, 3, 4}, {1, 3, -1, 5}, {2, 4, 5, -1}};
inline constexpr int kStiffnessNumbers = 54;

/// Counts of tets that are whole packs in any instruction set.
inline constexpr int kWholePacks = 8;

/// Structure of arrays, as in materials::LawBatch.
struct StiffnessBatch {
  int count;  ///< a multiple of kWholePacks
  bool isotropic;
  const double *F, *gradient;  ///< 9 each, by columns; Model::gradient
  const double* volume;        ///< m^3
  const double* pressure;      ///< Pa; none: null
  materials::Definiteness fix;
  double* numbers;  ///< the tangent of materials::LawBatch; then kStiffnessNumbers, N/m
};

}  // namespace isochor::tets
