#pragma once

#include <cstddef>

/// Stiffness matrices of many tets at once.
namespace isochor::tets {

/// The stiffness of a tet between its corners 1 to 3, N/m, by columns: entry (a + 3 j, b + 3 k) is
/// the force along a on corner j + 1, turned round, per way along b of corner k + 1. Rows and
/// columns of corner 0 are minus the sums of the others'.
struct TetStiffness {
  static constexpr int kSize = 81;
  float entry[kSize];
};

/// Number e of tet i is at [e count + i].
struct StiffnessBatch {
  std::size_t count = 0;
  const double* tangent = nullptr;   ///< as in materials::LawBatch
  const double* gradient = nullptr;  ///< 9, Model::gradient by columns
  const double* volume = nullptr;    ///< m^3
  TetStiffness* out = nullptr;
};

}  // namespace isochor::tets
