#pragma once

#include <vector>

#include "isochor/lattice/model.h"

namespace isochor::lattice {

/// Second derivatives of a cell, in single precision as all tangents; [column][row].
struct alignas(64) SurfaceMatrix {
  float positions[24][24];
  float volume[24];  ///< by positions and by the pressure of the cell, in units of alpha
};

/// Part of Scratch.
struct SurfaceMemory {
  explicit SurfaceMemory(const Model& model);

  std::vector<SurfaceMatrix> matrices;         ///< per cell of Model::surfaces
  std::vector<double> energy, square, strain;  ///< the same

  std::size_t bytes() const;
  void poison();
};

}  // namespace isochor::lattice
